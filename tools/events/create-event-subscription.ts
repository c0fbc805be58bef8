import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { createDefinition } from '#tools/definitions/service.ts'

import { newSecret, sealSecrets } from './signing.ts'
import { checkUrl, freeName, placeOfSubscriptions, readWish, showSubscription, watch } from './subscribing.ts'
import {
  exampleSecret,
  exampleSubscription,
  subscribedKinds,
  subscriptionFilter,
  subscriptionName,
  targetUrl,
  withSecret,
} from './subscriptions.schema.ts'
import { insertSubscription } from './subscriptions.store.ts'

export const createEventSubscription = defineStagedOperation({
  ...writes(withSecret),
  errors: ['already_exists', 'unprocessable', 'unknown_entity', 'unknown_property'],
  name: 'create_event_subscription',
  title: 'Subscribe to events',
  description:
    'Has events sent to an address over HTTP, signed as Standard Webhooks say, as far as you may see them. list_event_kinds shows the kinds. Keep the secret, then test_event_subscription.',
  method: 'POST',
  path: '/api/v1/events/subscriptions',
  roles: 'AdminIntegration',
  issuesSecret: { idField: 'subscriptionId' },
  input: z.object({
    internalName: subscriptionName.optional().describe('Made of the host unless told'),
    url: targetUrl,
    kinds: subscribedKinds,
    filter: subscriptionFilter.optional(),
  }),
  examples: [
    {
      title: 'Orders that are done',
      input: {
        internalName: 'Orders',
        url: exampleSubscription.url,
        kinds: ['record.created', 'record.updated'],
        filter: exampleSubscription.filter,
      },
      output: { ...exampleSubscription, secret: exampleSecret },
    },
  ],
  async stagedHandler(staged, { internalName, url, kinds, filter = null }) {
    // Asks for addresses, which no transaction waits for.
    await checkUrl(staged, url)
    return staged.inTransaction((context) =>
      changeDefinitions(
        context,
        async () => [],
        async () => {
          const { tx, tenantId, actor, services } = context
          const draft = await readWish(context, { kinds, filter })
          const name = internalName ?? (await freeName(context, url))
          const said = { internalName: name, description: '', isShared: true, isApiVisible: true }
          const row = await createDefinition(context, placeOfSubscriptions, { ...said, ...draft })
          const secret = newSecret()
          const state = { subscriptionId: row.definitionId, ownerId: actor.tenantUserId, roleFlag: actor.roleFlag, url }
          const sealedSecrets = await sealSecrets(tx, services, tenantId, row.definitionId, [{ secret }])
          await insertSubscription(tx, tenantId, { ...state, sealedSecrets })
          await watch(context, row, { ...state, isEnabled: true })
          return { ...(await showSubscription(context, row)), secret }
        },
      ),
    )
  },
})
