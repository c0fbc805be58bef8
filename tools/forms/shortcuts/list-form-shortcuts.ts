import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listOf, pageInput, pageOf } from '#platform/paging.ts'
import { listDefinitionPage, maxDefinitions, placeOf } from '#tools/definitions/service.ts'

import { exampleShortcut, formSlot, shortcut } from './shortcuts.schema.ts'
import { findHome, showShortcuts } from './shown.ts'

const { page, pageNumber, pageSize, cursor } = pageInput

export const listFormShortcuts = defineOperation({
  ...reads(z.array(shortcut)),
  name: 'list_form_shortcuts',
  title: 'List shortcuts of a form',
  description: 'The saved filters of a form that you may see, by name. Then list_form_shortcut_records.',
  method: 'POST',
  path: '/api/v1/forms/{form}/shortcuts/list',
  roles: 'DataView',
  input: z.object({ form: formSlot, page, pageNumber, pageSize: pageSize.describe('All unless told'), cursor }),
  examples: [{ title: 'Of a form', input: { form: 'OrderForm' }, output: [exampleShortcut] }],
  async handler(context, input) {
    const home = await findHome(context, input.form)
    const asked = { ...pageOf(context, { ...input, includeTotal: false }), pageSize: input.pageSize ?? maxDefinitions }
    const found = await listDefinitionPage(context, home.place, asked)
    const shown = await showShortcuts(context, home, found.rows)
    return listOf(asked, { rows: shown, hasMore: found.hasMore }, { show: (row) => row, cursor: placeOf })
  },
})
