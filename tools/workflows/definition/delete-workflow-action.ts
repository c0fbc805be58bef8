import { z } from 'zod'

import { definitionId } from '#platform/names.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { removePart } from './editing.rules.ts'

export const deleteWorkflowAction = defineOperation({
  ...destroys(z.object({ actionId: z.int(), deleted: z.literal(true) })),
  name: 'delete_workflow_action',
  title: 'Delete an action of a step',
  description: 'Takes a button off a step of the draft.',
  method: 'DELETE',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}/actions/{actionId}',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, stepId, actionId: definitionId.describe('As get_workflow shows it') }),
  examples: [
    {
      title: 'Reject',
      input: { workflow: 'InspectionReview', stepId: 10_301, actionId: 10_303 },
      output: { actionId: 10_303, deleted: true },
    },
  ],
  async handler(context, input) {
    const { actionId } = input
    await editDraft(context, input.workflow, (body) => ({ body: removePart(body, input.stepId, 'action', actionId), result: undefined }))
    return { actionId, deleted: true as const }
  },
})
