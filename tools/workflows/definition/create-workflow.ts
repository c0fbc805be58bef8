import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'

import { exampleDraft, headInput, workflow } from '../workflows.schema.ts'
import { createDraft } from './drafts.ts'
import { readHead, withHead } from './heads.ts'
import { showWorkflow } from './shown.ts'

export const createWorkflow = defineOperation({
  ...writes(workflow),
  errors: ['already_exists', 'unknown_entity'],
  name: 'create_workflow',
  title: 'Create a workflow',
  description:
    'Begins an empty draft. Then create_workflow_step and set_workflow_triggers, validate_workflow, publish_workflow; import_workflow takes a whole definition at once.',
  method: 'POST',
  path: '/api/v1/workflows',
  roles: 'BuilderAdmin',
  input: z.object({ internalName: newName('workflow'), displays: displayInputs.optional(), ...headInput }),
  examples: [
    {
      title: 'About inspections',
      input: {
        internalName: 'InspectionReview',
        displays: [{ languageCode: 'en-US', name: 'Review of an inspection' }],
        description: 'From the submitted form to the approval',
        entity: 'Inspection',
        roles: ['DataEdit'],
      },
      output: exampleDraft,
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const { displays = [] } = await readHead(context, input)
      const body = withHead({ displays, steps: [], triggers: [] }, input, displays)
      return showWorkflow(context, await createDraft(context, await cachedCatalog(context), input, body))
    })
  },
})
