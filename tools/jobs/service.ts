/**
 * Jobs for the other domains: an operation queues one in its own transaction, and a runner carries it out in chunks. Each chunk commits its rows
 * together with how far the job has come, so that whoever runs it next goes on from there, after any death of any process.
 */
import type { TxContext } from '#platform/operation.ts'
import { parseRoles, type RoleExpression } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import type { Errand } from '#platform/shapes/errands.ts'
import { type JobAttempt, jobWorkflowId } from '#platform/shapes/jobs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { Place } from '#tools/query/service.ts'

import { keepable, tellEnd } from './ends.ts'
import { jobTopic } from './jobs.rules.ts'
import type { Job } from './jobs.schema.ts'
import {
  commitChunk,
  type ChunkOutcome,
  insertJob,
  insertJobRows,
  insertLogLines,
  isAttemptRunning,
  type ShownJob,
  type NewLogLine,
  queueNextAttempt,
  startAttempt,
  updateProgress,
} from './jobs.store.ts'
import { JobStopped } from './runs.ts'

export { cancelAttempt, failJob } from './ends.ts'
export { isUnderWay, type NewLogLine } from './jobs.store.ts'
export { beginRun, carryOut, type JobRun, JobStopped } from './runs.ts'
export { diedTwice, jobTopic } from './jobs.rules.ts'
export { resultSeen } from './sight.ts'

export interface JobRequest {
  /** Names the runner. */
  readonly kind: string
  /** The operation that starts it, and its roles: who may see and control the job beside the caller. */
  readonly operation: string
  readonly requiredRoles: RoleExpression
  /** What the runner needs to know: ids and choices, JSON, never a secret. */
  readonly input: unknown
  readonly total?: number
  /** The property of a record that it is about: who does not see the record does not see the job, who does not see the property not what came out of it. */
  readonly about?: Place
}

/** A job as its runner sees it, for one chunk. */
export interface RunningJob extends JobAttempt {
  readonly kind: string
  readonly operation: string
  /** The tenant user who started it; null where the platform did. */
  readonly startedBy: number | null
  /** How many automatic starts lead to it: what it changes tells it on. */
  readonly depth: number
  readonly input: unknown
  /** What the last committed chunk left; null before the first. */
  readonly position: unknown
  readonly done: number
  readonly total: number | null
  readonly chunkNo: number
}

export interface JobProgress {
  /** All that is done so far, not this chunk's share. */
  readonly done?: number
  readonly total?: number
  /** A few words on what goes on. */
  readonly note?: string
  readonly position?: unknown
  readonly log?: readonly NewLogLine[]
}

export interface JobFinish extends JobProgress {
  /** `partly`: done, with errors in some rows. `succeeded` unless told. */
  readonly state?: 'succeeded' | 'partly'
  readonly result?: Readonly<Record<string, unknown>>
}

/** Carries out the jobs of one kind. */
export interface JobRunner {
  /**
   * Does one chunk, of a few seconds at most, in tenant transactions of its own, and commits it with `advanceJob` (`more`) or `finishJob` (`done`).
   * It may run again for a chunk whose commit nobody heard of: it starts from `job.position`, and a second commit of one chunk is refused. An
   * AppError that no retry can mend fails the job with its sentence; anything else is tried again.
   */
  step(services: Services, job: RunningJob, signal: AbortSignal): Promise<'more' | 'done'>
  /** The sentence for the person who started the job, of an error that is no AppError; undefined for the general one. */
  describeError?(error: unknown): string | undefined
  /** Where the job stands, in words: `row 2001`. */
  placeOf?(done: number): string
}

/** A row as the wire has it, without what came out of it for who is not told. */
export function toJob({ isTold = true, ...row }: ShownJob & { readonly isTold?: boolean }): Job {
  return {
    jobId: row.jobId,
    kind: row.kind,
    state: row.state,
    progress: { done: row.done, ...(row.total === null ? {} : { total: row.total }), ...(row.note === null ? {} : { note: row.note }) },
    ...(row.result === null || !isTold ? {} : { result: row.result }),
    ...(row.error === null || !isTold ? {} : { error: row.error }),
    createdDate: row.createdDate,
    ...(row.startedDate === null ? {} : { startedDate: row.startedDate }),
    ...(row.finishedDate === null ? {} : { finishedDate: row.finishedDate }),
  }
}

// 0 is the mask that everybody holds; a rule without masks that still needs no role of its own is open to every caller who signs in.
function masksOf(roles: RoleExpression): readonly number[] {
  const rule = parseRoles(roles)
  if (rule.masks.length > 0) return rule.masks
  return rule.needsCredential && !rule.admitsAgent && !rule.admitsSigned ? [0] : []
}

function aboutOf({ about }: JobRequest) {
  return {
    entityId: about?.entityId ?? null,
    eiRecordId: about?.eiRecordId ?? null,
    entityPropertyId: about?.entityPropertyId ?? null,
  }
}

/** Starts the workflow that runs the attempt. */
function errandOf(attempt: JobAttempt): Errand {
  return {
    kind: 'start',
    lane: 'bulk',
    workflow: 'job',
    workflowId: jobWorkflowId(attempt),
    args: [attempt],
    subject: `job:${attempt.jobId}`,
  }
}

/** Queues a job in the caller's transaction; it starts after the commit. */
export async function queueJob(context: TxContext, request: JobRequest): Promise<Job> {
  const { tx, tenantId, actor, origin, stamp } = context
  const row = await insertJob(tx, tenantId, {
    kind: request.kind,
    operation: request.operation,
    visibleTo: masksOf(request.requiredRoles),
    startedBy: actor.tenantUserId || null,
    depth: origin.depth,
    total: request.total ?? null,
    ...aboutOf(request),
    input: request.input,
    at: stamp,
  })
  await context.emit(errandOf({ tenantId, jobId: row.jobId, attempt: row.attempt }))
  return toJob(row)
}

/**
 * Writes jobs whose work another workflow does than the one that runs jobs: nothing starts them but what the caller emits. One statement however
 * many there are; answers their ids in order. Whoever does the work calls `startJob`, then `finishJob` or `failJob`.
 */
export async function insertJobs(context: TxContext, requests: readonly JobRequest[]): Promise<number[]> {
  const { tx, tenantId, actor, origin, stamp } = context
  if (requests.length === 0) return []
  return insertJobRows(
    tx,
    tenantId,
    requests.map((request) => ({
      kind: request.kind,
      operation: request.operation,
      visibleTo: masksOf(request.requiredRoles),
      startedBy: actor.tenantUserId || null,
      depth: origin.depth,
      total: request.total ?? null,
      ...aboutOf(request),
      input: request.input,
      at: stamp,
    })),
  )
}

/** Queues the next attempt, from the position that was committed. The caller has locked the job and looked at its state. */
export async function queueJobAgain(context: TxContext, jobId: number): Promise<Job> {
  const row = await queueNextAttempt(context.tx, context.tenantId, jobId)
  if (!row) throw new Error('A locked job was gone')
  await context.emit(errandOf({ tenantId: context.tenantId, jobId, attempt: row.attempt }))
  context.afterCommit(() => context.services.wake.poke(jobTopic(jobId)))
  return toJob(row)
}

/** The job for its next chunk; marks a queued one as running. Undefined where this attempt has nothing left to do. */
export async function readJobForRun(services: Services, attempt: JobAttempt): Promise<RunningJob | undefined> {
  return inSystemTransaction(services, attempt.tenantId, (context) => startJob(context, attempt))
}

/** The same inside a transaction that goes on with the job. */
export async function startJob(context: TxContext, attempt: JobAttempt): Promise<RunningJob | undefined> {
  const { tx, stamp, services } = context
  const row = await startAttempt(tx, attempt, stamp)
  if (!row) return undefined
  if (row.chunkNo === 0) context.afterCommit(() => services.wake.poke(jobTopic(row.jobId)))
  const { kind, operation, startedBy, depth, input, position, done, total, chunkNo } = row
  return { ...attempt, kind, operation, startedBy, depth, input, position, done, total, chunkNo }
}

/**
 * Commits a chunk with the rows that the same transaction wrote, and answers the job as the next chunk sees it. Once in a transaction, unless the
 * job that it answered is what the second call gets. Throws JobStopped.
 */
export async function advanceJob(context: TxContext, job: RunningJob, progress: JobProgress): Promise<RunningJob> {
  return writeChunk(context, job, progress)
}

/**
 * Tells whoever waits how far a long chunk has come, which commits nothing of it: a chunk that takes its process along is still known to have done so
 * twice. Throws JobStopped.
 */
export async function noteProgress(
  context: TxContext,
  job: RunningJob,
  progress: { readonly done: number; readonly note: string },
): Promise<void> {
  if (!(await updateProgress(context.tx, job, progress))) throw new JobStopped(`Job ${job.jobId} has stopped`)
  context.afterCommit(() => context.services.wake.poke(jobTopic(job.jobId)))
}

/** Ends the job with its result, in the transaction of its last rows. Throws JobStopped. */
export async function finishJob(context: TxContext, job: RunningJob, finish: JobFinish = {}): Promise<void> {
  await writeChunk(context, job, { ...finish, state: finish.state ?? 'succeeded' })
}

async function writeChunk(
  context: TxContext,
  job: RunningJob,
  chunk: JobProgress & Pick<ChunkOutcome, 'state' | 'result'>,
): Promise<RunningJob> {
  const { tx, stamp, services, afterCommit } = context
  const { log = [], ...rest } = chunk
  const committed = await commitChunk(tx, job, { ...rest, at: stamp, newLines: log.length })
  if (!committed) throw new JobStopped(`Job ${job.jobId} has stopped, or this chunk of it is committed already`)
  const { row, firstLine, roomFor } = committed
  await insertLogLines(tx, job, { first: firstLine, at: stamp, lines: log.slice(0, roomFor).map(keepable) })
  if (chunk.state !== undefined && chunk.state !== 'running') tellEnd(context, row)
  afterCommit(() => services.wake.poke(jobTopic(job.jobId)))
  return { ...job, position: row.position, done: row.done, total: row.total, chunkNo: row.chunkNo }
}

/** Whether a runner should give up before its next commit: for steps that do much outside of the database. */
export async function isCancelRequested(context: Pick<TxContext, 'tx'>, attempt: JobAttempt): Promise<boolean> {
  return !(await isAttemptRunning(context.tx, attempt))
}
