/** The log and the deliveries do not grow for ever. */
import type { Services } from '#platform/services.ts'

import { deleteOldDeliveries, deleteOldEvents } from './watchers.store.ts'

const roundsAtMost = 100

/** Drops what is older than a month, some at a time. */
export async function dropOldEvents({ databases }: Services): Promise<void> {
  for (let round = 0; round < roundsAtMost && (await databases.lookUp((tx) => deleteOldEvents(tx))) > 0; round++);
  for (let round = 0; round < roundsAtMost && (await databases.lookUp((tx) => deleteOldDeliveries(tx))) > 0; round++);
}
