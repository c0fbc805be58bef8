import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { copyDefinition, mustFindDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { exampleForm, form, formSlot } from './forms.schema.ts'
import { keepLayout, placeOfForms, showForm } from './shown.ts'

export const cloneForm = defineOperation({
  ...writes(form),
  errors: ['not_found', 'already_exists'],
  name: 'clone_form',
  title: 'Copy a form',
  description: 'Copies a form under a new name, as your own and not shared. update_form then changes the copy.',
  method: 'POST',
  path: '/api/v1/forms/{form}/clone',
  roles: 'BuilderAdmin',
  input: z.object({ form: formSlot, internalName: newName('form') }),
  examples: [
    {
      title: 'A variant for inspections',
      input: { form: 'OrderForm', internalName: 'InspectionForm' },
      output: { ...exampleForm, id: 10_181, internalName: 'InspectionForm', isShared: false },
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const row = await mustFindDefinition(context, placeOfForms, input.form)
      const copy = await copyDefinition(context, { ...placeOfForms, entityId: row.entityId }, row, input.internalName)
      await keepLayout(context, copy, 1)
      return showForm(context, catalog, copy)
    })
  },
})
