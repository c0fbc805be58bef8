import { defineStagedOperation, reads } from '#platform/operation.ts'
import { draftOf, validateDraft, validation } from '#platform/validation.ts'

import { idOf } from './named.ts'
import { openForm } from './opened.ts'
import { formSlot, multiBody, record, saveErrors } from './records.schema.ts'
import { asSubmission, submit } from './submit.ts'
import { tryOut } from './trying.ts'

export const validateFormRecordMultiUpdate = defineStagedOperation({
  ...reads(validation),
  errors: saveErrors,
  name: 'validate_form_record_multi_update',
  title: 'Check changes of a record with its rows',
  description: 'Tells what update_form_record_multi would find, and writes nothing.',
  method: 'POST',
  path: '/api/v1/forms/{form}/records/multi/{record}/validate',
  roles: 'DataEdit',
  input: draftOf(multiBody, 'update_form_record_multi').extend({ form: formSlot, record }),
  examples: [
    {
      title: 'A row that is none',
      input: { form: 'OrderIntake', record: '20481', sections: { visits: { deletedEIRecordIds: [7] } } },
      output: {
        ok: false,
        valid: false,
        issues: [
          {
            path: '$.sections.visits.deletedEIRecordIds[0]',
            severity: 'error',
            message: '7 is no row of visits of this record. get_form_record shows its rows.',
          },
        ],
      },
    },
  ],
  async stagedHandler(staged, { form: slot, record: target, ...input }) {
    const id = idOf(target)
    return validateDraft(multiBody, input, (said) =>
      tryOut(staged, async (context) => (await submit(context, await openForm(context, slot), asSubmission(id, said))).findings),
    )
  },
})
