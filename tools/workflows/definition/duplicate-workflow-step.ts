import { z } from 'zod'

import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { exampleStep, step, stepId, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { duplicateStep } from './editing.rules.ts'
import { stepOf } from './steps.ts'

export const duplicateWorkflowStep = defineOperation({
  ...writes(z.object({ newStepId: z.int(), step })),
  name: 'duplicate_workflow_step',
  title: 'Copy a step of a workflow',
  description: 'Puts a copy behind the step, under a new name; steps in its lanes get new names too. Nothing else leads to the copy.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}/duplicate',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, stepId, internalName: newName().optional().describe('check2 of check unless told') }),
  examples: [
    {
      title: 'A second approval',
      input: { workflow: 'InspectionReview', stepId: 10_301 },
      output: { newStepId: 10_320, step: { ...exampleStep, stepId: 10_320, internalName: 'check2', position: 2 } },
    },
  ],
  async handler(context, input) {
    const { internalName } = input
    const { draft, result } = await editDraft(context, input.workflow, (body, next) =>
      duplicateStep(body, input.stepId, next, internalName),
    )
    const newStepId = Number(result['stepId'])
    return { newStepId, step: stepOf(draft.body.steps, newStepId) }
  },
})
