import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { listInput, narrowInput } from '#tools/query/query.schema.ts'

import { listThroughForm } from './listing.ts'
import { openForm } from './opened.ts'
import { exampleFormRecord, formRecordPage, formSlot } from './records.schema.ts'

export const listFormRecords = defineOperation({
  ...reads(formRecordPage),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'list_form_records',
  title: 'List records of a form',
  description:
    'A page of the records that a form reaches, with the values of its fields and what it locks. filterRules narrow them further.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records/list',
  roles: 'DataView',
  input: z.object({ form: formSlot, ...listInput, properties: narrowInput.properties }),
  examples: [
    {
      title: 'The first page',
      input: { form: 'OrderIntake', pageSize: 20 },
      output: { records: [exampleFormRecord], lockedFields: { Status: 'open' }, page: 1, pageSize: 20, totalCount: 1 },
    },
  ],
  async handler(context, { form: slot, ...input }) {
    return listThroughForm(context, await openForm(context, slot), input)
  },
})
