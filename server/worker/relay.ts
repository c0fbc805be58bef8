/**
 * The relay: carries committed errands to Temporal. Of each subject only the oldest goes, under a lease, so that two relays never
 * send the second before the first; no transaction is open while Temporal is called. Sending twice is harmless, because ids derive from the errand.
 */
import { randomUUID } from 'node:crypto'

import { outboxTopic } from '#platform/outbox.ts'
import type { Services } from '#platform/services.ts'
import { inSpan } from '#platform/trace.ts'

import { claimErrands, deleteOldErrands, deleteOldKeys, markFailed, markSent, type WaitingErrand } from './outbox.store.ts'

export type { WaitingErrand } from './outbox.store.ts'

/** Carries one errand out. Throws when it must be tried again. */
export type CarryOut = (errand: WaitingErrand) => Promise<void>

export interface Relay {
  /** Sends everything that is due and resolves when nothing is. For tests, which drain instead of sleeping. */
  drain(): Promise<number>
  stop(): Promise<void>
}

const pollMs = 1_000

const nameOf = ({ errand }: WaitingErrand) => ('signal' in errand ? errand.signal : errand.workflow)

/** Starts relaying. It wakes on the outbox's topic and looks by itself once a second. */
export function startRelay(services: Services, carryOut: CarryOut): Relay {
  const { databases, wake, log } = services
  const owner = randomUUID()
  const stopping = new AbortController()
  let lastSweep = 0

  async function sendBatch(): Promise<number> {
    const errands = await databases.lookUp((tx) => claimErrands(tx, owner))
    await Promise.all(
      errands.map(async (one) => {
        try {
          await inSpan(`relay ${nameOf(one)}`, { outboxId: one.outboxId }, () => carryOut(one), one.traceparent)
          await databases.lookUp((tx) => markSent(tx, owner, one.outboxId))
        } catch (error) {
          const isUnavailable = typeof error === 'object' && error !== null && 'code' in error && error.code === 'unavailable'
          if (!isUnavailable) log.error({ err: error, outboxId: one.outboxId, errand: nameOf(one) }, 'an errand could not be carried out')
          await databases.lookUp((tx) =>
            markFailed(tx, owner, one, isUnavailable ? 'Workflows are not available' : 'Refused', isUnavailable),
          )
        }
      }),
    )
    return errands.length
  }

  async function sweep(): Promise<void> {
    if (Date.now() - lastSweep < 3_600_000) return
    lastSweep = Date.now()
    await databases.lookUp((tx) => deleteOldErrands(tx))
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
