/** Of a server that is tried without a relay. */
import type { OutboxBacklog } from '#platform/outbox.ts'

const none = { waiting: 0, oldestSeconds: 0 }

export const noBacklog: OutboxBacklog = { lanes: { people: none, triggers: none, bulk: none }, givenUp: 0 }
