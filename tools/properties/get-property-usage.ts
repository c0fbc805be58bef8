import { z } from 'zod'

import { idOrName } from '#platform/names.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { definitionUses } from '#tools/definitions/definitions.schema.ts'
import { usesOf } from '#tools/definitions/service.ts'

import { propertyId } from './properties.schema.ts'
import { listPropertyUses } from './properties.store.ts'
import { mustFindProperty } from './service.ts'

export const getPropertyUsage = defineOperation({
  ...reads(
    z.object({
      propertyId,
      internalName: z.string(),
      entities: z.array(z.object({ entityId: z.int(), internalName: z.string(), entityPropertyId: z.int() })),
      ...definitionUses,
    }),
  ),
  name: 'get_property_usage',
  title: 'Where a property is used',
  description:
    'The entities that a property is attached to, and the definitions that use it. Call it before update_property or delete_property to see whom a change concerns.',
  method: 'POST',
  path: '/api/v1/properties/{property}/usage',
  roles: 'any',
  input: z.object({ property: idOrName }),
  examples: [
    {
      title: 'By name',
      input: { property: 'Priority' },
      output: {
        propertyId: 10_041,
        internalName: 'Priority',
        entities: [{ entityId: 10_060, internalName: 'WorkOrder', entityPropertyId: 10_064 }],
        definitions: [{ kind: 'view', definitionId: 10_120, internalName: 'UrgentOrders' }],
        otherDefinitions: 0,
      },
    },
  ],
  async handler(context, input) {
    const { propertyId, internalName } = await mustFindProperty(context, input.property)
    const uses = await listPropertyUses(context.tx, context.tenantId, propertyId)
    return {
      propertyId,
      internalName,
      entities: uses.map((use) => ({ entityId: use.entityId, internalName: use.internalName, entityPropertyId: use.entityPropertyId })),
      ...(await usesOf(context, { propertyId })),
    }
  },
})
