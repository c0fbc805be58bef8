import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, listOf, pageInput, pageOf } from '#platform/paging.ts'

import { countDeliveries, listDeliveryRows } from './deliveries.store.ts'
import { showDelivery } from './delivering.ts'
import { delivery, deliveryState, deliveryStates, exampleDelivery, subscriptionId } from './subscriptions.schema.ts'

export const listEventDeliveries = defineOperation({
  ...reads(z.array(delivery)),
  errors: [],
  name: 'list_event_deliveries',
  title: 'List deliveries of events',
  description:
    'What was sent to subscriptions in the last 30 days, the newest first: each try with the status of its answer, and when the next is. Then redeliver_event.',
  method: 'POST',
  path: '/api/v1/events/deliveries/list',
  roles: 'AdminIntegration',
  input: z.object({
    subscriptionId: subscriptionId.optional(),
    states: z.array(deliveryState).min(1).max(deliveryStates.length).optional().describe('Any of these; dead: given up'),
    ...pageInput,
  }),
  examples: [{ title: 'Of one subscription', input: { subscriptionId: 10_310, pageSize: 1 }, output: [exampleDelivery] }],
  async handler({ tx, tenantId, ...context }, input) {
    const page = pageOf(context, input)
    const before = page.cursor === undefined ? null : decodeIdCursor(page.cursor)
    const filter = { subscriptionId: input.subscriptionId, states: input.states }
    const found = await listDeliveryRows(tx, tenantId, page, { ...filter, before })
    const total = await countDeliveries(tx, tenantId, page, filter)
    return listOf(page, found, { show: showDelivery, cursor: ({ deliveryId }) => [deliveryId], total })
  },
})
