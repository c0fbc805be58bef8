/** Records that a save by key would take from their parent: refused unless it was asked for, since a key that comes again is most often another record. */
import { entitiesOfRecords, inRecords } from '#platform/db/records.ts'
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { type Keys, seenOf } from '#tools/query/service.ts'

import { findLiveByIds } from './live.store.ts'
import type { Draft, Fail } from './match-records.ts'
import { isMove, otherParentSentence, parentField } from './moves.rules.ts'
import type { WriteFrame } from './write-frame.ts'

/** A save by id names the very record that it moves. */
function isUnasked({ wish, live, parent }: Draft): boolean {
  return wish.targetId === undefined && live !== undefined && parent !== undefined && isMove(live.parentId, parent?.id ?? null)
}

/** The drafts that may go on: those that leave their record where it is, or whose move was asked for. */
export async function refuseUnaskedMoves(
  context: TxContext,
  frame: WriteFrame,
  drafts: readonly Draft[],
  isAsked: boolean,
  fail: Fail,
): Promise<readonly Draft[]> {
  const unasked = isAsked ? [] : drafts.filter(isUnasked)
  if (unasked.length === 0) return drafts
  const ids = new Set(unasked.flatMap(({ live, parent }) => [live?.parentId ?? [], parent?.id ?? []].flat()))
  const names = await findNames(context, frame, [...ids])
  for (const { wish, live, parent } of unasked) {
    if (!live) continue
    const issue: Finding = finding(
      `${wish.path}.${parentField(wish.parent)}`,
      otherParentSentence(
        frame.entity,
        { eiRecordId: live.id, keys: [live.key1, live.key2, live.key3] },
        live.parentId === null ? undefined : names.get(live.parentId),
        parent ? names.get(parent.id) : null,
      ),
    )
    fail(wish.index, 'otherParent', [issue], live.id)
  }
  const refused = new Set(unasked)
  return drafts.filter((draft) => !refused.has(draft))
}

/** What people call these records: their entities and keys. One that the caller does not see is not named. */
async function findNames(
  context: TxContext,
  { catalog }: WriteFrame,
  ids: readonly number[],
): Promise<Map<number, { entity: string; eiRecordId: number; keys: Keys }>> {
  const { tx, tenantId } = context
  const seen = await seenOf(context, catalog, ids)
  const entityOf = await entitiesOfRecords(tx, tenantId, ids)
  const names = new Map<number, { entity: string; eiRecordId: number; keys: Keys }>()
  for (const [entityId, group] of Map.groupBy(seen, (id) => entityOf.get(id))) {
    const entity = catalog.entities.find((known) => known.entityId === entityId)
    if (!entity) continue
    const rows = await inRecords(tx, tenantId, () => findLiveByIds(tx, tenantId, entity.entityId, group))
    for (const { id, key1, key2, key3 } of rows) names.set(id, { entity: entity.internalName, eiRecordId: id, keys: [key1, key2, key3] })
  }
  return names
}
