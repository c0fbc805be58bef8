import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { newSecret, openSecrets, rotated, sealSecrets } from './signing.ts'
import { mustFindSubscription } from './subscribing.ts'
import { exampleSecret, subscriptionId } from './subscriptions.schema.ts'
import { lockSubscription, setSecrets } from './subscriptions.store.ts'

const rotatedSecret = z.object({
  subscriptionId,
  secret: z.string(),
  formerUntil: z.iso.datetime().describe('Until then the former secret signs too'),
})

export const rotateEventSubscriptionSecret = defineOperation({
  ...writes(rotatedSecret),
  errors: ['not_found'],
  name: 'rotate_event_subscription_secret',
  title: 'Rotate the secret of a subscription',
  description:
    'Makes a new signing secret, shown this once. For 24 hours each delivery bears a signature of both, so that no receiver misses one.',
  method: 'POST',
  path: '/api/v1/events/subscriptions/{subscriptionId}/rotate',
  roles: 'AdminIntegration',
  issuesSecret: { idField: 'subscriptionId' },
  input: z.object({ subscriptionId }),
  examples: [
    {
      title: 'The secret leaked',
      input: { subscriptionId: 10_310 },
      output: { subscriptionId: 10_310, secret: exampleSecret, formerUntil: '2026-03-02T08:30:00.000Z' },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp, services } = context
    const { row } = await mustFindSubscription(context, input.subscriptionId)
    const state = await lockSubscription(tx, tenantId, row.definitionId)
    if (!state) throw new AppError('not_found', 'No such event subscription.')
    // One that does not open any more cannot sign any more.
    const kept = (await openSecrets(tx, services, tenantId, state)) ?? []
    const secret = newSecret()
    const { secrets, until } = rotated(kept, secret, stamp)
    await setSecrets(tx, tenantId, row.definitionId, await sealSecrets(tx, services, tenantId, row.definitionId, secrets))
    context.audit({ subscriptionId: row.definitionId })
    return { subscriptionId: row.definitionId, secret, formerUntil: until }
  },
})
