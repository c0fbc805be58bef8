import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { answerSaved } from './answers.ts'
import { idOf } from './named.ts'
import { openForm } from './opened.ts'
import { exampleFormRecord, formSlot, record, rowFields, savedFormRecord, saveErrors } from './records.schema.ts'
import { mustBeSaved, submit } from './submit.ts'

export const updateFormRecord = defineOperation({
  ...writes(savedFormRecord),
  isIdempotent: true,
  errors: saveErrors,
  name: 'update_form_record',
  title: 'Change a record through a form',
  description:
    'Changes the values that are named, under the rules of the form. By eiRecordId alone: a key is 422. Its rows too: update_form_record_multi.',
  method: 'PUT',
  path: '/api/v1/forms/{form}/records/{record}',
  roles: 'DataEdit',
  input: z.object({ form: formSlot, record, ...rowFields }),
  examples: [
    {
      title: 'A new title',
      input: { form: 'OrderIntake', record: '20481', values: { Title: 'Replace the gate valve' } },
      output: { ...exampleFormRecord, outcome: 'updated' },
    },
  ],
  async handler(context, { form: slot, record: target, ...primary }) {
    const id = idOf(target)
    const form = await openForm(context, slot)
    const { findings, saved } = await submit(context, form, {
      id,
      primary,
      path: '$',
      sections: undefined,
      expectedLayoutVersion: undefined,
    })
    refuseErrors(findings, 'The record')
    return answerSaved(context, form, mustBeSaved(saved))
  },
})
