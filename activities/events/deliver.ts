/** A subscription's turn: what is due of it goes out, each record in its order, several records at once. */
import type { Services } from '#platform/services.ts'
import { type Batch, endTurn, type Notify, type Post, recordTries, type Ref, takeDue, type TryResult } from '#tools/events/service.ts'
import { addOutbound, openConversation } from '#tools/messaging/service.ts'

import type { Poster } from './post.ts'

const subjectsAtOnce = 4
/** A turn ends after it, so that others get theirs; well within the lease, with the calls that are under way then. */
const turnMs = 20_000
const batchMs = 60_000

/** To the inbox of each. */
const notify: Notify = async (context, to, text) => {
  for (const tenantUserId of to) {
    const conversation = await openConversation(context, { to: { tenantUserId }, channel: 'inbox' })
    await addOutbound(context, conversation, { text, isNotice: true })
  }
}

/**
 * Sends what is due of a subscription. Harmless twice: it is in one hand at a time, and a delivery whose outcome was not written down goes again under its
 * webhook-id, by which a receiver knows it. Answers how many tries were made.
 */
export async function deliverDue(services: Services, poster: Poster, ref: Ref, holder: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const until = performance.now() + turnMs; ;) {
    const batch = await takeDue(services, ref, holder)
    if (!batch) return count
    const results = await sendAll(poster, batch, signal)
    await recordTries(services, ref, results, notify)
    count += results.length
    if (performance.now() > until || signal.aborted) {
      await endTurn(services, ref, holder)
      return count
    }
  }
}

async function sendAll(poster: Poster, batch: Batch, signal: AbortSignal) {
  const results: { readonly row: Post['row']; readonly result: TryResult }[] = []
  const until = performance.now() + batchMs
  const subjects = [...Map.groupBy(batch.posts, ({ subject }) => subject).values()].values()
  const work = async () => {
    for (const posts of subjects) {
      for (const { row, webhookId, body } of posts) {
        // One that was not sent stays due.
        if (performance.now() > until || signal.aborted) return
        results.push({ row, result: await poster.post({ url: batch.url, secrets: batch.secrets, webhookId, body }) })
      }
    }
  }
  await Promise.all(Array.from({ length: subjectsAtOnce }, work))
  return results
}
