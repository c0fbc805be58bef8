import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf, totalOf } from '#platform/paging.ts'

import { jobId, jobLogLine } from './jobs.schema.ts'
import { countLogLines, listLogLines, maxLogLines } from './jobs.store.ts'
import { mustFindJob } from './sight.ts'

export const getJobLog = defineOperation({
  ...reads(z.array(jobLogLine)),
  name: 'get_job_log',
  title: "Read a job's log",
  description: `The log lines of a job, the oldest first, the errors of single rows among them. A log keeps the first ${maxLogLines.toLocaleString('en-US')} lines. While the job runs, go on with the last answer's cursor.`,
  method: 'POST',
  path: '/api/v1/jobs/{jobId}/log',
  roles: 'any',
  input: z.object({ jobId, ...pageInput }),
  examples: [
    {
      title: 'An import that refused one row',
      input: { jobId: 41 },
      output: [
        {
          line: 1,
          at: '2026-11-21T10:00:01.300Z',
          attempt: 1,
          level: 'warning',
          message: 'Row 17 (line 18): Elevation: Expected a number, got "n/a".',
        },
      ],
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { isTold } = await mustFindJob(context, input.jobId)
    const page = pageOf(context, input)
    // Lines are numbered without gaps, so a page is a range of numbers.
    const after = page.cursor === undefined ? page.offset : decodeIdCursor(page.cursor)
    // Its lines quote what it read.
    if (!isTold) return listOf(page, { rows: [], hasMore: false }, { show: (line) => line, cursor: () => [], total: totalOf(page, 0) })
    const found = await listLogLines(tx, tenantId, input.jobId, { ...page, offset: 0 }, after)
    const count = page.countTo === undefined ? 0 : await countLogLines(tx, tenantId, input.jobId)
    return listOf(page, found, { show: (line) => line, cursor: ({ line }) => [line], total: totalOf(page, count) })
  },
})
