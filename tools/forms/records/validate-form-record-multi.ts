import { defineStagedOperation, reads } from '#platform/operation.ts'
import { draftOf, validateDraft, validation } from '#platform/validation.ts'

import { openForm } from './opened.ts'
import { formSlot, multiBody, saveErrors } from './records.schema.ts'
import { asSubmission, submit } from './submit.ts'
import { tryOut } from './trying.ts'

export const validateFormRecordMulti = defineStagedOperation({
  ...reads(validation),
  errors: saveErrors,
  name: 'validate_form_record_multi',
  title: 'Check a record with its rows',
  description: 'Tells what create_form_record_multi would find, and writes nothing.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records/multi/validate',
  roles: 'DataEdit',
  input: draftOf(multiBody, 'create_form_record_multi').extend({ form: formSlot }),
  examples: [
    {
      title: 'A visit without its day',
      input: { form: 'OrderIntake', primary: { values: { Title: 'Gate' } }, sections: { visits: { rows: [{ values: {} }] } } },
      output: {
        ok: false,
        valid: false,
        issues: [{ path: '$.sections.visits.rows[0].values.VisitDate', severity: 'error', message: 'VisitDate is required.' }],
      },
    },
  ],
  async stagedHandler(staged, { form: slot, ...input }) {
    return validateDraft(multiBody, input, (said) =>
      tryOut(staged, async (context) => (await submit(context, await openForm(context, slot), asSubmission(undefined, said))).findings),
    )
  },
})
