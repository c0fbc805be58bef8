/** An order that somebody gives to things which others may add and take away meanwhile. */

/** The ids that are there, first in the order that was given, then the others as they come. */
export function inOrder(given: readonly number[] | undefined, ids: readonly number[]): readonly number[] {
  if (!given) return ids
  const first = given.filter((id) => ids.includes(id))
  return [...first, ...ids.filter((id) => !first.includes(id))]
}

/** One place up (-1) or down (1); at an end all stays. */
export function moved(ids: readonly number[], id: number, by: -1 | 1): readonly number[] {
  const from = ids.indexOf(id)
  const to = from + by
  if (from === -1 || to < 0 || to >= ids.length) return ids
  return ids.toSpliced(from, 1).toSpliced(to, 0, id)
}
