import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { readDefinitions } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { findDelivery, insertDeliveries } from './deliveries.store.ts'
import { deliveriesTopic, deliveryTopic, showDelivery } from './delivering.ts'
import { mustFindSubscription, wishOf } from './subscribing.ts'
import { delivery, exampleDelivery, subscriptionId } from './subscriptions.schema.ts'
import { lookNow } from './subscriptions.store.ts'

const lookAgainMs = 2_000

export const testEventSubscription = defineStagedOperation({
  ...writes(delivery),
  errors: ['not_found'],
  name: 'test_event_subscription',
  title: 'Test a subscription',
  description:
    'Sends a sample of its first kind, made up and signed, and waits for the answer, at most timeoutSeconds. waiting means still on its way.',
  method: 'POST',
  path: '/api/v1/events/subscriptions/{subscriptionId}/test',
  roles: 'AdminIntegration',
  input: z.object({ subscriptionId, timeoutSeconds: z.number().min(0).max(55).optional().describe('15 unless told') }),
  examples: [
    {
      title: 'After it was made',
      input: { subscriptionId: 10_310 },
      output: { ...exampleDelivery, eventId: 'evt_sample_91204', isSample: true },
    },
  ],
  async stagedHandler({ services, signal, tenantId, inTransaction }, input) {
    const until = performance.now() + (input.timeoutSeconds ?? 15) * 1_000
    const deliveryId = await inTransaction(async (context) => {
      const { tx, stamp } = context
      const { row, state } = await mustFindSubscription(context, input.subscriptionId)
      if (!state.isEnabled)
        throw new AppError(
          'conflict',
          'The subscription is switched off. Switch it on with update_event_subscription {isEnabled: true} first.',
        )
      const [definition] = await readDefinitions(context, [row], await cachedCatalog(context))
      const [kind = 'record.updated'] = definition ? wishOf(definition).kinds : []
      const sample = { subscriptionId: row.definitionId, kind, eventAt: stamp, eventId: null, recordId: null, version: null }
      const [id] = await insertDeliveries(tx, tenantId, stamp, [sample])
      await lookNow(tx, tenantId, [row.definitionId])
      context.afterCommit(() => services.wake.poke(deliveriesTopic))
      return mustExist(id, 'delivery')
    })
    const line = services.wake.listen(deliveryTopic(deliveryId))
    try {
      for (;;) {
        const row = mustExist(await inTransaction(({ tx }) => findDelivery(tx, tenantId, deliveryId), { readOnly: true }), 'delivery')
        const remainingMs = until - performance.now()
        if (row.state !== 'waiting' || remainingMs <= 0 || signal.aborted) return showDelivery(row)
        await line.next(Math.min(remainingMs, lookAgainMs), signal)
      }
    } finally {
      line.close()
    }
  },
})
