/** What access rules refuse of a save, or of a deletion. */
import { inRecords } from '#platform/db/records.ts'
import { finding } from '#platform/findings.ts'
import { authorOf, type TxContext } from '#platform/operation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'
import { type Holding, holdingRules, isKeyShown, noSuchRecord, rulesFor, seenOf, type Sight } from '#tools/query/service.ts'

import type { LiveRow } from './live.store.ts'
import type { Draft, Fail, Failed } from './match-records.ts'
import { isMove, parentField } from './moves.rules.ts'
import type { FullRow } from './recordset.rules.ts'
import { isSeen, whyNotStored } from './rights.rules.ts'
import { listHoldingsThen } from './rights.store.ts'
import type { SaveWish } from './understand-row.rules.ts'
import type { WriteFrame } from './write-frame.ts'

interface Refusal {
  readonly reason: Failed['reason']
  readonly message: string
  /** Where the caller may know it. */
  readonly eiRecordId?: number
}

/** Why a row may not be saved, whatever it says; undefined where that is for its values to decide. */
export function whyNotSaved(
  access: Sight,
  entity: CatalogEntity,
  wish: SaveWish,
  live: LiveRow | undefined,
  holding: Holding,
): Refusal | undefined {
  if (!live)
    return rulesFor(access, 'create').length > 0
      ? undefined
      : { reason: 'forbidden', message: 'The access rules do not let you make records of this entity.' }
  // Who does not see the key, and guesses it, must not come to the record by it.
  const isGuessed = wish.targetId === undefined && !isKeyShown(entity, holdingRules(access, holding, 'read'))
  if (!isSeen(access, holding) || isGuessed)
    return wish.targetId === undefined
      ? { reason: 'exists', message: 'A record has this key already.' }
      : { reason: 'absent', message: noSuchRecord(wish.targetId).message }
  if (wish.mode === 'insertOnly' || holdingRules(access, holding, 'edit').length > 0) return undefined
  return { reason: 'forbidden', message: 'The access rules do not let you change this record.', eiRecordId: live.id }
}

/** A move takes sight of both parents. That the new one is seen was asked when it was found. */
export async function refuseUnseenMoves(
  context: TxContext,
  frame: WriteFrame,
  drafts: readonly Draft[],
  fail: Fail,
): Promise<readonly Draft[]> {
  const left = ({ live, parent }: Draft) =>
    live && parent !== undefined && isMove(live.parentId, parent?.id ?? null) ? (live.parentId ?? undefined) : undefined
  const seen = await seenOf(context, frame.catalog, [...new Set(drafts.flatMap((draft) => left(draft) ?? []))])
  return drafts.filter((draft) => {
    const from = left(draft)
    if (from === undefined || seen.has(from)) return true
    const path = `${draft.wish.path}.${parentField(draft.wish.parent)}`
    fail(
      draft.wish.index,
      'forbidden',
      [finding(path, 'The record stands under a parent that you do not see, so that you cannot move it.')],
      draft.live?.id,
    )
    return false
  })
}

export interface Storing {
  readonly draft: Draft
  readonly row: FullRow
  readonly before: ReadonlyMap<number, Value> | undefined
  /** What the call itself says, of what it may say. */
  readonly said: ReadonlyMap<number, Value>
}

/** Fails the rows that would be stored as their caller may not have them. */
export async function refuseUnentitled(context: TxContext, frame: WriteFrame, rows: readonly Storing[], fail: Fail): Promise<void> {
  const { access, entity } = frame
  if (!access || rows.length === 0) return
  const { tx, tenantId, stamp, actor } = context
  const by = { stamp, tenantUserId: authorOf(actor) }
  const stored = rows.map(({ row }) => row)
  const then = await inRecords(tx, tenantId, () => listHoldingsThen(tx, tenantId, frame, access, by, stored))
  rows.forEach(({ draft, said, before }, index) => {
    const message = whyNotStored(access, entity, { said, before, holding: draft.holding, after: then[index] ?? [] })
    if (message !== undefined) fail(draft.wish.index, 'forbidden', [finding(draft.wish.path, message)], draft.live?.id)
  })
}
