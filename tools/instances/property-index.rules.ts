/** How a caller, or a column of a file, may name a property. It stands alone, so that the process that reads files loads little. */
import type { CatalogProperty } from '#tools/entities/catalog.schema.ts'

export type NamedProperty = Pick<CatalogProperty, 'propertyId' | 'entityPropertyId' | 'internalName'>

const propertyIndexes = new WeakMap<readonly NamedProperty[], ReadonlyMap<string, NamedProperty>>()

/** Properties by lower-case internalName, by entityPropertyId and by propertyId: the three ways that a save may name one. */
export function propertyIndex<Property extends NamedProperty>(properties: readonly Property[]): ReadonlyMap<string, Property> {
  // What is kept for a list of properties was made of that list.
  const known = propertyIndexes.get(properties) as ReadonlyMap<string, Property> | undefined
  if (known) return known
  const index = new Map(
    properties.flatMap((property) => [
      [property.internalName.toLowerCase(), property] as const,
      // As it is written, which is how almost every save names it.
      [property.internalName, property] as const,
      [String(property.entityPropertyId), property] as const,
      [String(property.propertyId), property] as const,
    ]),
  )
  propertyIndexes.set(properties, index)
  return index
}
