import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { exampleJob, job, jobId } from './jobs.schema.ts'
import { toJob } from './service.ts'
import { mustFindJob } from './sight.ts'

export const getJob = defineOperation({
  ...reads(job),
  name: 'get_job',
  title: 'Read a job',
  description:
    'The state, progress and result of a long-running job, at once. Use await_job to wait for its end, get_job_log for what it says of single rows. Shows the jobs that I started, and those that my roles could have started.',
  method: 'POST',
  path: '/api/v1/jobs/{jobId}',
  roles: 'any',
  input: z.object({ jobId }),
  examples: [{ title: 'A finished import', input: { jobId: 41 }, output: exampleJob }],
  async handler(context, input) {
    return toJob(await mustFindJob(context, input.jobId))
  },
})
