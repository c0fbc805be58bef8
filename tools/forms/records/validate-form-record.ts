import { defineStagedOperation, reads } from '#platform/operation.ts'
import { draftOf, validateDraft, validation } from '#platform/validation.ts'
import { eiRecordId } from '#tools/instances/instances.schema.ts'

import { openForm } from './opened.ts'
import { formRow, formSlot, saveErrors } from './records.schema.ts'
import { submit } from './submit.ts'
import { tryOut } from './trying.ts'

export const validateFormRecord = defineStagedOperation({
  ...reads(validation),
  errors: saveErrors,
  name: 'validate_form_record',
  title: 'Check what is entered into a form',
  description: 'Tells what create_form_record would find, and writes nothing; with eiRecordId what update_form_record would.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records/validate',
  roles: 'DataEdit',
  input: draftOf(formRow, 'create_form_record').extend({
    form: formSlot,
    eiRecordId: eiRecordId.optional().describe('Checks a change of this record'),
  }),
  examples: [
    {
      title: 'A title is missing',
      input: { form: 'OrderIntake', values: {} },
      output: { ok: false, valid: false, issues: [{ path: '$.values.Title', severity: 'error', message: 'Title is required.' }] },
    },
  ],
  async stagedHandler(staged, { form: slot, eiRecordId: id, ...input }) {
    return validateDraft(formRow.partial({ values: true }), input, ({ values = {}, ...rest }) =>
      tryOut(staged, async (context) => {
        const primary = { ...rest, values }
        const { findings } = await submit(context, await openForm(context, slot), {
          id,
          primary,
          path: '$',
          sections: undefined,
          expectedLayoutVersion: undefined,
        })
        return findings
      }),
    )
  },
})
