import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { mustFindDefinition } from '#tools/definitions/service.ts'

import { exampleShortcut, formSlot, shortcut, shortcutSlot } from './shortcuts.schema.ts'
import { findHome, showShortcut } from './shown.ts'

export const getFormShortcut = defineOperation({
  ...reads(shortcut),
  name: 'get_form_shortcut',
  title: 'Get a shortcut of a form',
  description: 'One saved filter of a form, as filterJson.',
  method: 'POST',
  path: '/api/v1/forms/{form}/shortcuts/{shortcut}',
  roles: 'DataView',
  input: z.object({ form: formSlot, shortcut: shortcutSlot }),
  examples: [{ title: 'By name', input: { form: 'OrderForm', shortcut: 'Overdue' }, output: exampleShortcut }],
  async handler(context, input) {
    const home = await findHome(context, input.form)
    return showShortcut(context, home, await mustFindDefinition(context, home.place, input.shortcut))
  },
})
