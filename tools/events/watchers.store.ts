/** SQL of watchers, and of what waits for them. */
import type { Tx } from '#platform/db/pool.ts'

import type { LoggedEvent, NewWatcher, Watcher } from './events.types.ts'

export async function deleteWatchers(tx: Tx, tenantId: number, definitionId: number): Promise<void> {
  await tx`delete from platform.event_watcher where tenant_id = ${tenantId} and definition_id = ${definitionId}`
}

export async function insertWatchers(
  tx: Tx,
  tenantId: number,
  since: string,
  definitionId: number,
  watchers: readonly NewWatcher[],
): Promise<void> {
  if (watchers.length === 0) return
  await tx`
    insert into platform.event_watcher (tenant_id, watcher_kind, definition_id, part, event_kinds, entity_id, property_ids, filter, filter_refs, owner_id, role_flag, since)
    select ${tenantId}::int, "watcherKind", ${definitionId}::int, part, "eventKinds", "entityId", "propertyIds", filter, "filterRefs", "ownerId", "roleFlag", ${since}::timestamptz
    from json_to_recordset(${JSON.stringify(watchers)}::text::json) as w("watcherKind" text, part text, "eventKinds" text[], "entityId" int, "propertyIds" int[],
      filter text, "filterRefs" text, "ownerId" int, "roleFlag" int)`
}

/** The watchers of one kind that a definition has; a part that watched before is owed what happened since it began. */
export async function replaceParts(
  tx: Tx,
  tenantId: number,
  since: string,
  of: { readonly definitionId: number; readonly watcherKind: string },
  watchers: readonly Omit<NewWatcher, 'watcherKind'>[],
): Promise<void> {
  const { definitionId, watcherKind } = of
  await tx`
    with old as (
      delete from platform.event_watcher
      where tenant_id = ${tenantId} and definition_id = ${definitionId} and watcher_kind = ${watcherKind}
      returning part, since
    )
    insert into platform.event_watcher (tenant_id, watcher_kind, definition_id, part, event_kinds, entity_id, property_ids, filter, filter_refs, owner_id, role_flag, since)
    select ${tenantId}::int, ${watcherKind}, ${definitionId}::int, part, "eventKinds", "entityId", "propertyIds", filter, "filterRefs", "ownerId", "roleFlag",
      coalesce((select min(old.since) from old where old.part = w.part), ${since}::timestamptz)
    from json_to_recordset(${JSON.stringify(watchers)}::text::json) as w(part text, "eventKinds" text[], "entityId" int, "propertyIds" int[],
      filter text, "filterRefs" text, "ownerId" int, "roleFlag" int)`
}

/** Who watches records of an entity, or with 0 what is about none. */
export async function listWatchers(tx: Tx, tenantId: number, entityId: number): Promise<Watcher[]> {
  return tx<Watcher[]>`
    select watcher_id, watcher_kind, definition_id, part, event_kinds, entity_id, property_ids, filter, filter_refs, owner_id, role_flag, since
    from platform.event_watcher
    where tenant_id = ${tenantId} and coalesce(entity_id, ${entityId}) = ${entityId}
    order by watcher_id`
}

/** Where events wait: of each tenant its entities. */
export interface WaitingPlace {
  readonly tenantId: number
  readonly entityId: number
}

/** Each place once, behind one of them, whatever number of events waits there. As the look-up role; an index is skipped through. */
export async function listWaitingPlaces(tx: Tx, after: WaitingPlace, limit: number): Promise<WaitingPlace[]> {
  return tx<WaitingPlace[]>`
    with recursive places as (
      (select e.tenant_id, e.entity_id from platform.event e
       where e.is_waiting and (e.tenant_id, e.entity_id) > (${after.tenantId}::int, ${after.entityId}::int)
       order by e.tenant_id, e.entity_id limit 1)
      union all
      select next.tenant_id, next.entity_id from places p, lateral (
        select e.tenant_id, e.entity_id from platform.event e
        where e.is_waiting and (e.tenant_id, e.entity_id) > (p.tenant_id, p.entity_id)
        order by e.tenant_id, e.entity_id limit 1) next
    )
    select tenant_id, entity_id from places limit ${limit}`
}

/** Whether this transaction is the one that carries the events of a place on. */
export async function lockPlace(tx: Tx, { tenantId, entityId }: WaitingPlace): Promise<boolean> {
  const [row] = await tx<[{ isOurs: boolean }]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`events ${tenantId} ${entityId}`}, 0)) as is_ours`
  return row.isOurs
}

const eventsAtOnce = 100
const recordsAtOnce = 10_000

/** The oldest that wait, with no more records in all than one bulk has. */
export async function listWaiting(tx: Tx, { tenantId, entityId }: WaitingPlace): Promise<LoggedEvent[]> {
  return tx<LoggedEvent[]>`
    select event_id, kind, at, by_user, entity_id, record_ids, versions, data, origin_kind, origin_id, depth, batch,
      starts_nothing
    from (
      select e.*, sum(coalesce(cardinality(e.record_ids), 1)) over (order by e.event_id) - coalesce(cardinality(e.record_ids), 1) as before
      from (
        select * from platform.event
        where tenant_id = ${tenantId} and entity_id = ${entityId} and is_waiting
        order by event_id limit ${eventsAtOnce}
      ) e
    ) picked
    where before < ${recordsAtOnce}
    order by event_id`
}

/** Runs a part of a transaction that may fail by itself: what it did is taken back then, and `otherwise` says whether the rest goes on, and with what. */
export async function apart<T>(tx: Tx, work: () => Promise<T>, otherwise: (error: unknown) => T): Promise<T> {
  await tx.unsafe('savepoint apart')
  try {
    const result = await work()
    await tx.unsafe('release savepoint apart')
    return result
  } catch (error) {
    const instead = otherwise(error)
    await tx.unsafe('rollback to savepoint apart')
    return instead
  }
}

/** They were carried on. */
export async function markCarried(tx: Tx, tenantId: number, entityId: number, eventIds: readonly number[]): Promise<void> {
  await tx`
    update platform.event set is_waiting = false
    where tenant_id = ${tenantId} and entity_id = ${entityId} and event_id = any(${tx.array([...eventIds])}::bigint[]) and is_waiting`
}

const keptDays = 30
const deletedAtOnce = 10_000

/** Drops what was told long ago, some of each tenant and kind; answers how much. As the look-up role. */
export async function deleteOldEvents(tx: Tx): Promise<number> {
  const { count } = await tx`
    with recursive kinds as (
      (select tenant_id, kind from platform.event order by tenant_id, kind limit 1)
      union all
      select next.tenant_id, next.kind from kinds k, lateral (
        select e.tenant_id, e.kind from platform.event e where (e.tenant_id, e.kind) > (k.tenant_id, k.kind)
        order by e.tenant_id, e.kind limit 1) next
    ), old as (
      select o.tenant_id, o.kind, o.at, o.event_id from kinds k, lateral (
        select e.tenant_id, e.kind, e.at, e.event_id from platform.event e
        where e.tenant_id = k.tenant_id and e.kind = k.kind and e.at < now() - ${`${keptDays} days`}::interval and not e.is_waiting
        order by e.at limit ${deletedAtOnce}) o
      limit ${deletedAtOnce}
    )
    delete from platform.event e using old o
    where e.tenant_id = o.tenant_id and e.kind = o.kind and e.at = o.at and e.event_id = o.event_id`
  return count
}

/** The same of deliveries. */
export async function deleteOldDeliveries(tx: Tx): Promise<number> {
  const { count } = await tx`
    delete from platform.event_delivery d using (
      select tenant_id, delivery_id from platform.event_delivery
      where created_date < now() - ${`${keptDays} days`}::interval limit ${deletedAtOnce}
    ) old
    where d.tenant_id = old.tenant_id and d.delivery_id = old.delivery_id`
  return count
}
