/** What may be done with a job in each of its states. */
import type { JobState } from '#platform/shapes/jobs.ts'

/** Whether nothing more happens to it by itself. */
export function isOver(state: JobState): boolean {
  return state !== 'queued' && state !== 'running'
}

/** Why a job in this state cannot be tried again, else undefined. */
export function whyNotRetried(state: JobState): string | undefined {
  if (state === 'failed' || state === 'cancelled' || state === 'partly') return undefined
  if (state === 'succeeded') return 'The job has succeeded. Start a new one to do its work again.'
  return `The job is ${state}. Await it, or cancel it first.`
}

/** Why a job in this state cannot be cancelled, else undefined. Cancelling twice is no error. */
export function whyNotCancelled(state: JobState): string | undefined {
  if (state === 'succeeded' || state === 'partly') return 'The job is done already; its work stands.'
  if (state === 'failed') return 'The job has failed already.'
  return undefined
}

/** Whether a caller with these roles could have started a job: they hold every bit of one of its masks. */
export function mayStart(masks: readonly number[], roleFlag: number): boolean {
  return masks.some((mask) => (mask & roleFlag) === mask)
}

/** What the waiters of a job listen to. */
export const jobTopic = (jobId: number) => `job:${jobId}`

/** The reason of a job whose runs end their processes; `place` is where it stood. */
export function diedTwice(place: string | undefined): string {
  return `The process that ran it ended twice${place === undefined ? '' : ` at ${place}`}. What was committed stays. Correct what it works on, or retry_job, which goes on from there.`
}
