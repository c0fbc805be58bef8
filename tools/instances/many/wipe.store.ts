/** SQL of a wipe: the only statements that take records and what they were for good. */
import type { Tx } from '#platform/db/pool.ts'
import { historyTable, linkTable, recordTable } from '#platform/db/records.ts'

/** How many records there are, deleted ones too, counted up to `limit`. */
export async function countAll(tx: Tx, tenantId: number, entityId: number, limit: number): Promise<number> {
  const [row] = await tx.unsafe<{ count: number }[]>(
    `select count(*)::int as count from (select from ${recordTable(tenantId, entityId)} limit ${limit}) counted`,
  )
  return row?.count ?? 0
}

/** Some of the records, deleted ones too. */
export async function listSome(
  tx: Tx,
  tenantId: number,
  entityId: number,
  limit: number,
): Promise<{ readonly id: number; readonly isLive: boolean }[]> {
  return tx.unsafe<{ id: number; isLive: boolean }[]>(
    `select id, deleted_at is null as "isLive" from ${recordTable(tenantId, entityId)} order by id limit ${limit} for update`,
  )
}

/** Whether live records of the child entity stand below records of the entity. */
export async function hasChildren(tx: Tx, tenantId: number, entityId: number, childEntityId: number): Promise<boolean> {
  const rows = await tx.unsafe(
    `select 1 from ${recordTable(tenantId, childEntityId)} c join ${recordTable(tenantId, entityId)} e on e.id = c.parent_id
     where c.deleted_at is null limit 1`,
  )
  return rows.length > 0
}

/** Whether live records of the child entity stand below these. */
export async function haveChildren(tx: Tx, tenantId: number, ids: readonly number[], childEntityId: number): Promise<boolean> {
  const rows = await tx.unsafe(
    `select 1 from ${recordTable(tenantId, childEntityId)} where parent_id = any($1::bigint[]) and deleted_at is null limit 1`,
    [ids] as never[],
  )
  return rows.length > 0
}

/** Live records of the entity below these, held against whoever would save below them, until the transaction ends. */
export async function holdChildren(tx: Tx, tenantId: number, entityId: number, parentIds: readonly number[]): Promise<number[]> {
  const rows = await tx.unsafe<{ id: number }[]>(
    `select id from ${recordTable(tenantId, entityId)} where parent_id = any($1::bigint[]) and deleted_at is null order by id for update`,
    [parentIds] as never[],
  )
  return rows.map(({ id }) => id)
}

/** Takes records away with their versions and their links. */
export async function removeRecords(tx: Tx, tenantId: number, entityId: number, ids: readonly number[]): Promise<void> {
  const link = linkTable(tenantId)
  const history = historyTable(tenantId, entityId)
  const table = recordTable(tenantId, entityId)
  const some = [ids] as never[]
  await tx.unsafe(`delete from ${link} where record_a = any($1::bigint[]) or record_b = any($1::bigint[])`, some)
  await tx.unsafe(`delete from ${history} where id = any($1::bigint[])`, some)
  await tx.unsafe(`delete from ${table} where id = any($1::bigint[])`, some)
}
