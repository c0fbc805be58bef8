import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { refuseUsed } from '#tools/definitions/service.ts'

import { deleted, propertyId } from './properties.schema.ts'
import { deletePropertyRow, listPropertyUses } from './properties.store.ts'
import { mustFindProperty } from './service.ts'

export const deleteProperty = defineOperation({
  ...destroys(z.object({ propertyId, deleted })),
  name: 'delete_property',
  title: 'Delete a property',
  description:
    'Deletes a property that no entity has, with its options and displays. One that is attached answers 409 and names the entities: get_property_usage shows them, detach_property takes it off.',
  method: 'DELETE',
  path: '/api/v1/properties/{property}',
  roles: 'BuilderAdmin',
  input: z.object({ property: idOrName, force }),
  examples: [{ title: 'By name', input: { property: 'Priority' }, output: { propertyId: 10_041, deleted: true } }],
  async handler(context, input) {
    const { tx, tenantId } = context
    return changeDefinitions(
      context,
      async () => [],
      async () => {
        const { propertyId, internalName } = await mustFindProperty(context, input.property)
        const uses = await listPropertyUses(tx, tenantId, propertyId)
        if (uses.length > 0) {
          const names = uses.slice(0, 10).map((use) => use.internalName)
          throw new AppError(
            'conflict',
            `${internalName} is attached to ${names.join(', ')}${uses.length > 10 ? ' and others' : ''}. Detach it there first.`,
          )
        }
        await refuseUsed(context, { propertyId }, internalName, input.force)
        await deletePropertyRow(tx, tenantId, propertyId)
        context.audit({ propertyId, internalName })
        return { propertyId, deleted: true as const }
      },
    )
  },
})
