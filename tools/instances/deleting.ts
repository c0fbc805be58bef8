/** Soft deletion: a record with everything below it, under one deletion id. */
import { inRecords, presentColumns } from '#platform/db/records.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.schema.ts'
import { comparesBefore, recordsChanged } from '#tools/events/service.ts'
import { columnsSeen, entityInPath } from '#tools/query/service.ts'

import { readCanonical } from './save/live.store.ts'
import { listChildren } from './save/parents.store.ts'
import { type WriteFrame, writeFrame } from './save/write-frame.ts'
import { markDeleted, nextDeletionId } from './save/write.store.ts'

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

/** Tells the deletion of records of one entity; a deleted row keeps what it held. */
async function tellDeleted(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  gone: ReadonlyMap<number, { readonly version: number }>,
): Promise<void> {
  const { tx, tenantId, origin } = context
  const present = gone.size > 0 && comparesBefore(entity, 'deleted') ? await columnsSeen(context, entity, []) : undefined
  const before =
    present &&
    (await inRecords(tx, tenantId, () =>
      readCanonical(tx, tenantId, { catalog, entity, present, hasTable: true, sight: undefined }, [...gone.keys()]),
    ))
  await recordsChanged(
    context,
    { catalog, entity },
    [...gone].map(([id, { version }]) => ({ kind: 'deleted', id, version, before: before?.get(id), after: undefined, origin })),
  )
}

/**
 * Deletes these live records and their descendants, or with `isDry` only finds them. Answers which of `ids` were live, each with how many records below
 * it went with it.
 */
export async function deleteRecords(
  context: TxContext,
  frame: WriteFrame,
  ids: readonly number[],
  isDry: boolean,
): Promise<Map<number, number>> {
  const { tx, tenantId, stamp, actor } = context
  const deletionId = isDry ? 0 : await inRecords(tx, tenantId, () => nextDeletionId(tx, tenantId))
  const by = { epoch: frame.epoch, stamp, tenantUserId: actor.tenantUserId, deletionId }
  const remove = async (entity: CatalogEntity, some: readonly number[]): Promise<readonly number[]> => {
    if (isDry || some.length === 0) return some
    const gone = await inRecords(tx, tenantId, () => markDeleted(tx, tenantId, entity, by, some))
    await tellDeleted(context, frame.catalog, entity, gone)
    return [...gone.keys()]
  }
  const named = await remove(frame.entity, ids)
  const below = new Map(named.map((id) => [id, 0]))
  /** The named record with which each one goes; a named one below another goes by itself. */
  const rootOf = new Map(named.map((id) => [id, id]))
  let level: { entity: CatalogEntity; ids: readonly number[] }[] = [{ entity: frame.entity, ids: named }]
  while (level.length > 0) {
    const next: typeof level = []
    for (const { entity, ids: parents } of level) {
      for (const relation of parents.length > 0 ? entity.children : []) {
        const child = frame.catalog.entities.find((known) => known.entityId === relation.entityId)
        if (!child || (await presentColumns(tx, tenantId, child.entityId)).size === 0) continue
        const children = await inRecords(tx, tenantId, () => listChildren(tx, tenantId, child.entityId, parents))
        const fresh = children.filter(({ id }) => !rootOf.has(id))
        for (const { id, parentId } of fresh) rootOf.set(id, rootOf.get(parentId) ?? parentId)
        const gone = await remove(
          child,
          fresh.map(({ id }) => id),
        )
        for (const id of gone) {
          const root = rootOf.get(id) ?? id
          below.set(root, (below.get(root) ?? 0) + 1)
        }
        if (gone.length > 0) next.push({ entity: child, ids: gone })
      }
    }
    level = next
  }
  return below
}
