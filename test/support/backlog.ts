/** Of a server that is tried without a relay. */
import type { Backlog } from '#server/http/http.types.ts'

const none = { waiting: 0, oldestSeconds: 0 }

export const noBacklog: Backlog = {
  lanes: { people: none, triggers: none, bulk: none },
  givenUp: 0,
  deliveries: { due: 0, oldestSeconds: 0 },
}
