/** Statements about what stands above and below a record, and the locks that keep it there. */
import type { Tx } from '#platform/db/pool.ts'
import { recordTable } from '#platform/db/records.ts'

/** Live children of these records in one child entity, with the parent of each. */
export async function listChildren(
  tx: Tx,
  tenantId: number,
  childEntityId: number,
  parentIds: readonly number[],
): Promise<{ readonly id: number; readonly parentId: number }[]> {
  return tx.unsafe<{ id: number; parentId: number }[]>(
    `select e.id, e.parent_id from ${recordTable(tenantId, childEntityId)} e where e.parent_id = any($1::bigint[]) and e.deleted_at is null`,
    [parentIds] as never[],
    { prepare: true },
  )
}

const lockingClauses = { none: '', shared: ' order by id for share', exclusive: ' order by id for no key update' } as const

/** Locks live parents against deletion until the transaction ends; exclusively where only one child is allowed. Answers those that live. */
export async function lockParents(
  tx: Tx,
  tenantId: number,
  entityId: number,
  ids: readonly number[],
  lock: keyof typeof lockingClauses,
): Promise<Set<number>> {
  const rows = await tx.unsafe<{ id: number }[]>(
    `select id from ${recordTable(tenantId, entityId)} where id = any($1::bigint[]) and deleted_at is null${lockingClauses[lock]}`,
    [ids] as never[],
    { prepare: true },
  )
  return new Set(rows.map((row) => row.id))
}

/** Lets the tenant's moves that could make a cycle go one after the other, until the transaction ends. */
export async function lockMoves(tx: Tx, tenantId: number): Promise<void> {
  // The second number is that of an entity elsewhere, and none has 0.
  await tx`select pg_advisory_xact_lock(${tenantId}::int, 0)`
}

/** The parents of these records and of everything above them, by record, along records of these entities, each of which has a table. */
export async function listAncestors(
  tx: Tx,
  tenantId: number,
  entityIds: readonly number[],
  ids: readonly number[],
): Promise<Map<number, number | null>> {
  const records = `(${entityIds.map((entityId) => `select id, parent_id from ${recordTable(tenantId, entityId)}`).join(' union all ')})`
  const rows = await tx.unsafe<{ id: number; parentId: number | null }[]>(
    `with recursive up(id, parent_id) as (
       select id, parent_id from ${records} e where id = any($1::bigint[])
       union select e.id, e.parent_id from up join ${records} e on e.id = up.parent_id
     ) select id, parent_id from up`,
    [ids] as never[],
  )
  return new Map(rows.map((row) => [row.id, row.parentId]))
}
