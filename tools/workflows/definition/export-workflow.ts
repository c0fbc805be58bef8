import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { exampleDefinition, workflowSlot } from '../workflows.schema.ts'
import { openDraft } from './drafts.ts'
import { exported } from './importing.ts'

export const exportWorkflow = defineOperation({
  ...reads(z.looseObject({ internalName: z.string(), steps: z.array(z.looseObject({})), triggers: z.array(z.looseObject({})) })),
  name: 'export_workflow',
  title: 'Export a workflow',
  description: 'The draft as one JSON, as import_workflow takes it, here or in another tenant. Secrets are in it by name alone.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/export',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot }),
  examples: [{ title: 'The review', input: { workflow: 'InspectionReview' }, output: exampleDefinition }],
  async handler(context, input) {
    const { row, body } = await openDraft(context, input.workflow)
    const answer = exported(row, body)
    return { ...answer, steps: answer.steps.map((step) => ({ ...step })), triggers: answer.triggers.map((one) => ({ ...one })) }
  },
})
