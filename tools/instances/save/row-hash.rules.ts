/** The row hash: SHA-1 over the canonical form of a record, so that an unchanged row is known without comparing it. */
import { hash } from 'node:crypto'

import type { Value } from '#tools/properties/service.ts'

/** Raised when the canonical form changes; every row is then dirty once. */
const hashVersion = 1

/**
 * SHA-1 over hash version, parent id, keys, then the values that are not empty in the order of their entityPropertyId. 20 bytes as 40 upper-case
 * hex digits. Numbers stand in their shortest decimal form, which JSON.stringify writes.
 */
export function rowHash(parentId: number | null, keys: readonly [string, string, string], values: ReadonlyMap<number, Value>): string {
  const filled: [number, Value][] = []
  let isSorted = true
  let last = 0
  values.forEach((value, id) => {
    if (value === null) return
    if (id < last) isSorted = false
    last = id
    filled.push([id, value])
  })
  if (!isSorted) filled.sort(([a], [b]) => a - b)
  return hash('sha1', JSON.stringify([hashVersion, parentId, ...keys, ...filled]), 'hex').toUpperCase()
}
