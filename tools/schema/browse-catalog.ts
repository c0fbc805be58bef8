import { z } from 'zod'

import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { idOrName, type IdOrName, readIdOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { refuseErrors, unknownName } from '#platform/validation.ts'
import { dataTypeOf, dataTypes } from '#tools/properties/properties.schema.ts'
import { loadReferences } from '#tools/properties/service.ts'

import { offer } from './catalog.schema.ts'
import { loadOffers } from './offers.ts'
import { listInstalledSources } from './schema.store.ts'

interface Named {
  readonly internalName: string
  readonly id: number
}

/** The name that a filter means, in lower case; null where there is no filter. Refuses a name that nothing has. */
function filterName(slot: IdOrName | undefined, known: readonly Named[], noun: 'vertical' | 'category', lister: string): string | null {
  if (slot === undefined) return null
  const { id, name } = readIdOrName(slot)
  const found = known.find((one) => (id === null ? one.internalName.toLowerCase() === name.toLowerCase() : one.id === id))
  const names = known.map((one) => one.internalName)
  if (!found) refuseErrors([unknownName(`$.${noun}`, noun, slot, names, lister)], 'The filter', 'applied')
  return found?.internalName.toLowerCase() ?? null
}

export const browseCatalog = defineOperation({
  ...reads(offer),
  errors: [],
  name: 'browse_catalog',
  title: 'Browse what can be installed',
  description:
    'Properties and entities that ship with the product or were published to every tenant by a global administrator, by vertical, category or a word. isInstalled tells what this tenant has taken. install_catalog_items copies them by globalSourceId; an entity brings the properties that it needs.',
  method: 'POST',
  path: '/api/v1/catalog/browse',
  roles: 'any',
  input: z.object({
    vertical: idOrName.optional().describe('As list_verticals shows it; what belongs to no vertical is left out'),
    category: idOrName.optional().describe('As list_categories shows it'),
    search: z.string().min(1).max(100).optional().describe('A word in the internalName, name or description'),
  }),
  examples: [
    {
      title: 'For aviation',
      input: { vertical: 'Aviation', search: 'IATA' },
      output: {
        properties: [
          {
            globalSourceId: 160,
            internalName: 'IataCode',
            name: 'IATA code',
            description: 'Three letters',
            category: 'Location',
            vertical: 'Aviation',
            source: 'product',
            isInstalled: false,
            dataType: 'Text',
          },
        ],
        entities: [],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const references = await loadReferences(tx, tenantId)
    const verticals = references.verticals.map(({ verticalId: id, internalName }) => ({ id, internalName }))
    const categories = references.categories.map(({ categoryId: id, internalName }) => ({ id, internalName }))
    const vertical = filterName(input.vertical, verticals, 'vertical', 'list_verticals')
    const category = filterName(input.category, categories, 'category', 'list_categories')
    const word = input.search?.toLowerCase()
    const languages = await findDisplayLanguages(context)
    const codes = [languages.requested, languages.usual, 1].map(
      (id) => references.languages.find((language) => language.languageRegionId === id)?.languageCode,
    )
    const installed = await listInstalledSources(tx, tenantId)

    const shown = (
      id: number,
      definition: {
        internalName: string
        displays?: readonly { languageCode?: string | undefined; name: string; description?: string | undefined }[] | undefined
        category?: string | null | undefined
        vertical?: string | null | undefined
      },
      source: 'product' | 'published',
    ) => {
      const display = codes
        .map((code) => definition.displays?.find((one) => one.languageCode === code))
        .find((found) => found !== undefined)
      return {
        globalSourceId: id,
        internalName: definition.internalName,
        name: display?.name ?? definition.internalName,
        description: display?.description ?? '',
        category: definition.category ?? null,
        vertical: definition.vertical ?? null,
        source,
        isInstalled: installed.has(id),
      }
    }
    const isWanted = (row: ReturnType<typeof shown>) =>
      (vertical === null || row.vertical?.toLowerCase() === vertical) &&
      (category === null || row.category?.toLowerCase() === category) &&
      (word === undefined || `${row.internalName}\n${row.name}\n${row.description}`.toLowerCase().includes(word))

    const offers = await loadOffers(context)
    return {
      properties: offers.flatMap(({ source, properties }) =>
        properties
          .map(({ id, definition }) => {
            const dataType =
              definition.dataType === undefined || definition.dataType === 'Date'
                ? dataTypeOf(definition.dataTypeId ?? dataTypes.indexOf('DateTime') + 1)
                : definition.dataType
            return { ...shown(id, definition, source), dataType }
          })
          .filter(isWanted),
      ),
      entities: offers.flatMap(({ source, entities }) =>
        entities
          .map(({ id, definition }) => ({
            ...shown(id, definition, source),
            properties: (definition.properties ?? []).map((one) => String(one.property)),
            children: (definition.children ?? []).map((one) => String(one.childEntity)),
            peers: (definition.peers ?? []).map((one) => String(one.peerEntity)),
          }))
          .filter(isWanted),
      ),
    }
  },
})
