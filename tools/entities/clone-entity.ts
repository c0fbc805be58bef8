import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { idOrName, newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { displayInputs } from '#tools/properties/properties.schema.ts'
import { listAllOptionFilters, loadReferences, nameTaken, readDisplays } from '#tools/properties/service.ts'

import { listRelations } from './composition.store.ts'
import { cloneOf } from './entities.rules.ts'
import { entity, exampleEntity } from './entities.schema.ts'
import { findEntity, listEntityDisplays } from './entities.store.ts'
import { insertEntities, insertRelations, mustFindEntity } from './service.ts'
import { listEntities } from './shown.ts'
import { listAttached } from './attached.ts'

export const cloneEntity = defineOperation({
  ...writes(entity),
  name: 'clone_entity',
  title: 'Copy an entity',
  description:
    'Copies the definition of an entity under a new internalName: its properties with their order, keys and option subsets, its category, identity bridge and displays, those given here in place of the copied ones. Records are not copied. Children and peers are copied with includesRelationships; they then stand under both entities.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/clone',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    internalName: newName('entity'),
    displays: displayInputs.optional(),
    includesRelationships: z.boolean().optional().describe('false unless told'),
  }),
  examples: [
    {
      title: 'Inspections are like work orders',
      input: { entity: 'WorkOrder', internalName: 'InspectionOrder', displays: [{ languageCode: 'en-US', name: 'Inspection order' }] },
      output: {
        ...exampleEntity,
        entityId: 10_080,
        internalName: 'InspectionOrder',
        name: 'Inspection order',
        displays: [{ languageRegionId: 1, name: 'Inspection order', description: '' }],
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const source = await mustFindEntity(context, input.entity)
    const read = readDisplays(input.displays ?? [], await loadReferences(tx, tenantId), '$.displays')
    const withRelations = input.includesRelationships === true
    return changeDefinitions(
      context,
      async () => (withRelations ? (await listRelations(tx, tenantId, source.entityId)).map((relation) => relation.otherEntityId) : []),
      async () => {
        const taken = await findEntity(tx, tenantId, input.internalName)
        refuseErrors([...read.findings, ...(taken ? [nameTaken('$', 'entity', input.internalName)] : [])], 'The entity')
        const filters = (await listAllOptionFilters(tx, tenantId)).map((filter) => [filter.propertyOptionFilterId, filter] as const)
        const displays = (await listEntityDisplays(tx, tenantId)).filter((display) => display.entityId === source.entityId)
        const clone = cloneOf(
          source,
          input.internalName,
          await listAttached(tx, tenantId, source.entityId),
          new Map(filters),
          displays,
          read.displays,
        )
        const filterIdOf = (propertyId: number, name: string) =>
          filters.find(([, filter]) => filter.propertyId === propertyId && filter.internalName === name)?.[0] ?? null
        const ids = await insertEntities(context, [clone], { idOf: (property) => mustExist(property.propertyId, 'property'), filterIdOf })
        const entityId = mustExist([...ids.values()][0], 'entity')
        if (withRelations) {
          const relations = (await listRelations(tx, tenantId, source.entityId)).filter((relation) => relation.entityId === source.entityId)
          const own = (id: number) => (id === source.entityId ? entityId : id)
          await insertRelations(
            context,
            relations.map((relation) => ({ ...relation, entityId, otherEntityId: own(relation.otherEntityId) })),
          )
        }
        context.audit({ entityId, internalName: input.internalName })
        const [row] = await listEntities(tx, tenantId, await findDisplayLanguages(context), [entityId])
        return mustExist(row, 'entity')
      },
    )
  },
})
