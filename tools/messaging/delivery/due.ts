/** What of messages is due by itself. */
import type { Services } from '#platform/services.ts'

import { fallBack } from '../fallback/falling-back.ts'
import { sendScheduled } from '../scheduled/sending.ts'

/** Sends what was scheduled, and what did not arrive on another channel. Answers how many there were. */
export async function sendDueMessages(services: Services): Promise<number> {
  const counts = await Promise.all([sendScheduled(services), fallBack(services)])
  return counts.reduce((sum, count) => sum + count, 0)
}
