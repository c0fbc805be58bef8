/** The same change of many records, all of them or none. */
import { AppError } from '#platform/errors.ts'
import type { Finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import type { TxContext } from '#platform/operation.ts'

import type { SaveOutcome } from '../save/match-records.ts'
import { errorOf } from '../save/save-one-row.ts'
import { saveRows, tryRows } from '../save/save-rows.ts'
import type { SaveWish } from '../save/understand-row.rules.ts'
import type { WriteFrame } from '../save/write-frame.ts'

/** Records are held in memory so many at a time. */
const rowsAtOnce = 1_000

type Failed = Extract<SaveOutcome, { outcome: 'failed' }>

/** Saves `wish` on each of these live records; answers how many differed. Throws what one of them is refused for, in a dry run too. */
export async function saveAlike(
  context: TxContext,
  frame: WriteFrame,
  wish: SaveWish,
  ids: readonly number[],
  isDry: boolean,
): Promise<number> {
  // What is wrong with the values themselves is told once.
  if (wish.issues.length > 0) throw errorOf({ index: 0, outcome: 'failed', reason: 'invalid', errors: wish.issues })
  const failed: (Failed & { readonly id: number })[] = []
  let updated = 0
  const takenKeys = new Set<string>()
  for (let from = 0; from < ids.length; from += rowsAtOnce) {
    const wishes = ids.slice(from, from + rowsAtOnce).map((targetId, index) => ({ ...wish, index, targetId }))
    const outcomes = isDry
      ? [...(await tryRows(context, { ...frame, isDry: true }, wishes, { takenKeys })).values()]
      : await saveRows(context, frame, wishes, { takenKeys })
    context.tellProgress?.({ done: from + wishes.length, total: ids.length })
    for (const one of outcomes) {
      if (one.outcome === 'updated') updated++
      if (one.outcome === 'failed') failed.push({ ...one, id: ids[from + one.index] ?? 0 })
    }
  }
  if (failed.length > 0) throw refusalOf(failed, ids.length)
  return updated
}

/** Names the records; what the caller may not change goes before what is wrong with it. */
function refusalOf(failed: readonly (Failed & { readonly id: number })[], matched: number): AppError {
  const forbidden = failed.filter((one) => one.reason === 'forbidden')
  const told = forbidden.length > 0 ? forbidden : failed
  const [first] = told
  if (!first) throw new Error('Nothing was refused')
  const issues = told
    .slice(0, maxIssues)
    .flatMap(({ id, errors }) => errors.map((issue): Finding => ({ ...issue, message: `Record ${id}: ${issue.message}` })))
    .slice(0, maxIssues)
  const one = errorOf(first)
  const some = `${told.length} of the ${matched} records cannot be saved so, and none was.`
  return new AppError(one.code, `${some} Record ${first.id}: ${first.errors[0]?.message ?? one.message}`, { issues })
}
