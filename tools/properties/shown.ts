/** Properties and options as their lists show them. Put together here: a join over displays gets plans that take seconds as long as there are no statistics. */
import type { DisplayLanguages } from '#platform/db/display-language.ts'
import type { Tx } from '#platform/db/pool.ts'

import { shownIn } from './displays.rules.ts'
import type { Property, PropertyOption } from './properties.schema.ts'
import { listPropertyDisplays, listPropertyRows } from './properties.store.ts'
import { listOptionDisplays, listOptionRows } from './property-options.store.ts'

/** Every property of the tenant, or these, in the order of their names. */
export async function listProperties(
  tx: Tx,
  tenantId: number,
  languages: DisplayLanguages,
  propertyIds?: readonly number[],
): Promise<Property[]> {
  const rows = await listPropertyRows(tx, tenantId, propertyIds)
  const displaysOf = Map.groupBy(await listPropertyDisplays(tx, tenantId, propertyIds), (display) => display.propertyId)
  return rows.map((row) => {
    const displays = displaysOf.get(row.propertyId) ?? []
    const { propertyId, dataTypeId, internalName, isSensitive, categoryId, verticalId, globalSourceId } = row
    return {
      propertyId,
      dataTypeId,
      internalName,
      ...shownIn(displays, languages, internalName),
      isSensitive,
      isFullyTranslated: displays.some((display) => display.languageRegionId === languages.usual),
      categoryId,
      verticalId,
      globalSourceId,
      displays: displays.map(({ languageRegionId, languageDisplayName, name, description }) => ({
        languageRegionId,
        languageDisplayName,
        name,
        description,
      })),
    }
  })
}

/** The live options of a property, in their order. */
export async function listOptions(tx: Tx, tenantId: number, propertyId: number, languages: DisplayLanguages): Promise<PropertyOption[]> {
  const rows = await listOptionRows(tx, tenantId, propertyId)
  const optionIds = rows.map((row) => row.optionId)
  const displaysOf = Map.groupBy(await listOptionDisplays(tx, tenantId, optionIds), (display) => display.optionId)
  const names = new Map(rows.map((row) => [row.optionId, row.internalName]))
  return rows.map(({ optionId, internalName, parentOptionId, position }) => {
    const displays = displaysOf.get(optionId) ?? []
    return {
      optionId,
      propertyId,
      internalName,
      ...shownIn(displays, languages, internalName),
      parentOptionId,
      parent: parentOptionId === null ? null : (names.get(parentOptionId) ?? null),
      position,
      displays: displays.map(({ languageRegionId, name, description }) => ({ languageRegionId, name, description })),
    }
  })
}
