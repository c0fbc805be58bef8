import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf } from '#platform/paging.ts'

import { exampleJob, job, jobState } from './jobs.schema.ts'
import { countJobs, listJobRows } from './jobs.store.ts'
import { toJob } from './service.ts'

export const listJobs = defineOperation({
  ...reads(z.array(job)),
  errors: [],
  name: 'list_jobs',
  title: 'List jobs',
  description:
    'Long-running jobs, the newest first: imports, exports, synchronisation, recognition. Shows the jobs that I started, and those that my roles could have started. Narrow by states and kind.',
  method: 'POST',
  path: '/api/v1/jobs/list',
  roles: 'any',
  input: z.object({
    ...pageInput,
    states: z.array(jobState).min(1).max(6).optional().describe('Any of these'),
    kind: z.string().min(1).max(64).optional().describe('As a job shows it'),
  }),
  examples: [
    { title: 'What failed', input: { states: ['failed', 'partly'] }, output: [] },
    { title: 'The newest', input: { pageSize: 1 }, output: [exampleJob] },
  ],
  async handler(context, input) {
    const { tx, tenantId, actor } = context
    const page = pageOf(context, input)
    const before = page.cursor === undefined ? null : decodeIdCursor(page.cursor)
    const filter = { state: input.states, kind: input.kind }
    return listOf(page, await listJobRows(tx, tenantId, actor, page, { ...filter, before }), {
      show: toJob,
      cursor: ({ jobId }) => [jobId],
      total: await countJobs(tx, tenantId, actor, page, filter),
    })
  },
})
