import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { readFrameOf } from '#tools/query/service.ts'

import { answerRecord } from './answers.ts'
import { findNamed } from './named.ts'
import { openForm, shownProperties } from './opened.ts'
import { exampleFormRecord, exampleRow, formSlot, record, shownFormRecord } from './records.schema.ts'

export const getFormRecord = defineOperation({
  ...reads(shownFormRecord),
  name: 'get_form_record',
  title: 'Read a record through a form',
  description: 'One record by eiRecordId or key1 with the values of the form’s fields, what the form locks, and the rows of its lists.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records/{record}',
  roles: 'DataView',
  input: z.object({ form: formSlot, record }),
  examples: [
    {
      title: 'An order with its visits',
      input: { form: 'OrderIntake', record: '20481' },
      output: {
        ...exampleFormRecord,
        layoutVersion: 3,
        lockedFields: { Status: 'open' },
        sections: { visits: { rows: [exampleRow], lockedFields: {} } },
      },
    },
  ],
  async handler(context, input) {
    const form = await openForm(context, input.form)
    const frame = await readFrameOf(context, form.catalog, form.ready.entity)
    return answerRecord(context, form, await findNamed(context, form, frame, input.record, shownProperties(form.ready)))
  },
})
