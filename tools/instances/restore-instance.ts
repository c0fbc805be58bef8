import { z } from 'zod'

import { rawJson } from '#platform/answer.ts'
import { inRecords } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import { noSuchRecord, recordName, seenAmong } from '#tools/query/service.ts'

import { writeFrameWithBelow } from './deleting.ts'
import { exampleInstance, instance } from './instances.schema.ts'
import { restoreRecord } from './restoring.ts'
import { holdDeleted } from './save/deleted.store.ts'
import { findLiveByIds, findLiveByKeys } from './save/live.store.ts'
import { documentShown } from './save/save-one-row.ts'

export const restoreInstance = defineOperation({
  ...writes(
    instance.required({ dataJson: true }).extend({ restoredChildren: z.int().describe('Records below it that came back with it') }),
  ),
  name: 'restore_instance',
  title: 'Undo a deletion',
  description:
    'Brings a deleted record back, with the records below it that were deleted with it. By key: the one deleted last; list_instances_deleted_since shows ids. 409 where its key or its place with a peer is taken by now, or its parent is deleted: restore that first.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/{record}/restore',
  roles: 'DataDelete',
  input: z.object({ entity, record }),
  examples: [
    {
      title: 'A work order that was deleted by mistake',
      input: { entity: 'WorkOrder', record: '20481' },
      output: { ...exampleInstance, restoredChildren: 3 },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const frame = await writeFrameWithBelow(context, input.entity)
    const { entityId } = frame.entity
    const name = recordName(input.record)
    const absent = () => noSuchRecord(input.record)
    if ('id' in name && !Number.isSafeInteger(name.id)) throw absent()
    const row = await inRecords(tx, tenantId, () => holdDeleted(tx, tenantId, entityId, name))
    if (!row) {
      const [live] = await inRecords(tx, tenantId, () =>
        'id' in name ? findLiveByIds(tx, tenantId, entityId, [name.id]) : findLiveByKeys(tx, tenantId, entityId, [name.keys]),
      )
      const isSeen = live && (await seenAmong(context, frame.catalog, frame.entity, [live.id])).has(live.id)
      throw isSeen ? new AppError('conflict', 'The record is not deleted.') : absent()
    }
    const restoredChildren = await restoreRecord(context, frame, row, absent)
    context.audit({ eiRecordId: row.id, restoredChildren })
    const document = await documentShown(context, frame, row.id)
    if (document === undefined) throw new Error('A restored record was not found')
    return rawJson(`${document.slice(0, -1)},"restoredChildren":${restoredChildren}}`)
  },
})
