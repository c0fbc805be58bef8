/** What the versions of a record say: what kind of change each was, and what changed between them. */
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

import type { VersionRow } from './versions.store.ts'

export interface Change {
  readonly property: string
  readonly from: unknown
  readonly to: unknown
}

export type ChangeKind = 'added' | 'modified' | 'deleted' | 'restored'

export function changeKindOf(version: VersionRow, before: VersionRow | undefined): ChangeKind {
  if (version.deletedAt !== null) return 'deleted'
  if (before === undefined) return 'added'
  return before.deletedAt === null ? 'modified' : 'restored'
}

/** Property by property, in the order of the newer version. Values are JSON, so their text tells whether they differ. */
export function changesBetween(before: VersionRow | undefined, after: VersionRow): Change[] {
  return Object.entries(after.data).flatMap(([property, to]) => {
    const from = before?.data[property] ?? null
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ property, from, to }]
  })
}

const places = ['key1', 'key2', 'key3', 'parentEIRecordId'] as const

/**
 * A rename or a move of a record, by the wire names of its fields. What a record began with is no change of its own, and a key part that follows from a
 * property is told by that property.
 */
export function movesBetween(entity: CatalogEntity, before: VersionRow | undefined, after: VersionRow): Change[] {
  if (before === undefined) return []
  const derived = new Set(entity.properties.map((property) => `key${property.keyPart}`))
  return places.flatMap((place) =>
    before[place] === after[place] || derived.has(place) ? [] : [{ property: place, from: before[place], to: after[place] }],
  )
}
