/** The activities of jobs: they run chunks until the job is done, and record the ends that a chunk cannot record itself. */
import { setInterval } from 'node:timers'

import { ApplicationFailure, Context } from '@temporalio/activity'

import { AppError, errorCatalogue, type ErrorCode } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'
import type { JobActivities, JobAttempt, JobStepOutcome } from '#platform/shapes/jobs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { isSuspended } from '#platform/tenant-state.ts'
import {
  beginRun,
  cancelAttempt,
  carryOut,
  failJob,
  finishJob,
  isCancelRequested,
  type JobRunner,
  JobStopped,
  readJobForRun,
  type RunningJob,
} from '#tools/jobs/service.ts'

export interface JobActivityOptions {
  readonly services: Services
  /** By the kind of job. */
  readonly runners: Readonly<Record<string, JobRunner>>
  /** Between the tries of a step that failed, and the looks at a suspended tenant, instead of their own intervals: for tests. */
  readonly retryDelayMs?: number
}

/** A step runs chunks for this long, so that a job of many small ones does not pay a round trip to Temporal for each. */
const stepMs = 10_000
const heartbeatMs = 2_000
/** How long a job waits before it looks again whether its tenant is let in. */
const suspendedMs = 60_000

/**
 * Running any of these twice is harmless. A chunk commits its rows, the position and a counter in one transaction, under the row's lock: a
 * second run of it finds the counter raised and is refused, then goes on from the new position. An end is only recorded on a job that has none.
 */
export function createJobActivities(options: JobActivityOptions): JobActivities {
  const { services, runners, retryDelayMs } = options
  const runnerOf = (kind: string) => (Object.hasOwn(runners, kind) ? runners[kind] : undefined)
  return {
    async runJobStep({ mayPause = false, ...attempt }) {
      const context = Context.current()
      const beating = setInterval(() => context.heartbeat(), heartbeatMs)
      let runner: JobRunner | undefined
      try {
        if (mayPause && (await isSuspended(services, attempt.tenantId))) {
          // A tenant that is gone counts as suspended too, and has no job left.
          const isOver = await inSystemTransaction(services, attempt.tenantId, (inner) => isCancelRequested(inner, attempt))
          return isOver ? 'finished' : { pauseMs: retryDelayMs ?? suspendedMs }
        }
        const run = await inSystemTransaction(services, attempt.tenantId, (inner) =>
          beginRun(inner, attempt, ({ kind, done }) => runnerOf(kind)?.placeOf?.(done)),
        )
        if (!run) return 'finished'
        return await carryOut(services, run, context.cancellationSignal, (signal) =>
          runChunks(services, attempt, signal, (job) => (runner = runnerOf(job.kind))),
        )
      } catch (error) {
        if (error instanceof AppError && isLasting(error.code)) {
          const { code, message, issues } = error
          await inSystemTransaction(services, attempt.tenantId, (inner) =>
            failJob(inner, attempt, { code, message, ...(issues ? { issues } : {}) }),
          )
          return 'finished'
        }
        context.cancellationSignal.throwIfAborted()
        services.log.warn({ err: error, ...attempt }, 'a step of a job failed and is tried again')
        throw ApplicationFailure.create({
          message: sentenceOf(error, runner),
          type: 'step',
          ...(retryDelayMs === undefined ? {} : { nextRetryDelay: retryDelayMs }),
        })
      } finally {
        clearInterval(beating)
      }
    },
    async endJob({ outcome, reason, ...attempt }) {
      await inSystemTransaction(services, attempt.tenantId, (context) =>
        outcome === 'cancelled'
          ? cancelAttempt(context, attempt, 'an operator')
          : failJob(context, attempt, { code: 'internal', message: reason ?? 'Something failed on our side.' }),
      )
    },
  }
}

async function runChunks(
  services: Services,
  attempt: JobAttempt,
  signal: AbortSignal,
  runnerOf: (job: RunningJob) => JobRunner | undefined,
): Promise<JobStepOutcome> {
  const until = performance.now() + stepMs
  let refusedChunk: number | undefined
  do {
    const job = await readJobForRun(services, attempt)
    if (!job) return 'finished'
    const runner = runnerOf(job)
    if (!runner) throw new AppError('unprocessable', `This installation has nothing that carries out jobs of the kind ${job.kind}.`)
    if (job.chunkNo === refusedChunk) throw new Error(`The runner of ${job.kind} commits a chunk twice in one transaction`)
    try {
      if ((await runner.step(services, job, signal)) === 'done') await finishQuietly(services, attempt)
    } catch (error) {
      if (!(error instanceof JobStopped)) throw error
      // Cancelled, or committed by another run: the next look tells which.
      refusedChunk = job.chunkNo
    }
  } while (performance.now() < until && !signal.aborted && !(await isSuspended(services, attempt.tenantId)))
  return signal.reason instanceof JobStopped ? 'finished' : 'more'
}

/** A runner that is done and has not said so has nothing to tell: the job has succeeded without a result. */
async function finishQuietly(services: Services, attempt: JobAttempt): Promise<void> {
  const job = await readJobForRun(services, attempt)
  if (job) await inSystemTransaction(services, attempt.tenantId, (context) => finishJob(context, job))
}

/** Whether another try of the same step would end the same way. What is our own fault is tried again: a fixed worker may carry it out. */
function isLasting(code: ErrorCode): boolean {
  return code !== 'internal' && !errorCatalogue[code].retryable
}

function sentenceOf(error: unknown, runner: JobRunner | undefined): string {
  const own = runner?.describeError?.(error)
  if (own !== undefined) return own
  return error instanceof AppError ? error.message : 'Something failed on our side.'
}
