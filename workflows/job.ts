/** Carries one attempt at a job from its first chunk to its end. The job's row tells what has been done; this only sees to it that it goes on. */
import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  type RetryPolicy,
  sleep,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'

import type { JobActivities, JobAttempt, JobEnd, JobStepOutcome } from '#platform/shapes/jobs.ts'
import { taskQueues } from '#platform/shapes/queues.ts'

/**
 * Ten tries of one step over about five minutes: a database that is away for a minute, or a worker that is killed, costs a job nothing but time,
 * and a step that can never succeed is reported while its starter still remembers it.
 */
const stepRetry: RetryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m', maximumAttempts: 10 }

/** Without a limit: a job that has ended must be seen to have ended, however long the database is away. */
const endRetry: RetryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' }

const { runJobStep } = proxyActivities<JobActivities>({
  taskQueue: taskQueues.jobs,
  // A step is some seconds of chunks and then asks for the next one, or one file of up to a gigabyte; what takes longer has hung.
  startToCloseTimeout: '5m',
  // A killed worker is noticed after this long.
  heartbeatTimeout: '10s',
  retry: stepRetry,
  // The chunk under way is committed or refused before the end is recorded.
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
})

const { endJob } = proxyActivities<JobActivities>({ taskQueue: taskQueues.jobs, startToCloseTimeout: '10s', retry: endRetry })

const isCancelled = () => CancellationScope.current().consideredCancelled

export async function job(attempt: JobAttempt): Promise<void> {
  let outcome: JobStepOutcome
  // A job that began before there were pauses goes on without them.
  const step = patched('pauses') ? { ...attempt, mayPause: true } : attempt
  try {
    do {
      outcome = await runJobStep(step)
      if (typeof outcome === 'object') await sleep(outcome.pauseMs)
      // A new run would know nothing of a cancellation: whoever is cancelled asks once more, and is refused the step.
    } while (outcome !== 'finished' && (isCancelled() || !workflowInfo().continueAsNewSuggested))
  } catch (error) {
    // Its own scope: that of a cancelled run carries nothing out any more, whatever the step ended with.
    const end = endOf(error)
    await CancellationScope.nonCancellable(() => endJob({ ...attempt, ...end }))
    return
  }
  if (outcome !== 'finished') await continueAsNew<typeof job>(attempt)
}

function endOf(error: unknown): Omit<JobEnd, keyof JobAttempt> {
  // A step that fails of itself while an operator cancels ends with its own failure.
  if (isCancellation(error) || isCancelled()) return { outcome: 'cancelled' }
  if (error instanceof ActivityFailure) return { outcome: 'failed', reason: reasonOf(error) }
  throw error
}

function reasonOf({ cause }: ActivityFailure): string {
  const tries = `It was tried ${stepRetry.maximumAttempts} times.`
  if (cause instanceof ApplicationFailure && cause.message) return `${cause.message} ${tries}`
  if (cause instanceof TimeoutFailure) return `A step of the job did not come to an end. ${tries}`
  return `Something failed on our side. ${tries}`
}
