import type { Domain } from '#platform/operation.ts'

import { eventsPhrases } from './events.phrases.ts'
import { listEventKinds } from './list-event-kinds.ts'
import { listEvents } from './list-events.ts'

export const eventsDomain: Domain = {
  name: 'events',
  title: 'Events',
  summary: 'What happened: a log of it, its kinds, and who is told over HTTP.',
  operations: [listEventKinds, listEvents],
  phrases: eventsPhrases,
}
