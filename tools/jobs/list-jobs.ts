import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { countSifted, decodeIdCursor, listOf, pageInput, pageOf, type PageRequest, sifted } from '#platform/paging.ts'
import { hasAccessRules } from '#tools/query/service.ts'

import { exampleJob, job, jobState } from './jobs.schema.ts'
import { countJobs, type JobPlace, listJobPlaces, listJobRows } from './jobs.store.ts'
import { toJob } from './service.ts'
import { onlySeen } from './sight.ts'

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
    const before = page.cursor === undefined ? undefined : decodeIdCursor(page.cursor)
    const filter = { state: input.states, kind: input.kind }
    const behind = (last: number | undefined) => ({ ...filter, before: last ?? null })
    const placeOf = ({ jobId }: { readonly jobId: number }) => jobId
    // Without rules nothing is sifted, and no page has to look through those before it.
    if (!(await hasAccessRules(context))) {
      const found = await listJobRows(tx, tenantId, actor, page, behind(before))
      return listOf(page, found, { show: toJob, cursor: ({ jobId }) => [jobId], total: await countJobs(tx, tenantId, actor, page, filter) })
    }
    const found = await sifted(page, before, {
      read: (part, last: number | undefined) => listJobRows(tx, tenantId, actor, part, behind(last)),
      placeOf,
      sift: (rows) => onlySeen(context, rows),
    })
    const counted = {
      read: (part: PageRequest, last: number | undefined) => listJobPlaces(tx, tenantId, actor, part, behind(last)),
      placeOf,
      sift: (rows: readonly JobPlace[]) => onlySeen(context, rows),
    }
    return listOf(page, found, { show: toJob, cursor: ({ jobId }) => [jobId], total: await countSifted(page, counted) })
  },
})
