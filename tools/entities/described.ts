/** What describe_entity tells of an entity beside its composition: the rules of each property, and the options that it takes. */
import type { DisplayLanguages } from '#platform/db/display-language.ts'
import type { TxContext } from '#platform/operation.ts'
import { listOptionDisplays, shownIn } from '#tools/properties/service.ts'

import type { CatalogOption, CatalogProperty } from './catalog.types.ts'
import { cachedCatalog } from './catalog.ts'
import { analysisShown, type DescribedProperty } from './entities.schema.ts'
import { listComposition } from './shown.ts'

const optionsShown = 200
/** Of all properties together, so that an entity of many long lists still is an answer that a model can read. */
const optionsInAll = 5_000

/** The properties and children of an entity, in their order. */
export async function describeComposition(context: TxContext, entityId: number, languages: DisplayLanguages): Promise<DescribedProperty[]> {
  const { tx, tenantId } = context
  const catalog = await cachedCatalog(context)
  const properties = catalog.byIdOrName.get(String(entityId))?.properties ?? []
  const taken = new Map(properties.map((property) => [property.entityPropertyId, optionsTaken(property)]))
  let left = optionsInAll
  const shown = new Map(
    properties.map(({ entityPropertyId }) => {
      const some = (taken.get(entityPropertyId) ?? []).slice(0, Math.min(optionsShown, left))
      left -= some.length
      return [entityPropertyId, some]
    }),
  )
  const optionIds = [...shown.values()].flat().map((option) => option.optionId)
  const displays = optionIds.length > 0 ? await listOptionDisplays(tx, tenantId, optionIds) : []
  const displaysOf = Map.groupBy(displays, (display) => display.optionId)
  const composition = await listComposition(tx, tenantId, entityId, languages)
  return composition.map((element): DescribedProperty => {
    const property = properties.find((one) => one.entityPropertyId === element.entityPropertyId)
    if (!property) return { ...element, dataType: null }
    const options = shown.get(property.entityPropertyId) ?? []
    const count = taken.get(property.entityPropertyId)?.length ?? 0
    const nameById = new Map(
      options.some((option) => option.parentOptionId !== null) ? property.options.map((one) => [one.optionId, one.internalName]) : [],
    )
    const nameOf = (option: CatalogOption) => shownIn(displaysOf.get(option.optionId) ?? [], languages, option.internalName).name
    return {
      ...element,
      dataType: property.dataType,
      ...rulesOf(property),
      ...(count > 0
        ? {
            options: options.map((option) => {
              const parent = option.parentOptionId === null ? undefined : nameById.get(option.parentOptionId)
              return { internalName: option.internalName, name: nameOf(option), ...(parent === undefined ? {} : { parent }) }
            }),
          }
        : {}),
      ...(count > options.length ? { optionCount: count } : {}),
    }
  })
}

function optionsTaken({ options, optionFilter }: CatalogProperty): CatalogOption[] {
  return options.filter((option) => optionFilter === null || optionFilter.has(option.optionId))
}

/** The rules that the property has. */
function rulesOf({ regEx, minValueOrLength, maxValueOrLength, maxDecimalPlaces, allowedFileTypes, analysis }: CatalogProperty) {
  const recognised = analysisShown.safeParse(analysis)
  return {
    ...(regEx === null ? {} : { regEx }),
    ...(minValueOrLength === null ? {} : { minValueOrLength }),
    ...(maxValueOrLength === null ? {} : { maxValueOrLength }),
    ...(maxDecimalPlaces === null ? {} : { maxDecimalPlaces }),
    ...(allowedFileTypes.length === 0 ? {} : { allowedFileTypes: [...allowedFileTypes] }),
    ...(recognised.success ? { analysis: recognised.data } : {}),
  }
}
