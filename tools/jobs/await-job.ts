import { z } from 'zod'

import { holdingOf } from '#platform/holding.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'

import { isOver } from './jobs.rules.ts'
import { exampleJob, job, jobId, type Job } from './jobs.schema.ts'
import { jobTopic, toJob } from './service.ts'
import { mustFindJob } from './sight.ts'

/** A wake-up may be lost with the line that carries it, so a waiter looks by itself too. */
const lookEveryMs = 15_000

/** A job starts within a fraction of a second unless something keeps it, which the waiter cannot see from its state. */
const startsWithinMs = 2_000

/** Says of a job that was not started while it was awaited that this needs no doing of the caller's. */
function explained(awaited: Job, waitedMs: number): Job {
  if (awaited.state !== 'queued' || waitedMs < startsWithinMs || awaited.progress.note !== undefined) return awaited
  const note =
    'Not started yet: what carries jobs out is starting, busy or away. The job is kept and starts by itself; call await_job again.'
  return { ...awaited, progress: { ...awaited.progress, note } }
}

export const awaitJob = defineStagedOperation({
  ...reads(job),
  name: 'await_job',
  title: 'Wait for a job',
  description:
    'Waits until the job is over (succeeded, partly, failed or cancelled), at most timeoutSeconds, and answers it as it then stands. A state of queued or running means that the time was up: call again. Prefer it to repeated get_job.',
  method: 'POST',
  path: '/api/v1/jobs/{jobId}/await',
  roles: 'any',
  input: z.object({ jobId, timeoutSeconds: z.number().min(0).max(55).optional().describe('25 unless told') }),
  examples: [{ title: 'Until an import is done', input: { jobId: 41, timeoutSeconds: 30 }, output: exampleJob }],
  async stagedHandler({ services, signal, actor, ip, inTransaction, tellProgress }, input) {
    const started = performance.now()
    const deadline = started + (input.timeoutSeconds ?? 25) * 1000
    const held = holdingOf(services, actor, ip)
    // Listening begins before the first look, or an end between the two would only be seen at the next look.
    const waiter = services.wake.listen(jobTopic(input.jobId))
    try {
      for (;;) {
        const now = { ...actor, roleFlag: await held.roles() }
        const row = await inTransaction((inner) => mustFindJob({ ...inner, actor: now }, input.jobId), { readOnly: true })
        const remainingMs = deadline - performance.now()
        if (isOver(row.state) || remainingMs <= 0 || signal.aborted) return explained(toJob(row), performance.now() - started)
        tellProgress?.(toJob(row).progress)
        await held.next(waiter, Math.min(remainingMs, lookEveryMs), signal)
      }
    } finally {
      waiter.close()
      held.close()
    }
  },
})
