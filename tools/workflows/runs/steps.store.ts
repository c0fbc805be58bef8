/** All SQL of the steps of runs. */
import type { Tx } from '#platform/db/pool.ts'

import type { Answer, Asked, Assignment, RunError, StepRow } from './runs.types.ts'

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))

/** What is known of a step beside what went in and came out, which may be large. */
const place = (tx: Tx) => tx`
  step_no, step, step_type, iteration, state, is_waiting, failures, effect_no, error, is_unsure, outcome, assignee_user, assignee_role, assignee_users,
  due_at, overdue_at, wake_at, awaits, begun_at, ended_at`
/** Of a step, as StepRow has them. */
export const columns = (tx: Tx) => tx`${place(tx)}, input, result, answer`

export async function findStep(tx: Tx, tenantId: number, runId: number, stepNo: number): Promise<StepRow | undefined> {
  const [row] = await tx<StepRow[]>`
    select ${columns(tx)} from platform.workflow_step_run where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo}`
  return row
}

/** Undefined where the step was begun before. */
export async function insertStep(
  tx: Tx,
  tenantId: number,
  runId: number,
  step: Pick<StepRow, 'stepNo' | 'step' | 'stepType' | 'iteration' | 'effectNo' | 'input'> & { readonly at: string },
): Promise<StepRow | undefined> {
  const [row] = await tx<StepRow[]>`
    insert into platform.workflow_step_run (tenant_id, run_id, step_no, step, step_type, iteration, state, effect_no, input, begun_at)
    values (${tenantId}, ${runId}, ${step.stepNo}, ${step.step}, ${step.stepType}, ${tx.array([...step.iteration])}::int[], 'active', ${step.effectNo},
      ${json(step.input)}::text::jsonb, ${step.at})
    on conflict do nothing
    returning ${columns(tx)}`
  return row
}

/** What a step was resolved to is kept once. */
const keptInput = (tx: Tx, input: unknown) => tx`input = coalesce(input, ${json(input)}::text::jsonb)`

/** Keeps what a step was resolved to, once. */
export async function keepInput(tx: Tx, tenantId: number, runId: number, stepNo: number, input: unknown): Promise<void> {
  await tx`
    update platform.workflow_step_run set input = ${JSON.stringify(input)}::text::jsonb
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and input is null`
}

export interface StepEnding {
  readonly state: 'done' | 'skipped' | 'failed' | 'withdrawn'
  readonly result?: unknown
  readonly error?: RunError | undefined
  readonly isUnsure?: boolean
  readonly outcome?: unknown
  readonly input?: unknown
  /** It goes by what somebody answered; else an answer that came meanwhile goes first. */
  readonly isAnswered?: boolean
  readonly at: string
}

/** False where it has ended already. One that is done fails where nobody can say to what it leads. */
export async function endStep(tx: Tx, tenantId: number, runId: number, stepNo: number, end: StepEnding): Promise<boolean> {
  const [row] = await tx`
    update platform.workflow_step_run
    set state = ${end.state}, is_waiting = false, result = ${json(end.result)}::text::jsonb, error = ${json(end.error)}::text::jsonb,
      is_unsure = ${end.isUnsure ?? false}, outcome = ${json(end.outcome)}::text::jsonb, ended_at = ${end.at}, ${keptInput(tx, end.input)}
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo}
      and (state = 'active' or (${end.state}::text = 'failed' and state = 'done' and outcome is null))
      and (${end.state}::text <> 'done' or ${end.isAnswered ?? false} or answer is null)
    returning 1`
  return row !== undefined
}

export async function setOutcome(tx: Tx, tenantId: number, runId: number, stepNo: number, outcome: unknown): Promise<void> {
  await tx`
    update platform.workflow_step_run set outcome = ${JSON.stringify(outcome)}::text::jsonb
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo}`
}

export async function countFailure(tx: Tx, tenantId: number, runId: number, stepNo: number, input: unknown): Promise<void> {
  await tx`
    update platform.workflow_step_run set failures = failures + 1, ${keptInput(tx, input)}
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo}`
}

export interface Waiting extends Partial<Assignment> {
  readonly dueAt?: string | null
  readonly wakeAt?: string | null
  readonly awaits?: string | null
  /** What a trigger would fire on, and about which record; null: about any. */
  readonly awaitsTrigger?: string | null
  readonly awaitsRecord?: number | null
}

/** It waits from now on. */
export async function beginWait(tx: Tx, tenantId: number, runId: number, stepNo: number, wait: Waiting, input: unknown): Promise<void> {
  await tx`
    update platform.workflow_step_run
    set is_waiting = true, assignee_user = ${wait.user ?? null}, assignee_role = ${wait.role ?? null},
      assignee_users = ${wait.users ? tx.array([...wait.users]) : null}::int[], due_at = ${wait.dueAt ?? null}, wake_at = ${wait.wakeAt ?? null},
      awaits = ${wait.awaits ?? null}, awaits_trigger = ${wait.awaitsTrigger ?? null}, awaits_record = ${wait.awaitsRecord ?? null},
      ${keptInput(tx, input)}
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and state = 'active'`
}

/** Whom a step asked, and how far their replies are read. */
export async function setAsked(tx: Tx, tenantId: number, runId: number, stepNo: number, asked: Asked): Promise<void> {
  await tx`
    update platform.workflow_step_run set asked = ${JSON.stringify(asked)}::text::jsonb
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo}`
}

export async function findAsked(tx: Tx, tenantId: number, runId: number, stepNo: number): Promise<Asked | undefined> {
  const [row] = await tx<{ asked: Asked }[]>`
    select asked from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and asked is not null`
  return row?.asked
}

export async function setItems(tx: Tx, tenantId: number, runId: number, stepNo: number, items: readonly unknown[]): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    update platform.workflow_step_run set items = coalesce(items, ${JSON.stringify(items)}::text::jsonb)
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo}
    returning jsonb_array_length(items) as count`
  return row?.count ?? 0
}

/** The element that an iteration of the loop goes over. */
export async function findItem(
  tx: Tx,
  tenantId: number,
  runId: number,
  loop: { readonly step: string; readonly iteration: readonly number[]; readonly index: number },
): Promise<unknown> {
  const [row] = await tx<{ item: unknown }[]>`
    select items -> ${loop.index}::int as item from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and step = ${loop.step} and iteration = ${tx.array([...loop.iteration])}::int[] and items is not null
    order by step_no desc limit 1`
  return row?.item ?? null
}

/** What steps brought, as a step at that iteration sees it: the latest of each name, of the iterations around it. */
export async function listResults(
  tx: Tx,
  tenantId: number,
  runId: number,
  iteration: readonly number[],
): Promise<readonly { readonly step: string; readonly result: unknown }[]> {
  return tx<{ step: string; result: unknown }[]>`
    select distinct on (step) step, result from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and state in ('done', 'failed', 'compensated')
      and iteration = (${tx.array([...iteration])}::int[])[1:cardinality(iteration)]
    order by step, step_no desc`
}

/** Of each iteration of a loop the result of the step that ended last, null where it failed, in their order; results past a size are left out. */
export async function listIterations(
  tx: Tx,
  tenantId: number,
  runId: number,
  loop: {
    readonly steps: readonly string[]
    readonly iteration: readonly number[]
    readonly after: number
    readonly count: number
    readonly bytes: number
  },
): Promise<readonly unknown[]> {
  const rows = await tx<{ index: number; result: unknown }[]>`
    select distinct on (iteration[cardinality(iteration)]) iteration[cardinality(iteration)] as index,
      case when state <> 'done' then null
        when octet_length(result::text) <= ${loop.bytes}::int then result
        when jsonb_typeof(result) = 'object' then (
          select jsonb_object_agg(key, value) || '{"isShortened": true}' from (
            select key, value, sum(octet_length(value::text) + octet_length(key) + 8) over (order by octet_length(value::text), key) as size
            from jsonb_each(result)) part
          where size <= ${loop.bytes}::int - 32)
        end as result
    from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no > ${loop.after} and step = any (${tx.array([...loop.steps])}::text[])
      and cardinality(iteration) = ${loop.iteration.length + 1}::int
      and iteration[1:cardinality(iteration) - 1] = ${tx.array([...loop.iteration])}::int[]
    order by iteration[cardinality(iteration)], step_no desc`
  const items: unknown[] = Array.from({ length: loop.count }, () => null)
  for (const { index, result } of rows) if (index < items.length) items[index] = result
  return items
}

export interface FailedIteration {
  readonly index: number
  readonly step: string
  readonly code: string
  readonly message: string
}

/** Why iterations failed, the first ones: of each step that was not carried out again with success. */
export async function listFailedIterations(
  tx: Tx,
  tenantId: number,
  runId: number,
  loop: { readonly steps: readonly string[]; readonly iteration: readonly number[]; readonly after: number; readonly limit: number },
): Promise<FailedIteration[]> {
  return tx<FailedIteration[]>`
    select index, step, error ->> 'code' as code, left(error ->> 'message', 400) as message from (
      select distinct on (iteration[cardinality(iteration)], step) iteration[cardinality(iteration)] as index, step, step_no, state, error
      from platform.workflow_step_run
      where tenant_id = ${tenantId} and run_id = ${runId} and step_no > ${loop.after} and step = any (${tx.array([...loop.steps])}::text[])
        and cardinality(iteration) = ${loop.iteration.length + 1}::int
        and iteration[1:cardinality(iteration) - 1] = ${tx.array([...loop.iteration])}::int[]
      order by iteration[cardinality(iteration)], step, step_no desc) latest
    where state = 'failed' and error is not null
    order by index, step_no
    limit ${loop.limit}`
}

/** What a step of that name brought that was over by then; null where it brought nothing. */
export async function findResultAt(tx: Tx, tenantId: number, runId: number, step: string, at: string): Promise<unknown> {
  const [row] = await tx<{ result: unknown }[]>`
    select result from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and step = ${step} and ended_at <= ${at}
    order by step_no desc limit 1`
  return row?.result ?? null
}

/** The steps of a run that wait. */
export async function listWaiting(tx: Tx, tenantId: number, runId: number): Promise<readonly StepRow[]> {
  return tx<StepRow[]>`
    select ${columns(tx)} from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and is_waiting
    order by step_no`
}

/** Somebody acted: it waits no longer. False where it did not wait. */
export async function answerStep(tx: Tx, tenantId: number, runId: number, stepNo: number, answer: Answer): Promise<boolean> {
  const [row] = await tx`
    update platform.workflow_step_run set is_waiting = false, answer = ${JSON.stringify(answer)}::text::jsonb
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and is_waiting
    returning 1`
  return row !== undefined
}

export async function assignStep(tx: Tx, tenantId: number, runId: number, stepNo: number, to: Assignment): Promise<void> {
  await tx`
    update platform.workflow_step_run
    set assignee_user = ${to.user}, assignee_role = ${to.role}, assignee_users = ${to.users ? tx.array([...to.users]) : null}::int[]
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo}`
}

export async function setOverdue(tx: Tx, tenantId: number, runId: number, stepNo: number, at: string): Promise<boolean> {
  const [row] = await tx`
    update platform.workflow_step_run set overdue_at = ${at}
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and overdue_at is null
    returning 1`
  return row !== undefined
}

/** What went wrong last. */
export async function findLastError(tx: Tx, tenantId: number, runId: number): Promise<RunError | undefined> {
  const [row] = await tx<{ error: RunError }[]>`
    select s.error from platform.workflow_step_run s
    where s.tenant_id = ${tenantId} and s.run_id = ${runId} and s.state = 'failed' and s.error is not null
      and (s.step_type not in ('parallel', 'forEach') or not exists (
        -- What failed within it says more.
        select from platform.workflow_step_run i
        where i.tenant_id = ${tenantId} and i.run_id = ${runId} and i.state = 'failed' and i.step_no > s.step_no and i.ended_at <= s.ended_at))
    order by s.ended_at desc, s.step_no desc limit 1`
  return row?.error
}

/** A step with lanes or iterations that failed is retried inside: it goes on. */
export async function reopenStep(tx: Tx, tenantId: number, runId: number, stepNo: number): Promise<StepRow | undefined> {
  const [row] = await tx<StepRow[]>`
    update platform.workflow_step_run set state = 'active', outcome = null, error = null, ended_at = null
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and state = 'failed'
    returning ${columns(tx)}`
  return row
}

/** What was done last of these steps and is not undone yet. */
export async function findUndone(tx: Tx, tenantId: number, runId: number, steps: readonly string[]): Promise<StepRow | undefined> {
  const [row] = await tx<StepRow[]>`
    select ${columns(tx)} from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and state = 'done' and step = any (${tx.array([...steps])}::text[])
    order by ended_at desc, step_no desc limit 1`
  return row
}

export async function markUndone(tx: Tx, tenantId: number, runId: number, stepNo: number): Promise<boolean> {
  const [row] = await tx`
    update platform.workflow_step_run set state = 'compensated'
    where tenant_id = ${tenantId} and run_id = ${runId} and step_no = ${stepNo} and state = 'done'
    returning 1`
  return row !== undefined
}

/** Who did a step last: for whom a later one is not. */
export async function findActors(tx: Tx, tenantId: number, runId: number, steps: readonly string[]): Promise<readonly number[]> {
  const rows = await tx<{ by: number }[]>`
    select (answer ->> 'by')::int as by from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = ${runId} and step = any (${tx.array([...steps])}::text[]) and answer ->> 'by' is not null`
  return rows.map(({ by }) => by)
}

/** Those that are under way, in the order in which they began. */
export async function listActive(
  tx: Tx,
  tenantId: number,
  runIds: readonly number[],
): Promise<readonly (Omit<StepRow, 'input' | 'result' | 'answer'> & { readonly runId: number })[]> {
  return tx<(Omit<StepRow, 'input' | 'result' | 'answer'> & { runId: number })[]>`
    select run_id, ${place(tx)} from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = any (${tx.array([...runIds])}::bigint[]) and state = 'active'
    order by run_id, step_no`
}

/** Those of the runs in which somebody was asked by name, or is asked by a role now. */
export async function findAskedIn(
  tx: Tx,
  tenantId: number,
  runIds: readonly number[],
  { tenantUserId, roleFlag }: { readonly tenantUserId: number; readonly roleFlag: number },
): Promise<readonly number[]> {
  const rows = await tx<{ runId: number }[]>`
    select distinct run_id from platform.workflow_step_run
    where tenant_id = ${tenantId} and run_id = any (${tx.array([...runIds])}::bigint[])
      and (assignee_user = ${tenantUserId}::int or ${tenantUserId}::int = any (assignee_users)
        or (answer ->> 'by')::int = ${tenantUserId}::int
        or (is_waiting and assignee_role is not null and assignee_role & ${roleFlag}::int = assignee_role))`
  return rows.map(({ runId }) => runId)
}
