/** SQL of the end of a tenant. What removes it runs as the owner of the schema, which sees every row. */
import { tenantRole } from '#platform/db/records.ts'
import type { Tx } from '#platform/db/pool.ts'

export async function setDeletion(tx: Tx, tenantId: number, graceDays: number): Promise<void> {
  await tx`
    update platform.tenant set delete_after = date_trunc('milliseconds', now()) + make_interval(days => ${graceDays})
    where tenant_id = ${tenantId}`
}

/** A while past the day: a call that undoes the deletion, and began in time, is over by then. */
const isDue = (tx: Tx) => tx`is_deactivated and delete_after <= now() - interval '1 minute'`

/** Those whose time to be kept is over; as the look-up role. */
export async function listDueDeletions(tx: Tx): Promise<number[]> {
  const rows = await tx<{ tenantId: number }[]>`select tenant_id from platform.tenant where ${isDue(tx)} order by tenant_id limit 10`
  return rows.map(({ tenantId }) => tenantId)
}

/** Takes the removal of a tenant for a while, or keeps it. False where another process has it, or there is nothing to remove any more. */
export async function claimDeletion(tx: Tx, tenantId: number, by: string, seconds: number): Promise<boolean> {
  const rows = await tx`
    update platform.tenant set purged_by = ${by}, purged_until = now() + make_interval(secs => ${seconds})
    where tenant_id = ${tenantId} and ${isDue(tx)} and (purged_by = ${by} or purged_until is null or purged_until < now())
    returning tenant_id`
  return rows.length > 0
}

export async function releaseDeletion(tx: Tx, tenantId: number, by: string): Promise<void> {
  await tx`update platform.tenant set purged_by = null, purged_until = null where tenant_id = ${tenantId} and purged_by = ${by}`
}

/** Drops some of the tables of records; answers how many. With all of many at once a transaction would hold more locks than there are. */
export async function dropRecordTables(tx: Tx, tenantId: number, atMost: number): Promise<number> {
  const tables = await tx<{ name: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${tenantRole(tenantId)} and c.relkind = 'r' order by c.relname limit ${atMost}`
  for (const { name } of tables) await tx.unsafe(`drop table if exists ${name} cascade`)
  return tables.length
}

export async function dropRecordSchema(tx: Tx, tenantId: number): Promise<void> {
  await tx.unsafe(`drop schema if exists "${tenantRole(tenantId)}" cascade`)
  const [role] = await tx`select 1 from pg_roles where rolname = ${tenantRole(tenantId)}`
  if (role) await tx.unsafe(`drop role "${tenantRole(tenantId)}"`)
}

/** The platform's tables that hold rows of tenants, but for the tenants themselves; memberships last. */
export async function listTenantTables(tx: Tx): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
    where n.nspname = 'platform' and c.relkind in ('r', 'p') and c.relname <> 'tenant' order by c.relname = 'tenant_user', c.relname`
  return rows.map(({ name }) => name)
}

/** Answers how many rows went. Throws a foreign key violation where another table must be emptied first. */
export async function deleteRowsOf(tx: Tx, table: string, tenantId: number, atMost: number): Promise<number> {
  const name = `platform."${table}"`
  const { count } = await tx.unsafe(
    `delete from ${name} where tenant_id = $1::int and ctid = any (array(select ctid from ${name} where tenant_id = $1::int limit $2::int))`,
    [tenantId, atMost],
  )
  return count
}

export async function deleteTenantRow(tx: Tx, tenantId: number): Promise<void> {
  await tx`delete from platform.tenant where tenant_id = ${tenantId} and ${isDue(tx)}`
}
