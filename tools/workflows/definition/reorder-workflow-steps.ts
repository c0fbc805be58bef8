import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { reorderSteps } from './editing.rules.ts'
import { maxSteps } from './grammar.schema.ts'

export const reorderWorkflowSteps = defineOperation({
  ...writes(z.object({ reordered: z.literal(true), stepIds: z.array(z.int()) })),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'reorder_workflow_steps',
  title: 'Order the steps of a workflow',
  description: 'Puts all steps of the draft into the order of stepIds, each named once.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/steps/reorder',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, stepIds: z.array(stepId).min(1).max(maxSteps).describe('All of them') }),
  examples: [
    {
      title: 'The other way round',
      input: { workflow: 'InspectionReview', stepIds: [10_304, 10_301] },
      output: { reordered: true, stepIds: [10_304, 10_301] },
    },
  ],
  async handler(context, input) {
    await editDraft(context, input.workflow, (body) => ({ body: reorderSteps(body, input.stepIds), result: undefined }))
    return { reordered: true as const, stepIds: input.stepIds }
  },
})
