import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf, totalOf } from '#platform/paging.ts'

import { toLine } from './log-lines.ts'
import { workflowInstanceId, workflowLogLine } from './runs.schema.ts'
import { countLog, listLog } from './runs.store.ts'
import { masksOf } from './masks.rules.ts'
import { isTold, mustSeeRun, sensitiveNames } from './sight.ts'
import { findFlowVersion } from './versions.ts'

export const getWorkflowInstanceLog = defineOperation({
  ...reads(z.array(workflowLogLine)),
  errors: ['not_found'],
  name: 'get_workflow_instance_log',
  title: "Read a run's log",
  description: 'What a run did and who acted, the oldest first: each step with its input, output and error. Sensitive values are masked.',
  method: 'POST',
  path: '/api/v1/workflow-instances/{workflowInstanceId}/log',
  roles: 'DataView',
  input: z.object({ workflowInstanceId, ...pageInput }),
  examples: [
    {
      title: 'A review',
      input: { workflowInstanceId: 77 },
      output: [{ seq: 1, at: '2026-03-01T08:30:00.000Z', event: 'started', by: 7, input: {} }],
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const run = await mustSeeRun(context, input.workflowInstanceId)
    const version = await findFlowVersion(context, run.workflowId, run.version)
    const told = await isTold(context, run, version)
    const masks = masksOf(await sensitiveNames(context), version?.steps ?? [])
    const page = pageOf(context, input)
    // Lines are numbered without gaps, so a page is a range of numbers.
    const after = page.cursor === undefined ? page.offset : decodeIdCursor(page.cursor)
    const found = await listLog(tx, tenantId, run.runId, { ...page, offset: 0 }, after)
    const count = page.countTo === undefined ? 0 : await countLog(tx, tenantId, run.runId)
    return listOf(page, found, {
      show: (row) => toLine(row, told, masks),
      cursor: ({ seq }) => [seq],
      total: totalOf(page, count),
    })
  },
})
