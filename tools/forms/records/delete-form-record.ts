import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { inRecords } from '#platform/db/records.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { mustBeEntity } from '#tools/entities/service.ts'
import { deletion, dryRun } from '#tools/instances/instances.schema.ts'
import { deleteRecords, entitiesBelow, findLiveByIds, findUndeletable, writeFrame } from '#tools/instances/service.ts'

import { noSuchRecordInForm, seenBy } from './around.ts'
import { findNamed } from './named.ts'
import { openForm } from './opened.ts'
import { formSlot, record } from './records.schema.ts'

export const deleteFormRecord = defineOperation({
  ...destroys(deletion),
  errors: ['not_found', 'unknown_property', 'unknown_entity'],
  name: 'delete_form_record',
  title: 'Delete a record through a form',
  description: 'Deletes a record that the form reaches, by eiRecordId or key1, with all records below it. dryRun tells before how many.',
  method: 'DELETE',
  path: '/api/v1/forms/{form}/records/{record}',
  roles: 'DataDelete',
  input: z.object({ form: formSlot, record, dryRun }),
  examples: [
    { title: 'By id', input: { form: 'OrderIntake', record: '20481' }, output: { eiRecordId: 20481, deleted: true, deletedChildren: 3 } },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const form = await openForm(context, input.form)
    const { entityId } = form.ready.entity
    if (!form.ready.layout.allowDelete) throw new AppError('forbidden', 'The form does not let records be deleted.')
    const frame = await writeFrame(context, (catalog) => mustBeEntity(catalog, entityId), entitiesBelow)
    const find = () => findNamed(context, form, seenBy(frame), input.record, [])
    const { id } = await find()
    await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, entityId, [id], true))
    // Whoever held it meanwhile may have taken it out of the form, or its key from it.
    if ((await find()).id !== id) throw noSuchRecordInForm()
    const why = (await findUndeletable(context, frame, [id])).get(id)
    if (why !== undefined) throw why === null ? noSuchRecordInForm() : new AppError('forbidden', why)
    const isDry = input.dryRun === true
    const deletedChildren = (await deleteRecords(context, frame, [id], isDry)).get(id)
    if (deletedChildren === undefined) throw noSuchRecordInForm()
    context.audit({ eiRecordId: id, deletedChildren, ...(isDry ? { dryRun: true } : {}) })
    return { eiRecordId: id, deleted: !isDry, deletedChildren }
  },
})
