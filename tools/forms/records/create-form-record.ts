import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { answerSaved } from './answers.ts'
import { openForm } from './opened.ts'
import { exampleFormRecord, formSlot, rowFields, savedFormRecord, saveErrors } from './records.schema.ts'
import { mustBeSaved, submit } from './submit.ts'

export const createFormRecord = defineOperation({
  ...writes(savedFormRecord),
  errors: saveErrors,
  name: 'create_form_record',
  title: 'Enter a record through a form',
  description:
    'Saves a new record under the rules of a form: locked values and defaults are the form’s, what it hides or makes read-only is not sent. get_form_schema first for its fields. With rows of its lists: create_form_record_multi.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records',
  roles: 'DataEdit',
  input: z.object({ form: formSlot, ...rowFields }),
  examples: [
    {
      title: 'An order',
      input: { form: 'OrderIntake', key1: 'WO-1001', values: { Title: 'Replace the gate valve' } },
      output: { ...exampleFormRecord, outcome: 'inserted' },
    },
  ],
  async handler(context, { form: slot, ...primary }) {
    const form = await openForm(context, slot)
    const { findings, saved } = await submit(context, form, {
      id: undefined,
      primary,
      path: '$',
      sections: undefined,
      expectedLayoutVersion: undefined,
    })
    refuseErrors(findings, 'The record')
    return answerSaved(context, form, mustBeSaved(saved))
  },
})
