/** The rows of one key as one row, which makes the record that they make one after the other. */
import type { ImportMode, SaveRowInput } from '../save/understand-row.rules.ts'

/** The later row on top of the earlier ones, all of them saved. Of one that overwrites, the earlier values go; a parent that it does not say stays. */
export function mergeSaves(earlier: SaveRowInput | undefined, later: SaveRowInput, mode: ImportMode): SaveRowInput {
  if (earlier === undefined) return later
  const saysParent = later.parentKey1 !== undefined && later.parentKey1 !== ''
  const { parentKey1, parentKey2, parentKey3, parentEntity } = saysParent ? later : earlier
  const parent = Object.fromEntries(
    Object.entries({ parentKey1, parentKey2, parentKey3, parentEntity }).filter(([, part]) => part !== undefined),
  )
  const { key1, key2, key3 } = { ...earlier, ...later }
  const keys = Object.fromEntries(Object.entries({ key1, key2, key3 }).filter(([, part]) => part !== undefined))
  // Only fields of a save row were taken, as these rows have them.
  return { ...(keys as SaveRowInput), ...parent, data: mode === 'overwrite' ? later.data : { ...earlier.data, ...later.data } }
}
