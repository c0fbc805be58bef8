/** SQL of the links between peers: one row for each time that two records were linked, the lower id first. */
import type { Tx } from '#platform/db/pool.ts'
import { linkTable, recordTable } from '#platform/db/records.ts'

export interface Ends {
  readonly entityId: number
  readonly id: number
  readonly peerEntityId: number
  readonly peerIds: readonly number[]
}

interface LinkStamp {
  readonly epoch: number
  readonly stamp: string
  readonly tenantUserId: number
}

const pairs = `(select case when p.id < $2::bigint then $3::int else $1::int end as entity_a, least(p.id, $2::bigint) as record_a,
    case when p.id < $2::bigint then $1::int else $3::int end as entity_b, greatest(p.id, $2::bigint) as record_b
  from unnest($4::bigint[]) as p(id)) r`

const endsOf = ({ entityId, id, peerEntityId, peerIds }: Ends) => [entityId, id, peerEntityId, peerIds]

/** Links a record with others; answers how many it was not linked with yet. */
export async function insertLinks(tx: Tx, tenantId: number, ends: Ends, by: LinkStamp): Promise<number> {
  const rows = await tx.unsafe(
    `insert into ${linkTable(tenantId)} (entity_a, record_a, entity_b, record_b, linked_at, linked_by, change_no)
     select r.*, $5::text::timestamptz, $6::int, ($7::int::bigint << 48) | pg_current_xact_id()::text::bigint from ${pairs}
     on conflict (record_a, record_b) where unlinked_at is null do nothing
     returning 1`,
    [...endsOf(ends), by.stamp, by.tenantUserId || null, by.epoch] as never[],
    { prepare: true },
  )
  return rows.length
}

/** Ends the links of a record with others; answers how many there were. */
export async function endLinks(tx: Tx, tenantId: number, ends: Ends, by: LinkStamp): Promise<number> {
  const rows = await tx.unsafe(
    `update ${linkTable(tenantId)} l set unlinked_at = greatest(l.linked_at, $5::text::timestamptz), unlinked_by = $6::int,
       change_no = ($7::int::bigint << 48) | pg_current_xact_id()::text::bigint
     from ${pairs} where l.record_a = r.record_a and l.record_b = r.record_b and l.unlinked_at is null
     returning 1`,
    [...endsOf(ends), by.stamp, by.tenantUserId || null, by.epoch] as never[],
    { prepare: true },
  )
  return rows.length
}

/**
 * Up to two live peers of each of these records in an entity, from both ends: whether there is one, and another, is all that is asked of a record that
 * may have any number.
 */
export async function listTwoPeers(
  tx: Tx,
  tenantId: number,
  ids: readonly number[],
  otherEntityId: number,
): Promise<{ readonly id: number; readonly otherId: number }[]> {
  const link = linkTable(tenantId)
  return tx.unsafe<{ id: number; otherId: number }[]>(
    `select r.id, two.other_id from unnest($1::bigint[]) as r(id) cross join lateral (
       select l.other_id from (
         select record_b as other_id from ${link} where record_a = r.id and entity_b = $2::int and unlinked_at is null
         union all select record_a from ${link} where record_b = r.id and entity_a = $2::int and unlinked_at is null
       ) l join ${recordTable(tenantId, otherEntityId)} e on e.id = l.other_id and e.deleted_at is null limit 2
     ) two`,
    [ids, otherEntityId] as never[],
    { prepare: true },
  )
}

/** Lets the tenant's restores of records that may have one peer alone go one after the other, until the transaction ends. */
export async function lockReturns(tx: Tx, tenantId: number): Promise<void> {
  // The second number is that of an entity elsewhere, and 0 that of moves.
  await tx`select pg_advisory_xact_lock(${tenantId}::int, -1)`
}
