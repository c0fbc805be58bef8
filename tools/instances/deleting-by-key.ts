/** Deletion of one record that a body names by its key. */
import type { z } from 'zod'

import { inRecords } from '#platform/db/records.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { type Keys, seenByKey } from '#tools/query/service.ts'

import { deleteRecords, refuseUndeletable, writeFrameWithBelow } from './deleting.ts'
import type { deletion } from './instances.schema.ts'
import { findLiveByKeys, type LiveRow } from './save/live.store.ts'
import type { WriteFrame } from './save/write-frame.ts'

/** The live records of these keys, of those that the caller sees with their keys. */
export async function findNamed(context: TxContext, frame: WriteFrame, keys: readonly Keys[]): Promise<readonly LiveRow[]> {
  const { tx, tenantId } = context
  const { entity, catalog } = frame
  const live = await inRecords(tx, tenantId, () => findLiveByKeys(tx, tenantId, entity.entityId, keys))
  const ids = live.map((row) => row.id)
  const seen = await seenByKey(context, catalog, entity, ids)
  return live.filter((row) => seen.has(row.id))
}

/** Throws 404 where no live record has the key. */
export async function deleteByKeys(context: TxContext, entity: IdOrName, keys: Keys, isDry = false): Promise<z.output<typeof deletion>> {
  const frame = await writeFrameWithBelow(context, entity)
  const [found] = await findNamed(context, frame, [keys])
  const live = mustExist(found, 'record')
  await refuseUndeletable(context, frame, live.id, () => new AppError('not_found', 'No such record.'))
  const deletedChildren = mustExist((await deleteRecords(context, frame, [live.id], isDry)).get(live.id), 'record')
  context.audit({ eiRecordId: live.id, deletedChildren, ...(isDry ? { dryRun: true } : {}) })
  return { eiRecordId: live.id, deleted: !isDry, deletedChildren }
}
