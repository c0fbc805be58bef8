import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { refuseErrors } from '#platform/validation.ts'
import { planOrder } from '#tools/properties/service.ts'

import { orderComposition } from './composition.store.ts'
import { entityPropertyId } from './entities.schema.ts'
import { mustFindEntity } from './service.ts'
import { listComposition } from './shown.ts'

export const reorderEntityProperties = defineOperation({
  ...writes(z.object({ reordered: z.literal(true), entityPropertyIds: z.array(entityPropertyId) })),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'reorder_entity_properties',
  title: 'Order the properties of an entity',
  description:
    'Puts the named properties and child entities first, in this order; the others follow in the order they have. Take the ids from describe_entity. Answers the whole order.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/properties/reorder',
  roles: 'BuilderAdmin',
  input: z.object({ entity: idOrName, entityPropertyIds: z.array(entityPropertyId).min(1).max(500) }),
  examples: [
    {
      title: 'The priority first',
      input: { entity: 'WorkOrder', entityPropertyIds: [10_064] },
      output: { reordered: true, entityPropertyIds: [10_064, 10_062, 10_071] },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { entityId } = await mustFindEntity(context, input.entity)
    return changeDefinitions(
      context,
      async () => [entityId],
      async () => {
        const composition = await listComposition(tx, tenantId, entityId, await findDisplayLanguages(context))
        const plan = planOrder(
          composition.map((one) => one.entityPropertyId),
          input.entityPropertyIds,
          { path: '$.entityPropertyIds', noun: 'property or child of this entity with the entityPropertyId', lister: 'describe_entity' },
        )
        refuseErrors(plan.findings, 'The order')
        await orderComposition(tx, tenantId, entityId, plan.order)
        return { reordered: true as const, entityPropertyIds: plan.order }
      },
    )
  },
})
