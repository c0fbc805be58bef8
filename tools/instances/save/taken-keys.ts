/** Keys that other records have. */
import { inRecords } from '#platform/db/records.ts'
import { sqlState, StaleRead } from '#platform/db/transaction.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { externalKeyOf, seenAmong } from '#tools/query/service.ts'

import { findLiveByKeys } from './live.store.ts'
import { type Draft, type Fail, presentKeys, type SaveOutcome } from './match-records.ts'
import type { FullRow } from './recordset.rules.ts'
import { keyName } from './understand-row.rules.ts'
import type { WriteFrame } from './write-frame.ts'

/** A key or a number that was free when it was looked for. */
export function asTakenMeanwhile(error: unknown): never {
  throw sqlState(error) === '23505' ? new StaleRead('somebody took a key or a number meanwhile') : error
}

/**
 * A key that a rename shares with another live record, or with an earlier row: no record has that one's yet. `earlier` are the keys that earlier portions
 * of a trial's rows would have been given, and takes on those of these.
 */
export async function refuseTakenKeys(
  context: TxContext,
  frame: WriteFrame,
  ready: readonly { readonly draft: Draft; readonly row: FullRow }[],
  fail: Fail,
  outcomes: ReadonlyMap<number, SaveOutcome>,
  earlier = new Set<string>(),
): Promise<void> {
  const { tx, tenantId } = context
  const rekeyed = ready.filter(
    ({ draft, row }) => !outcomes.has(draft.wish.index) && row.keys[0] !== '' && keyName(row.keys) !== keyName(presentKeys(draft.live)),
  )
  const renamed = rekeyed.filter(({ draft }) => draft.live)
  if (renamed.length === 0) return
  const taken = await inRecords(tx, tenantId, () =>
    findLiveByKeys(
      tx,
      tenantId,
      frame.entity.entityId,
      renamed.map(({ row }) => row.keys),
    ),
  )
  const holders = new Map(taken.map((row) => [keyName([row.key1, row.key2, row.key3]), row.id]))
  const seen = await seenAmong(context, frame.catalog, frame.entity, [...holders.values()])
  for (const { draft, row } of rekeyed) {
    const name = keyName(row.keys)
    // A new record whose key somebody made meanwhile is no rename: the statement that writes it finds out, and the call is run again.
    const holder = draft.live && holders.get(name)
    const isSecond = earlier.has(name)
    if (!isSecond && (holder === undefined || holder === row.id)) {
      earlier.add(name)
      continue
    }
    const others = holder !== undefined && seen.has(holder) ? `Record ${holder}` : 'Another record'
    const whose = isSecond ? 'An earlier row of this call' : others
    const message = `${whose} has the key "${externalKeyOf(row.keys).slice(0, 80)}" already.`
    fail(draft.wish.index, 'keyTaken', [finding(`${draft.wish.path}.key1`, message)], draft.live?.id)
  }
}
