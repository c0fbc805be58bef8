import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { jobWorkflowId } from '#platform/shapes/jobs.ts'

import { whyNotCancelled } from './jobs.rules.ts'
import { job, jobId } from './jobs.schema.ts'
import { lockJob } from './jobs.store.ts'
import { cancelAttempt, toJob } from './service.ts'
import { mustFindJob } from './sight.ts'

export const cancelJob = defineOperation({
  ...writes(job),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'cancel_job',
  title: 'Cancel a job',
  description:
    'Stops a queued or running job at once. What its finished chunks have written stays, and nothing more is written; retry_job goes on from there. A job that is done already answers 409.',
  method: 'POST',
  path: '/api/v1/jobs/{jobId}/cancel',
  roles: 'any',
  input: z.object({ jobId }),
  examples: [
    {
      title: 'Stop an import',
      input: { jobId: 41 },
      output: {
        jobId: 41,
        kind: 'instanceImport',
        state: 'cancelled',
        progress: { done: 2000, total: 3376 },
        createdDate: '2026-11-21T10:00:00.000Z',
        startedDate: '2026-11-21T10:00:00.021Z',
        finishedDate: '2026-11-21T10:00:01.702Z',
      },
    },
  ],
  async handler(context, input) {
    const { tenantId, actor, services } = context
    const found = await mustFindJob(context, input.jobId, actor, lockJob)
    const why = whyNotCancelled(found.state)
    if (why) throw new AppError('conflict', why)
    const attempt = { tenantId, jobId: found.jobId, attempt: found.attempt }
    await cancelAttempt(context, attempt, actor.displayName)
    // The row decides; this only spares a workflow that waits for its next try the wait.
    context.afterCommit(
      () =>
        void services.temporal.cancel(jobWorkflowId(attempt)).catch((err: unknown) => context.log.debug({ err }, 'workflow not cancelled')),
    )
    return toJob(await mustFindJob(context, input.jobId))
  },
})
