/** What whoever fills a form in is told beside its layout: names in their language, and their rights. */
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { listOptionDisplays, listPropertyDisplays, loadReferences, shownIn } from '#tools/properties/service.ts'
import { accessFloor } from '#tools/query/service.ts'

import type { Names, OptionsOf, Rights } from './filling.rules.ts'
import type { FormLayout } from './layout.types.ts'

/** The names of everything that the layout shows. */
export async function textsOf(
  context: TxContext,
  layout: FormLayout,
  optionsOf: OptionsOf,
  languageCode: string | undefined,
): Promise<Names> {
  const { tx, tenantId } = context
  const languages = await findDisplayLanguages(context, languageCode)
  const known = (await loadReferences(tx, tenantId)).languages
  const codeOf = (id: number) => known.find((one) => one.languageRegionId === id)?.languageCode ?? []
  const properties = new Map(
    layout.sections.flatMap((section) => section.fields.map(({ property }) => [property.propertyId, property.internalName] as const)),
  )
  const displays = Map.groupBy(await listPropertyDisplays(tx, tenantId, [...properties.keys()]), (one) => one.propertyId)
  const options = [...optionsOf.values()].flatMap((one) => one.shown)
  const ofOptions = options.length === 0 ? [] : await listOptionDisplays(tx, tenantId, [...new Set(options.map((one) => one.optionId))])
  const optionDisplays = Map.groupBy(ofOptions, (one) => one.optionId)
  return {
    languageCodes: [codeOf(languages.requested), codeOf(languages.usual)].flat(),
    properties: new Map([...properties].map(([id, name]) => [id, shownIn(displays.get(id) ?? [], languages, name)])),
    options: new Map(
      options.map(({ optionId, internalName }) => [optionId, shownIn(optionDisplays.get(optionId) ?? [], languages, internalName).name]),
    ),
  }
}

/** What the caller may do with the records of the form and of its lists. */
export async function rightsOn(context: TxContext, catalog: Catalog, { entity, sections }: FormLayout): Promise<Rights> {
  const entities = new Set([entity, ...sections.flatMap((section) => (section.type === 'list' ? section.entity : []))])
  const rights = new Map<number, Awaited<ReturnType<typeof accessFloor.ownAccessOf>>>()
  for (const one of entities) rights.set(one.entityId, await accessFloor.ownAccessOf(context, catalog, one))
  return rights
}
