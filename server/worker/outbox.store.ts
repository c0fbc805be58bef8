/** The outbox as the relay reads it, across tenants, as the look-up role. */
import type { Tx } from '#platform/db/pool.ts'
import type { DomainEvent } from '#platform/shapes/events.ts'

export interface OutboxEvent {
  readonly tenantId: number
  readonly outboxId: number
  readonly subject: string
  readonly event: DomainEvent
  readonly attempts: number
  /** Of the call that wrote it, where traces are recorded. */
  readonly traceparent: string | null
}

const batch = 50
const leaseSeconds = 30
const maxAttempts = 50
const longestPauseSeconds = 60
/** Longer than any lease or pause, and than two transactions may lie apart: a time beyond it was written before the database's clock was set back. */
const farAhead = '3 minutes'
const keptDays = 7

/** The commit does not wait for the disk: a power cut that takes it back only has the event sent again, which is harmless. */
function commitAtOnce(tx: Tx): void {
  // A failure shows in the statement that follows in the same transaction.
  tx`set local synchronous_commit = off`.execute().catch(() => {})
}

/** Takes due events, one of each subject: the oldest unsent, under a lease. */
export async function claimEvents(tx: Tx, owner: string): Promise<OutboxEvent[]> {
  commitAtOnce(tx)
  // One event a tenant-subject: the oldest unsent, if it is due and nobody else holds it.
  return tx<OutboxEvent[]>`
    with oldest as (
      select distinct on (o.tenant_id, o.subject) o.outbox_id
      from platform.outbox o
      where o.sent_at is null and o.dead_at is null
      order by o.tenant_id, o.subject, o.outbox_id
    ), due as (
      select o.outbox_id from platform.outbox o join oldest using (outbox_id)
      where (o.next_at <= now() or o.next_at > now() + ${farAhead}::interval)
        and (o.leased_until is null or o.leased_until < now() or o.leased_until > now() + ${farAhead}::interval)
      order by o.outbox_id limit ${batch}
      for update of o skip locked
    )
    update platform.outbox o
    set leased_until = now() + ${`${leaseSeconds} seconds`}::interval, lease_owner = ${owner}, attempts = o.attempts + 1
    from due where o.outbox_id = due.outbox_id and o.sent_at is null and o.dead_at is null
    returning o.tenant_id, o.outbox_id, o.subject, o.event, o.attempts, o.traceparent`
}

/** Ends an event that was carried out. */
export async function markSent(tx: Tx, owner: string, outboxId: number): Promise<void> {
  commitAtOnce(tx)
  await tx`update platform.outbox set sent_at = now(), leased_until = null, last_error = null where outbox_id = ${outboxId} and lease_owner = ${owner}`
}

/** Puts an event off, or gives it up. */
export async function markFailed(tx: Tx, owner: string, event: OutboxEvent, reason: string, isUnavailable: boolean): Promise<void> {
  // While Temporal is away an event waits for as long as it takes; an event that Temporal refuses is given up and shown.
  const isDead = !isUnavailable && event.attempts >= maxAttempts
  const seconds = Math.min(isUnavailable ? 5 : longestPauseSeconds, 0.2 * 2 ** Math.min(event.attempts, 10))
  await tx`
    update platform.outbox
    set leased_until = null, last_error = ${reason}, next_at = now() + ${`${seconds} seconds`}::interval,
      dead_at = case when ${isDead} then now() end
    where outbox_id = ${event.outboxId} and lease_owner = ${owner}`
}

/** Drops events that were carried out long ago. */
export async function deleteOldEvents(tx: Tx): Promise<void> {
  await tx`delete from platform.outbox where sent_at < now() - ${`${keptDays} days`}::interval`
}

/** Drops idempotency keys past their time. */
export async function deleteOldKeys(tx: Tx): Promise<void> {
  await tx`delete from platform.idempotency_key where expires_at < now()`
}
