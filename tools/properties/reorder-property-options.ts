import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'

import { planOrder } from './options.rules.ts'
import { maxOptions, optionId } from './properties.schema.ts'
import { listPropertyUses } from './properties.store.ts'
import { listOptionRows, orderOptions } from './property-options.store.ts'
import { mustFindProperty } from './service.ts'

export const reorderPropertyOptions = defineOperation({
  ...writes(z.object({ reordered: z.literal(true), optionIds: z.array(optionId) })),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'reorder_property_options',
  title: 'Order the options of a property',
  description:
    'Puts the named options first, in this order; the others follow in the order they have. Take the ids from list_property_options. Answers the whole order.',
  method: 'POST',
  path: '/api/v1/properties/{property}/options/reorder',
  roles: 'BuilderAdmin',
  input: z.object({ property: idOrName, optionIds: z.array(optionId).min(1).max(maxOptions) }),
  examples: [
    {
      title: 'The most urgent first',
      input: { property: 'Priority', optionIds: [10_044, 10_043] },
      output: { reordered: true, optionIds: [10_044, 10_043, 10_042] },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { propertyId } = await mustFindProperty(context, input.property)
    return changeDefinitions(
      context,
      async () => (await listPropertyUses(tx, tenantId, propertyId)).map((use) => use.entityId),
      async () => {
        const options = await listOptionRows(tx, tenantId, propertyId)
        const plan = planOrder(
          options.map((option) => option.optionId),
          input.optionIds,
          { path: '$.optionIds', noun: 'option of this property with the optionId', lister: 'list_property_options' },
        )
        refuseErrors(plan.findings, 'The order')
        await orderOptions(tx, tenantId, propertyId, plan.order)
        return { reordered: true as const, optionIds: plan.order }
      },
    )
  },
})
