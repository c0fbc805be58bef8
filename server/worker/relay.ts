/**
 * The relay: carries committed events to Temporal. Of each subject only the oldest unsent event goes, under a lease, so that two relays never
 * send the second before the first; no transaction is open while Temporal is called. Sending twice is harmless, because ids derive from the event.
 */
import { randomUUID } from 'node:crypto'

import { outboxTopic } from '#platform/outbox.ts'
import type { Services } from '#platform/services.ts'
import { inSpan } from '#platform/trace.ts'

import { claimEvents, deleteOldEvents, deleteOldKeys, markFailed, markSent, type OutboxEvent } from './outbox.store.ts'

export type { OutboxEvent } from './outbox.store.ts'

/** Carries one event out. Throws when it must be tried again. */
export type Deliver = (event: OutboxEvent) => Promise<void>

export interface Relay {
  /** Sends everything that is due and resolves when nothing is. For tests, which drain instead of sleeping. */
  drain(): Promise<number>
  stop(): Promise<void>
}

const pollMs = 1_000

/** Starts relaying. It wakes on the outbox's topic and looks by itself once a second. */
export function startRelay(services: Services, deliver: Deliver): Relay {
  const { databases, wake, log } = services
  const owner = randomUUID()
  const stopping = new AbortController()
  let lastSweep = 0

  async function sendBatch(): Promise<number> {
    const events = await databases.lookUp((tx) => claimEvents(tx, owner))
    await Promise.all(
      events.map(async (event) => {
        try {
          await inSpan(`relay ${event.event.type}`, { outboxId: event.outboxId }, () => deliver(event), event.traceparent)
          await databases.lookUp((tx) => markSent(tx, owner, event.outboxId))
        } catch (error) {
          const isUnavailable = typeof error === 'object' && error !== null && 'code' in error && error.code === 'unavailable'
          if (!isUnavailable)
            log.error({ err: error, outboxId: event.outboxId, type: event.event.type }, 'an event could not be carried out')
          await databases.lookUp((tx) =>
            markFailed(tx, owner, event, isUnavailable ? 'Workflows are not available' : 'Refused', isUnavailable),
          )
        }
      }),
    )
    return events.length
  }

  async function sweep(): Promise<void> {
    if (Date.now() - lastSweep < 3_600_000) return
    lastSweep = Date.now()
    await databases.lookUp((tx) => deleteOldEvents(tx))
    await databases.lookUp((tx) => deleteOldKeys(tx))
  }

  async function loop(): Promise<void> {
    const poked = wake.listen(outboxTopic)
    while (!stopping.signal.aborted) {
      try {
        const sent = await sendBatch()
        await sweep()
        if (sent === 0) await poked.next(pollMs, stopping.signal)
      } catch (error) {
        log.warn({ err: error }, 'the relay could not read the outbox')
        await poked.next(pollMs, stopping.signal)
      }
    }
    poked.close()
  }

  const running = loop()
  return {
    async drain() {
      let total = 0
      for (;;) {
        const sent = await sendBatch()
        if (sent === 0) return total
        total += sent
      }
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
