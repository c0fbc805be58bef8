/** Rows become wishes: in turns with everybody else, and their texts held against dear patterns off the event loop. */
import { AppError } from '#platform/errors.ts'
import { type ParsedJson, readJson } from '#platform/json.ts'
import { createMatcher, type PatternMatcher } from '#platform/patterns.ts'
import { eachInTurns } from '#platform/turns.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

import { type SaveRowInput, type SaveWish, toWish } from './understand-row.rules.ts'

/** What reading a row is given beside the row. */
export interface RowMeans {
  readonly patterns: PatternMatcher
  readonly parsed: ReadonlyMap<string, ParsedJson>
}

// Shorter JSON is parsed with its row.
const longJson = 64 * 1024

/** The long dataJson of rows, whatever else they are, parsed. */
async function parseLong(rows: readonly unknown[]): Promise<Map<string, ParsedJson>> {
  const parsed = new Map<string, ParsedJson>()
  for (const row of rows) {
    const text = typeof row === 'object' && row !== null && 'dataJson' in row ? row.dataJson : undefined
    if (typeof text !== 'string' || text.length < longJson) continue
    parsed.set(text, await readJson(Buffer.from(text)).catch(refusalOf))
  }
  return parsed
}

function refusalOf(error: unknown): ParsedJson {
  if (error instanceof AppError) return { value: undefined, refusal: error }
  throw error
}

/** What each row means; `wishOf` is called again for a row that has a text whose match was not known yet. */
export async function readWishes<T>(rows: readonly T[], wishOf: (row: T, index: number, means: RowMeans) => SaveWish): Promise<SaveWish[]> {
  const patterns = createMatcher()
  const means = { patterns, parsed: await parseLong(rows) }
  const wishes: SaveWish[] = []
  let unsettled = rows.map((row, index) => ({ row, index }))
  while (unsettled.length > 0) {
    const left: typeof unsettled = []
    await eachInTurns(unsettled, (one) => {
      wishes[one.index] = wishOf(one.row, one.index, means)
      if (patterns.takePending()) left.push(one)
    })
    if (left.length > 0) await patterns.settle()
    unsettled = left
  }
  return wishes
}

/** What the one row of a call means. */
export async function readWish(entity: CatalogEntity, row: SaveRowInput, targetId?: number): Promise<SaveWish> {
  const wishes = await readWishes([row], (one, index, means) => toWish(entity, one, { index, path: '$', targetId, ...means }))
  // One for each row.
  return wishes[0] as SaveWish
}
