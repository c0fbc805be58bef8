/** SQL of deliveries. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { DeliveryState, DeliveryTry } from './subscriptions.schema.ts'

export interface DeliveryRow {
  readonly deliveryId: number
  readonly subscriptionId: number
  readonly kind: string
  readonly eventAt: string
  /** Null: a sample. */
  readonly eventId: number | null
  readonly recordId: number | null
  readonly version: number | null
  readonly state: DeliveryState
  readonly attempts: number
  readonly tries: readonly DeliveryTry[]
  readonly reason: string | null
  readonly nextAt: string | null
  readonly createdDate: string
  readonly deliveredDate: string | null
}

const columns = (tx: Tx) => tx`
  delivery_id, subscription_id, kind, event_at, event_id, record_id, version, state, attempts, tries, reason, next_at, created_date, delivered_date`

export type NewDelivery = Pick<DeliveryRow, 'subscriptionId' | 'kind' | 'eventAt' | 'eventId' | 'recordId' | 'version'>

/** In their order; answers the ids. */
export async function insertDeliveries(tx: Tx, tenantId: number, stamp: string, made: readonly NewDelivery[]): Promise<number[]> {
  const rows = await tx<{ deliveryId: number }[]>`
    insert into platform.event_delivery (tenant_id, subscription_id, kind, event_at, event_id, record_id, version, state, next_at, created_date)
    select ${tenantId}::int, "subscriptionId", kind, "eventAt", "eventId", "recordId", version, 'waiting', ${stamp}::timestamptz, ${stamp}::timestamptz
    from rows from (json_to_recordset(${JSON.stringify(made)}::text::json)
      as ("subscriptionId" int, kind text, "eventAt" timestamptz, "eventId" bigint, "recordId" bigint, version int)) with ordinality
      as d("subscriptionId", kind, "eventAt", "eventId", "recordId", version, n)
    order by n
    returning delivery_id`
  return rows.map((row) => row.deliveryId)
}

/** What is due of a subscription, the oldest first. */
export async function listDueDeliveries(tx: Tx, tenantId: number, subscriptionId: number, limit: number): Promise<DeliveryRow[]> {
  return tx<DeliveryRow[]>`
    select * from (
      select ${columns(tx)} from platform.event_delivery
      where tenant_id = ${tenantId} and subscription_id = ${subscriptionId} and next_at <= now()
      order by next_at, delivery_id limit ${limit}
    ) due
    order by delivery_id`
}

/** Whether more than so many of a subscription are still to be sent. */
export async function hasBacklog(tx: Tx, tenantId: number, subscriptionId: number, atMost: number): Promise<boolean> {
  const [row] = await tx`
    select 1 from platform.event_delivery
    where tenant_id = ${tenantId} and subscription_id = ${subscriptionId} and next_at is not null
    offset ${atMost} limit 1`
  return row !== undefined
}

export interface Outcome {
  readonly deliveryId: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly tries: readonly DeliveryTry[]
  readonly reason: string | null
  /** Null: it is over. */
  readonly nextAt: string | null
  readonly deliveredDate: string | null
}

/** Writes down what came of deliveries; one that was asked for again meanwhile stays due. */
export async function noteOutcomes(
  tx: Tx,
  tenantId: number,
  outcomes: readonly (Outcome & { readonly wasAttempts: number })[],
): Promise<void> {
  if (outcomes.length === 0) return
  await tx`
    update platform.event_delivery d
    set state = o.state, attempts = o.attempts, tries = o.tries, reason = o.reason, next_at = o."nextAt",
      delivered_date = coalesce(o."deliveredDate", d.delivered_date)
    from json_to_recordset(${JSON.stringify(outcomes)}::text::json) as o("deliveryId" bigint, state text, attempts int, tries jsonb, reason text,
      "nextAt" timestamptz, "deliveredDate" timestamptz, "wasAttempts" int)
    where d.tenant_id = ${tenantId} and d.delivery_id = o."deliveryId" and d.attempts = o."wasAttempts"`
}

export async function findDelivery(tx: Tx, tenantId: number, deliveryId: number): Promise<DeliveryRow | undefined> {
  const [row] = await tx<DeliveryRow[]>`
    select ${columns(tx)} from platform.event_delivery where tenant_id = ${tenantId} and delivery_id = ${deliveryId}`
  return row
}

/** Has it sent again, as if for the first time. */
export async function sendAgain(tx: Tx, tenantId: number, deliveryId: number, stamp: string): Promise<DeliveryRow | undefined> {
  const [row] = await tx<DeliveryRow[]>`
    update platform.event_delivery set state = 'waiting', attempts = 0, reason = null, next_at = ${stamp}
    where tenant_id = ${tenantId} and delivery_id = ${deliveryId}
    returning ${columns(tx)}`
  return row
}

export interface DeliveryFilter {
  readonly subscriptionId: number | undefined
  readonly states: readonly DeliveryState[] | undefined
}

const wanted = (tx: Tx, tenantId: number, { subscriptionId, states }: DeliveryFilter) => tx`
  tenant_id = ${tenantId} and (${subscriptionId ?? null}::int is null or subscription_id = ${subscriptionId ?? null})
  and (${states ? tx.array([...states]) : null}::text[] is null or state = any (${states ? tx.array([...states]) : null}::text[]))`

/** The newest first; `before` is the last of the page before. */
export async function listDeliveryRows(
  tx: Tx,
  tenantId: number,
  page: PageRequest,
  filter: DeliveryFilter & { readonly before: number | null },
): Promise<Found<DeliveryRow>> {
  return fetchPage<DeliveryRow>(
    tx,
    page,
    tx`
      select ${columns(tx)} from platform.event_delivery
      where ${wanted(tx, tenantId, filter)} and (${filter.before}::bigint is null or delivery_id < ${filter.before})
      order by delivery_id desc`,
  )
}

export async function countDeliveries(tx: Tx, tenantId: number, page: PageRequest, filter: DeliveryFilter): Promise<Total> {
  return countPage(tx, page, tx`from platform.event_delivery where ${wanted(tx, tenantId, filter)}`)
}
