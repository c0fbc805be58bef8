import { z } from 'zod'

import { defineOperation, destroys } from '#platform/operation.ts'

import { stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { removeStep } from './editing.rules.ts'

export const deleteWorkflowStep = defineOperation({
  ...destroys(z.object({ stepId: z.int(), deleted: z.literal(true) })),
  name: 'delete_workflow_step',
  title: 'Delete a step of a workflow',
  description: 'Takes a step out of the draft. validate_workflow tells which steps led to it.',
  method: 'DELETE',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, stepId }),
  examples: [{ title: 'The approval', input: { workflow: 'InspectionReview', stepId: 10_301 }, output: { stepId: 10_301, deleted: true } }],
  async handler(context, input) {
    await editDraft(context, input.workflow, (body) => removeStep(body, input.stepId))
    return { stepId: input.stepId, deleted: true as const }
  },
})
