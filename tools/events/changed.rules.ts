/** Whether a property holds something else than before. */
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'

type Values = ReadonlyMap<number, Value>

export function hasChanged(before: Values, after: Values, { entityPropertyId }: Pick<CatalogProperty, 'entityPropertyId'>): boolean {
  const [from, to] = [before.get(entityPropertyId) ?? null, after.get(entityPropertyId) ?? null]
  if (from === to) return false
  return typeof from !== 'object' || typeof to !== 'object' || JSON.stringify(from) !== JSON.stringify(to)
}

type Named = Readonly<Record<string, unknown>>

/** The properties that hold something else, by name; where there was nothing before, those that hold something. */
export function changedNames(before: Named | null | undefined, after: Named): string[] {
  return Object.entries(after).flatMap(([name, value]) => {
    const was = before?.[name] ?? null
    return (value ?? null) === was || JSON.stringify(value) === JSON.stringify(was) ? [] : [name]
  })
}
