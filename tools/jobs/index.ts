import type { Domain } from '#platform/operation.ts'

import { awaitJob } from './await-job.ts'
import { cancelJob } from './cancel-job.ts'
import { getJobLog } from './get-job-log.ts'
import { getJob } from './get-job.ts'
import { jobsPhrases } from './jobs.phrases.ts'
import { listJobs } from './list-jobs.ts'
import { retryJob } from './retry-job.ts'

export const jobsDomain: Domain = {
  name: 'jobs',
  title: 'Jobs',
  summary:
    'Work that takes longer than a call: imports, exports, synchronisation, recognition. See how far it is, wait for it, cancel it, go on with it.',
  operations: [listJobs, getJob, awaitJob, cancelJob, retryJob, getJobLog],
  phrases: jobsPhrases,
}
