/** Rows become wishes: in turns with everybody else, and their texts held against dear patterns off the event loop. */
import { createMatcher, type PatternMatcher } from '#platform/patterns.ts'
import { inTurns } from '#platform/turns.ts'
import type { CatalogEntity } from '#tools/entities/catalog.schema.ts'

import { type SaveRowInput, type SaveWish, toWish } from './save.rules.ts'

/** What each row means; `wishOf` is called again for a row that has a text whose match was not known yet. */
export async function readWishes<T>(
  rows: readonly T[],
  wishOf: (row: T, index: number, patterns: PatternMatcher) => SaveWish,
): Promise<SaveWish[]> {
  const patterns = createMatcher()
  const wishes: SaveWish[] = []
  let unsettled = rows.map((row, index) => ({ row, index }))
  while (unsettled.length > 0) {
    const left: typeof unsettled = []
    await inTurns(
      (function* () {
        for (const one of unsettled) {
          wishes[one.index] = wishOf(one.row, one.index, patterns)
          if (patterns.takePending()) left.push(one)
          yield
        }
      })(),
    )
    if (left.length > 0) await patterns.settle()
    unsettled = left
  }
  return wishes
}

/** What the one row of a call means. */
export async function readWish(entity: CatalogEntity, row: SaveRowInput, targetId?: number): Promise<SaveWish> {
  const wishes = await readWishes([row], (one, index, patterns) => toWish(entity, one, { index, path: '$', targetId, patterns }))
  // One for each row.
  return wishes[0] as SaveWish
}
