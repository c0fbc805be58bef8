import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { dropParts, mustFindDefinition, refuseChange, removeDefinition } from '#tools/definitions/service.ts'

import { formId, formSlot } from './forms.schema.ts'
import { placeOfForms } from './shown.ts'

export const deleteForm = defineOperation({
  ...destroys(z.object({ id: formId, deleted: z.literal(true) })),
  name: 'delete_form',
  title: 'Delete a form',
  description: 'Deletes a form with all versions of its layout; records that were entered by it stay.',
  method: 'DELETE',
  path: '/api/v1/forms/{form}',
  roles: 'BuilderAdmin',
  input: z.object({ form: formSlot, force }),
  examples: [{ title: 'By name', input: { form: 'OrderForm' }, output: { id: 10_180, deleted: true } }],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const row = await mustFindDefinition(context, placeOfForms, input.form)
      refuseChange(context, row)
      // Nobody reaches a shortcut without its form.
      if (input.force === true) await dropParts(context, 'formShortcut', row.definitionId)
      await removeDefinition(context, row, input.force)
      return { id: row.definitionId, deleted: true as const }
    })
  },
})
