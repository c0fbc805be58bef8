/** The first half of a save: what each row means, given the records that are there. */
import { inRecords } from '#platform/db/records.ts'
import { type Finding, finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { comparesBefore } from '#tools/events/service.ts'
import type { Value } from '#tools/properties/service.ts'
import { type Holding, holdingsOf, isNumbered, type Keys, noSuchRecord } from '#tools/query/service.ts'

import { holdsAssets } from './attachments.ts'
import { findLiveByIds, findLiveByKeys, type LiveRow, readCanonical } from './live.store.ts'
import { areOtherParents } from './moves.rules.ts'
import { findParents, type FoundParent } from './parents.ts'
import { hashShown } from './rights.rules.ts'
import { whyNotSaved } from './rights.ts'
import { keyName, namesAll, type SaveWish } from './understand-row.rules.ts'
import type { WriteFrame } from './write-frame.ts'

/** Why a row was not saved. */
export interface Failed {
  readonly index: number
  readonly outcome: 'failed'
  readonly reason: 'invalid' | 'exists' | 'stale' | 'absent' | 'keyTaken' | 'otherParent' | 'occupied' | 'cycle' | 'sensitive' | 'forbidden'
  readonly errors: readonly Finding[]
  readonly eiRecordId?: number
}

export type SaveOutcome =
  | Failed
  | {
      readonly index: number
      readonly outcome: 'inserted' | 'updated' | 'skipped'
      readonly eiRecordId: number
      /** It stands under another parent than before, or under none any more. */
      readonly moved?: true
      readonly jobIds?: readonly number[]
      /** The saved record as JSON text, where it was asked for and the save wrote one. */
      readonly document?: string
      /** What was not taken of the row. */
      readonly notes?: readonly Finding[]
    }

/** A row that is sound, with the record that it means. */
export interface Draft {
  readonly wish: SaveWish
  readonly live: LiveRow | undefined
  readonly parent: FoundParent | null | undefined
  /** What the record holds, where it was read together with its hash. */
  readonly before: ReadonlyMap<number, Value> | undefined
  /** Which of the caller's access rules hold for the record that is there. */
  readonly holding: Holding | undefined
}

/** Tells why a row is not saved. */
export type Fail = (index: number, reason: Failed['reason'], errors: readonly Finding[], eiRecordId?: number) => void

/** The rows that can be understood, each record once. */
export function refuseUnsound(wishes: readonly SaveWish[], fail: Fail): SaveWish[] {
  const seen = new Map<string, SaveWish>()
  return wishes.filter((wish) => {
    if (wish.issues.length > 0) {
      fail(wish.index, 'invalid', wish.issues)
      return false
    }
    const name = wish.targetId !== undefined ? `#${wish.targetId}` : wish.keys && wish.keys[0] !== '' ? keyName(wish.keys) : undefined
    const earlier = name === undefined ? undefined : seen.get(name)
    if (earlier) {
      const message = areOtherParents(earlier.parent, wish.parent)
        ? 'An earlier row of this call has the same key under another parent, and a key names one record whatever its parent. Put the parent into the key, for example key1 of the parent and key2 of the record.'
        : 'An earlier row of this call has the same key. Send one row for each record.'
      fail(wish.index, 'invalid', [finding(`${wish.path}.key1`, message)])
      return false
    }
    if (name !== undefined) seen.set(name, wish)
    return true
  })
}

/** Whether the row says everything about the record that it makes, so that the one that it replaces need not be read. */
export function isComplete(entity: CatalogEntity, wish: SaveWish): boolean {
  const keepsNumber = entity.properties.some((property) => isNumbered(property) && !wish.values.has(property.entityPropertyId))
  return (
    !holdsAssets(entity) &&
    !comparesBefore(entity, 'modified') &&
    ((wish.mode === 'overwrite' && !keepsNumber) || namesAll(entity, wish.values))
  )
}

/** What the rows mean: the records that are there, and their parents. Rows that name something else than there is fail. */
export async function findDrafts(context: TxContext, frame: WriteFrame, wishes: readonly SaveWish[], fail: Fail): Promise<Draft[]> {
  const { tx, tenantId } = context
  const { entityId } = frame.entity
  // Who lost to another writer once waits for the next one: many writers of one record all get through.
  const isHeld = context.attempt > 1 && !frame.isDry
  const ids = wishes.flatMap((wish) => wish.targetId ?? [])
  const keys = wishes.flatMap((wish) => (wish.targetId === undefined && wish.keys && wish.keys[0] !== '' ? [wish.keys] : []))
  // Values of records that are named by id are read in the same round trip; those of keys wait for the ids.
  const toRead = wishes.flatMap((wish) => (wish.targetId === undefined || isComplete(frame.entity, wish) ? [] : wish.targetId))
  const [byId, byKey, present] = await inRecords(tx, tenantId, () =>
    Promise.all([
      ids.length > 0 ? findLiveByIds(tx, tenantId, entityId, ids, isHeld) : [],
      keys.length > 0 ? findLiveByKeys(tx, tenantId, entityId, keys, isHeld) : [],
      toRead.length > 0 ? readCanonical(tx, tenantId, frame, toRead) : undefined,
    ]),
  )
  const liveById = new Map(byId.map((row) => [row.id, row]))
  const liveByKey = new Map(byKey.map((row) => [keyName([row.key1, row.key2, row.key3]), row]))
  const { access } = frame
  const holdings =
    access &&
    (await holdingsOf(
      context,
      frame,
      access,
      [...byId, ...byKey].map((row) => row.id),
    ))
  const parents = await findParents(context, frame, wishes)
  const drafts: Draft[] = []
  for (const wish of wishes) {
    const live = wish.targetId !== undefined ? liveById.get(wish.targetId) : wish.keys ? liveByKey.get(keyName(wish.keys)) : undefined
    const named = parents.get(wish.index)
    const holding = live && (holdings?.get(live.id) ?? [])
    const refusal =
      access && (live || wish.targetId === undefined) ? whyNotSaved(access, frame.entity, wish, live, holding ?? []) : undefined
    const hash = access && live && holding ? hashShown(access, frame.entity, holding, live.rowHash) : live?.rowHash
    if (wish.targetId !== undefined && !live) fail(wish.index, 'absent', [finding(wish.path, noSuchRecord(wish.targetId).message)])
    else if (refusal) fail(wish.index, refusal.reason, [finding(wish.path, refusal.message)], refusal.eiRecordId)
    else if (named?.issue) fail(wish.index, 'invalid', [named.issue])
    else if (wish.expectedRowHash !== undefined && hash !== wish.expectedRowHash) {
      fail(
        wish.index,
        'stale',
        [
          finding(
            `${wish.path}.expectedRowHash`,
            live ? 'The record was changed since it was read. Read it again and repeat.' : 'There is no such record any more.',
          ),
        ],
        live?.id,
      )
    } else drafts.push({ wish, live, parent: named?.parent, before: live ? present?.get(live.id) : undefined, holding: access && holding })
  }
  return drafts
}

/** The keys that a record has before the save. */
export function presentKeys(live: LiveRow | undefined): Keys {
  return live ? [live.key1, live.key2, live.key3] : ['', '', '']
}
