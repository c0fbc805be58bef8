/** What the job workflow, its activities and whoever starts it agree on. */

/** One attempt at a job. A retry of the job is the next attempt and goes on from the position that was committed. */
export interface JobAttempt {
  readonly tenantId: number
  readonly jobId: number
  /** From 1. */
  readonly attempt: number
}

/** Of the workflow `job`, and the arguments that `start` takes for it. Built from the event that asked, so that a second start is a no-op. */
export function jobWorkflowId(job: JobAttempt): string {
  return `job:${job.tenantId}:${job.jobId}:${job.attempt}`
}

/** `more`: the job goes on in another step, after a pause where one is named. `finished`: nothing is left to do, whatever the outcome was. */
export type JobStepOutcome = 'more' | 'finished' | { readonly pauseMs: number }

export interface JobStep extends JobAttempt {
  /** Whoever asks knows what a pause is. */
  readonly mayPause?: boolean
}

export interface JobEnd extends JobAttempt {
  readonly outcome: 'failed' | 'cancelled'
  /** Of a failure: a sentence for the person who started the job. */
  readonly reason?: string
}

/** Carried by the worker of the queue for bulk (`taskQueues.jobs`). */
export interface JobActivities {
  /** Runs chunks for some seconds; none while the tenant is suspended. */
  runJobStep(job: JobStep): Promise<JobStepOutcome>
  /** Records an end that the steps could not record themselves. */
  endJob(end: JobEnd): Promise<void>
}

export const jobStates = ['queued', 'running', 'succeeded', 'partly', 'failed', 'cancelled'] as const

/** partly: done, with errors in some rows. */
export type JobState = (typeof jobStates)[number]
