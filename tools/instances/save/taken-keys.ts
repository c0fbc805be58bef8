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

/** A rename onto a key that another live record has. */
export async function refuseTakenKeys(
  context: TxContext,
  frame: WriteFrame,
  ready: readonly { readonly draft: Draft; readonly row: FullRow }[],
  fail: Fail,
  outcomes: ReadonlyMap<number, SaveOutcome>,
): Promise<void> {
  const { tx, tenantId } = context
  const renamed = ready.filter(
    ({ draft, row }) =>
      !outcomes.has(draft.wish.index) && draft.live && keyName(row.keys) !== keyName(presentKeys(draft.live)) && row.keys[0] !== '',
  )
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
  for (const { draft, row } of renamed) {
    const holder = holders.get(keyName(row.keys))
    if (holder !== undefined && holder !== row.id) {
      fail(
        draft.wish.index,
        'keyTaken',
        [
          finding(
            `${draft.wish.path}.key1`,
            `${seen.has(holder) ? `Record ${holder}` : 'Another record'} has the key "${externalKeyOf(row.keys).slice(0, 80)}" already.`,
          ),
        ],
        row.id,
      )
    }
  }
}
