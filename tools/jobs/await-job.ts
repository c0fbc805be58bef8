import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { holdingOf } from '#platform/holding.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'

import { isOver } from './jobs.rules.ts'
import { exampleJob, job, jobId } from './jobs.schema.ts'
import { findJob } from './jobs.store.ts'
import { jobTopic, toJob } from './service.ts'

/** A wake-up may be lost with the line that carries it, so a waiter looks by itself too. */
const lookEveryMs = 15_000

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
  async stagedHandler({ services, signal, tenantId, actor, inTransaction }, input) {
    const deadline = performance.now() + (input.timeoutSeconds ?? 25) * 1000
    const held = holdingOf(services, actor)
    // Listening begins before the first look, or an end between the two would only be seen at the next look.
    const waiter = services.wake.listen(jobTopic(input.jobId))
    try {
      for (;;) {
        const viewer = { tenantUserId: actor.tenantUserId, roleFlag: await held.roles() }
        const row = mustExist(await inTransaction(({ tx }) => findJob(tx, tenantId, input.jobId, viewer), { readOnly: true }), 'job')
        const remainingMs = deadline - performance.now()
        if (isOver(row.state) || remainingMs <= 0 || signal.aborted) return toJob(row)
        await held.next(waiter, Math.min(remainingMs, lookEveryMs), signal)
      }
    } finally {
      waiter.close()
    }
  },
})
