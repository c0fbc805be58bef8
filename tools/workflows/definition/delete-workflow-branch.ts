import { z } from 'zod'

import { definitionId } from '#platform/names.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { removePart } from './editing.rules.ts'

export const deleteWorkflowBranch = defineOperation({
  ...destroys(z.object({ branchId: z.int(), deleted: z.literal(true) })),
  name: 'delete_workflow_branch',
  title: 'Delete a branch of a step',
  description: 'Takes a condition off a step of the draft.',
  method: 'DELETE',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}/branches/{branchId}',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, stepId, branchId: definitionId.describe('As get_workflow shows it') }),
  examples: [
    {
      title: 'One',
      input: { workflow: 'InspectionReview', stepId: 10_301, branchId: 10_330 },
      output: { branchId: 10_330, deleted: true },
    },
  ],
  async handler(context, input) {
    const { branchId } = input
    await editDraft(context, input.workflow, (body) => ({ body: removePart(body, input.stepId, 'branch', branchId), result: undefined }))
    return { branchId, deleted: true as const }
  },
})
