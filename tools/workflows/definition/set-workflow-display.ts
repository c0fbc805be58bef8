import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { displayInput, languageFields } from '#tools/properties/properties.schema.ts'

import { exampleWorkflow, workflow, workflowSlot } from '../workflows.schema.ts'
import { editDraft } from './drafts.ts'
import { readHead } from './heads.ts'
import { showWorkflow } from './shown.ts'

const { name, description } = displayInput.shape

export const setWorkflowDisplay = defineOperation({
  ...writes(workflow.extend({ saved: z.literal(true) })),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_workflow_display',
  title: 'Name a workflow in one language',
  description: 'Sets the name and description of a workflow in one language, the default unless told. list_languages shows them.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/displays',
  roles: 'BuilderAdmin',
  input: z.object({ workflow: workflowSlot, ...languageFields, name, description }),
  examples: [
    {
      title: 'In English',
      input: { workflow: 'InspectionReview', languageCode: 'en-US', name: 'Review of an inspection' },
      output: { ...exampleWorkflow, hasChanges: true, saved: true },
    },
  ],
  async handler(context, input) {
    const { workflow: slot, ...given } = input
    const { displays = [] } = await readHead(context, { displays: [given] })
    const { draft } = await editDraft(context, slot, (body) => {
      const [display] = displays
      const before = body.displays.find((one) => one.languageRegionId === display?.languageRegionId)
      const others = body.displays.filter((one) => one !== before)
      const kept = display && given.description === undefined && before ? { ...display, description: before.description } : display
      return { body: { ...body, displays: kept ? [...others, kept] : others }, result: undefined }
    })
    return { ...(await showWorkflow(context, draft)), saved: true as const }
  },
})
