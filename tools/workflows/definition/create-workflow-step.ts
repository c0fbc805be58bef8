import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { exampleApproval, exampleStep, step, stepInput, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { addStep } from './editing.rules.ts'
import { readStep, stepOf } from './steps.ts'

export const createWorkflowStep = defineOperation({
  ...writes(step),
  name: 'create_workflow_step',
  title: 'Add a step to a workflow',
  description:
    'Adds a step to the draft. What it names may come later: validate_workflow tells what is missing. Steps in lanes and loops stand in the config of their parent.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/steps',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, ...stepInput }),
  examples: [{ title: 'An approval', input: { workflow: 'InspectionReview', ...exampleApproval }, output: exampleStep }],
  async handler(context, input) {
    const { workflow, ...said } = input
    const read = readStep(said)
    const { draft, result } = await editDraft(context, workflow, (body, next) => addStep(body, read, next))
    return stepOf(draft.body.steps, Number(result['stepId']))
  },
})
