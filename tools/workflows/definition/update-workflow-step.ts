import { z } from 'zod'

import { documentAs } from '#platform/document-schema.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { exampleStep, step, stepId, stepInput, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { changeStep } from './editing.rules.ts'
import { readStepChange, stepOf } from './steps.ts'

const { internalName, position, ...fields } = stepInput

/** Shown as they are where a step is made; null takes one away. Each is held against the grammar when the change is read; one for each field of a step. */
const changes = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [
    name,
    documentAs(z.unknown().optional().describe('As in create_workflow_step'), field.nullable().optional()),
  ]),
) as { [name in keyof typeof fields]: z.ZodOptional<z.ZodUnknown> }

export const updateWorkflowStep = defineOperation({
  ...writes(step),
  isIdempotent: true,
  name: 'update_workflow_step',
  title: 'Change a step of a workflow',
  description:
    'Changes what is named of a step of the draft; null takes it away. Where it gets another name, whatever led to it still does.',
  method: 'PUT',
  path: '/api/v1/workflows/{workflow}/steps/{stepId}',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, stepId, internalName: internalName.optional().describe('A new name'), position, ...changes }),
  examples: [
    {
      title: 'Within two days',
      input: { workflow: 'InspectionReview', stepId: 10_301, dueIn: 'P2D' },
      output: { ...exampleStep, dueIn: 'P2D' },
    },
  ],
  async handler(context, input) {
    const { workflow, stepId: id, ...said } = input
    const read = readStepChange(said)
    const { draft } = await editDraft(context, workflow, (body, next) => changeStep(body, id, read, next))
    return stepOf(draft.body.steps, id)
  },
})
