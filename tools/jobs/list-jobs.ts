import { z } from 'zod'

import { listing } from '#platform/answer.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, encodeCursor, pageInput, pageOf } from '#platform/paging.ts'

import { exampleJob, job, jobState } from './jobs.schema.ts'
import { countJobs, listJobRows } from './jobs.store.ts'
import { toJob } from './service.ts'

export const listJobs = defineOperation({
  ...reads(z.array(job)),
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
    kind: z.string().min(1).max(64).optional(),
    includeTotal: z.boolean().optional().describe('false spares the count on the first page'),
  }),
  examples: [
    { title: 'What failed', input: { states: ['failed', 'partly'] }, output: [] },
    { title: 'The newest', input: { pageSize: 1 }, output: [exampleJob] },
  ],
  async handler({ tx, tenantId, actor }, input) {
    const { page, pageSize, cursor } = pageOf(input)
    const before = cursor === undefined ? null : decodeIdCursor(cursor)
    const filter = { state: input.states, kind: input.kind }
    const rows = await listJobRows(tx, tenantId, actor, { ...filter, before, offset: (page - 1) * pageSize, limit: pageSize })
    const shown = rows.slice(0, pageSize)
    const last = shown.at(-1)
    const isCounted = cursor === undefined && page === 1 && input.includeTotal !== false
    return listing(shown.map(toJob), {
      nextCursor: rows.length > pageSize && last ? encodeCursor([last.jobId]) : undefined,
      totalCount: isCounted ? await countJobs(tx, tenantId, actor, filter) : undefined,
    })
  },
})
