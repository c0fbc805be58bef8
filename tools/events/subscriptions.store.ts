/** SQL of subscriptions. */
import type { Tx } from '#platform/db/pool.ts'

export interface SubscriptionRow {
  readonly subscriptionId: number
  readonly ownerId: number
  readonly roleFlag: number
  readonly url: string
  readonly sealedSecrets: Buffer | null
  readonly isEnabled: boolean
  readonly disabledReason: string | null
  readonly failingSince: string | null
  readonly noticedAt: string | null
}

const columns = (tx: Tx) => tx`
  subscription_id, owner_id, role_flag, url, sealed_secrets, is_enabled, disabled_reason, failing_since, noticed_at`

export async function insertSubscription(
  tx: Tx,
  tenantId: number,
  made: Pick<SubscriptionRow, 'subscriptionId' | 'ownerId' | 'roleFlag' | 'url' | 'sealedSecrets'>,
): Promise<void> {
  await tx`
    insert into platform.event_subscription (tenant_id, subscription_id, owner_id, role_flag, url, sealed_secrets, is_enabled)
    values (${tenantId}, ${made.subscriptionId}, ${made.ownerId}, ${made.roleFlag}, ${made.url}, ${made.sealedSecrets}, true)`
}

export async function listSubscriptions(tx: Tx, tenantId: number, ids: readonly number[]): Promise<SubscriptionRow[]> {
  return tx<SubscriptionRow[]>`
    select ${columns(tx)} from platform.event_subscription where tenant_id = ${tenantId} and subscription_id = any(${tx.array([...ids])}::int[])`
}

/** Held until the transaction ends. */
export async function lockSubscription(tx: Tx, tenantId: number, subscriptionId: number): Promise<SubscriptionRow | undefined> {
  const [row] = await tx<SubscriptionRow[]>`
    select ${columns(tx)} from platform.event_subscription
    where tenant_id = ${tenantId} and subscription_id = ${subscriptionId} for no key update`
  return row
}

/** What is off is not looked at; what is on is looked at as soon as something is due. */
const lookSql = (tx: Tx, tenantId: number) => tx`
  (select min(d.next_at) from platform.event_delivery d
   where d.tenant_id = ${tenantId} and d.subscription_id = s.subscription_id and d.next_at is not null)`

export async function updateSubscription(
  tx: Tx,
  tenantId: number,
  to: Pick<SubscriptionRow, 'subscriptionId' | 'ownerId' | 'roleFlag' | 'url' | 'isEnabled' | 'disabledReason' | 'failingSince'>,
): Promise<void> {
  await tx`
    update platform.event_subscription s
    set owner_id = ${to.ownerId}, role_flag = ${to.roleFlag}, url = ${to.url}, is_enabled = ${to.isEnabled},
      disabled_reason = ${to.disabledReason}, failing_since = ${to.failingSince}, noticed_at = case when ${to.isEnabled} then noticed_at end,
      next_look = case when ${to.isEnabled} then ${lookSql(tx, tenantId)} end
    where s.tenant_id = ${tenantId} and s.subscription_id = ${to.subscriptionId}`
}

export async function setSecrets(tx: Tx, tenantId: number, subscriptionId: number, sealedSecrets: Buffer): Promise<void> {
  await tx`
    update platform.event_subscription set sealed_secrets = ${sealedSecrets}
    where tenant_id = ${tenantId} and subscription_id = ${subscriptionId}`
}

export interface DueSubscription {
  readonly tenantId: number
  readonly subscriptionId: number
}

/** Of all tenants but those that are passed over, the longest due first. As the look-up role. */
export async function listDue(tx: Tx, passed: readonly number[], limit: number): Promise<DueSubscription[]> {
  return tx<DueSubscription[]>`
    select tenant_id, subscription_id from platform.event_subscription
    where next_look <= now() and (leased_until is null or leased_until < now()) and tenant_id <> all(${tx.array([...passed])}::int[])
    order by next_look
    limit ${limit}`
}

/** How many subscriptions are due that nobody serves, and since when. As the look-up role. */
export async function measureDue(tx: Tx): Promise<{ readonly due: number; readonly oldestSeconds: number }> {
  const [row] = await tx<[{ due: number; oldestSeconds: number }]>`
    select count(*)::int as due, coalesce(greatest(extract(epoch from now() - min(next_look)), 0), 0)::float8 as oldest_seconds
    from platform.event_subscription
    where next_look <= now() and (leased_until is null or leased_until < now())`
  return row
}

/** Takes a due subscription for a while, or for longer; undefined where somebody else has it, or nothing of it is due. */
export async function leaseSubscription(
  tx: Tx,
  tenantId: number,
  subscriptionId: number,
  owner: string,
  seconds: number,
): Promise<SubscriptionRow | undefined> {
  const [row] = await tx<SubscriptionRow[]>`
    update platform.event_subscription
    set leased_until = now() + ${`${seconds} seconds`}::interval, lease_owner = ${owner}
    where tenant_id = ${tenantId} and subscription_id = ${subscriptionId} and is_enabled and next_look <= now()
      and (leased_until is null or leased_until < now() or lease_owner = ${owner})
    returning ${columns(tx)}`
  return row
}

/** Ends a lease; it is looked at again when the next of its deliveries is due. */
export async function releaseSubscription(tx: Tx, tenantId: number, subscriptionId: number, owner: string): Promise<void> {
  // Whoever queues deliveries holds the row until they are there: only a statement that begins after that sees them.
  await lockSubscription(tx, tenantId, subscriptionId)
  await tx`
    update platform.event_subscription s
    set leased_until = null, next_look = case when s.is_enabled then ${lookSql(tx, tenantId)} end
    where s.tenant_id = ${tenantId} and s.subscription_id = ${subscriptionId} and s.lease_owner = ${owner}`
}

/** Ends a turn that has left something: it is due, behind the others that are. */
export async function passOn(tx: Tx, tenantId: number, subscriptionId: number, owner: string): Promise<void> {
  await tx`
    update platform.event_subscription
    set leased_until = null, next_look = case when is_enabled then greatest(next_look, now()) end
    where tenant_id = ${tenantId} and subscription_id = ${subscriptionId} and lease_owner = ${owner}`
}

/** Something of these is due now. */
export async function lookNow(tx: Tx, tenantId: number, subscriptionIds: readonly number[]): Promise<void> {
  await tx`
    update platform.event_subscription set next_look = least(coalesce(next_look, now()), now())
    where tenant_id = ${tenantId} and subscription_id = any(${tx.array([...subscriptionIds])}::int[]) and is_enabled`
}

/** What its last deliveries say of a target. */
export async function noteHealth(
  tx: Tx,
  tenantId: number,
  subscriptionId: number,
  health: Pick<SubscriptionRow, 'isEnabled' | 'disabledReason' | 'failingSince' | 'noticedAt'>,
): Promise<void> {
  await tx`
    update platform.event_subscription
    set is_enabled = ${health.isEnabled}, disabled_reason = ${health.disabledReason}, failing_since = ${health.failingSince},
      noticed_at = ${health.noticedAt}, next_look = case when ${health.isEnabled} then next_look end
    where tenant_id = ${tenantId} and subscription_id = ${subscriptionId}`
}

/** Who is told of a subscription's trouble: its owner where that is a person, else people who administer integrations. */
export async function listNoticed(tx: Tx, tenantId: number, ownerId: number, roleBit: number): Promise<number[]> {
  const rows = await tx<{ tenantUserId: number }[]>`
    select tenant_user_id from platform.tenant_user
    where tenant_id = ${tenantId} and not is_service and not is_locked and (tenant_user_id = ${ownerId} or role_flag & ${roleBit}::int <> 0)
    order by tenant_user_id <> ${ownerId}, tenant_user_id
    limit 5`
  const ids = rows.map((row) => row.tenantUserId)
  return ids.includes(ownerId) ? [ownerId] : ids
}
