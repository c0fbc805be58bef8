/** The ends of jobs that no chunk records: failed and cancelled. */
import type { AppErrorDetails, ErrorCode } from '#platform/errors.ts'
import { tell } from '#platform/event-log.ts'
import type { TxContext } from '#platform/operation.ts'
import type { JobAttempt } from '#platform/shapes/jobs.ts'

import { jobTopic } from './jobs.rules.ts'
import type { JobError } from './jobs.schema.ts'
import { endAttempt, insertLogLines, type JobRow, type NewLogLine, takeLogLine } from './jobs.store.ts'

const messageMax = 1_000

// Lines quote what callers and files hold, and PostgreSQL's text holds neither NUL nor half of a surrogate pair.
export function keepable({ level, message }: NewLogLine): NewLogLine {
  const plain = message.replaceAll('\u0000', ' ').toWellFormed()
  return { level, message: plain.length > messageMax ? `${plain.slice(0, messageMax).toWellFormed()}…` : plain }
}

/** Tells outside that a job is over. */
export function tellEnd(
  context: TxContext,
  job: Pick<JobRow, 'jobId' | 'kind' | 'state' | 'done' | 'entityId' | 'eiRecordId' | 'startedBy'>,
): void {
  const { jobId, kind, state, done, entityId, eiRecordId, startedBy } = job
  const starter = { ...context, actor: { ...context.actor, tenantUserId: startedBy ?? 0, writesAs: undefined } }
  tell(
    starter,
    'job.completed',
    { jobId, kind, state, done },
    entityId === null || eiRecordId === null ? undefined : { entityId, eiRecordId },
  )
}

/** Fails the job, with the last line of its log. False where that attempt was over already. */
export async function failJob(
  context: TxContext,
  attempt: JobAttempt,
  error: { readonly code: ErrorCode; readonly message: string; readonly issues?: AppErrorDetails['issues'] },
): Promise<boolean> {
  return endJob(context, attempt, { state: 'failed', error: toJobError(error), line: { level: 'error', message: error.message } })
}

/** Cancels the job at once: a chunk that is under way is refused its commit. False where that attempt was over already. */
export async function cancelAttempt(context: TxContext, attempt: JobAttempt, by: string): Promise<boolean> {
  return endJob(context, attempt, { state: 'cancelled', error: null, line: { level: 'warning', message: `Cancelled by ${by}` } })
}

function toJobError(error: { readonly code: ErrorCode; readonly message: string; readonly issues?: AppErrorDetails['issues'] }): JobError {
  return { code: error.code, message: error.message, ...(error.issues ? { issues: error.issues.map((issue) => ({ ...issue })) } : {}) }
}

async function endJob(
  context: TxContext,
  attempt: JobAttempt,
  end: { state: 'failed' | 'cancelled'; error: JobError | null; line: NewLogLine },
): Promise<boolean> {
  const { tx, stamp, services, afterCommit } = context
  const row = await endAttempt(tx, attempt, { state: end.state, error: end.error, at: stamp })
  if (!row) return false
  const first = await takeLogLine(tx, attempt.tenantId, attempt.jobId)
  if (first !== undefined) await insertLogLines(tx, attempt, { first, at: stamp, lines: [keepable(end.line)] })
  tellEnd(context, row)
  afterCommit(() => services.wake.poke(jobTopic(attempt.jobId)))
  return true
}
