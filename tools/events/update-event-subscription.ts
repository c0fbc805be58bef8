import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { defineStagedOperation, writes } from '#platform/operation.ts'
import { changeDefinition, readDefinitions } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { deliveriesTopic } from './delivering.ts'
import { asOwnerOf, checkUrl, mustFindSubscription, readWish, showSubscription, watch, wishOf } from './subscribing.ts'
import {
  exampleSubscription,
  subscribedKinds,
  subscription,
  subscriptionFilter,
  subscriptionId,
  subscriptionName,
  targetUrl,
} from './subscriptions.schema.ts'
import { lockSubscription, updateSubscription } from './subscriptions.store.ts'

export const updateEventSubscription = defineStagedOperation({
  ...writes(subscription),
  isIdempotent: true,
  errors: ['not_found', 'already_exists', 'unprocessable', 'unknown_entity', 'unknown_property'],
  name: 'update_event_subscription',
  title: 'Update a subscription',
  description:
    'Changes where events go, which ones, or switches it off and on. What waits is kept while it is off; what happens meanwhile is not told. Whoever changes url, kinds or filter is told from then on what they may see.',
  method: 'PUT',
  path: '/api/v1/events/subscriptions/{subscriptionId}',
  roles: 'AdminIntegration',
  input: z.object({
    subscriptionId,
    internalName: subscriptionName.optional(),
    url: targetUrl.optional(),
    kinds: subscribedKinds.optional(),
    filter: subscriptionFilter.nullable().optional().describe('null: all records'),
    isEnabled: z.boolean().optional().describe('false pauses it'),
  }),
  examples: [{ title: 'On again', input: { subscriptionId: 10_310, isEnabled: true }, output: exampleSubscription }],
  async stagedHandler(staged, input) {
    // Asks for addresses, which no transaction waits for.
    if (input.url !== undefined) await checkUrl(staged, input.url)
    return staged.inTransaction((context) =>
      changeDefinitions(
        context,
        async () => [],
        async () => {
          const { tx, tenantId, actor, services } = context
          const { row, state } = await mustFindSubscription(context, input.subscriptionId)
          const { url, kinds, filter, internalName, isEnabled = state.isEnabled } = input
          const isAnother = url !== undefined || kinds !== undefined || filter !== undefined
          const [now] = await readDefinitions(context, [row], await cachedCatalog(context))
          const wish = now && wishOf(now)
          if (!wish) throw new Error('A subscription was not read')
          const draft = isAnother
            ? await readWish(context, { kinds: kinds ?? wish.kinds, filter: filter === undefined ? wish.filter : filter })
            : {}
          const changed = await changeDefinition(asOwnerOf(context, row), row, { internalName, ...draft })
          const to = {
            subscriptionId: row.definitionId,
            url: url ?? state.url,
            isEnabled,
            // Switched on once more it has its five days again.
            disabledReason: input.isEnabled === undefined ? state.disabledReason : null,
            failingSince: input.isEnabled === true ? null : state.failingSince,
            ...(isAnother
              ? { ownerId: actor.tenantUserId, roleFlag: actor.roleFlag }
              : { ownerId: state.ownerId, roleFlag: state.roleFlag }),
          }
          // As at the end of a lease: what is queued meanwhile is seen behind the lock alone.
          await lockSubscription(tx, tenantId, row.definitionId)
          await updateSubscription(tx, tenantId, to)
          await watch(context, changed, to)
          context.afterCommit(() => services.wake.poke(deliveriesTopic))
          return showSubscription(context, changed)
        },
      ),
    )
  },
})
