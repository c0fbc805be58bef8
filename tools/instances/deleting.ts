/** Soft deletion: a record with everything below it, under one deletion id. */
import { inRecords, presentColumns } from '#platform/db/records.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.schema.ts'
import { deleteClaims } from '#tools/entities/service.ts'

import { entityInPath, type WriteFrame, writeFrame } from './frame.ts'
import { findChildIds } from './parents.store.ts'
import { markDeleted, nextDeletionId } from './write.store.ts'

/** Every entity that a deletion in this one may reach, itself first. */
function reachOf(catalog: Catalog, entity: CatalogEntity): number[] {
  const reached = new Set([entity.entityId])
  const queue = [entity]
  for (let next = queue.shift(); next; next = queue.shift()) {
    for (const child of next.children) {
      const childEntity = catalog.entities.find((known) => known.entityId === child.entityId)
      if (!childEntity || reached.has(child.entityId)) continue
      reached.add(child.entityId)
      queue.push(childEntity)
    }
  }
  return [...reached]
}

/** Prepares a deletion: the entity in the path, and everything below it locked with it. */
export async function writeFrameWithBelow(context: TxContext, entity: IdOrName): Promise<WriteFrame> {
  return writeFrame(context, (catalog) => entityInPath(catalog, entity), reachOf)
}

/** Deletes these live records and their descendants. Answers which of `ids` were live. */
export async function deleteRecords(context: TxContext, frame: WriteFrame, ids: readonly number[]): Promise<Set<number>> {
  const { tx, tenantId, stamp, actor } = context
  const deletionId = await inRecords(tx, tenantId, () => nextDeletionId(tx, tenantId))
  const by = { epoch: frame.epoch, stamp, tenantUserId: actor.tenantUserId, deletionId }
  const deleted = await inRecords(tx, tenantId, () => markDeleted(tx, tenantId, frame.entity, by, ids))
  if (frame.entity.isTenantUserRole) await deleteClaims(tx, tenantId, deleted)
  let level: { entity: CatalogEntity; ids: readonly number[] }[] = [{ entity: frame.entity, ids: deleted }]
  while (level.length > 0) {
    const below: typeof level = []
    for (const { entity, ids: parents } of level) {
      for (const relation of parents.length > 0 ? entity.children : []) {
        const child = frame.catalog.entities.find((known) => known.entityId === relation.entityId)
        if (!child || (await presentColumns(tx, tenantId, child.entityId)).size === 0) continue
        const gone = await inRecords(tx, tenantId, async () => {
          const childIds = await findChildIds(tx, tenantId, child.entityId, parents)
          return childIds.length > 0 ? markDeleted(tx, tenantId, child, by, childIds) : []
        })
        if (child.isTenantUserRole) await deleteClaims(tx, tenantId, gone)
        if (gone.length > 0) below.push({ entity: child, ids: gone })
      }
    }
    level = below
  }
  return new Set(deleted)
}
