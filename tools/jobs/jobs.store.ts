/** All SQL of jobs. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'
import type { JobAttempt, JobState } from '#platform/shapes/jobs.ts'

import type { JobError, JobLogLine } from './jobs.schema.ts'

/** Who looks: jobs of one's own are visible, and those that one's roles could have started. */
export interface JobViewer {
  readonly tenantUserId: number
  readonly roleFlag: number
}

export interface JobRow {
  readonly jobId: number
  readonly kind: string
  readonly operation: string
  readonly visibleTo: readonly number[]
  readonly startedBy: number | null
  /** The record that it is about, and the property of it that its result tells of. */
  readonly entityId: number | null
  readonly eiRecordId: number | null
  readonly entityPropertyId: number | null
  readonly depth: number
  readonly state: JobState
  readonly done: number
  readonly total: number | null
  readonly note: string | null
  readonly input: unknown
  readonly position: unknown
  readonly result: Record<string, unknown> | null
  readonly error: JobError | null
  readonly attempt: number
  readonly chunkNo: number
  readonly createdDate: string
  readonly startedDate: string | null
  readonly finishedDate: string | null
}

/** A job without what its runner works from, which no list carries. */
export type ShownJob = Omit<JobRow, 'input' | 'position' | 'depth'>

export interface NewJob {
  readonly kind: string
  readonly operation: string
  readonly visibleTo: readonly number[]
  readonly startedBy: number | null
  /** See Origin. */
  readonly depth: number
  readonly total: number | null
  readonly entityId: number | null
  readonly eiRecordId: number | null
  readonly entityPropertyId: number | null
  readonly input: unknown
  readonly at: string
}

export interface ChunkOutcome {
  readonly state?: JobState | undefined
  readonly done?: number | undefined
  readonly total?: number | undefined
  readonly note?: string | undefined
  /** Undefined: as it was. */
  readonly position?: unknown
  readonly result?: unknown
  readonly at: string
  readonly newLines: number
}

export type NewLogLine = Pick<JobLogLine, 'level' | 'message'>

/** What stands in one job's log at most: it is for reading, and a million bad rows are not read. */
export const maxLogLines = 5_000

/** What of a job is shown to people. */
const shownColumns = (tx: Tx) => tx`
  job_id, kind, operation, visible_to, started_by, entity_id, ei_record_id, entity_property_id, state, done, total, note, result, error, attempt, chunk_no, created_date, started_date,
  finished_date`

const columns = (tx: Tx) => tx`${shownColumns(tx)}, input, position, depth`

// Every bit of one mask; the mask 0 is everybody's.
const isVisible = (tx: Tx, viewer: JobViewer) => tx`
  (started_by = ${viewer.tenantUserId}::int or exists (select from unnest(visible_to) mask where mask & ${viewer.roleFlag}::int = mask))`

const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value))

export async function insertJob(tx: Tx, tenantId: number, job: NewJob): Promise<JobRow> {
  const [row] = await tx<JobRow[]>`
    insert into platform.job (tenant_id, kind, operation, visible_to, started_by, entity_id, ei_record_id, entity_property_id, depth, total, input, created_date)
    values (${tenantId}, ${job.kind}, ${job.operation}, ${tx.array([...job.visibleTo])}::int[], ${job.startedBy}, ${job.entityId}, ${job.eiRecordId},
      ${job.entityPropertyId}, ${job.depth}, ${job.total},
      ${JSON.stringify(job.input ?? null)}::text::jsonb, ${job.at})
    returning ${columns(tx)}`
  if (!row) throw new Error('An insert answered no row')
  return row
}

/** Many at once; their ids in the order given. */
export async function insertJobRows(tx: Tx, tenantId: number, jobs: readonly NewJob[]): Promise<number[]> {
  const rows = await tx<{ jobId: number }[]>`
    insert into platform.job (tenant_id, kind, operation, visible_to, started_by, entity_id, ei_record_id, entity_property_id, depth, total, input, created_date)
    select ${tenantId}::int, kind, operation, "visibleTo", "startedBy", "entityId", "eiRecordId", "entityPropertyId", depth, total, input, at
    from rows from (jsonb_to_recordset(${JSON.stringify(jobs.map((job) => ({ ...job, input: job.input ?? null })))}::text::jsonb)
      as (kind text, operation text, "visibleTo" int[], "startedBy" int, "entityId" int, "eiRecordId" bigint, "entityPropertyId" int, depth int, total bigint, input jsonb, at timestamptz)) with ordinality
      as given (kind, operation, "visibleTo", "startedBy", "entityId", "eiRecordId", "entityPropertyId", depth, total, input, at, n)
    order by n
    returning job_id`
  return rows.map((row) => row.jobId)
}

export async function findJob(tx: Tx, tenantId: number, jobId: number, viewer: JobViewer): Promise<JobRow | undefined> {
  const [row] = await tx<JobRow[]>`
    select ${columns(tx)} from platform.job where tenant_id = ${tenantId} and job_id = ${jobId} and ${isVisible(tx, viewer)}`
  return row
}

/** The same, held until the transaction ends. */
export async function lockJob(tx: Tx, tenantId: number, jobId: number, viewer: JobViewer): Promise<JobRow | undefined> {
  const [row] = await tx<JobRow[]>`
    select ${columns(tx)} from platform.job where tenant_id = ${tenantId} and job_id = ${jobId} and ${isVisible(tx, viewer)} for no key update`
  return row
}

export interface JobFilter {
  readonly state: readonly JobState[] | undefined
  readonly kind: string | undefined
}

const isWanted = (tx: Tx, tenantId: number, viewer: JobViewer, filter: JobFilter) => tx`
  tenant_id = ${tenantId} and ${isVisible(tx, viewer)}
  and (${filter.state ? tx.array([...filter.state]) : null}::text[] is null or state = any (${filter.state ? tx.array([...filter.state]) : null}::text[]))
  and (${filter.kind ?? null}::text is null or kind = ${filter.kind ?? null})`

/** The newest first. `before` is the last job id of the page before. */
export async function listJobRows(
  tx: Tx,
  tenantId: number,
  viewer: JobViewer,
  page: PageRequest,
  filter: JobFilter & { before: number | null },
): Promise<Found<ShownJob>> {
  return fetchPage<ShownJob>(
    tx,
    page,
    tx`
      select ${shownColumns(tx)} from platform.job
      where ${isWanted(tx, tenantId, viewer, filter)} and (${filter.before}::bigint is null or job_id < ${filter.before})
      order by job_id desc`,
  )
}

/** Which record a job is about. */
export type JobPlace = Pick<JobRow, 'jobId' | 'startedBy' | 'entityId' | 'eiRecordId' | 'entityPropertyId'>

/** The same rows, and of each what decides who sees it. */
export async function listJobPlaces(
  tx: Tx,
  tenantId: number,
  viewer: JobViewer,
  page: PageRequest,
  filter: JobFilter & { before: number | null },
): Promise<Found<JobPlace>> {
  return fetchPage<JobPlace>(
    tx,
    page,
    tx`
      select job_id, started_by, entity_id, ei_record_id, entity_property_id from platform.job
      where ${isWanted(tx, tenantId, viewer, filter)} and (${filter.before}::bigint is null or job_id < ${filter.before})
      order by job_id desc`,
  )
}

export async function countJobs(tx: Tx, tenantId: number, viewer: JobViewer, page: PageRequest, filter: JobFilter): Promise<Total> {
  return countPage(tx, page, tx`from platform.job where ${isWanted(tx, tenantId, viewer, filter)}`)
}

/** Queued becomes running; the row where this attempt is still to be carried out, else undefined. */
export async function startAttempt(tx: Tx, attempt: JobAttempt, at: string): Promise<JobRow | undefined> {
  const [row] = await tx<JobRow[]>`
    update platform.job set state = 'running', started_date = coalesce(started_date, ${at})
    where tenant_id = ${attempt.tenantId} and job_id = ${attempt.jobId} and attempt = ${attempt.attempt} and state in ('queued', 'running')
    returning ${columns(tx)}`
  return row
}

/** Undefined where the attempt no longer runs, or another run has committed this chunk. */
export async function commitChunk(
  tx: Tx,
  chunk: JobAttempt & { readonly chunkNo: number },
  outcome: ChunkOutcome,
): Promise<{ row: JobRow; firstLine: number; roomFor: number } | undefined> {
  const { state } = outcome
  const isEnd = state !== undefined && state !== 'running'
  const position = outcome.position === undefined ? null : JSON.stringify(outcome.position)
  const [row] = await tx<(JobRow & { linesBefore: number; linesAfter: number })[]>`
    update platform.job set
      state = coalesce(${state ?? null}::text, state),
      done = coalesce(${outcome.done ?? null}::bigint, done),
      total = coalesce(${outcome.total ?? null}::bigint, total),
      note = coalesce(${outcome.note ?? null}::text, note),
      position = coalesce(${position}::text::jsonb, position),
      result = coalesce(${json(outcome.result)}::text::jsonb, result),
      finished_date = case when ${isEnd} then ${outcome.at}::timestamptz else finished_date end,
      chunk_no = chunk_no + 1,
      unended_runs = least(unended_runs, 1),
      log_lines = least(log_lines + ${outcome.newLines}::int, ${maxLogLines}::int)
    where tenant_id = ${chunk.tenantId} and job_id = ${chunk.jobId} and attempt = ${chunk.attempt} and chunk_no = ${chunk.chunkNo}
      and state = 'running'
    returning old.log_lines as lines_before, new.log_lines as lines_after, ${columns(tx)}`
  return row && { row, firstLine: row.linesBefore + 1, roomFor: row.linesAfter - row.linesBefore }
}

/** Says how far a chunk that is under way has come; false where it is not to be carried out any more. */
export async function updateProgress(
  tx: Tx,
  chunk: JobAttempt & { readonly chunkNo: number },
  progress: { readonly done: number; readonly note: string },
): Promise<boolean> {
  const rows = await tx`
    update platform.job set done = ${progress.done}, note = ${progress.note}
    where tenant_id = ${chunk.tenantId} and job_id = ${chunk.jobId} and attempt = ${chunk.attempt} and chunk_no = ${chunk.chunkNo} and state = 'running'
    returning job_id`
  return rows.length > 0
}

/** Ends a job outside of its chunks. Undefined where that attempt is over already. */
export async function endAttempt(
  tx: Tx,
  attempt: JobAttempt,
  end: { state: 'failed' | 'cancelled'; error: JobError | null; at: string },
): Promise<JobRow | undefined> {
  const [row] = await tx<JobRow[]>`
    update platform.job set state = ${end.state}, error = ${json(end.error)}::text::jsonb, finished_date = ${end.at}
    where tenant_id = ${attempt.tenantId} and job_id = ${attempt.jobId} and attempt = ${attempt.attempt} and state in ('queued', 'running')
    returning ${columns(tx)}`
  return row
}

/** Queued again, from where it stood. The caller has locked the row and looked at its state. */
export async function queueNextAttempt(tx: Tx, tenantId: number, jobId: number): Promise<JobRow | undefined> {
  const [row] = await tx<JobRow[]>`
    update platform.job set state = 'queued', attempt = attempt + 1, error = null, result = null, started_date = null, finished_date = null,
      unended_runs = 0, run_id = null
    where tenant_id = ${tenantId} and job_id = ${jobId}
    returning ${columns(tx)}`
  return row
}

/** Counts a run that begins; of the one before it, `ended` may know that it has ended. Undefined where this attempt has nothing left to do. */
export async function countRun(
  tx: Tx,
  attempt: JobAttempt,
  run: { readonly runId: string; readonly ended: readonly string[] },
): Promise<{ kind: string; done: number; unendedRuns: number } | undefined> {
  const [row] = await tx<{ kind: string; done: number; unendedRuns: number }[]>`
    update platform.job
    set unended_runs = case when run_id = any (${tx.array([...run.ended])}::uuid[]) then 0 else unended_runs end + 1, run_id = ${run.runId}
    where tenant_id = ${attempt.tenantId} and job_id = ${attempt.jobId} and attempt = ${attempt.attempt} and state in ('queued', 'running')
    returning kind, done, unended_runs`
  return row
}

/** Notes that a run has ended, unless another one has begun since. */
export async function clearRun(tx: Tx, attempt: JobAttempt, runId: string): Promise<void> {
  await tx`
    update platform.job set unended_runs = 0
    where tenant_id = ${attempt.tenantId} and job_id = ${attempt.jobId} and run_id = ${runId} and unended_runs > 0`
}

export async function isAttemptRunning(tx: Tx, attempt: JobAttempt): Promise<boolean> {
  const [row] = await tx`
    select 1 from platform.job
    where tenant_id = ${attempt.tenantId} and job_id = ${attempt.jobId} and attempt = ${attempt.attempt} and state in ('queued', 'running')`
  return row !== undefined
}

/** Whether a job, whosever it is, has not ended. */
export async function isUnderWay(tx: Tx, tenantId: number, jobId: number): Promise<boolean> {
  const [row] = await tx`
    select 1 from platform.job where tenant_id = ${tenantId} and job_id = ${jobId} and state in ('queued', 'running')`
  return row !== undefined
}

/** Makes room in the log and answers the number of the first new line; undefined where the log is full. The job's row is locked by it. */
export async function takeLogLine(tx: Tx, tenantId: number, jobId: number): Promise<number | undefined> {
  const [row] = await tx<{ logLines: number }[]>`
    update platform.job set log_lines = log_lines + 1
    where tenant_id = ${tenantId} and job_id = ${jobId} and log_lines < ${maxLogLines}
    returning log_lines`
  return row?.logLines
}

export async function insertLogLines(
  tx: Tx,
  attempt: JobAttempt,
  lines: { readonly first: number; readonly at: string; readonly lines: readonly NewLogLine[] },
): Promise<void> {
  if (lines.lines.length === 0) return
  await tx`
    insert into platform.job_log (tenant_id, job_id, line_no, at, attempt, level, message)
    select ${attempt.tenantId}, ${attempt.jobId}, ${lines.first}::int + (n - 1)::int, ${lines.at}, ${attempt.attempt}, line ->> 'level', line ->> 'message'
    from jsonb_array_elements(${JSON.stringify(lines.lines)}::text::jsonb) with ordinality as given (line, n)`
}

/** The oldest first, after a line. */
export async function listLogLines(tx: Tx, tenantId: number, jobId: number, page: PageRequest, after: number): Promise<Found<JobLogLine>> {
  return fetchPage<JobLogLine>(
    tx,
    page,
    tx`
      select line_no as line, at, attempt, level, message from platform.job_log
      where tenant_id = ${tenantId} and job_id = ${jobId} and line_no > ${after}
      order by line_no`,
  )
}

export async function countLogLines(tx: Tx, tenantId: number, jobId: number): Promise<number> {
  const [row] = await tx<{ logLines: number }[]>`select log_lines from platform.job where tenant_id = ${tenantId} and job_id = ${jobId}`
  return row?.logLines ?? 0
}
