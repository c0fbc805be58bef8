import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, finding, validateDraft, validation } from '#platform/validation.ts'
import { isNameTaken } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleLayout, formInput } from './forms.schema.ts'
import { checkDraft, entityOfDraft, nameOfDraft } from './reading.ts'

const draft = formInput.extend({ entity: idOrName.optional().describe('Here or in the layout') })

export const validateForm = defineOperation({
  ...reads(validation),
  errors: [],
  name: 'validate_form',
  title: 'Check a form',
  description:
    'Holds a form layout against its entity and writes nothing: all findings, each with its path and the nearest right name, and required properties that could stay hidden.',
  method: 'POST',
  path: '/api/v1/forms/validate',
  roles: 'BuilderAdmin',
  input: draftOf(draft, 'create_form'),
  examples: [
    {
      title: 'A misspelled property',
      input: { entity: 'WorkOrder', layoutJson: { sections: [{ type: 'detail', name: 'work', fields: [{ property: 'Titel' }] }] } },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.layoutJson.sections[0].fields[0].property',
            severity: 'error',
            message: 'WorkOrder has no property "Titel". describe_entity lists them.',
            suggestion: 'Title',
          },
        ],
      },
    },
    {
      title: 'A sound one',
      input: { entity: 'WorkOrder', layoutJson: exampleLayout },
      output: { ok: true, valid: true, issues: [] },
    },
  ],
  async handler(context, input) {
    const catalog = await cachedCatalog(context)
    return validateDraft(draft, input, async ({ entity: slot, internalName, layoutJson }) => {
      if (layoutJson === undefined) return []
      const home = await entityOfDraft(catalog, layoutJson, slot)
      if ('problem' in home) return [home.problem]
      const { findings, internalName: inLayout } = await checkDraft(context, catalog, home.entity, layoutJson)
      const { name, findings: ofName } = nameOfDraft(internalName, inLayout)
      if (name === undefined || !(await isNameTaken(context, 'form', name))) return [...findings, ...ofName]
      const message = 'A form has this name already: create_form would be refused, update_form changes it.'
      return [...findings, ...ofName, finding('$.internalName', message, { severity: 'warning' })]
    })
  },
})
