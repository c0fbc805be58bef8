import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { answerSavedMulti } from './answers.ts'
import { openForm } from './opened.ts'
import { exampleFormRecord, exampleSavedRow, formSlot, multiFields, savedMulti, saveErrors } from './records.schema.ts'
import { asSubmission, mustBeSaved, submit } from './submit.ts'

export const createFormRecordMulti = defineOperation({
  ...writes(savedMulti),
  errors: saveErrors,
  name: 'create_form_record_multi',
  title: 'Enter a record with its rows',
  description:
    'Saves a new record and rows of the form’s lists in one transaction, all or nothing, as create_form_record. Findings name section and row.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records/multi',
  roles: 'DataEdit',
  input: z.object({ form: formSlot, ...multiFields }),
  examples: [
    {
      title: 'An order with a visit',
      input: {
        form: 'OrderIntake',
        primary: { key1: 'WO-1001', values: { Title: 'Replace the gate valve' } },
        sections: { visits: { rows: [{ values: { VisitDate: '2026-03-01' } }] } },
      },
      output: { ...exampleFormRecord, outcome: 'inserted', sections: { visits: { rows: [exampleSavedRow], deletedEIRecordIds: [] } } },
    },
  ],
  async handler(context, { form: slot, ...said }) {
    const form = await openForm(context, slot)
    const { findings, saved } = await submit(context, form, asSubmission(undefined, said))
    refuseErrors(findings, 'The record')
    return answerSavedMulti(context, form, mustBeSaved(saved))
  },
})
