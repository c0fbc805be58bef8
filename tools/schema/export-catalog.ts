import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { idOrName, type IdOrName, readIdOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { type Finding, refuseErrors, unknownName } from '#platform/validation.ts'
import { loadReferences } from '#tools/properties/service.ts'

import { documentOf, loadPortable } from './catalog-document.ts'
import { exampleDocument, exportedCatalog } from './catalog.schema.ts'
import { type PortableSource, select } from './portable.rules.ts'

/** Whether a definition is among those named; all are where nothing is named. */
function wanted(slots: readonly IdOrName[] | undefined, isAll: boolean): (id: number, name: string) => boolean {
  if (slots === undefined) return () => isAll
  const read = slots.map(readIdOrName)
  return (id, name) => read.some((slot) => (slot.id === null ? slot.name.toLowerCase() === name.toLowerCase() : slot.id === id))
}

function findUnknown(slots: readonly IdOrName[], field: 'properties' | 'entities', source: PortableSource): Finding[] {
  const known: readonly { readonly id: number; readonly definition: { readonly internalName: string } }[] = source[field]
  const isProperty = field === 'properties'
  return slots.flatMap((slot, index) => {
    const isNamed = wanted([slot], false)
    if (known.some(({ id, definition }) => isNamed(id, definition.internalName))) return []
    const names = known.map(({ definition }) => definition.internalName)
    const path = `$.${field}[${index}]`
    return [
      unknownName(
        path,
        isProperty ? 'property' : 'entity',
        slot,
        names,
        `list_${field}`,
        isProperty ? 'unknown_property' : 'unknown_entity',
      ),
    ]
  })
}

export const exportCatalog = defineOperation({
  ...reads(exportedCatalog),
  errors: ['unknown_property', 'unknown_entity'],
  name: 'export_catalog',
  title: 'Export the catalog',
  description:
    'The definitions of the tenant as the document that import_catalog takes, here or in another tenant: everything, or the named entities with the properties they need, or the named properties. Relationships to entities that are left out go too. Records are not in it.',
  method: 'POST',
  path: '/api/v1/catalog/export',
  roles: 'BuilderAdmin',
  input: z.object({
    properties: z.array(idOrName).max(2_000).optional().describe('Ids or names'),
    entities: z.array(idOrName).max(1_000).optional().describe('With the properties that they use'),
  }),
  examples: [{ title: 'Two entities', input: { entities: ['WorkOrder', 'WorkLog'] }, output: exampleDocument }],
  async handler({ tx, tenantId }, input) {
    const source = await loadPortable(tx, tenantId, await loadReferences(tx, tenantId))
    refuseErrors(
      [...findUnknown(input.properties ?? [], 'properties', source), ...findUnknown(input.entities ?? [], 'entities', source)],
      'The export',
      'made',
    )
    const isAll = input.properties === undefined && input.entities === undefined
    const part = select(source, wanted(input.properties, isAll), wanted(input.entities, isAll), () => false)
    if (part.properties.length > 2_000 || part.entities.length > 1_000)
      throw new AppError('invalid_input', 'A document holds at most 2,000 properties and 1,000 entities. Name those that you want.')
    return documentOf(tx, tenantId, part)
  },
})
