import { z } from 'zod'

import { changeDefinitions, takeCatalogIds } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { hasRecords } from '#platform/db/record-values.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { listKnownProperties } from '#tools/properties/service.ts'

import { insertEntityProperties, orderComposition } from './composition.store.ts'
import { entityProperty, exampleEntityProperty, maxProperties, numberingInput } from './entities.schema.ts'
import { findNumberingProblems, indexOf, readNumbering, unknownProperty } from './entities.rules.ts'
import { mustFindEntity } from './service.ts'
import { listComposition } from './shown.ts'
import { listAttached } from './attached.ts'

export const attachProperty = defineOperation({
  ...writes(entityProperty),
  errors: ['not_found', 'already_exists', 'unknown_property'],
  name: 'attach_property',
  title: 'Attach a property to an entity',
  description:
    'Gives the records of an entity one more property, at the end unless a position is told; an entity has at most 300. With numbering (a Text) the server gives new records the next number: unique, gaps allowed. Make the property with create_property before. A required one is refused (409) while records exist, since they would lack it: attach it optional, fill it, then require it with update_entity_property, which also sets key parts and option subsets.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/properties',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    property: idOrName.describe('Id or internalName'),
    isRequired: z.boolean().optional(),
    isList: z.boolean().optional().describe('A record holds several values'),
    numbering: numberingInput.optional(),
    position: z.int().min(1).max(1_000).optional().describe('From 1, among the properties and children'),
  }),
  examples: [{ title: 'A priority for work orders', input: { entity: 'WorkOrder', property: 'Priority' }, output: exampleEntityProperty }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { entityId, internalName } = await mustFindEntity(context, input.entity)
    return changeDefinitions(
      context,
      async () => [entityId],
      async () => {
        const known = await listKnownProperties(tx, tenantId)
        const property = indexOf(known, (one) => one.propertyId)(input.property)
        if (!property) refuseErrors([unknownProperty('$.property', input.property, known)], 'The attachment')
        const { propertyId, internalName: name } = mustExist(property, 'property')
        const attached = await listAttached(tx, tenantId, entityId)
        if (attached.some((one) => one.propertyId === propertyId))
          throw new AppError('already_exists', `${internalName} has the property ${name} already.`)
        if (attached.length >= maxProperties)
          throw new AppError('conflict', `${internalName} has ${maxProperties} properties; an entity has no more. Make a child entity.`)
        const { isRequired = false, isList = false } = input
        if (input.numbering)
          refuseErrors(findNumberingProblems(mustExist(property, 'property'), isList, input.numbering, '$.numbering'), 'The attachment')
        if (isRequired && (await hasRecords(tx, tenantId, entityId))) {
          throw new AppError(
            'conflict',
            `Records of ${internalName} exist and would lack ${name}. Attach it optional, fill it, then require it with update_entity_property.`,
          )
        }
        const [entityPropertyId = 0, columnId = 0] = await takeCatalogIds(tx, 2)
        const languages = await findDisplayLanguages(context)
        const order = (await listComposition(tx, tenantId, entityId, languages)).map((one) => one.entityPropertyId)
        const row = {
          entityPropertyId,
          entityId,
          propertyId,
          columnId,
          isRequired,
          isList,
          keyPart: null,
          position: order.length + 1,
          propertyOptionFilterId: null,
          numbering: readNumbering(input.numbering),
        }
        await insertEntityProperties(tx, tenantId, [row])
        order.splice((input.position ?? order.length + 1) - 1, 0, entityPropertyId)
        await orderComposition(tx, tenantId, entityId, order)
        context.audit({ entityId, entityPropertyId, property: name })
        const composition = await listComposition(tx, tenantId, entityId, languages)
        return mustExist(
          composition.find((one) => one.entityPropertyId === entityPropertyId),
          'entity property',
        )
      },
    )
  },
})
