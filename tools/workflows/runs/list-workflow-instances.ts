import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { countSifted, decodeIdCursor, listOf, pageInput, pageOf, type PageRequest, sifted } from '#platform/paging.ts'
import { hasAccessRules } from '#tools/query/service.ts'

import { openDraft } from '../definition/drafts.ts'
import { workflowSlot } from '../workflows.schema.ts'
import { exampleInstance, workflowInstance, workflowState } from './runs.schema.ts'
import { countRuns, listRuns } from './runs.store.ts'
import type { RunRow } from './runs.types.ts'
import { onlySeenRuns } from './sight.ts'
import { showRuns } from './shown.ts'

export const listWorkflowInstances = defineOperation({
  ...reads(z.array(workflowInstance)),
  errors: ['not_found'],
  name: 'list_workflow_instances',
  title: 'List runs of workflows',
  description: 'Runs, the newest first, by workflow, state, record or assignee. The tasks that wait for me: list_my_tasks.',
  method: 'POST',
  path: '/api/v1/workflow-instances/list',
  roles: 'DataView',
  input: z.object({
    ...pageInput,
    workflow: workflowSlot.optional(),
    states: z.array(workflowState).min(1).max(7).optional().describe('Any of these'),
    eiRecordId: z.int().min(1).optional().describe('The record that it is about'),
    assignee: z.int().min(1).optional().describe('tenantUserId'),
  }),
  examples: [{ title: 'What waits', input: { workflow: 'InspectionReview', states: ['waiting'] }, output: [exampleInstance] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const page = pageOf(context, input)
    const before = page.cursor === undefined ? undefined : decodeIdCursor(page.cursor)
    const workflowId = input.workflow === undefined ? null : (await openDraft(context, input.workflow)).state.workflowId
    const filter = { workflowId, states: input.states ?? null, eiRecordId: input.eiRecordId ?? null, assignee: input.assignee ?? null }
    const behind = (last: number | undefined) => ({ ...filter, before: last ?? null })
    const read = (part: PageRequest, last: number | undefined) => listRuns(tx, tenantId, part, behind(last))
    const placeOf = ({ runId }: RunRow) => runId
    const sift = (rows: readonly RunRow[]) => onlySeenRuns(context, rows)
    const isPlain = !(await hasAccessRules(context))
    const found = isPlain ? await read(page, before) : await sifted(page, before, { read, placeOf, sift })
    const total = isPlain ? await countRuns(tx, tenantId, page, filter) : await countSifted(page, { read, placeOf, sift })
    const shown = new Map((await showRuns(context, found.rows)).map((one) => [one.workflowInstanceId, one]))
    return listOf(page, found, {
      show: ({ runId }) => {
        const one = shown.get(runId)
        if (!one) throw new Error('A run was not shown')
        return one
      },
      cursor: ({ runId }) => [runId],
      total,
    })
  },
})
