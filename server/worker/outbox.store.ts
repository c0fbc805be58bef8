/**
 * The outbox as the relay reads it, across tenants, as the look-up role. Rows that may go lie in one index by lane and tenant, rows that must wait in
 * another by time; what is taken leaves the first one for the second, so that nothing is passed by on the way to the next.
 */
import type { Tx } from '#platform/db/pool.ts'
import type { Turn } from '#platform/outbox.ts'
import type { Errand, Lane } from '#platform/shapes/errands.ts'

/** A tenant in a lane, and the id from which on errands of it may be ready. */
export interface WaitingTurn extends Turn {
  readonly fromId: number
}

export interface WaitingErrand {
  readonly tenantId: number
  readonly outboxId: number
  readonly lane: Lane
  readonly errand: Errand
  readonly attempts: number
  /** Of the call that wrote it, where traces are recorded. */
  readonly traceparent: string | null
}

/** Locked by the transaction that picked it. */
export interface PickedErrand {
  readonly tenantId: number
  readonly outboxId: number
}

const leaseSeconds = 30
const maxAttempts = 50
const longestPauseSeconds = 60
/** Longer than any lease or pause, and than two transactions may lie apart: a time beyond it was written before the database's clock was set back. */
const farAhead = '3 minutes'
/** What a transaction of the relay may take from the time that it writes to its commit. */
const commitSlack = '5 seconds'
const keptDays = 7
const rowsAtOnce = 500
const deletedAtOnce = 5_000

/** The commit does not wait for the disk: a power cut that takes it back only has the errand carried out again, which is harmless. */
function commitAtOnce(tx: Tx): void {
  // A failure shows in the statement that follows in the same transaction.
  tx`set local synchronous_commit = off`.execute().catch(() => {})
}

/**
 * Takes up to `share` ready errands of each turn. The ids begin where earlier claims ended: what was carried out stays in the index until a vacuum, which
 * a long transaction holds back, and would be passed by again each time. Compared and ordered by whole rows, so that no other index can serve it,
 * however wrong the statistics are after a flood.
 */
export async function pickErrands(tx: Tx, lane: Lane, turns: readonly WaitingTurn[], share: number): Promise<PickedErrand[]> {
  commitAtOnce(tx)
  return tx<PickedErrand[]>`
    select turn.tenant_id, ready.outbox_id
    from unnest(
      ${tx.array(turns.map(({ tenantId }) => tenantId))}::int[], ${tx.array(turns.map(({ fromId }) => fromId))}::bigint[]
    ) as turn(tenant_id, from_id)
    cross join lateral (
      select o.outbox_id from platform.outbox o
      where (o.lane, o.tenant_id, o.outbox_id) >= (${lane}, turn.tenant_id, turn.from_id) and (o.lane, o.tenant_id) <= (${lane}, turn.tenant_id)
        and o.next_at is null and o.sent_at is null and o.dead_at is null
      order by o.lane, o.tenant_id, o.outbox_id limit ${share}
      for update skip locked
    ) ready`
}

/**
 * Leases what was picked in this transaction, except what an older errand of its subject stands before: that waits, at most a minute, until the older one
 * has ended. A statement of its own, so that it sees what had ended when the rows were locked. The ids stand twice, and what is picked is looked up once, so
 * that a planner who believes that hardly anything waits cannot go through all that does.
 */
export async function leaseErrands(tx: Tx, owner: string, outboxIds: readonly number[]): Promise<WaitingErrand[]> {
  const ids = tx.array([...outboxIds])
  return tx<WaitingErrand[]>`
    with picked as materialized (
      select p.outbox_id, exists (
        select from platform.outbox older
        where older.tenant_id = p.tenant_id and older.subject = p.subject and older.outbox_id < p.outbox_id
          and older.sent_at is null and older.dead_at is null
      ) as is_behind
      from platform.outbox p where p.outbox_id = any(${ids}::bigint[])
    ), leased as (
      update platform.outbox o
      set next_at = now() + case when picked.is_behind
            then least(greatest(now() - o.created_at, interval '1 second'), ${`${longestPauseSeconds} seconds`}::interval)
            else ${`${leaseSeconds} seconds`}::interval end,
        lease_owner = case when picked.is_behind then null else ${owner} end,
        attempts = o.attempts + case when picked.is_behind then 0 else 1 end
      from picked
      where o.outbox_id = picked.outbox_id and o.outbox_id = any(${ids}::bigint[]) and o.sent_at is null and o.dead_at is null
      returning o.tenant_id, o.outbox_id, o.lane, o.errand, o.attempts, o.traceparent, o.lease_owner
    )
    select tenant_id, outbox_id, lane, errand, attempts, traceparent from leased where lease_owner is not null order by outbox_id`
}

/** Ends errands that were carried out; answers whose turn it is by that. */
export async function markSent(tx: Tx, owner: string, outboxIds: readonly number[]): Promise<WaitingTurn[]> {
  commitAtOnce(tx)
  await tx`
    update platform.outbox set sent_at = now(), next_at = null, lease_owner = null, last_error = null
    where outbox_id = any(${tx.array([...outboxIds])}::bigint[]) and lease_owner = ${owner}`
  return releaseNext(tx, outboxIds)
}

/** Puts an errand off, or gives it up; answers whose turn it is by that. */
export async function markFailed(
  tx: Tx,
  owner: string,
  errand: WaitingErrand,
  reason: string,
  isUnavailable: boolean,
): Promise<WaitingTurn[]> {
  // While Temporal is away an errand waits for as long as it takes; one that Temporal refuses is given up and shown.
  const isDead = !isUnavailable && errand.attempts >= maxAttempts
  const seconds = Math.min(isUnavailable ? 5 : longestPauseSeconds, 0.2 * 2 ** Math.min(errand.attempts, 10))
  await tx`
    update platform.outbox
    set lease_owner = null, last_error = ${reason},
      next_at = case when ${isDead} then null else now() + ${`${seconds} seconds`}::interval end,
      dead_at = case when ${isDead} then now() end
    where outbox_id = ${errand.outboxId} and lease_owner = ${owner}`
  return isDead ? releaseNext(tx, [errand.outboxId]) : []
}

/**
 * Lets the next of each ended errand's subject go. It is written even where it is ready already: whoever picks it at the same moment and still sees the
 * ended one before it would put it off afterwards.
 */
async function releaseNext(tx: Tx, endedIds: readonly number[]): Promise<WaitingTurn[]> {
  return tx<WaitingTurn[]>`
    with next as materialized (
      select first.outbox_id
      from (
        select distinct e.tenant_id, e.subject from platform.outbox e
        where e.outbox_id = any(${tx.array([...endedIds])}::bigint[]) and e.subject is not null
      ) ended
      cross join lateral (
        select n.outbox_id from platform.outbox n
        where n.tenant_id = ended.tenant_id and n.subject = ended.subject and n.sent_at is null and n.dead_at is null
        order by n.outbox_id limit 1
      ) first
    )
    update platform.outbox o set next_at = case when o.lease_owner is null then null else o.next_at end
    where o.outbox_id = any(array(select next.outbox_id from next)) and o.sent_at is null and o.dead_at is null
    returning o.lane, o.tenant_id, o.outbox_id as from_id`
}

/** Up to which id, and since when, everything has been looked at; undefined or null: nothing yet. */
export interface Horizon {
  readonly lastId: number
  /** Transactions from this id on had not begun. */
  readonly nextTransaction: number
  /** Every transaction below this id had ended. */
  readonly firstRunning: number
  readonly time: string
}

export async function readHorizon(tx: Tx): Promise<Horizon> {
  const [row] = await tx<Horizon[]>`
    select coalesce((select max(outbox_id) from platform.outbox), 0)::bigint as last_id, (now() - ${commitSlack}::interval)::text as time,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_transaction,
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint as first_running`
  if (!row) throw new Error('A horizon was asked for and not answered')
  return row
}

/** Lets go what has waited for its time: what was put off, and what a relay has left that is gone. `since`: the time of an earlier look. */
export async function reviveErrands(tx: Tx, since: string | undefined): Promise<{ turns: WaitingTurn[]; isMore: boolean }> {
  commitAtOnce(tx)
  const isDue =
    since === undefined
      ? tx`(o.next_at <= now() or o.next_at > now() + ${farAhead}::interval)`
      : tx`o.next_at <= now() and o.next_at > ${since}::text::timestamptz`
  const turns = await tx<WaitingTurn[]>`
    with due as (
      select o.outbox_id from platform.outbox o
      where o.next_at is not null and o.sent_at is null and o.dead_at is null and ${isDue}
      order by o.next_at limit ${rowsAtOnce}
      for update skip locked
    )
    update platform.outbox o set next_at = null, lease_owner = null
    from due where o.outbox_id = due.outbox_id and o.sent_at is null and o.dead_at is null
    returning o.lane, o.tenant_id, o.outbox_id as from_id`
  return { turns, isMore: turns.length === rowsAtOnce }
}

/**
 * The tenants with ready errands in a lane whose id is at least `fromId`, with the first of them: a step from tenant to tenant, however many errands each
 * has. A page of them, after a tenant.
 */
export async function listTurns(
  tx: Tx,
  lane: Lane,
  { fromId, afterTenantId }: { fromId: number; afterTenantId: number },
): Promise<{ turns: WaitingTurn[]; isMore: boolean }> {
  // From an id on, the index is entered for each tenant at that id. Over all ids only this index may serve; see `pickErrands`.
  const inLane = fromId > 0 ? tx`o.lane = ${lane} and o.outbox_id >= ${fromId}` : tx`o.lane >= ${lane} and o.lane <= ${lane}`
  const isReady = tx`o.next_at is null and o.sent_at is null and o.dead_at is null`
  const turns = await tx<WaitingTurn[]>`
    with recursive turn as (
      (
        select o.lane, o.tenant_id, o.outbox_id from platform.outbox o
        where ${inLane} and o.tenant_id > ${afterTenantId} and ${isReady}
        order by o.lane, o.tenant_id, o.outbox_id limit 1
      )
      union all
      select next.lane, next.tenant_id, next.outbox_id from turn
      cross join lateral (
        select o.lane, o.tenant_id, o.outbox_id from platform.outbox o
        where ${inLane} and o.tenant_id > turn.tenant_id and ${isReady}
        order by o.lane, o.tenant_id, o.outbox_id limit 1
      ) next
    )
    select lane, tenant_id, outbox_id as from_id from turn limit ${rowsAtOnce}`
  return { turns, isMore: turns.length === rowsAtOnce }
}

/** Drops some errands that were carried out long ago; answers whether there may be more. */
export async function deleteOldErrands(tx: Tx): Promise<boolean> {
  const { count } = await tx`
    delete from platform.outbox where outbox_id in (
      select outbox_id from platform.outbox where sent_at < now() - ${`${keptDays} days`}::interval limit ${deletedAtOnce}
    )`
  return count === deletedAtOnce
}

/** Drops idempotency keys past their time. */
export async function deleteOldKeys(tx: Tx): Promise<void> {
  await tx`delete from platform.idempotency_key where expires_at < now()`
}
