import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { mayStart, whyNotRetried } from './jobs.rules.ts'
import { job, jobId } from './jobs.schema.ts'
import { lockJob } from './jobs.store.ts'
import { queueJobAgain } from './service.ts'
import { mustFindJob } from './sight.ts'

export const retryJob = defineOperation({
  ...writes(job),
  errors: ['not_found'],
  name: 'retry_job',
  title: 'Retry a job',
  description:
    'Queues a failed, cancelled or partly done job again. It goes on from its last finished chunk and does nothing twice. Then call await_job. Any other state answers 409.',
  method: 'POST',
  path: '/api/v1/jobs/{jobId}/retry',
  roles: 'any',
  input: z.object({ jobId }),
  examples: [
    {
      title: 'Go on with an import',
      input: { jobId: 41 },
      output: {
        jobId: 41,
        kind: 'instanceImport',
        state: 'queued',
        progress: { done: 2000, total: 3376 },
        createdDate: '2026-11-21T10:00:00.000Z',
      },
    },
  ],
  async handler(context, input) {
    const { actor } = context
    const found = await mustFindJob(context, input.jobId, actor, lockJob)
    // Whoever lost the role since then may still look at the job, but not have its work done.
    if (!mayStart(found.visibleTo, actor.roleFlag))
      throw new AppError('forbidden', `This credential no longer has the roles of ${found.operation}, which started the job.`)
    const why = whyNotRetried(found.state)
    if (why) throw new AppError('conflict', why)
    context.audit({ attempt: found.attempt + 1 })
    return queueJobAgain(context, found.jobId)
  },
})
