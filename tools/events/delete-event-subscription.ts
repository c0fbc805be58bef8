import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { removeDefinition } from '#tools/definitions/service.ts'

import { asOwnerOf, mustFindSubscription } from './subscribing.ts'
import { subscriptionId } from './subscriptions.schema.ts'

export const deleteEventSubscription = defineOperation({
  ...destroys(z.object({ subscriptionId, deleted: z.literal(true) })),
  name: 'delete_event_subscription',
  title: 'Delete a subscription',
  description:
    'Deletes a subscription with its deliveries; what waits is not sent any more. To pause it, update_event_subscription with isEnabled false.',
  method: 'DELETE',
  path: '/api/v1/events/subscriptions/{subscriptionId}',
  roles: 'AdminIntegration',
  input: z.object({ subscriptionId }),
  examples: [{ title: 'No longer used', input: { subscriptionId: 10_310 }, output: { subscriptionId: 10_310, deleted: true } }],
  async handler(context, input) {
    return changeDefinitions(
      context,
      async () => [],
      async () => {
        const { row } = await mustFindSubscription(context, input.subscriptionId)
        await removeDefinition(asOwnerOf(context, row), row, true)
        return { subscriptionId: row.definitionId, deleted: true as const }
      },
    )
  },
})
