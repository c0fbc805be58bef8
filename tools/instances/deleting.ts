/** Soft deletion: a record with everything below it, under one deletion id. */
import { inRecords, presentColumns } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import type { IdOrName } from '#platform/names.ts'
import { authorOf, type TxContext } from '#platform/operation.ts'
import type { AccessVerb, Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { comparesBefore, recordsChanged } from '#tools/events/service.ts'
import { columnsSeen, entityInPath, holdingRules, holdingsOf, readFrameOf } from '#tools/query/service.ts'

import { readCanonical } from './save/live.store.ts'
import { listChildren } from './save/parents.store.ts'
import { type WriteFrame, writeFrame } from './save/write-frame.ts'
import { markDeleted, nextDeletionId } from './save/write.store.ts'

/** Every entity that a deletion in this one may reach, itself first. */
export function entitiesBelow(catalog: Catalog, entity: CatalogEntity): number[] {
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
  return writeFrame(context, (catalog) => entityInPath(catalog, entity), entitiesBelow)
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

/** Takes records of one entity on the way down; answers those that it took. */
type Take = (entity: CatalogEntity, ids: readonly number[]) => Promise<readonly number[]>

/** These records and their descendants, level by level. Answers which of `ids` were taken, each with how many records below it, and the one with which each goes. */
async function takeWithBelow(
  context: TxContext,
  frame: WriteFrame,
  ids: readonly number[],
  take: Take,
): Promise<{ readonly below: Map<number, number>; readonly rootOf: ReadonlyMap<number, number> }> {
  const { tx, tenantId } = context
  const named = await take(frame.entity, ids)
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
        const gone = await take(
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
  return { below, rootOf }
}

/**
 * Deletes these live records and their descendants, or with `isDry` only finds them. Answers which of `ids` were live, each with how many records below
 * it went with it. What the caller may not delete is left out beforehand, by `findUndeletable`.
 */
export async function deleteRecords(
  context: TxContext,
  frame: WriteFrame,
  ids: readonly number[],
  isDry: boolean,
): Promise<Map<number, number>> {
  const { tx, tenantId, stamp, actor } = context
  const deletionId = isDry ? 0 : await inRecords(tx, tenantId, () => nextDeletionId(tx, tenantId))
  const by = { epoch: frame.epoch, stamp, tenantUserId: authorOf(actor), deletionId }
  const remove = async (entity: CatalogEntity, some: readonly number[]): Promise<readonly number[]> => {
    if (isDry || some.length === 0) return some
    const gone = await inRecords(tx, tenantId, () => markDeleted(tx, tenantId, entity, by, some))
    await tellDeleted(context, frame.catalog, entity, gone)
    return [...gone.keys()]
  }
  return (await takeWithBelow(context, frame, ids, remove)).below
}

const notYours = 'The access rules do not let you delete this record.'
const notYoursBelow = 'Records go with it, below it, that the access rules do not let you delete.'

/** Those of these live records that the caller may not delete, for themselves or for what goes with them, with the reason: null where they do not see it. */
export async function findUndeletable(
  context: TxContext,
  frame: WriteFrame,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  const refused = new Map<number, string | null>()
  const isRuled = entitiesBelow(frame.catalog, frame.entity).some(
    (entityId) => frame.catalog.byIdOrName.get(String(entityId))?.access !== undefined,
  )
  if (!isRuled || ids.length === 0) return refused
  // A record that stays because it may not go keeps those above it, too: they are asked again without it.
  for (let left = ids, before = -1; refused.size > before && left.length > 0; left = left.filter((id) => !refused.has(id))) {
    before = refused.size
    const isNamed = new Set(left)
    const forbidden: number[] = []
    const { rootOf } = await takeWithBelow(context, frame, left, async (entity, some) => {
      const { seen, deletable } = await mayDelete(context, frame.catalog, entity, some)
      for (const id of some.filter((one) => !deletable.has(one))) {
        if (isNamed.has(id)) refused.set(id, seen.has(id) ? notYours : null)
        else forbidden.push(id)
      }
      return some
    })
    for (const id of forbidden) {
      const root = rootOf.get(id) ?? id
      if (!refused.has(root)) refused.set(root, notYoursBelow)
    }
  }
  return refused
}

/** Which of these records, live or deleted, the caller sees, and may delete. */
export async function mayDelete(context: TxContext, catalog: Catalog, entity: CatalogEntity, ids: readonly number[]) {
  const all = { seen: new Set(ids), deletable: new Set(ids) }
  const frame = entity.access && ids.length > 0 ? await readFrameOf(context, catalog, entity) : undefined
  const { sight } = frame ?? {}
  if (!frame || !sight) return all
  const holdings = await holdingsOf(context, frame, sight, ids)
  const having = (verb: AccessVerb) => new Set(ids.filter((id) => holdingRules(sight, holdings.get(id) ?? [], verb).length > 0))
  const seen = having('read')
  return { seen, deletable: new Set([...having('delete')].filter((id) => seen.has(id))) }
}

/** Throws AppError `not_found`, as `absent` says it, or `forbidden` where the caller may not delete the record. */
export async function refuseUndeletable(context: TxContext, frame: WriteFrame, id: number, absent: () => AppError): Promise<void> {
  const why = (await findUndeletable(context, frame, [id])).get(id)
  if (why !== undefined) throw why === null ? absent() : new AppError('forbidden', why)
}
