import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { moveStep, mustFindStep } from './editing.rules.ts'

export const moveWorkflowStep = defineOperation({
  ...writes(z.object({ moved: z.boolean(), stepId: z.int(), position: z.int() })),
  errors: ['not_found'],
  name: 'move_workflow_step',
  title: 'Move a step of a workflow',
  description: 'Moves a step of the draft by one place; moved is false where it stands at the end already.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}/move',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, stepId, direction: z.union([z.literal(-1), z.literal(1)]).describe('-1 up, 1 down') }),
  examples: [
    {
      title: 'Down',
      input: { workflow: 'InspectionReview', stepId: 10_301, direction: 1 },
      output: { moved: true, stepId: 10_301, position: 2 },
    },
  ],
  async handler(context, input) {
    const { draft, result } = await editDraft(context, input.workflow, (body) => moveStep(body, input.stepId, input.direction))
    return { moved: result, stepId: input.stepId, position: mustFindStep(draft.body, input.stepId).index + 1 }
  },
})
