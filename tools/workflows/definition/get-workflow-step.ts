import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { exampleStep, step, stepId, workflowSlot } from '../workflows.schema.ts'
import { openDraft } from './drafts.ts'
import { mustFindStep } from './editing.rules.ts'
import { showStep } from './shown.ts'

export const getWorkflowStep = defineOperation({
  ...reads(z.object({ step })),
  name: 'get_workflow_step',
  title: 'One step of a workflow',
  description: 'A step of the draft with its config, actions and branches. get_workflow shows all of them.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}',
  roles: 'DataView',
  input: z.object({ workflow: workflowSlot, stepId }),
  examples: [{ title: 'The approval', input: { workflow: 'InspectionReview', stepId: 10_301 }, output: { step: exampleStep } }],
  async handler(context, input) {
    const { body } = await openDraft(context, input.workflow)
    const { step: found, index } = mustFindStep(body, input.stepId)
    return { step: showStep(found, index) }
  },
})
