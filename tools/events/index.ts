import type { Domain } from '#platform/operation.ts'

import { createEventSubscription } from './create-event-subscription.ts'
import { deleteEventSubscription } from './delete-event-subscription.ts'
import { eventsPhrases } from './events.phrases.ts'
import { listEventDeliveries } from './list-event-deliveries.ts'
import { listEventKinds } from './list-event-kinds.ts'
import { listEventSubscriptions } from './list-event-subscriptions.ts'
import { listEvents } from './list-events.ts'
import { redeliverEvent } from './redeliver-event.ts'
import { rotateEventSubscriptionSecret } from './rotate-event-subscription-secret.ts'
import { testEventSubscription } from './test-event-subscription.ts'
import { updateEventSubscription } from './update-event-subscription.ts'

export const eventsDomain: Domain = {
  name: 'events',
  title: 'Events',
  summary: 'What happened: a log of it, its kinds, and who is told over HTTP.',
  operations: [
    listEventKinds,
    createEventSubscription,
    testEventSubscription,
    listEventSubscriptions,
    updateEventSubscription,
    rotateEventSubscriptionSecret,
    deleteEventSubscription,
    listEventDeliveries,
    redeliverEvent,
    listEvents,
  ],
  phrases: eventsPhrases,
}
