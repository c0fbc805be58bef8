import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listInput, narrowInput } from '#tools/query/query.schema.ts'

import { listThroughForm } from '../records/listing.ts'
import { openForm } from '../records/opened.ts'
import { exampleFormRecord, formRecordPage } from '../records/records.schema.ts'
import { formSlot, shortcutSlot } from './shortcuts.schema.ts'
import { filterOfShortcut, findHome } from './shown.ts'

export const listFormShortcutRecords = defineOperation({
  ...reads(formRecordPage),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'list_form_shortcut_records',
  title: 'List records of a shortcut',
  description: 'As list_form_records, narrowed by a saved filter of the form.',
  method: 'POST',
  path: '/api/v1/forms/{form}/shortcuts/{shortcut}/records/list',
  roles: 'DataView',
  input: z.object({ form: formSlot, shortcut: shortcutSlot, ...listInput, properties: narrowInput.properties }),
  examples: [
    {
      title: 'What is overdue',
      input: { form: 'OrderForm', shortcut: 'Overdue' },
      output: { records: [exampleFormRecord], lockedFields: { Status: 'open' }, page: 1, pageSize: 50, totalCount: 1 },
    },
  ],
  async handler(context, { form: slot, shortcut, ...input }) {
    const further = await filterOfShortcut(context, await findHome(context, slot), shortcut)
    return listThroughForm(context, await openForm(context, slot), input, further ?? null)
  },
})
