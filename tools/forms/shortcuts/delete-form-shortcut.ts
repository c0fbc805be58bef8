import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { mustFindDefinition, removeDefinition } from '#tools/definitions/service.ts'

import { entityFormShortcutId, formSlot, shortcutSlot } from './shortcuts.schema.ts'
import { findHome } from './shown.ts'

export const deleteFormShortcut = defineOperation({
  ...destroys(z.object({ entityFormShortcutId, deleted: z.literal(true) })),
  name: 'delete_form_shortcut',
  title: 'Delete a shortcut of a form',
  description: 'Deletes a saved filter of a form; its records stay. For its owner and builders.',
  method: 'DELETE',
  path: '/api/v1/forms/{form}/shortcuts/{shortcut}',
  roles: 'DataEdit',
  input: z.object({ form: formSlot, shortcut: shortcutSlot, force }),
  examples: [
    { title: 'By name', input: { form: 'OrderForm', shortcut: 'Overdue' }, output: { entityFormShortcutId: 10_230, deleted: true } },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const home = await findHome(context, input.form)
      const row = await mustFindDefinition(context, home.place, input.shortcut)
      await removeDefinition(context, row, input.force)
      return { entityFormShortcutId: row.definitionId, deleted: true as const }
    })
  },
})
