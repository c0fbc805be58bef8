/** Finding, checking and locking the parents that rows name. */
import { entitiesOfRecords, entitiesWithTables, inRecords, presentColumns } from '#platform/db/records.ts'
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { circlesThrough } from '#tools/entities/service.ts'
import { externalKeyOf, type Keys, seenByKey, seenOf } from '#tools/query/service.ts'

import { findLiveByKeys } from './live.store.ts'
import { listAncestors, listChildren, lockMoves, lockParents } from './parents.store.ts'
import { keyName, type SaveWish } from './understand-row.rules.ts'
import type { WriteFrame } from './write-frame.ts'

export interface FoundParent {
  readonly entityId: number
  readonly id: number
}

export type ParentFinding = { readonly parent: FoundParent | null | undefined; readonly issue?: Finding }

/** Said of a parent that the caller does not see, too. */
const noLiveParent = (id: number) => `There is no live parent ${id}.`

function parentEntities(frame: WriteFrame): CatalogEntity[] {
  return frame.entity.parents.flatMap((relation) => frame.catalog.entities.find((entity) => entity.entityId === relation.entityId) ?? [])
}

function issueOf(path: string, message: string, suggestion?: string): ParentFinding {
  return { parent: undefined, issue: finding(path, message, { suggestion }) }
}

/** The parent of each row, by the row's index: undefined where the row says nothing, null where it says none. */
export async function findParents(context: TxContext, frame: WriteFrame, wishes: readonly SaveWish[]): Promise<Map<number, ParentFinding>> {
  const { tx, tenantId } = context
  const found = new Map<number, ParentFinding>()
  const candidates = parentEntities(frame)
  const byKey = new Map<number, Map<string, number>>()
  const wanted = wishes.flatMap((wish) => (wish.parent.kind === 'key' ? [wish.parent.keys] : []))
  if (wanted.length > 0) {
    const distinct = [...new Map(wanted.map((keys) => [keyName(keys), keys])).values()]
    for (const entity of candidates) {
      if ((await presentColumns(tx, tenantId, entity.entityId)).size === 0) continue
      const rows = await inRecords(tx, tenantId, () => findLiveByKeys(tx, tenantId, entity.entityId, distinct))
      const seen = await seenByKey(
        context,
        frame.catalog,
        entity,
        rows.map((row) => row.id),
      )
      byKey.set(
        entity.entityId,
        new Map(rows.filter((row) => seen.has(row.id)).map((row) => [keyName([row.key1, row.key2, row.key3]), row.id])),
      )
    }
  }
  const entityOf = await entitiesOfRecords(
    tx,
    tenantId,
    wishes.flatMap(({ parent }) => (parent.kind === 'id' && candidates.length > 0 ? parent.id : [])),
  )
  const seen = await seenOf(context, frame.catalog, [...entityOf.keys()])
  for (const wish of wishes) {
    const { parent, path, index } = wish
    if (parent.kind === 'unsaid') found.set(index, { parent: undefined })
    else if (parent.kind === 'none') found.set(index, { parent: null })
    else if (candidates.length === 0)
      found.set(index, issueOf(path, `${frame.entity.internalName} has no parent entity. attach_child_entity makes one.`))
    else if (parent.kind === 'id') {
      const entityId = entityOf.get(parent.id)
      const isParent = candidates.some((entity) => entity.entityId === entityId)
      found.set(
        index,
        entityId !== undefined && isParent
          ? seen.has(parent.id)
            ? { parent: { entityId, id: parent.id } }
            : issueOf(`${path}.parentEIRecordId`, noLiveParent(parent.id))
          : issueOf(
              `${path}.parentEIRecordId`,
              `There is no record ${parent.id} of a parent entity (${candidates.map((entity) => entity.internalName).join(', ')}).`,
            ),
      )
    } else found.set(index, parentByKey(frame.entity, parent.keys, parent.entity, candidates, byKey, path))
  }
  return found
}

function parentByKey(
  own: CatalogEntity,
  keys: Keys,
  wantedEntity: string | number | undefined,
  candidates: readonly CatalogEntity[],
  byKey: ReadonlyMap<number, ReadonlyMap<string, number>>,
  path: string,
): ParentFinding {
  const among =
    wantedEntity === undefined
      ? candidates
      : candidates.filter((entity) =>
          [entity.internalName.toLowerCase(), String(entity.entityId)].includes(String(wantedEntity).toLowerCase()),
        )
  const names = candidates.map((entity) => entity.internalName).join(', ')
  if (among.length === 0) {
    const suggestion = nearest(
      String(wantedEntity),
      candidates.map((entity) => entity.internalName),
    )
    return issueOf(`${path}.parentEntity`, `${quoted(wantedEntity)} is no parent entity. Allowed: ${names}.`, suggestion)
  }
  const matches = among.flatMap((entity) => {
    const id = byKey.get(entity.entityId)?.get(keyName(keys))
    return id === undefined ? [] : [{ entityId: entity.entityId, id, name: entity.internalName }]
  })
  const [first, second] = matches
  if (!first) {
    const remedy = among.includes(own) ? ' Save it before this one, or in an earlier row of the call.' : ''
    return issueOf(
      `${path}.parentKey1`,
      `There is no parent with the key ${quoted(externalKeyOf(keys))} in ${among.map((entity) => entity.internalName).join(', ')}.${remedy}`,
    )
  }
  if (second)
    return issueOf(
      `${path}.parentEntity`,
      `The key ${quoted(externalKeyOf(keys))} is in ${matches.map((match) => match.name).join(' and ')}. Say which with parentEntity.`,
    )
  return { parent: { entityId: first.entityId, id: first.id } }
}

/** Why a row cannot point to its parent: what it says is wrong, or the place is taken. */
export interface ParentRefusal {
  readonly reason: 'invalid' | 'occupied' | 'cycle'
  readonly issue: Finding
}

/** A row that will point to a parent. */
export interface ParentedRow {
  readonly index: number
  readonly path: string
  /** Of an existing record. */
  readonly id: number | undefined
  /** Of an existing record: the parent that it has so far. */
  readonly present: number | null
  readonly parent: FoundParent
}

/**
 * Locks the parents that rows will point to, so that none is deleted meanwhile. Answers what cannot be: a parent that is gone, a second child
 * where one is allowed, a move below itself.
 */
export async function lockAndCheckParents(
  context: TxContext,
  frame: WriteFrame,
  rows: readonly ParentedRow[],
): Promise<Map<number, ParentRefusal>> {
  const { tx, tenantId } = context
  const refusals = new Map<number, ParentRefusal>()
  const circle = circleOf(frame)
  const moves = rows.filter((row) => row.id !== undefined && row.present !== row.parent.id && circle.has(row.parent.entityId))
  // Moves go one after the other: two at once could make a cycle that neither saw.
  if (moves.length > 0 && !frame.isDry) await lockMoves(tx, tenantId)
  const byEntity = Map.groupBy(rows, (row) => row.parent.entityId)
  for (const [entityId, group] of byEntity) {
    const relation = frame.entity.parents.find((parent) => parent.entityId === entityId)
    const isSingle = relation?.isList === false
    const ids = [...new Set(group.map((row) => row.parent.id))]
    const lock = frame.isDry ? 'none' : isSingle ? 'exclusive' : 'shared'
    const live = await inRecords(tx, tenantId, () => lockParents(tx, tenantId, entityId, ids, lock))
    for (const row of group) {
      if (!live.has(row.parent.id)) refuse(refusals, row, 'invalid', noLiveParent(row.parent.id))
    }
    if (isSingle) await checkSingleChild(context, frame, group, refusals)
  }
  await refuseCycles(context, circle, moves, refusals)
  return refusals
}

const circles = new WeakMap<CatalogEntity, ReadonlySet<number>>()

/** The entities whose records can stand above and below those of the frame's. */
function circleOf({ catalog, entity }: WriteFrame): ReadonlySet<number> {
  let circle = circles.get(entity)
  if (!circle) {
    const edges = catalog.entities.flatMap((parent) =>
      parent.children.map((child) => ({ parentId: parent.entityId, childId: child.entityId })),
    )
    circle = circlesThrough(entity.entityId, edges)
    circles.set(entity, circle)
  }
  return circle
}

function refuse(
  refusals: Map<number, ParentRefusal>,
  { index, path }: ParentedRow,
  reason: ParentRefusal['reason'],
  message: string,
): void {
  refusals.set(index, { reason, issue: finding(path, message) })
}

/** Moves are taken in the order of the rows, each on top of those before it: two that are sound alone can make a cycle together. */
async function refuseCycles(
  context: TxContext,
  circle: ReadonlySet<number>,
  rows: readonly ParentedRow[],
  refusals: Map<number, ParentRefusal>,
): Promise<void> {
  const { tx, tenantId } = context
  const moves = rows.filter((row) => !refusals.has(row.index))
  if (moves.length === 0) return
  const entityIds = await entitiesWithTables(tx, tenantId, [...circle])
  const parentOf = await inRecords(tx, tenantId, () =>
    listAncestors(tx, tenantId, entityIds, [...new Set(moves.map((row) => row.parent.id))]),
  )
  for (const move of moves) {
    const { id, parent } = move
    if (id === undefined) continue
    const seen = new Set<number>()
    let at: number | null | undefined = parent.id
    while (at !== null && at !== undefined && at !== id && !seen.has(at)) {
      seen.add(at)
      at = parentOf.get(at)
    }
    if (at === id) refuse(refusals, move, 'cycle', parent.id === id ? 'A record cannot be its own parent.' : cycleSentence(id, parent.id))
    else parentOf.set(id, parent.id)
  }
}

function cycleSentence(id: number, parentId: number): string {
  return `Record ${parentId} stands below record ${id}, which cannot be moved below itself. Move ${parentId} elsewhere first.`
}

async function checkSingleChild(
  context: TxContext,
  frame: WriteFrame,
  group: readonly ParentedRow[],
  refusals: Map<number, ParentRefusal>,
): Promise<void> {
  const { tx, tenantId } = context
  const children = await inRecords(tx, tenantId, () =>
    listChildren(
      tx,
      tenantId,
      frame.entity.entityId,
      group.map((row) => row.parent.id),
    ),
  )
  const taken = new Map(children.map((child) => [child.parentId, child.id]))
  for (const row of group) {
    const holder = taken.get(row.parent.id)
    if (holder !== undefined && holder !== row.id)
      refuse(refusals, row, 'occupied', `Parent ${row.parent.id} has its one ${frame.entity.internalName} already.`)
    // A second new child in the same call meets the first one here.
    else taken.set(row.parent.id, row.id ?? -1 - row.index)
  }
}
