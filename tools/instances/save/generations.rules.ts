/** Rows whose parents other rows of the same call make: which these are, and in what order they can be saved. */
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

import { keyName, type SaveWish } from './understand-row.rules.ts'

/** By the index of a row the earlier row that has the key of its parent. Empty but for entities that are their own parents. */
export function earlierParents(entity: CatalogEntity, wishes: readonly SaveWish[]): Map<number, SaveWish> {
  const found = new Map<number, SaveWish>()
  if (!entity.parents.some((parent) => parent.entityId === entity.entityId)) return found
  const own = new Set<string>([entity.internalName.toLowerCase(), String(entity.entityId)])
  const byKey = new Map<string, SaveWish>()
  for (const wish of wishes) {
    const { parent, keys, targetId } = wish
    const isOwn = parent.kind === 'key' && (parent.entity === undefined || own.has(String(parent.entity).toLowerCase()))
    const earlier = isOwn ? byKey.get(keyName(parent.keys)) : undefined
    if (earlier) found.set(wish.index, earlier)
    const name = targetId === undefined && keys && keys[0] !== '' ? keyName(keys) : undefined
    // Of two rows with one key the first that is sound makes the record.
    if (name !== undefined && (byKey.get(name)?.issues.length ?? 1) > 0) byKey.set(name, wish)
  }
  return found
}

/**
 * The rows in generations: each has the rows whose parents the generation before it makes, the first one all others. `made` are the rows that make a
 * parent, by the index of the row that names it.
 */
export function generationsOf(wishes: readonly SaveWish[], made: ReadonlyMap<number, SaveWish>): SaveWish[][] {
  const generation = new Map<number, number>()
  const generations: SaveWish[][] = []
  for (const wish of wishes) {
    const parent = made.get(wish.index)
    const own = parent ? (generation.get(parent.index) ?? 0) + 1 : 0
    generation.set(wish.index, own)
    ;(generations[own] ??= []).push(wish)
  }
  // Where the rows of one are all wrong, it is not there.
  return generations.filter((rows) => rows.length > 0)
}
