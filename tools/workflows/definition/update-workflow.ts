import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'

import { exampleWorkflow, headInput, workflow, workflowSlot } from '../workflows.schema.ts'
import { keepDraft, openDraft } from './drafts.ts'
import { readHead, withHead } from './heads.ts'
import { showWorkflow } from './shown.ts'

// What wraps a schema leaves its description behind.
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().describe(schema.description ?? '')

export const updateWorkflow = defineOperation({
  ...writes(workflow),
  errors: ['not_found', 'already_exists', 'unknown_entity'],
  isIdempotent: true,
  name: 'update_workflow',
  title: 'Change a workflow',
  description:
    'Changes what is named of the draft: name, entity, roles, variables, input; null takes it away. Runs see it after publish_workflow.',
  method: 'PUT',
  path: '/api/v1/workflows/{workflow}',
  roles: 'BuilderAdmin',
  input: z.object({
    workflow: workflowSlot,
    internalName: newName('workflow').optional(),
    displays: displayInputs.optional(),
    ...headInput,
    roles: orNull(headInput.roles),
    variables: orNull(headInput.variables),
    input: orNull(headInput.input),
    maxDurationDays: orNull(headInput.maxDurationDays),
    concurrency: orNull(headInput.concurrency),
  }),
  examples: [
    {
      title: 'Runs may delete too',
      input: { workflow: 'InspectionReview', roles: ['DataEdit', 'DataDelete'] },
      output: { ...exampleWorkflow, hasChanges: true },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const draft = await openDraft(context, input.workflow)
      const { displays } = await readHead(context, input)
      const { internalName, description } = input
      const kept = await keepDraft(context, draft, withHead(draft.body, input, displays), { internalName, description })
      return showWorkflow(context, kept)
    })
  },
})
