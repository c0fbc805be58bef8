/** What stands where a definition names something: a name or an id. */
import type { IdOrName } from '#platform/names.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'

export const isSlot = (value: unknown): value is IdOrName => typeof value === 'string' || typeof value === 'number'

export function entityOf(catalog: Catalog, slot: unknown): CatalogEntity | undefined {
  return isSlot(slot) ? catalog.byIdOrName.get(String(slot).toLowerCase()) : undefined
}
