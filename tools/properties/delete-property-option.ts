import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { holdsOption } from '#platform/db/record-values.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { refuseUsed } from '#tools/definitions/service.ts'

import { deleted, optionId } from './properties.schema.ts'
import { listPropertyUses, type PropertyUse } from './properties.store.ts'
import { listAllOptionFilters, listOptionRows, retireOption } from './property-options.store.ts'
import { mustFindProperty } from './service.ts'

export const deletePropertyOption = defineOperation({
  ...destroys(z.object({ optionId, deleted })),
  name: 'delete_property_option',
  title: 'Delete an option',
  description:
    'Deletes an option of a Choice or Hierarchy that no record holds. 409 while a record holds it (list_instances finds them), while it has child options, or while it is the last one of a subset. History still shows it.',
  method: 'DELETE',
  path: '/api/v1/properties/{property}/options/{optionId}',
  roles: 'BuilderAdmin',
  input: z.object({ property: idOrName, optionId, force }),
  examples: [{ title: 'One option', input: { property: 'Priority', optionId: 10_044 }, output: { optionId: 10_044, deleted: true } }],
  async handler(context, input) {
    const { tx, tenantId, stamp } = context
    const { optionId } = input
    const { propertyId } = await mustFindProperty(context, input.property)
    let uses: PropertyUse[] = []
    return changeDefinitions(
      context,
      async () => {
        uses = await listPropertyUses(tx, tenantId, propertyId)
        return uses.map((use) => use.entityId)
      },
      async () => {
        const options = await listOptionRows(tx, tenantId, propertyId)
        const option = mustExist(
          options.find((one) => one.optionId === optionId),
          'option',
        )
        const child = options.find((one) => one.parentOptionId === optionId)
        if (child)
          throw new AppError(
            'conflict',
            `${option.internalName} has child options, ${child.internalName} among them. Delete or move those first.`,
          )
        const subset = (await listAllOptionFilters(tx, tenantId)).find(
          (one) => one.propertyId === propertyId && one.optionIds.every((id) => id === optionId),
        )
        if (subset)
          throw new AppError(
            'conflict',
            `${option.internalName} is the last option of the subset ${subset.internalName}. Change that with save_property_option_filter first.`,
          )
        for (const use of uses) {
          if (await holdsOption(tx, tenantId, use.entityId, use, optionId)) {
            throw new AppError('conflict', `Records of ${use.internalName} hold ${option.internalName}. Give them another value first.`)
          }
        }
        await refuseUsed(context, { optionId }, option.internalName, input.force)
        await retireOption(tx, tenantId, stamp, propertyId, optionId)
        context.audit({ propertyId, internalName: option.internalName })
        return { optionId, deleted: true as const }
      },
    )
  },
})
