/** The order in which the rows of a file count. */
import { keyName, type SaveWish } from '../save/understand-row.rules.ts'

/**
 * How many of the rows go into one save: those before the first that names a record again, or a parent that an earlier row makes. So a file is saved in
 * the order of its rows, wherever its chunks end.
 */
export function countTogether(wishes: readonly SaveWish[], isOwnParent: boolean): number {
  const seen = new Set<string>()
  for (const [index, { keys, parent }] of wishes.entries()) {
    const name = keys && keys[0] !== '' ? keyName(keys) : undefined
    if (name !== undefined && seen.has(name)) return index
    if (isOwnParent && parent.kind === 'key' && seen.has(keyName(parent.keys))) return index
    if (name !== undefined) seen.add(name)
  }
  return wishes.length
}
