/** All SQL of runs, their log and the signals that nobody awaits yet. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { RunState } from '#platform/flow/run.types.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { LogRow, NewLogLine, RunError, RunRow, WorkflowState } from './runs.types.ts'

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))

export const runColumns = (tx: Tx) => tx`
  run_id, workflow_id, version, internal_name, pack, pack_version, had_failures, trigger_type, state, is_paused, is_cancelling, entity_id, ei_record_id, acts_as, role_flag, depth, started_by, caused_by,
  input, trigger, variables, output, error, epoch, flow, held_for, expires_at, created_date, started_date, finished_date`

export async function findRun(tx: Tx, tenantId: number, runId: number): Promise<RunRow | undefined> {
  const [row] = await tx<RunRow[]>`
    select ${runColumns(tx)} from platform.workflow_run where tenant_id = ${tenantId} and run_id = ${runId}`
  return row
}

/** The same, held until the transaction ends. Whoever changes a run or its steps holds it first, so that nobody waits for each other. */
export async function lockRun(tx: Tx, tenantId: number, runId: number): Promise<RunRow | undefined> {
  const [row] = await tx<RunRow[]>`
    select ${runColumns(tx)} from platform.workflow_run where tenant_id = ${tenantId} and run_id = ${runId} for no key update`
  return row
}

/** The stamp of a transaction that another domain began; the run is held by it. */
export async function lockedAt(tx: Tx, tenantId: number, runId: number): Promise<string> {
  const [row] = await tx<{ at: string }[]>`
    select date_trunc('milliseconds', now()) as at from platform.workflow_run where tenant_id = ${tenantId} and run_id = ${runId} for no key update`
  if (!row) throw new Error('A run was gone')
  return row.at
}

/** Adds what a step brought: values of variables, and how much the run now holds, which is answered. */
export async function addValues(
  tx: Tx,
  tenantId: number,
  runId: number,
  added: { readonly variables: Readonly<Record<string, unknown>>; readonly bytes: number },
): Promise<number> {
  const [row] = await tx<{ valueBytes: number }[]>`
    update platform.workflow_run
    set variables = variables || ${JSON.stringify(added.variables)}::text::jsonb, value_bytes = value_bytes + ${added.bytes}::int
    where tenant_id = ${tenantId} and run_id = ${runId}
    returning value_bytes`
  return row?.valueBytes ?? 0
}

export interface RunEnding {
  readonly state: 'completed' | 'failed' | 'cancelled'
  readonly error: RunError | null
  readonly flow: RunState
  readonly hadFailures: boolean
  readonly at: string
}

/** Undefined where it has ended already. `isAwaited`: others of its workflow wait for their turn. */
export async function endRun(
  tx: Tx,
  tenantId: number,
  runId: number,
  end: RunEnding,
): Promise<(RunRow & { readonly isAwaited: boolean }) | undefined> {
  const [row] = await tx<(RunRow & { isAwaited: boolean })[]>`
    update platform.workflow_run
    set state = ${end.state}, error = ${json(end.error)}::text::jsonb, flow = ${JSON.stringify(end.flow)}::text::jsonb, is_paused = false,
      is_cancelling = false, had_failures = ${end.hadFailures}, finished_date = ${end.at}
    where tenant_id = ${tenantId} and run_id = ${runId} and finished_date is null
    returning ${runColumns(tx)}, exists (
      select from platform.workflow_run h
      where h.tenant_id = ${tenantId} and h.workflow_id = workflow_run.workflow_id and h.held_for = 'turn') as is_awaited`
  return row
}

export async function setOutput(
  tx: Tx,
  tenantId: number,
  runId: number,
  end: { readonly output: unknown; readonly error: RunError | null },
): Promise<void> {
  await tx`
    update platform.workflow_run set output = ${json(end.output)}::text::jsonb, error = ${json(end.error)}::text::jsonb
    where tenant_id = ${tenantId} and run_id = ${runId}`
}

export async function setPaused(tx: Tx, tenantId: number, runId: number, isPaused: boolean): Promise<void> {
  await tx`update platform.workflow_run set is_paused = ${isPaused} where tenant_id = ${tenantId} and run_id = ${runId}`
}

export async function setCancelling(tx: Tx, tenantId: number, runId: number): Promise<void> {
  await tx`
    update platform.workflow_run set is_cancelling = true, is_paused = false where tenant_id = ${tenantId} and run_id = ${runId}`
}

/** Cancels all runs of a definition that have not ended, and answers them. */
export async function setAllCancelling(tx: Tx, tenantId: number, workflowId: number): Promise<{ runId: number; epoch: number }[]> {
  return tx<{ runId: number; epoch: number }[]>`
    update platform.workflow_run set is_cancelling = true, is_paused = false
    where tenant_id = ${tenantId} and workflow_id = ${workflowId} and finished_date is null and not is_cancelling
    returning run_id, epoch`
}

/** The next epoch of a run that failed. */
export async function reopenRun(tx: Tx, tenantId: number, runId: number): Promise<number> {
  const [row] = await tx<{ epoch: number }[]>`
    update platform.workflow_run set state = 'running', error = null, finished_date = null, epoch = epoch + 1
    where tenant_id = ${tenantId} and run_id = ${runId}
    returning epoch`
  return row?.epoch ?? 1
}

const lineOf = (tx: Tx, at: string, line: NewLogLine) => {
  const { row } = line
  return tx`
    ${at}, ${row?.stepNo ?? null}::int, ${row?.step ?? null}::text, ${row?.stepType ?? null}::text,
    ${row ? tx.array([...row.iteration]) : null}::int[], ${line.event}, ${line.by ?? null}::int, ${line.attempt ?? null}::int,
    ${json(line.input)}::text::jsonb, ${json(line.output)}::text::jsonb, ${json(line.error)}::text::jsonb, ${line.comment ?? null}::text,
    ${line.durationMs ?? null}::bigint`
}

const lineColumns = (tx: Tx) => tx`
  tenant_id, run_id, seq, at, step_no, step, step_type, iteration, event, by_user, attempt, input, output, error, comment, duration_ms`

/** Writes a line; the run's row is held by it. */
export async function addLogLine(tx: Tx, tenantId: number, runId: number, at: string, line: NewLogLine): Promise<void> {
  await tx`
    with counted as (
      update platform.workflow_run set log_seq = log_seq + 1 where tenant_id = ${tenantId} and run_id = ${runId} returning log_seq
    )
    insert into platform.workflow_log (${lineColumns(tx)})
    select ${tenantId}, ${runId}, log_seq, ${lineOf(tx, at, line)} from counted`
}

/** What somebody says of many runs at once. */
export async function addComments(
  tx: Tx,
  tenantId: number,
  runIds: readonly number[],
  { at, by, comment }: { readonly at: string; readonly by: number; readonly comment: string },
): Promise<void> {
  await tx`
    with counted as (
      update platform.workflow_run set log_seq = log_seq + 1
      where tenant_id = ${tenantId} and run_id = any (${tx.array([...runIds])}::bigint[])
      returning run_id, log_seq
    )
    insert into platform.workflow_log (tenant_id, run_id, seq, at, event, by_user, comment)
    select ${tenantId}, run_id, log_seq, ${at}, 'commented', ${by}, ${comment} from counted`
}

/** Runs by their ids, the oldest first. */
export async function findRuns(tx: Tx, tenantId: number, runIds: readonly number[]): Promise<RunRow[]> {
  return tx<RunRow[]>`
    select ${runColumns(tx)} from platform.workflow_run
    where tenant_id = ${tenantId} and run_id = any (${tx.array([...runIds])}::bigint[])
    order by run_id`
}

/**
 * Writes a line of a step that has just begun, waits or ended, and what follows for the run, whose row is held: running while a step is carried out, waiting
 * while none is and one waits; the values of variables that the step brought; and how many bytes the run now holds, which is answered.
 */
export async function addStepLine(
  tx: Tx,
  tenantId: number,
  runId: number,
  at: string,
  line: NewLogLine,
  brought: { readonly variables?: Readonly<Record<string, unknown>>; readonly bytes?: number } = {},
): Promise<number> {
  const { variables = {}, bytes = 0 } = brought
  const set = Object.keys(variables).length > 0 ? JSON.stringify(variables) : null
  const [row] = await tx<{ valueBytes: number }[]>`
    with counted as (
      update platform.workflow_run r
      set log_seq = log_seq + 1, value_bytes = value_bytes + ${bytes}::int, started_date = coalesce(started_date, ${at}),
        variables = case when ${set}::text is null then variables else variables || ${set}::text::jsonb end,
        state = case when finished_date is not null then state when s.waiting > 0 and s.waiting = s.active then 'waiting' else 'running' end
      from (
        select count(*) as active, count(*) filter (where is_waiting) as waiting
        from platform.workflow_step_run
        where tenant_id = ${tenantId} and run_id = ${runId} and state = 'active' and step_type not in ('parallel', 'forEach')
      ) s
      where r.tenant_id = ${tenantId} and r.run_id = ${runId}
      returning log_seq, value_bytes
    ), written as (
      insert into platform.workflow_log (${lineColumns(tx)})
      select ${tenantId}, ${runId}, log_seq, ${lineOf(tx, at, line)} from counted
    )
    select value_bytes from counted`
  return row?.valueBytes ?? 0
}

export async function keepSignal(
  tx: Tx,
  tenantId: number,
  runId: number,
  signal: { readonly event: string; readonly payload: unknown; readonly by: number; readonly at: string },
): Promise<void> {
  await tx`
    insert into platform.workflow_signal (tenant_id, run_id, event, payload, by_user, at)
    values (${tenantId}, ${runId}, ${signal.event}, ${json(signal.payload)}::text::jsonb, ${signal.by}, ${signal.at})`
}

/** How many signals wait for a step that takes them. */
export async function countSignals(tx: Tx, tenantId: number, runId: number): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from platform.workflow_signal where tenant_id = ${tenantId} and run_id = ${runId}`
  return row?.count ?? 0
}

/** Takes the oldest signal of that name. */
export async function takeSignal(
  tx: Tx,
  tenantId: number,
  runId: number,
  event: string,
): Promise<{ readonly payload: unknown; readonly byUser: number | null; readonly at: string } | undefined> {
  const [row] = await tx<{ payload: unknown; byUser: number | null; at: string }[]>`
    delete from platform.workflow_signal
    where tenant_id = ${tenantId} and run_id = ${runId} and signal_id = (
      select min(signal_id) from platform.workflow_signal where tenant_id = ${tenantId} and run_id = ${runId} and event = ${event}
    )
    returning payload, by_user, at`
  return row
}

/** The oldest first, after a line. */
export async function listLog(tx: Tx, tenantId: number, runId: number, page: PageRequest, after: number): Promise<Found<LogRow>> {
  return fetchPage<LogRow>(
    tx,
    page,
    tx`
      select seq, at, step_no, step, step_type, iteration, event, by_user, attempt, input, output, error, comment, duration_ms
      from platform.workflow_log
      where tenant_id = ${tenantId} and run_id = ${runId} and seq > ${after}
      order by seq`,
  )
}

export async function countLog(tx: Tx, tenantId: number, runId: number): Promise<number> {
  const [row] = await tx<{ logSeq: number }[]>`
    select log_seq from platform.workflow_run where tenant_id = ${tenantId} and run_id = ${runId}`
  return row?.logSeq ?? 0
}

export interface RunFilter {
  readonly workflowId: number | null
  readonly states: readonly WorkflowState[] | null
  readonly eiRecordId: number | null
  readonly assignee: number | null
}

const isWanted = (tx: Tx, tenantId: number, filter: RunFilter) => tx`
  tenant_id = ${tenantId} and pack is null
  and (${filter.workflowId}::int is null or workflow_id = ${filter.workflowId}::int)
  and (${filter.eiRecordId}::bigint is null or ei_record_id = ${filter.eiRecordId}::bigint)
  and (${filter.states ? tx.array([...filter.states]) : null}::text[] is null
    or case when is_paused then 'paused' else state end = any (${filter.states ? tx.array([...filter.states]) : null}::text[]))
  and (${filter.assignee}::int is null or exists (
    select from platform.workflow_step_run s
    where s.tenant_id = ${tenantId} and s.run_id = workflow_run.run_id and s.is_waiting
      and (s.assignee_user = ${filter.assignee}::int or ${filter.assignee}::int = any (s.assignee_users))))`

/** The newest first. `before` is the last id of the page before. */
export async function listRuns(
  tx: Tx,
  tenantId: number,
  page: PageRequest,
  filter: RunFilter & { readonly before: number | null },
): Promise<Found<RunRow>> {
  return fetchPage<RunRow>(
    tx,
    page,
    tx`
      select ${runColumns(tx)} from platform.workflow_run
      where ${isWanted(tx, tenantId, filter)} and (${filter.before}::bigint is null or run_id < ${filter.before})
      order by run_id desc`,
  )
}

export async function countRuns(tx: Tx, tenantId: number, page: PageRequest, filter: RunFilter): Promise<Total> {
  return countPage(tx, page, tx`from platform.workflow_run where ${isWanted(tx, tenantId, filter)}`)
}
