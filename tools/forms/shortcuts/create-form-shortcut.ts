import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { createDefinition } from '#tools/definitions/service.ts'

import { exampleFilter, exampleShortcut, formSlot, shortcut, shortcutInput } from './shortcuts.schema.ts'
import { findHome, readDraft, showShortcut } from './shown.ts'

export const createFormShortcut = defineOperation({
  ...writes(shortcut),
  errors: ['not_found', 'already_exists', 'unknown_property', 'unknown_entity'],
  name: 'create_form_shortcut',
  title: 'Create a shortcut of a form',
  description:
    'Keeps a filter under a form, for one tap: it narrows what the form reaches. Values may be tokens such as [[$user.tenantUserId]].',
  method: 'POST',
  path: '/api/v1/forms/{form}/shortcuts',
  roles: 'DataEdit',
  input: shortcutInput.extend({ form: formSlot }),
  examples: [
    {
      title: 'What is overdue, for everybody',
      input: {
        form: 'OrderForm',
        internalName: 'Overdue',
        description: 'What should be done by now',
        isShared: true,
        filterJson: exampleFilter,
      },
      output: exampleShortcut,
    },
  ],
  async handler(context, input) {
    return changeOtherDefinitions(context, async () => {
      const home = await findHome(context, input.form)
      const { internalName, description = '', isShared = false, isApiVisible = true } = input
      const draft = await readDraft(home, input.filterJson)
      const row = await createDefinition(context, home.place, { internalName, description, isShared, isApiVisible, ...draft })
      return showShortcut(context, home, row)
    })
  },
})
