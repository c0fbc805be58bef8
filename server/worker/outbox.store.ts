/** The outbox as the relay reads it, across tenants, as the look-up role. */
import type { Tx } from '#platform/db/pool.ts'
import type { Errand, Lane } from '#platform/shapes/errands.ts'

export interface WaitingErrand {
  readonly tenantId: number
  readonly outboxId: number
  readonly lane: Lane
  readonly errand: Errand
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

/** The commit does not wait for the disk: a power cut that takes it back only has the errand carried out again, which is harmless. */
function commitAtOnce(tx: Tx): void {
  // A failure shows in the statement that follows in the same transaction.
  tx`set local synchronous_commit = off`.execute().catch(() => {})
}

/** Takes due errands, one of each subject: the oldest unsent, under a lease. */
export async function claimErrands(tx: Tx, owner: string): Promise<WaitingErrand[]> {
  commitAtOnce(tx)
  // One of each subject, and each that has none: the oldest unsent, if it is due and nobody else holds it.
  return tx<WaitingErrand[]>`
    with oldest as (
      select distinct on (o.tenant_id, coalesce(o.subject, o.outbox_id::text)) o.outbox_id
      from platform.outbox o
      where o.sent_at is null and o.dead_at is null
      order by o.tenant_id, coalesce(o.subject, o.outbox_id::text), o.outbox_id
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
    returning o.tenant_id, o.outbox_id, o.lane, o.errand, o.attempts, o.traceparent`
}

/** Ends an errand that was carried out. */
export async function markSent(tx: Tx, owner: string, outboxId: number): Promise<void> {
  commitAtOnce(tx)
  await tx`update platform.outbox set sent_at = now(), leased_until = null, last_error = null where outbox_id = ${outboxId} and lease_owner = ${owner}`
}

/** Puts an errand off, or gives it up. */
export async function markFailed(tx: Tx, owner: string, errand: WaitingErrand, reason: string, isUnavailable: boolean): Promise<void> {
  // While Temporal is away an errand waits for as long as it takes; an errand that Temporal refuses is given up and shown.
  const isDead = !isUnavailable && errand.attempts >= maxAttempts
  const seconds = Math.min(isUnavailable ? 5 : longestPauseSeconds, 0.2 * 2 ** Math.min(errand.attempts, 10))
  await tx`
    update platform.outbox
    set leased_until = null, last_error = ${reason}, next_at = now() + ${`${seconds} seconds`}::interval,
      dead_at = case when ${isDead} then now() end
    where outbox_id = ${errand.outboxId} and lease_owner = ${owner}`
}

/** Drops errands that were carried out long ago. */
export async function deleteOldErrands(tx: Tx): Promise<void> {
  await tx`delete from platform.outbox where sent_at < now() - ${`${keptDays} days`}::interval`
}

/** Drops idempotency keys past their time. */
export async function deleteOldKeys(tx: Tx): Promise<void> {
  await tx`delete from platform.idempotency_key where expires_at < now()`
}
