import { z } from 'zod'

import { listing } from '#platform/answer.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, encodeCursor, pageInput, pageOf } from '#platform/paging.ts'

import { jobId, jobLogLine } from './jobs.schema.ts'
import { countLogLines, findJob, listLogLines, maxLogLines } from './jobs.store.ts'

export const getJobLog = defineOperation({
  ...reads(z.array(jobLogLine)),
  name: 'get_job_log',
  title: "Read a job's log",
  description: `The log lines of a job, the oldest first, the errors of single rows among them. A log keeps the first ${maxLogLines.toLocaleString('en-US')} lines. While the job runs, go on with the last answer's cursor.`,
  method: 'POST',
  path: '/api/v1/jobs/{jobId}/log',
  roles: 'any',
  input: z.object({ jobId, ...pageInput, includeTotal: z.boolean().optional().describe('false spares the count on the first page') }),
  examples: [
    {
      title: 'An import that refused one row',
      input: { jobId: 41 },
      output: [
        { line: 1, at: '2026-11-21T10:00:01.300Z', attempt: 1, level: 'error', message: 'Row 17: "elevation" is not a number: "n/a"' },
      ],
    },
  ],
  async handler({ tx, tenantId, actor }, input) {
    mustExist(await findJob(tx, tenantId, input.jobId, actor), 'job')
    const { page, pageSize, cursor } = pageOf(input)
    // Lines are numbered without gaps, so a page is a range of numbers.
    const after = cursor === undefined ? (page - 1) * pageSize : decodeIdCursor(cursor)
    const lines = await listLogLines(tx, tenantId, input.jobId, { after, limit: pageSize })
    const shown = lines.slice(0, pageSize)
    const last = shown.at(-1)
    const isCounted = after === 0 && input.includeTotal !== false
    return listing(shown, {
      nextCursor: lines.length > pageSize && last ? encodeCursor([last.line]) : undefined,
      totalCount: isCounted ? await countLogLines(tx, tenantId, input.jobId) : undefined,
    })
  },
})
