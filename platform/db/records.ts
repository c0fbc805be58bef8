/**
 * The tables of records: a schema and a role for each tenant, a typed table for each entity, and beside it its history. They have no row
 * level security, which makes search operators slow; their fence is the schema that the compiler writes and the role that alone may use it.
 */
import type { Databases } from './databases.ts'
import type { Tx } from './pool.ts'

/** PostgreSQL's type for a property; `isList` makes it an array. */
export interface RecordColumn {
  readonly columnId: number
  readonly sqlType: 'float8' | 'numeric' | 'timestamptz' | 'date' | 'time' | 'text' | 'int' | 'boolean' | 'uuid'
  readonly isList: boolean
  /** Its values are unique among live records, and come from a sequence where none is sent. */
  readonly isNumbered?: boolean
}

export function tenantRole(tenantId: number): string {
  return `t_${tenantId}`
}

/** `"t_5"."e_12"`. Both ids come from the catalog, never from a caller. */
export function recordTable(tenantId: number, entityId: number): string {
  return `"t_${tenantId}"."e_${entityId}"`
}

export function historyTable(tenantId: number, entityId: number): string {
  return `"t_${tenantId}"."e_${entityId}_history"`
}

/** Peers of both entities of a tenant's records. */
export function linkTable(tenantId: number): string {
  return `"t_${tenantId}".link`
}

const silent = () => {}
const inUse = new WeakMap<Tx, Promise<unknown>>()

/**
 * Runs statements on a tenant's records, under the role that has rights in that schema alone; platform tables are out of reach meanwhile.
 * Two of these on one transaction run one after the other. The role is set and reset in the round trips of `work`'s own statements.
 */
export async function inRecords<T>(tx: Tx, tenantId: number, work: () => Promise<T>): Promise<T> {
  const before = inUse.get(tx) ?? Promise.resolve()
  const mine = before.catch(silent).then(async () => {
    const set = tx.unsafe(`set local role ${tenantRole(tenantId)}`).execute()
    set.catch(silent)
    const result = await work()
    await set
    tx.unsafe('set local role none').execute().catch(silent)
    return result
  })
  inUse.set(tx, mine)
  return mine
}

/**
 * The same for a read that is the last of its transaction: the commit travels with it, and takes the role back. `work` sends its statements before it
 * first waits.
 */
export async function lastInRecords<T>(
  context: { readonly tx: Tx; readonly tenantId: number; readonly endHere: () => void },
  work: () => Promise<T>,
): Promise<T> {
  const { tx, tenantId, endHere } = context
  await inUse.get(tx)?.catch(silent)
  const set = tx.unsafe(`set local role ${tenantRole(tenantId)}`).execute()
  set.catch(silent)
  const result = work()
  endHere()
  const [found] = await Promise.all([result, set])
  return found
}

/** Whether a tenant has tables of records at all. */
export async function hasRecordSchema(tx: Tx, tenantId: number): Promise<boolean> {
  const [row] = await tx`select 1 from pg_namespace where nspname = ${tenantRole(tenantId)}`
  return row !== undefined
}

/** How many live records a tenant has. Each table is looked through, so this is asked now and then alone. */
export async function countTenantRecords(tx: Tx, tenantId: number): Promise<number> {
  const tables = await tx<{ relname: string }[]>`
    select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${tenantRole(tenantId)} and c.relkind = 'r' and c.relname ~ '^e_[0-9]+$'`
  if (tables.length === 0) return 0
  const counts = tables.map(({ relname }) => `select count(*) as n from "${tenantRole(tenantId)}"."${relname}" where deleted_at is null`)
  return inRecords(tx, tenantId, async () => {
    const [row] = await tx.unsafe<{ n: number }[]>(`select sum(n)::bigint as n from (${counts.join(' union all ')}) counted`)
    return row?.n ?? 0
  })
}

const systemColumns = `
  id bigint not null,
  parent_id bigint,
  key1 text not null default '',
  key2 text not null default '',
  key3 text not null default '',
  row_hash bytea not null,
  version int not null,
  valid_from timestamptz not null,
  created_at timestamptz not null,
  created_change_no bigint not null,
  deleted_at timestamptz,
  deletion_id bigint,
  change_no bigint not null,
  modified_by int,
  workflow_instance_id bigint`

/** Of the record table alone; a table that was made without it gets it before its next write, and its rows when they are changed. */
const createdBy = 'created_by int'

async function ensureTenantSchema(tx: Tx, tenantId: number): Promise<void> {
  const role = tenantRole(tenantId)
  const [existing] = await tx`select 1 from pg_namespace where nspname = ${role}`
  if (existing) return
  await tx.unsafe(`do $$ begin create role ${role} nologin; exception when duplicate_object or unique_violation then null; end $$`)
  // A default grant would let the application read every tenant without saying which one it means.
  await tx.unsafe(`grant ${role} to fieldloop_app with inherit false, set true`)
  await tx.unsafe(`create schema ${role}`)
  await tx.unsafe(`grant usage on schema ${role} to ${role}`)
  await tx.unsafe(`create sequence ${role}.deletion as bigint`)
  await tx.unsafe(`grant usage on sequence ${role}.deletion to ${role}`)
  // Peers of both entities in one table, with the time that each link held.
  await tx.unsafe(`create table ${role}.link (
    entity_a int not null, record_a bigint not null, entity_b int not null, record_b bigint not null,
    linked_at timestamptz not null, linked_by int, unlinked_at timestamptz, unlinked_by int, change_no bigint not null)`)
  await tx.unsafe(`create unique index link_live on ${role}.link (record_a, record_b) where unlinked_at is null`)
  await tx.unsafe(`create index link_b on ${role}.link (record_b, record_a) where unlinked_at is null`)
  await tx.unsafe(`grant select, insert, update, delete on ${role}.link to ${role}`)
}

/** A table's columns, as `u12` its index of the unique values of `c12`, and as `o_c12` and its like the indexes that follow use. */
async function columnsOf(tx: Tx, schema: string, table: string): Promise<Set<string>> {
  const rows = await tx<{ name: string }[]>`
    select a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${table} and a.attnum > 0 and not a.attisdropped
    union all
    select substring(i.relname from '^e_[0-9]+_(u[0-9]+|[oht]_.+)$') from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
      join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${table} and x.indisvalid and i.relname ~ '^e_[0-9]+_(u[0-9]+|[oht]_.+)$'`
  return new Set(rows.map((row) => row.name))
}

/** The sequence that the numbers of a column come from. */
export function numberSequence(tenantId: number, columnId: number): string {
  return `"${tenantRole(tenantId)}"."number_${columnId}"`
}

/** What numbered columns need beside themselves. No record holds a value of a new one, so that its index is but a look at the table. */
async function ensureNumbers(tx: Tx, tenantId: number, entityId: number, columns: readonly RecordColumn[]): Promise<void> {
  for (const { columnId, isNumbered } of columns) {
    if (isNumbered !== true) continue
    const sequence = numberSequence(tenantId, columnId)
    await tx.unsafe(`create sequence if not exists ${sequence} as bigint`)
    await tx.unsafe(`grant usage on sequence ${sequence} to ${tenantRole(tenantId)}`)
    const name = `e_${entityId}_u${columnId}`
    await tx.unsafe(
      `create unique index if not exists ${name} on ${recordTable(tenantId, entityId)} (c${columnId}) where deleted_at is null and c${columnId} is not null`,
    )
  }
}

function typeOf(column: RecordColumn): string {
  return column.isList ? `${column.sqlType}[]` : column.sqlType
}

async function ensureRecordTable(tx: Tx, tenantId: number, entityId: number, columns: readonly RecordColumn[]): Promise<void> {
  const table = recordTable(tenantId, entityId)
  const present = await columnsOf(tx, tenantRole(tenantId), `e_${entityId}`)
  if (present.size === 0) {
    const own = columns.map((column) => `,\n  c${column.columnId} ${typeOf(column)}`).join('')
    await tx.unsafe(`create table ${table} (${systemColumns},\n  ${createdBy}${own},\n  primary key (id))`)
    await tx.unsafe(`create unique index e_${entityId}_key on ${table} (key1, key2, key3) where deleted_at is null and key1 <> ''`)
    await tx.unsafe(`create index e_${entityId}_change on ${table} (change_no, id)`)
    await tx.unsafe(`create index e_${entityId}_parent on ${table} (parent_id) where parent_id is not null`)
    await tx.unsafe(`create index e_${entityId}_deletion on ${table} (deletion_id) where deletion_id is not null`)
    await tx.unsafe(`grant select, insert, update, delete on ${table} to ${tenantRole(tenantId)}`)
    return
  }
  if (!present.has('created_by')) await tx.unsafe(`alter table ${table} add column if not exists ${createdBy}`)
  for (const column of columns) {
    if (!present.has(`c${column.columnId}`))
      await tx.unsafe(`alter table ${table} add column if not exists c${column.columnId} ${typeOf(column)}`)
  }
}

async function ensureHistoryTable(tx: Tx, tenantId: number, entityId: number, columns: readonly RecordColumn[]): Promise<void> {
  const table = historyTable(tenantId, entityId)
  const present = await columnsOf(tx, tenantRole(tenantId), `e_${entityId}_history`)
  if (present.size === 0) {
    const own = columns.map((column) => `,\n  c${column.columnId} ${typeOf(column)}`).join('')
    // same_as_next: columns whose long text is not copied here, because the next version still has it.
    await tx.unsafe(
      `create table ${table} (${systemColumns},\n  valid_to timestamptz not null,\n  same_as_next int[] not null default '{}'${own},\n  primary key (id, version))`,
    )
    await tx.unsafe(`create index e_${entityId}_history_time on ${table} (valid_from, valid_to)`)
    await tx.unsafe(`grant select, insert, delete on ${table} to ${tenantRole(tenantId)}`)
    return
  }
  for (const column of columns) {
    if (!present.has(`c${column.columnId}`))
      await tx.unsafe(`alter table ${table} add column if not exists c${column.columnId} ${typeOf(column)}`)
  }
}

/**
 * Brings an entity's tables to its definition: made when absent, columns added, nothing ever dropped. As the schema role, in a transaction of its
 * own; two at once wait for each other on the schema lock of the tenant.
 */
export async function ensureTables(
  databases: Databases,
  tenantId: number,
  entityId: number,
  columns: readonly RecordColumn[],
): Promise<void> {
  await databases.changeSchema(async (tx) => {
    await tx`select pg_advisory_xact_lock(${7_024_002}::int, ${tenantId}::int)`
    await ensureTenantSchema(tx, tenantId)
    await ensureRecordTable(tx, tenantId, entityId, columns)
    await ensureHistoryTable(tx, tenantId, entityId, columns)
    await ensureNumbers(tx, tenantId, entityId, columns)
    await tx`update platform.entity set has_table = true, has_history = true where tenant_id = ${tenantId} and entity_id = ${entityId} and not (has_table and has_history)`
  })
}

/** The columns that an entity's record table has now, as `c12`, and its indexes, as `columnsOf` names them; empty where there is no table yet. */
export async function presentColumns(tx: Tx, tenantId: number, entityId: number): Promise<Set<string>> {
  const all = await columnsOf(tx, tenantRole(tenantId), `e_${entityId}`)
  return all
}

/** Those of these entities that have a record table; the others have no records. */
export async function entitiesWithTables(tx: Tx, tenantId: number, entityIds: readonly number[]): Promise<number[]> {
  const names = entityIds.map((entityId) => `e_${entityId}`)
  const rows = await tx<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${tenantRole(tenantId)} and c.relname = any(${names}::text[])`
  const present = new Set(rows.map((row) => row.name))
  return entityIds.filter((entityId) => present.has(`e_${entityId}`))
}

/** About how many rows the record table of each entity has, deleted ones too, by entity; -1 where PostgreSQL has not counted yet. */
export async function recordEstimates(tx: Tx, tenantId: number): Promise<ReadonlyMap<number, number>> {
  const rows = await tx<{ entityId: number; rows: number }[]>`
    select substring(c.relname from 3)::int as entity_id, c.reltuples::float8 as rows
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${tenantRole(tenantId)} and c.relkind = 'r' and c.relname ~ '^e_[0-9]+$'`
  return new Map(rows.map((row) => [row.entityId, row.rows]))
}

export const idsPerBlock = 1024

interface Remainder {
  next: number
  end: number
}

export interface RecordIds {
  /** This many ids of the entity, unique over the installation, below 2^53. Leased in transactions of their own; what a process does not use is lost. */
  take(tenantId: number, entityId: number, count: number): Promise<number[]>
}

export function createRecordIds(databases: Databases): RecordIds {
  const remainders = new Map<string, Remainder[]>()
  const leases = new Map<string, Promise<void>>()
  const left = (name: string) => (remainders.get(name) ?? []).reduce((sum, range) => sum + range.end - range.next, 0)

  async function lease(tenantId: number, entityId: number, name: string, count: number): Promise<void> {
    const blocks = Math.ceil(count / idsPerBlock)
    const leased = await databases.transactAside(
      { tenantId },
      ({ tx }) => tx<{ blockNo: number }[]>`
        insert into platform.record_block (tenant_id, entity_id) select ${tenantId}, ${entityId} from generate_series(1, ${blocks}::int) returning block_no`,
    )
    const ranges = remainders.get(name) ?? []
    for (const { blockNo } of leased) ranges.push({ next: blockNo * idsPerBlock, end: (blockNo + 1) * idsPerBlock })
    remainders.set(name, ranges)
  }

  return {
    async take(tenantId, entityId, count) {
      const name = `${tenantId}:${entityId}`
      while (left(name) < count) {
        // Many who begin at once share what one of them leases.
        const mine = leases.get(name) ?? lease(tenantId, entityId, name, count - left(name)).finally(() => leases.delete(name))
        leases.set(name, mine)
        await mine
      }
      const ranges = remainders.get(name) ?? []
      const ids: number[] = []
      while (ids.length < count) {
        const range = ranges[0]
        if (!range) break
        ids.push(range.next++)
        if (range.next === range.end) ranges.shift()
      }
      return ids
    },
  }
}

/** The entities that ids were handed out for, of this tenant, by id; an id of nobody or of another tenant is not among them. */
export async function entitiesOfRecords(tx: Tx, tenantId: number, recordIds: readonly number[]): Promise<Map<number, number>> {
  const blockOf = (recordId: number) => Math.floor(recordId / idsPerBlock)
  const blocks = [...new Set(recordIds.map(blockOf))]
  if (blocks.length === 0) return new Map()
  const rows = await tx<{ blockNo: number; entityId: number }[]>`
    select block_no, entity_id from platform.record_block where block_no = any(${blocks}::bigint[]) and tenant_id = ${tenantId}`
  const byBlock = new Map(rows.map((row) => [row.blockNo, row.entityId]))
  return new Map(
    recordIds.flatMap((recordId) => {
      const entityId = byBlock.get(blockOf(recordId))
      return entityId === undefined ? [] : [[recordId, entityId]]
    }),
  )
}

/** The entity that an id was handed out for, of this tenant; undefined for an id of nobody or of another tenant. */
export async function entityOfRecord(tx: Tx, tenantId: number, recordId: number): Promise<number | undefined> {
  return (await entitiesOfRecords(tx, tenantId, [recordId])).get(recordId)
}
