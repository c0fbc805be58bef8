import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { changeDefinition, mustFindDefinition } from '#tools/definitions/service.ts'

import { exampleFilter, exampleShortcut, formSlot, shortcut, shortcutInput, shortcutSlot } from './shortcuts.schema.ts'
import { findHome, readDraft, showShortcut } from './shown.ts'

export const updateFormShortcut = defineOperation({
  ...writes(shortcut),
  isIdempotent: true,
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity'],
  name: 'update_form_shortcut',
  title: 'Change a shortcut of a form',
  description: 'Changes what is named; filterJson as a whole. For its owner and builders.',
  method: 'PUT',
  path: '/api/v1/forms/{form}/shortcuts/{shortcut}',
  roles: 'DataEdit',
  input: shortcutInput.partial().extend({ form: formSlot, shortcut: shortcutSlot }),
  examples: [
    { title: 'Another filter', input: { form: 'OrderForm', shortcut: 'Overdue', filterJson: exampleFilter }, output: exampleShortcut },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const home = await findHome(context, input.form)
      const row = await mustFindDefinition(context, home.place, input.shortcut)
      const { internalName, description, isShared, isApiVisible, filterJson } = input
      const draft = filterJson === undefined ? {} : await readDraft(home, filterJson)
      return showShortcut(
        context,
        home,
        await changeDefinition(context, row, { internalName, description, isShared, isApiVisible, ...draft }),
      )
    })
  },
})
