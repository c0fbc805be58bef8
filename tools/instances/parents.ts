/** Finding, checking and locking the parents that rows name. */
import type { Issue } from '#platform/errors.ts'
import { entityOfRecord, inRecords, presentColumns } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'
import { quoted } from '#platform/suggest.ts'
import type { CatalogEntity } from '#tools/entities/catalog.schema.ts'

import type { WriteFrame } from './frame.ts'
import { externalKeyOf, type Keys } from './keys.rules.ts'
import { keyName, type SaveWish } from './save.rules.ts'
import { findChildByParent, findLiveByKeys, isAncestor, lockMoves, lockParents } from './write.store.ts'

export interface FoundParent {
  readonly entityId: number
  readonly id: number
}

export type ParentFinding = { readonly parent: FoundParent | null | undefined; readonly issue?: Issue }

function parentEntities(frame: WriteFrame): CatalogEntity[] {
  return frame.entity.parents.flatMap((relation) => frame.catalog.entities.find((entity) => entity.entityId === relation.entityId) ?? [])
}

function issueOf(path: string, message: string): ParentFinding {
  return { parent: undefined, issue: { path, severity: 'error', message } }
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
      byKey.set(entity.entityId, new Map(rows.map((row) => [keyName([row.key1, row.key2, row.key3]), row.id])))
    }
  }
  for (const wish of wishes) {
    const { parent, path, index } = wish
    if (parent.kind === 'unsaid') found.set(index, { parent: undefined })
    else if (parent.kind === 'none') found.set(index, { parent: null })
    else if (candidates.length === 0)
      found.set(index, issueOf(path, `${frame.entity.internalName} has no parent entity. attach_child_entity makes one.`))
    else if (parent.kind === 'id') {
      const entityId = await entityOfRecord(tx, tenantId, parent.id)
      const isParent = candidates.some((entity) => entity.entityId === entityId)
      found.set(
        index,
        entityId !== undefined && isParent
          ? { parent: { entityId, id: parent.id } }
          : issueOf(
              `${path}.parentEIRecordId`,
              `There is no record ${parent.id} of a parent entity (${candidates.map((entity) => entity.internalName).join(', ')}).`,
            ),
      )
    } else found.set(index, parentByKey(parent.keys, parent.entity, candidates, byKey, path))
  }
  return found
}

function parentByKey(
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
  if (among.length === 0) return issueOf(`${path}.parentEntity`, `${quoted(wantedEntity)} is no parent entity. Allowed: ${names}.`)
  const matches = among.flatMap((entity) => {
    const id = byKey.get(entity.entityId)?.get(keyName(keys))
    return id === undefined ? [] : [{ entityId: entity.entityId, id, name: entity.internalName }]
  })
  const [first, second] = matches
  if (!first)
    return issueOf(
      `${path}.parentKey1`,
      `There is no parent with the key ${quoted(externalKeyOf(keys))} in ${among.map((entity) => entity.internalName).join(', ')}.`,
    )
  if (second)
    return issueOf(
      `${path}.parentEntity`,
      `The key ${quoted(externalKeyOf(keys))} is in ${matches.map((match) => match.name).join(' and ')}. Say which with parentEntity.`,
    )
  return { parent: { entityId: first.entityId, id: first.id } }
}

/**
 * Locks the parents that rows will point to, so that none is deleted meanwhile. Answers what cannot be: a parent that is gone, a second child
 * where one is allowed, a move below itself. `moves` are rows of existing records whose parent changes.
 */
export async function lockAndCheckParents(
  context: TxContext,
  frame: WriteFrame,
  rows: readonly { readonly index: number; readonly path: string; readonly id: number | undefined; readonly parent: FoundParent }[],
): Promise<Map<number, Issue>> {
  const { tx, tenantId } = context
  const issues = new Map<number, Issue>()
  const byEntity = Map.groupBy(rows, (row) => row.parent.entityId)
  for (const [entityId, group] of byEntity) {
    const relation = frame.entity.parents.find((parent) => parent.entityId === entityId)
    const isOwn = entityId === frame.entity.entityId
    // Moves within one entity go one after the other: two at once could make a cycle that neither saw.
    if (isOwn) await lockMoves(tx, tenantId, entityId)
    const isSingle = relation?.isList === false
    const ids = [...new Set(group.map((row) => row.parent.id))]
    const live = await inRecords(tx, tenantId, () => lockParents(tx, tenantId, entityId, ids, isSingle))
    for (const row of group) {
      if (!live.has(row.parent.id))
        issues.set(row.index, { path: row.path, severity: 'error', message: `There is no live parent ${row.parent.id}.` })
      else if (isOwn && row.id !== undefined) {
        const { id } = row
        const isBelow = await inRecords(tx, tenantId, () => isAncestor(tx, tenantId, entityId, id, row.parent.id))
        if (isBelow) issues.set(row.index, { path: row.path, severity: 'error', message: 'A record cannot be moved below itself.' })
      }
    }
    if (isSingle) await checkSingleChild(context, frame, group, issues)
  }
  return issues
}

async function checkSingleChild(
  context: TxContext,
  frame: WriteFrame,
  group: readonly { readonly index: number; readonly path: string; readonly id: number | undefined; readonly parent: FoundParent }[],
  issues: Map<number, Issue>,
): Promise<void> {
  const { tx, tenantId } = context
  const taken = await inRecords(tx, tenantId, () =>
    findChildByParent(
      tx,
      tenantId,
      frame.entity.entityId,
      group.map((row) => row.parent.id),
    ),
  )
  for (const row of group) {
    const holder = taken.get(row.parent.id)
    if (holder !== undefined && holder !== row.id)
      issues.set(row.index, {
        path: row.path,
        severity: 'error',
        message: `Parent ${row.parent.id} has its one ${frame.entity.internalName} already.`,
      })
    // A second new child in the same call meets the first one here.
    else taken.set(row.parent.id, row.id ?? -1 - row.index)
  }
}
