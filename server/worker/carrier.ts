/**
 * Carries on what happened: asks who watches for it, and sends deliveries. The rows are the truth: several carriers, in several processes, carry each event
 * once, and after a death the next one goes on.
 */
import { randomUUID } from 'node:crypto'

import { deliverDue } from '#activities/events/deliver.ts'
import { createPoster, type PostOptions } from '#activities/events/post.ts'
import { eventsTopic } from '#platform/event-log.ts'
import type { Services } from '#platform/services.ts'
import { deliveriesTopic, dropOldEvents, listDueSubscriptions, matchWaiting, type WatcherKinds } from '#tools/events/service.ts'

import { every, keepLooking, type Looking } from './looking.ts'

export interface Carrier extends Looking {
  /** Resolves once nothing waits and nothing is due. For tests, which drain instead of sleeping. */
  drain(): Promise<void>
}

const pauseMs = 1_000
const sweepMs = 3_600_000
/** Subscriptions that are served at once, and how many of them may be one tenant's: its dead targets then delay none of another's. */
const servedAtOnce = 128
const servedOfTenant = 8
const listedAtOnce = 200

export function startCarrier(services: Services, kinds: WatcherKinds, options: PostOptions & { readonly isIdle?: boolean } = {}): Carrier {
  const { wake, log } = services
  const stopping = new AbortController()
  const { signal } = stopping
  const poster = createPoster(services, options)
  const holder = randomUUID()
  const serving = new Map<string, { readonly tenantId: number; readonly done: Promise<void> }>()

  /** Begins turns of what is due and not served yet; answers how many. */
  async function serve(): Promise<number> {
    const ofTenant = new Map<number, number>()
    for (const { tenantId } of serving.values()) ofTenant.set(tenantId, (ofTenant.get(tenantId) ?? 0) + 1)
    const isFull = (tenantId: number) => (ofTenant.get(tenantId) ?? 0) >= servedOfTenant
    const due = await listDueSubscriptions(services, [...ofTenant.keys()].filter(isFull), listedAtOnce)
    let begun = 0
    for (const { tenantId, subscriptionId } of due) {
      const name = `${tenantId}:${subscriptionId}`
      if (serving.has(name) || isFull(tenantId) || serving.size >= servedAtOnce) continue
      ofTenant.set(tenantId, (ofTenant.get(tenantId) ?? 0) + 1)
      begun++
      const turn = deliverDue(services, poster, { tenantId, subscriptionId }, holder, signal)
        .then(
          () => undefined,
          (error: unknown) => log.error({ err: error, tenantId, subscriptionId }, 'deliveries of a subscription are tried again'),
        )
        .then(() => {
          serving.delete(name)
          wake.poke(deliveriesTopic)
        })
      serving.set(name, { tenantId, done: turn })
    }
    return begun
  }

  const sweep = every(sweepMs, () => dropOldEvents(services))
  async function match(): Promise<number> {
    await sweep()
    return matchWaiting(services, kinds)
  }

  const common = { pauseMs, complaint: 'what happened could not be looked for' }
  const running =
    options.isIdle === true
      ? []
      : [
          keepLooking(services, { ...common, topic: eventsTopic, once: match }),
          keepLooking(services, { ...common, topic: deliveriesTopic, once: serve }),
        ]
  return {
    async drain() {
      for (;;) {
        const count = (await matchWaiting(services, kinds)) + (await serve())
        await Promise.all([...serving.values()].map(({ done }) => done))
        if (count === 0) return
      }
    },
    async stop() {
      stopping.abort()
      await Promise.all([...running.map((one) => one.stop()), ...[...serving.values()].map(({ done }) => done)])
      await poster.close()
    },
  }
}
