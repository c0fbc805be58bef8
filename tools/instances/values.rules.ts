/** The data of one row: which properties it names, and what the one validator of values says of them. */
import type { Issue } from '#platform/errors.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import type { CatalogProperty } from '#tools/entities/catalog.schema.ts'
import { checkValue, type Value } from '#tools/properties/service.ts'

export { canonicalDateTime, type Scalar, type Value } from '#tools/properties/service.ts'

export interface CheckedData {
  /** By entityPropertyId: what was named, in canonical form. */
  readonly values: ReadonlyMap<number, Value>
  readonly issues: readonly Issue[]
}

const propertyIndexes = new WeakMap<readonly CatalogProperty[], ReadonlyMap<string, CatalogProperty>>()

/** Properties by lower-case internalName, by entityPropertyId and by propertyId: the three ways that a save may name one. */
export function propertyIndex(properties: readonly CatalogProperty[]): ReadonlyMap<string, CatalogProperty> {
  let index = propertyIndexes.get(properties)
  if (!index) {
    index = new Map(
      properties.flatMap((property) => [
        [property.internalName.toLowerCase(), property] as const,
        // As it is written, which is how almost every save names it.
        [property.internalName, property] as const,
        [String(property.entityPropertyId), property] as const,
        [String(property.propertyId), property] as const,
      ]),
    )
    propertyIndexes.set(properties, index)
  }
  return index
}

/** Checks the data of one row: names and values. Required properties are checked later, on the merged row. */
export function checkData(properties: readonly CatalogProperty[], data: Readonly<Record<string, unknown>>, path: string): CheckedData {
  const index = propertyIndex(properties)
  const values = new Map<number, Value>()
  const issues: Issue[] = []
  for (const [name, raw] of Object.entries(data)) {
    const property = index.get(name) ?? index.get(name.toLowerCase())
    if (!property) {
      const suggestion = nearest(
        name,
        properties.map((known) => known.internalName),
      )
      issues.push({
        path: `${path}.${name}`,
        severity: 'error',
        message: `The entity has no property ${quoted(name)}.`,
        ...(suggestion === undefined ? {} : { suggestion }),
      })
      continue
    }
    if (values.has(property.entityPropertyId)) {
      issues.push({ path: `${path}.${name}`, severity: 'error', message: `${property.internalName} is named twice.` })
      continue
    }
    const checked = checkValue(property, raw)
    if ('problem' in checked) {
      issues.push({
        path: `${path}.${name}`,
        severity: 'error',
        message: checked.problem,
        ...(checked.suggestion === undefined ? {} : { suggestion: checked.suggestion }),
      })
    } else values.set(property.entityPropertyId, checked.value)
  }
  return { values, issues }
}

/** Required properties that the merged row leaves empty. */
export function findMissing(properties: readonly CatalogProperty[], values: ReadonlyMap<number, Value>, path: string): Issue[] {
  return properties
    .filter((property) => property.isRequired && (values.get(property.entityPropertyId) ?? null) === null)
    .map((property) => ({
      path: `${path}.${property.internalName}`,
      severity: 'error' as const,
      message: `${property.internalName} is required.`,
    }))
}
