import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { createDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { entityInPath } from '#tools/query/service.ts'

import { entity, exampleForm, exampleLayout, form, formInput } from './forms.schema.ts'
import { keepLayout, nameless, placeOfForms, readFormDraft, showForm } from './shown.ts'

export const createForm = defineOperation({
  ...writes(form),
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity', 'unprocessable'],
  name: 'create_form',
  title: 'Create a form',
  description:
    'Keeps a layout by which records of an entity are entered. generate_form drafts one, describe_entity gives the names, validate_form tries it out; then get_form_schema.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/forms',
  roles: 'BuilderAdmin',
  input: formInput.extend({ entity }),
  examples: [
    {
      title: 'Orders with their visits',
      input: {
        entity: 'WorkOrder',
        internalName: 'OrderForm',
        description: 'What the crew fills in',
        isShared: true,
        layoutJson: exampleLayout,
      },
      output: exampleForm,
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const of = entityInPath(catalog, input.entity)
      const { description = '', isShared = false, isApiVisible = true } = input
      const { internalName = '', ...draft } = await readFormDraft(context, catalog, of, input.layoutJson, input.internalName)
      if (internalName === '') refuseErrors([nameless], 'The form')
      const place = { ...placeOfForms, entityId: of.entityId }
      const row = await createDefinition(context, place, { internalName, description, isShared, isApiVisible, ...draft })
      await keepLayout(context, row, 1)
      return showForm(context, catalog, row)
    })
  },
})
