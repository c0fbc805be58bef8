import { z } from 'zod'

import { inRecords } from '#platform/db/records.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { entity, record } from '#tools/query/query.schema.ts'
import { noSuchRecord, recordName } from '#tools/query/service.ts'

import { deleteRecords, refuseUndeletable, writeFrameWithBelow } from './deleting.ts'
import { findNamed } from './deleting-by-key.ts'
import { deletion, dryRun } from './instances.schema.ts'
import { findLiveByIds } from './save/live.store.ts'

export const deleteInstance = defineOperation({
  ...destroys(deletion),
  name: 'delete_instance',
  title: 'Delete one record',
  description:
    'Deletes one record by eiRecordId or key1, with all records below it: deletedChildren counts them, dryRun tells before. History, as-of and variance still answer. By a key with several parts: delete_instance_by_key.',
  method: 'DELETE',
  path: '/api/v1/entities/{entity}/instances/{record}',
  roles: 'DataDelete',
  input: z.object({ entity, record, dryRun }),
  examples: [
    { title: 'By id', input: { entity: 'WorkOrder', record: '20481' }, output: { eiRecordId: 20481, deleted: true, deletedChildren: 3 } },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const frame = await writeFrameWithBelow(context, input.entity)
    const name = recordName(input.record)
    if ('id' in name && !Number.isSafeInteger(name.id)) throw noSuchRecord(input.record, 'delete_instance_by_key')
    const { entityId } = frame.entity
    const [live] =
      'id' in name
        ? await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, entityId, [name.id]))
        : await findNamed(context, frame, [name.keys])
    const isDry = input.dryRun === true
    if (live) await refuseUndeletable(context, frame, live.id, () => noSuchRecord(input.record, 'delete_instance_by_key'))
    const deletedChildren = live && (await deleteRecords(context, frame, [live.id], isDry)).get(live.id)
    if (!live || deletedChildren === undefined) throw noSuchRecord(input.record, 'delete_instance_by_key')
    context.audit({ eiRecordId: live.id, deletedChildren, ...(isDry ? { dryRun: true } : {}) })
    return { eiRecordId: live.id, deleted: !isDry, deletedChildren }
  },
})
