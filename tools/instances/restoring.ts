/** Undoing a deletion: a record with everything below it that went with it, under the same deletion id. */
import { entitiesOfRecords, inRecords, presentColumns } from '#platform/db/records.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { type Finding, finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import { authorOf, type TxContext } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { recordsChanged } from '#tools/events/service.ts'
import { columnsSeen, externalKeyOf, seenAmong } from '#tools/query/service.ts'

import { mayDelete } from './deleting.ts'
import { holdOnlyPeers, refuseSecondPeersOf } from './peers/returning.ts'
import { type DeletedRow, findKeys, listDeletedBelow } from './save/deleted.store.ts'
import { findLiveByKeys, readCanonical } from './save/live.store.ts'
import { findNumbered } from './save/numbers.store.ts'
import { numberedProperties } from './save/numbers.ts'
import { lockAndCheckParents } from './save/parents.ts'
import { asTakenMeanwhile } from './save/taken-keys.ts'
import { keyName } from './save/understand-row.rules.ts'
import type { WriteFrame } from './save/write-frame.ts'
import { markRestored } from './save/write.store.ts'

/** Of a tree as large as one likes so many records are read and written at a time. */
const portionRows = 1_000

/** Records of one entity that come back, no more than a portion. */
interface Returning {
  readonly entity: CatalogEntity
  readonly rows: readonly DeletedRow[]
}

/**
 * Restores a deleted record, which the caller holds, and what went with it. Answers how many stood below it. Throws 403 for what the caller may not
 * delete, `absent` where they do not see it, and 409 where its parent is deleted or somebody has its place, with its parent or with a peer.
 */
export async function restoreRecord(context: TxContext, frame: WriteFrame, row: DeletedRow, absent: () => AppError): Promise<number> {
  const returning = await whatReturns(context, frame, row)
  await refuseNotYours(context, frame, returning, row.id, absent)
  await refuseWithoutParent(context, frame, row)
  const issues: Finding[] = []
  for (const some of returning) {
    if (issues.length === maxIssues) break
    issues.push(...(await findTaken(context, frame, some)).slice(0, maxIssues - issues.length))
  }
  if (issues[0]) throw new AppError('already_exists', `The record cannot be restored. ${issues[0].message}`, { issues })
  const entities = new Set(returning.map(({ entity }) => entity))
  const pairs = await holdOnlyPeers(context, frame.catalog, entities)
  for (const some of returning) await bringBack(context, frame, some)
  const returned = returning.map(({ entity, rows }) => ({ entity, ids: rows.map(({ id }) => id) }))
  await refuseSecondPeersOf(context, frame.catalog, pairs, returned)
  return returning.reduce((sum, { rows }) => sum + rows.length, -1)
}

/** The record and all below it that was deleted with it, level by level; what was deleted before stays deleted. */
async function whatReturns(context: TxContext, frame: WriteFrame, root: DeletedRow): Promise<Returning[]> {
  const { tx, tenantId } = context
  const found = new Map<CatalogEntity, DeletedRow[]>([[frame.entity, [root]]])
  const seen = new Set([root.id])
  let level: [CatalogEntity, readonly number[]][] = [[frame.entity, [root.id]]]
  while (level.length > 0) {
    const next: typeof level = []
    for (const [entity, parents] of level) {
      for (const relation of entity.children) {
        const child = frame.catalog.entities.find((known) => known.entityId === relation.entityId)
        if (!child || (await presentColumns(tx, tenantId, child.entityId)).size === 0) continue
        const rows = await inRecords(tx, tenantId, () => listDeletedBelow(tx, tenantId, child.entityId, parents, root.deletionId))
        const fresh = rows.filter(({ id }) => !seen.has(id))
        const all = found.get(child) ?? []
        for (const row of fresh) {
          seen.add(row.id)
          all.push(row)
        }
        if (all.length > 0) found.set(child, all)
        for (const some of portionsOf(fresh)) next.push([child, some.map(({ id }) => id)])
      }
    }
    level = next
  }
  return [...found].flatMap(([entity, rows]) => portionsOf(rows).map((some) => ({ entity, rows: some })))
}

const portionsOf = (rows: readonly DeletedRow[]) =>
  Array.from({ length: Math.ceil(rows.length / portionRows) }, (_, index) => rows.slice(index * portionRows, (index + 1) * portionRows))

/** What they held when they were deleted. */
async function valuesOf(context: TxContext, { catalog }: WriteFrame, { entity, rows }: Returning) {
  const { tx, tenantId } = context
  const readable = { catalog, entity, present: await columnsSeen(context, entity, []), hasTable: true, sight: undefined }
  const ids = rows.map(({ id }) => id)
  return inRecords(tx, tenantId, () => readCanonical(tx, tenantId, readable, ids))
}

/** Who could delete them may restore them. */
async function refuseNotYours(
  context: TxContext,
  { catalog }: WriteFrame,
  returning: readonly Returning[],
  rootId: number,
  absent: () => AppError,
): Promise<void> {
  let isOtherRefused = false
  for (const { entity, rows } of returning) {
    const ids = rows.map(({ id }) => id)
    const { seen, deletable } = await mayDelete(context, catalog, entity, ids)
    if (ids.includes(rootId) && !seen.has(rootId)) throw absent()
    if (ids.includes(rootId) && !deletable.has(rootId))
      throw new AppError('forbidden', 'The access rules do not let you delete this record, nor restore it.')
    isOtherRefused ||= ids.some((id) => !deletable.has(id))
  }
  if (isOtherRefused)
    throw new AppError('forbidden', 'Records below it would come back with it that the access rules do not let you delete, nor restore.')
}

/** Where it stood must be there still, and have room for it. */
async function refuseWithoutParent(context: TxContext, frame: WriteFrame, { id, parentId }: DeletedRow): Promise<void> {
  if (parentId === null) return
  const { tx, tenantId } = context
  const entityId = (await entitiesOfRecords(tx, tenantId, [parentId])).get(parentId)
  const entity = frame.catalog.entities.find((known) => known.entityId === entityId)
  // Its entity was deleted: records that live point there too.
  if (!entity) return
  const place = { index: 0, path: '$.record', id, present: parentId, parent: { entityId: entity.entityId, id: parentId } }
  const refusal = (await lockAndCheckParents(context, frame, [place])).get(0)
  if (!refusal) return
  if (refusal.reason !== 'invalid') throw new AppError('conflict', refusal.issue.message, { issues: [refusal.issue] })
  const isSeen = (await seenAmong(context, frame.catalog, entity, [parentId])).has(parentId)
  const keys = isSeen ? await inRecords(tx, tenantId, () => findKeys(tx, tenantId, entity.entityId, parentId)) : undefined
  const key = keys && externalKeyOf(keys)
  const name = isSeen ? `, ${entity.internalName} ${key ? `${quoted(key)} (record ${parentId})` : parentId},` : ''
  const message = `Its parent${name} is deleted. Restore that first.`
  throw new AppError('conflict', message, { issues: [finding('$.record', message, { code: 'conflict' })] })
}

/** Keys and numbers of returning records that live ones have by now. */
async function findTaken(context: TxContext, frame: WriteFrame, returning: Returning): Promise<Finding[]> {
  const { tx, tenantId } = context
  const { entity, rows } = returning
  const { entityId, internalName } = entity
  const keyed = rows.filter(({ key1 }) => key1 !== '')
  const keysOf = ({ key1, key2, key3 }: Pick<DeletedRow, 'key1' | 'key2' | 'key3'>) => [key1, key2, key3] as const
  const taken = await inRecords(tx, tenantId, () => findLiveByKeys(tx, tenantId, entityId, keyed.map(keysOf)))
  const holders = new Map(taken.map((row) => [keyName(keysOf(row)), row.id]))
  const found = keyed.flatMap((row) => {
    const holder = holders.get(keyName(keysOf(row)))
    return holder === undefined ? [] : [{ holder, what: `the key ${quoted(externalKeyOf(keysOf(row)))}` }]
  })
  const numberedOnes = numberedProperties(entity)
  const values = numberedOnes.length > 0 ? await valuesOf(context, frame, returning) : undefined
  for (const { entityPropertyId, columnId, internalName: property } of numberedOnes) {
    const numbers = rows.flatMap(({ id }) => {
      const number = values?.get(id)?.get(entityPropertyId) ?? null
      return number === null ? [] : String(number)
    })
    const numbered = await inRecords(tx, tenantId, () => findNumbered(tx, tenantId, entityId, columnId, numbers))
    for (const [number, holder] of numbered) found.push({ holder, what: `the ${property} ${quoted(number)}` })
  }
  if (found.length === 0) return []
  const seen = await seenAmong(
    context,
    frame.catalog,
    entity,
    found.map(({ holder }) => holder),
  )
  return found.map(({ holder, what }) => {
    const whose = seen.has(holder) ? `record ${holder}` : 'another record'
    return finding('$.record', `In ${internalName} ${whose} has ${what} by now. Give that one another, or delete it, first.`, {
      code: 'already_exists',
    })
  })
}

async function bringBack(context: TxContext, frame: WriteFrame, returning: Returning): Promise<void> {
  const { tx, tenantId, stamp, actor, origin } = context
  const { entity, rows } = returning
  const values = await valuesOf(context, frame, returning)
  const by = { epoch: frame.epoch, stamp, tenantUserId: authorOf(actor) }
  const ids = rows.map(({ id }) => id)
  const written = await inRecords(tx, tenantId, () => markRestored(tx, tenantId, entity, by, ids)).catch(asTakenMeanwhile)
  if (written.size !== ids.length) throw new StaleRead('somebody changed a row meanwhile')
  await recordsChanged(
    context,
    { catalog: frame.catalog, entity },
    ids.map((id) => ({
      kind: 'restored' as const,
      id,
      version: written.get(id)?.version ?? 1,
      // A deleted record keeps what it held, so that nothing of it is new.
      before: values.get(id),
      after: values.get(id) ?? new Map(),
      origin,
    })),
  )
}
