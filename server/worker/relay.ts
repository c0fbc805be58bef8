/**
 * The relay: carries committed events to Temporal. Of each subject only the oldest unsent event goes, under a lease, so that two relays never
 * send the second before the first; no transaction is open while Temporal is called. Sending twice is harmless, because ids derive from the event.
 */
import { randomUUID } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import { outboxTopic } from '#platform/outbox.ts'
import type { Services } from '#platform/services.ts'
import type { DomainEvent } from '#platform/shapes/events.ts'

export interface OutboxEvent {
  readonly tenantId: number
  readonly outboxId: number
  readonly subject: string
  readonly event: DomainEvent
  readonly attempts: number
}

/** Carries one event out. Throws when it must be tried again. */
export type Deliver = (event: OutboxEvent) => Promise<void>

export interface Relay {
  /** Sends everything that is due and resolves when nothing is. For tests, which drain instead of sleeping. */
  drain(): Promise<number>
  stop(): Promise<void>
}

const batch = 50
const leaseSeconds = 30
const pollMs = 1_000
const maxAttempts = 50
const keptDays = 7

async function claim(tx: Tx, owner: string): Promise<OutboxEvent[]> {
  // One event a tenant-subject: the oldest unsent, if it is due and nobody else holds it.
  return tx<OutboxEvent[]>`
    with oldest as (
      select distinct on (o.tenant_id, o.subject) o.outbox_id
      from platform.outbox o
      where o.sent_at is null and o.dead_at is null
      order by o.tenant_id, o.subject, o.outbox_id
    ), due as (
      select o.outbox_id from platform.outbox o join oldest using (outbox_id)
      where o.next_at <= now() and (o.leased_until is null or o.leased_until < now())
      order by o.outbox_id limit ${batch}
      for update of o skip locked
    )
    update platform.outbox o
    set leased_until = now() + ${`${leaseSeconds} seconds`}::interval, lease_owner = ${owner}, attempts = o.attempts + 1
    from due where o.outbox_id = due.outbox_id and o.sent_at is null and o.dead_at is null
    returning o.tenant_id, o.outbox_id, o.subject, o.event, o.attempts`
}

async function markSent(tx: Tx, owner: string, outboxId: number): Promise<void> {
  await tx`update platform.outbox set sent_at = now(), leased_until = null, last_error = null where outbox_id = ${outboxId} and lease_owner = ${owner}`
}

async function markFailed(tx: Tx, owner: string, event: OutboxEvent, reason: string, isUnavailable: boolean): Promise<void> {
  // While Temporal is away an event waits for as long as it takes; an event that Temporal refuses is given up and shown.
  const isDead = !isUnavailable && event.attempts >= maxAttempts
  const seconds = Math.min(isUnavailable ? 5 : 60, 0.2 * 2 ** Math.min(event.attempts, 10))
  await tx`
    update platform.outbox
    set leased_until = null, last_error = ${reason}, next_at = now() + ${`${seconds} seconds`}::interval,
      dead_at = case when ${isDead} then now() end
    where outbox_id = ${event.outboxId} and lease_owner = ${owner}`
}

/** Starts relaying. It wakes on the outbox's topic and looks by itself once a second. */
export function startRelay(services: Services, deliver: Deliver): Relay {
  const { databases, wake, log } = services
  const owner = randomUUID()
  const stopping = new AbortController()
  let lastSweep = 0

  async function sendBatch(): Promise<number> {
    const events = await databases.lookUp((tx) => claim(tx, owner))
    await Promise.all(
      events.map(async (event) => {
        try {
          await deliver(event)
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
    await databases.lookUp((tx) => tx`delete from platform.outbox where sent_at < now() - ${`${keptDays} days`}::interval`)
    await databases.lookUp((tx) => tx`delete from platform.idempotency_key where expires_at < now()`)
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
