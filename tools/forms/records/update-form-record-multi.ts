import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { answerSavedMulti } from './answers.ts'
import { idOf } from './named.ts'
import { openForm } from './opened.ts'
import { exampleFormRecord, exampleSavedRow, formSlot, multiFields, record, savedMulti, saveErrors } from './records.schema.ts'
import { asSubmission, mustBeSaved, submit } from './submit.ts'

export const updateFormRecordMulti = defineOperation({
  ...writes(savedMulti),
  errors: saveErrors,
  name: 'update_form_record_multi',
  title: 'Change a record with its rows',
  description:
    'Changes a record and rows of the form’s lists in one transaction, all or nothing: rows with eiRecordId are changed, others added, deletedEIRecordIds go (which takes DataDelete). get_form_record shows them.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records/multi/{record}',
  roles: 'DataEdit',
  input: z.object({ form: formSlot, record, ...multiFields }),
  examples: [
    {
      title: 'Another day for a visit',
      input: {
        form: 'OrderIntake',
        record: '20481',
        sections: { visits: { rows: [{ eiRecordId: 20482, values: { VisitDate: '2026-03-02' } }], deletedEIRecordIds: [20483] } },
      },
      output: {
        ...exampleFormRecord,
        outcome: 'skipped',
        sections: { visits: { rows: [{ ...exampleSavedRow, outcome: 'updated' }], deletedEIRecordIds: [20483] } },
      },
    },
  ],
  async handler(context, { form: slot, record: target, ...said }) {
    const id = idOf(target)
    const form = await openForm(context, slot)
    const { findings, saved } = await submit(context, form, asSubmission(id, said))
    refuseErrors(findings, 'The record')
    return answerSavedMulti(context, form, mustBeSaved(saved))
  },
})
