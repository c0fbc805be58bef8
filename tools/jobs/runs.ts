/**
 * Runs of jobs. Each is counted in the database from its beginning to its end, since a process that dies tells nobody: a job whose work ends its
 * process is failed with this reason, and not tried for ever. A run is stopped as soon as its job is not to be carried out any more.
 */
import { randomUUID } from 'node:crypto'
import { setInterval } from 'node:timers'

import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import type { JobAttempt } from '#platform/shapes/jobs.ts'
import { inSystemTransaction } from '#platform/system.ts'

import { failJob } from './ends.ts'
import { diedTwice } from './jobs.rules.ts'
import { clearRun, countRun, isAttemptRunning } from './jobs.store.ts'

/** Thrown where a chunk may not be committed: the job was cancelled or ended, or another run has committed this chunk already. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
}

export interface JobRun {
  readonly attempt: JobAttempt
  readonly runId: string
}

/** One death is a deploy, a power cut or a machine that was full; a second one at the same place is the job's own. */
const deathsAtMost = 2
const lookEveryMs = 1_000

/** Runs of this process that have ended while the database could not be told; the next one that begins tells it. */
const untold = new Set<string>()
const untoldAtMost = 1_000

/**
 * Begins a run. Undefined where the attempt has nothing left to do, or where it is failed here, since two runs before it began at this place and never
 * ended. `placeOf` says where it stands.
 */
export async function beginRun(
  context: TxContext,
  attempt: JobAttempt,
  placeOf: (job: { readonly kind: string; readonly done: number }) => string | undefined = () => undefined,
): Promise<JobRun | undefined> {
  const runId = randomUUID()
  const counted = await countRun(context.tx, attempt, { runId, ended: [...untold] })
  if (!counted) return undefined
  if (counted.unendedRuns <= deathsAtMost) return { attempt, runId }
  await failJob(context, attempt, { code: 'internal', message: diedTwice(placeOf(counted)) })
  return undefined
}

/** Does the work of a run and notes its end, whatever it is. The signal is given with `outer`, and within a second or two of a cancellation. */
export async function carryOut<T>(
  services: Services,
  run: JobRun,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController()
  let isLooking = false
  // By the row itself: Temporal tells of a cancellation with a heartbeat that may be ten seconds away.
  const looking = setInterval(() => {
    if (isLooking) return
    isLooking = true
    inSystemTransaction(services, run.attempt.tenantId, ({ tx }) => isAttemptRunning(tx, run.attempt))
      .then((isRunning) => isRunning || stopping.abort(new JobStopped(`Job ${run.attempt.jobId} has ended`)))
      .catch(() => undefined)
      .finally(() => (isLooking = false))
  }, lookEveryMs)
  try {
    return await work(AbortSignal.any([outer, stopping.signal]))
  } finally {
    clearInterval(looking)
    await endRun(services, run)
  }
}

async function endRun(services: Services, { attempt, runId }: JobRun): Promise<void> {
  try {
    await inSystemTransaction(services, attempt.tenantId, ({ tx }) => clearRun(tx, attempt, runId))
    untold.delete(runId)
  } catch (error) {
    services.log.debug({ err: error, ...attempt }, 'the end of a run is told with the next one')
    if (untold.size < untoldAtMost) untold.add(runId)
  }
}
