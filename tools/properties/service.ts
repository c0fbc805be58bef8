/** The properties' door: finding them, making them in one go, and checking values. */
import { takeCatalogIds } from '#platform/db/definitions.ts'
import type { TxContext } from '#platform/operation.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import {
  findProperty,
  type IdentifiedProperty,
  insertPropertyRows,
  listKnownProperties,
  type PropertyRow,
  upsertPropertyDisplays,
} from './properties.store.ts'
import type { NewProperty } from './properties.rules.ts'
import { insertOptionFilters, insertOptionRows, type OptionRow, upsertOptionDisplays } from './property-options.store.ts'

export { type NewDisplay, readDisplays, readLanguage, type References, shownIn } from './displays.rules.ts'
export { planOrder } from './options.rules.ts'
export { afterChange, findReferenceProblems, nameTaken, type NewProperty, patternsOf, readPlace, readProperty } from './properties.rules.ts'
export {
  findFileRules,
  listPropertyDisplays,
  listKnownProperties,
  listPropertyRows,
  loadReferences,
  type PropertyRow,
} from './properties.store.ts'
export {
  type CatalogOptionRow,
  listAllOptionFilters,
  listOptionDisplays,
  listOptionRows,
  readCatalogOptions,
} from './property-options.store.ts'
export { listProperties } from './shown.ts'
export { assetKeysOf, canonicalDateTime, checkValue, isLongerThan, type Scalar, type Value, type ValueRules } from './values.rules.ts'

/**
 * The property that a path names. Throws AppError `not_found`, with the nearest name of the tenant's own where a name was given: the same answer for a
 * missing id and for another tenant's.
 */
export async function mustFindProperty(context: TxContext, slot: IdOrName): Promise<PropertyRow> {
  const row = await findProperty(context.tx, context.tenantId, slot)
  if (row) return row
  const { name } = readIdOrName(slot)
  if (name === null) throw new AppError('not_found', 'No such property.')
  const known = await listKnownProperties(context.tx, context.tenantId)
  const suggestion = nearest(
    name,
    known.map((property) => property.internalName),
  )
  const message = `There is no property ${quoted(name)}. list_properties shows them.`
  throw new AppError('not_found', 'No such property.', {
    issues: [finding('$.property', message, { suggestion })],
  })
}

/**
 * Inserts properties with their displays, options and subsets: a handful of statements, however many they are. To be called inside changeDefinitions,
 * with names that nothing has. Answers the ids by internalName in lower case.
 */
export async function insertProperties(
  context: TxContext,
  properties: readonly NewProperty[],
  scope: 'tenant' | 'global' = 'tenant',
): Promise<Map<string, number>> {
  const { tx, tenantId } = context
  const ids = await takeCatalogIds(
    tx,
    properties.reduce((sum, property) => sum + 1 + property.options.length + property.optionFilters.length, 0),
  )
  const next = () => {
    const id = ids.shift()
    if (id === undefined) throw new Error('Fewer ids were taken than are needed')
    return id
  }
  const rows: IdentifiedProperty[] = properties.map((property) => ({ ...property, propertyId: next() }))
  const options: (OptionRow & { readonly displays: NewProperty['displays'] })[] = []
  const filters = []
  for (const { propertyId, options: own, optionFilters } of rows) {
    const optionIds = new Map(own.map((option) => [option.internalName, next()]))
    own.forEach((option, index) => {
      const parentOptionId = option.parent === null ? null : (optionIds.get(option.parent) ?? null)
      options.push({
        optionId: optionIds.get(option.internalName) ?? 0,
        propertyId,
        internalName: option.internalName,
        parentOptionId,
        position: index + 1,
        displays: option.displays,
      })
    })
    for (const filter of optionFilters) {
      const chosen = filter.options.flatMap((name) => optionIds.get(name) ?? [])
      filters.push({ propertyOptionFilterId: next(), propertyId, internalName: filter.internalName, optionIds: chosen })
    }
  }
  if (rows.length > 0) await insertPropertyRows(tx, tenantId, scope, rows)
  await upsertPropertyDisplays(
    tx,
    tenantId,
    rows.flatMap(({ propertyId, displays }) => displays.map((display) => ({ ...display, propertyId }))),
  )
  await insertOptionRows(
    tx,
    tenantId,
    options.map(({ displays: _displays, ...option }) => option),
  )
  await upsertOptionDisplays(
    tx,
    tenantId,
    options.flatMap(({ optionId, displays }) =>
      displays.map(({ languageRegionId, name, description }) => ({ optionId, languageRegionId, name, description })),
    ),
  )
  await insertOptionFilters(tx, tenantId, filters)
  return new Map(rows.map((row) => [row.internalName.toLowerCase(), row.propertyId]))
}
