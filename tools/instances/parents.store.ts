/** Statements about what stands above and below a record, and the locks that keep it there. */
import type { Tx } from '#platform/db/pool.ts'
import { recordTable } from '#platform/db/records.ts'

/** Live children of these records in one child entity. */
export async function findChildIds(tx: Tx, tenantId: number, childEntityId: number, parentIds: readonly number[]): Promise<number[]> {
  const rows = await tx.unsafe<{ id: number }[]>(
    `select e.id from ${recordTable(tenantId, childEntityId)} e where e.parent_id = any($1::bigint[]) and e.deleted_at is null`,
    [parentIds] as never[],
    { prepare: true },
  )
  return rows.map((row) => row.id)
}

/** A live child of each of these parents, by parent. */
export async function findChildByParent(
  tx: Tx,
  tenantId: number,
  childEntityId: number,
  parentIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = await tx.unsafe<{ id: number; parentId: number }[]>(
    `select e.id, e.parent_id from ${recordTable(tenantId, childEntityId)} e where e.parent_id = any($1::bigint[]) and e.deleted_at is null`,
    [parentIds] as never[],
    { prepare: true },
  )
  return new Map(rows.map((row) => [row.parentId, row.id]))
}

/** Locks live parents against deletion until the transaction ends; `exclusive` where only one child is allowed. Answers those that live. */
export async function lockParents(
  tx: Tx,
  tenantId: number,
  entityId: number,
  ids: readonly number[],
  exclusive: boolean,
): Promise<Set<number>> {
  const rows = await tx.unsafe<{ id: number }[]>(
    `select id from ${recordTable(tenantId, entityId)} where id = any($1::bigint[]) and deleted_at is null order by id for ${exclusive ? 'no key update' : 'share'}`,
    [ids] as never[],
    { prepare: true },
  )
  return new Set(rows.map((row) => row.id))
}

/** Lets moves within one entity go one after the other, until the transaction ends. */
export async function lockMoves(tx: Tx, tenantId: number, entityId: number): Promise<void> {
  await tx`select pg_advisory_xact_lock(${tenantId}::int, ${entityId}::int)`
}

/** The parents of these records and of everything above them, by record, along the parents of one entity. */
export async function listAncestors(
  tx: Tx,
  tenantId: number,
  entityId: number,
  ids: readonly number[],
): Promise<Map<number, number | null>> {
  const rows = await tx.unsafe<{ id: number; parentId: number | null }[]>(
    `with recursive up(id, parent_id) as (
       select id, parent_id from ${recordTable(tenantId, entityId)} where id = any($1::bigint[])
       union select e.id, e.parent_id from ${recordTable(tenantId, entityId)} e join up on e.id = up.parent_id
     ) select id, parent_id from up`,
    [ids] as never[],
  )
  return new Map(rows.map((row) => [row.id, row.parentId]))
}
