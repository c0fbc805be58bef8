import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { mustExist } from '#platform/errors.ts'
import { definitionId, idOrName, readIdOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { changeAttached, changeChild } from './cardinality.ts'
import { listRelations } from './composition.store.ts'
import { entityProperty, entityPropertySlot, exampleEntityProperty, keyPart, numberingInput } from './entities.schema.ts'
import { mustFindEntity } from './service.ts'
import { listComposition } from './shown.ts'
import { findAttached, listAttached, noSuchAttached } from './attached.ts'

export const updateEntityProperty = defineOperation({
  ...writes(entityProperty),
  isIdempotent: true,
  name: 'update_entity_property',
  title: 'Change how an entity has a property',
  description:
    'Changes what is required, one or many, key part, numbering or option subset for a property (or required and one or many for a child entity) of an entity; a child entity goes by its entityPropertyId from describe_entity. What is not named stays, null clears. 409 where records forbid it: a required value that some lack, a key part or a first numbering once records exist, one value where some hold two, one or many beyond 50,000 record versions. Going from many to one, earlier versions keep their first value.',
  method: 'PUT',
  path: '/api/v1/entities/{entity}/properties/{entityPropertyId}',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    entityPropertyId: entityPropertySlot,
    isRequired: z.boolean().optional(),
    isList: z.boolean().optional(),
    keyPart: keyPart.nullable().optional(),
    numbering: numberingInput.nullable().optional().describe('As attach_property takes it; null ends it'),
    propertyOptionFilterId: definitionId.nullable().optional().describe('As list_property_option_filters shows it; null: all options'),
  }),
  examples: [
    {
      title: 'Require a priority',
      input: { entity: 'WorkOrder', entityPropertyId: 10_064, isRequired: true },
      output: { ...exampleEntityProperty, isRequired: true },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { entity: slot, entityPropertyId: propertySlot, ...changes } = input
    const childId = readIdOrName(propertySlot).id
    const entity = await mustFindEntity(context, slot)
    const childOf = async () =>
      (await listRelations(tx, tenantId, entity.entityId)).find(
        (relation) => relation.kind === 'child' && relation.entityId === entity.entityId && relation.entityRelationId === childId,
      )
    return changeDefinitions(
      context,
      async () => {
        const child = await childOf()
        return child ? [entity.entityId, child.otherEntityId] : [entity.entityId]
      },
      async () => {
        const attached = await listAttached(tx, tenantId, entity.entityId)
        const row = findAttached(attached, propertySlot)
        const child = row ? undefined : await childOf()
        if (row) await changeAttached(context, entity, row, attached, changes)
        else if (child) await changeChild(context, entity, child, changes)
        else throw noSuchAttached(attached, propertySlot)
        const entityPropertyId = row?.entityPropertyId ?? childId
        context.audit({ entityId: entity.entityId, changed: Object.keys(changes) })
        const composition = await listComposition(tx, tenantId, entity.entityId, await findDisplayLanguages(context))
        return mustExist(
          composition.find((one) => one.entityPropertyId === entityPropertyId),
          'entity property',
        )
      },
    )
  },
})
