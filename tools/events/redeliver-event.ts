import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { findDelivery, sendAgain } from './deliveries.store.ts'
import { deliveriesTopic, showDelivery } from './delivering.ts'
import { mustFindSubscription } from './subscribing.ts'
import { delivery, deliveryId, exampleDelivery } from './subscriptions.schema.ts'
import { lookNow } from './subscriptions.store.ts'

export const redeliverEvent = defineOperation({
  ...writes(delivery),
  errors: ['not_found'],
  name: 'redeliver_event',
  title: 'Deliver an event again',
  description:
    'Sends a delivery once more, dead or delivered, with its webhook-id and with what may be seen now; its tries begin anew. list_event_deliveries shows what came of it.',
  method: 'POST',
  path: '/api/v1/events/deliveries/{deliveryId}/redeliver',
  roles: 'AdminIntegration',
  input: z.object({ deliveryId }),
  examples: [
    {
      title: 'One that was given up',
      input: { deliveryId: 91_204 },
      output: { ...exampleDelivery, state: 'waiting', attempts: 0, nextDate: '2026-03-04T09:00:00.000Z' },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp, services } = context
    const found = mustExist(await findDelivery(tx, tenantId, input.deliveryId), 'delivery')
    const { state } = await mustFindSubscription(context, found.subscriptionId)
    if (!state.isEnabled)
      throw new AppError(
        'conflict',
        'Its subscription is switched off. Switch it on with update_event_subscription {isEnabled: true} first.',
      )
    const again = mustExist(await sendAgain(tx, tenantId, input.deliveryId, stamp), 'delivery')
    await lookNow(tx, tenantId, [found.subscriptionId])
    context.afterCommit(() => services.wake.poke(deliveriesTopic))
    return showDelivery(again)
  },
})
