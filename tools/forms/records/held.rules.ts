/** Records in hand that lead to each other: the record of a form, its rows, and what it stands under. */
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import type { Scalar, Value } from '#tools/properties/service.ts'
import type { RecordInHand } from '#tools/query/service.ts'

export interface Held extends RecordInHand {
  readonly entity: CatalogEntity
  readonly parent: Held | undefined
}

/** `rowsOf` answers the children of an entity that are in hand; without it there are none. */
export function heldRecord(
  of: Pick<Held, 'entity' | 'fields' | 'values' | 'parent'>,
  rowsOf: (entityId: number) => readonly Held[] = () => [],
): Held {
  return {
    ...of,
    related: ({ link, through, entity }) => {
      if (link === 'child') return rowsOf(entity.entityId)
      // A condition of a form does not go over peers.
      if (link === 'peer') return []
      let at = of.parent
      for (const step of through) at = at?.entity.entityId === step.entityId ? at.parent : undefined
      return at?.entity.entityId === entity.entityId ? [at] : []
    },
  }
}

const optionNames = new WeakMap<CatalogProperty, ReadonlyMap<Scalar, string>>()

/** By optionId, of deleted options too. */
export function optionNamesOf(property: CatalogProperty): ReadonlyMap<Scalar, string> {
  let names = optionNames.get(property)
  if (!names) {
    const all = [...property.options, ...(property.retiredOptions ?? [])]
    names = new Map(all.map((option) => [option.optionId, option.internalName]))
    optionNames.set(property, names)
  }
  return names
}

/** A canonical value as the wire has it: options by their names. */
export function onWire(property: CatalogProperty, value: Value): unknown {
  if (value === null || (property.dataType !== 'Choice' && property.dataType !== 'Hierarchy')) return value
  const names = optionNamesOf(property)
  const nameOf = (one: Scalar) => names.get(one) ?? null
  return typeof value === 'object' ? value.map(nameOf) : nameOf(value)
}

/** A record as tokens name it: its own fields and its values side by side. */
export function namedRecord({ entity, fields, values }: Held): Readonly<Record<string, unknown>> {
  const own = entity.properties.map((property) => [property.internalName, onWire(property, values.get(property.entityPropertyId) ?? null)])
  return { ...fields, ...Object.fromEntries(own) }
}
