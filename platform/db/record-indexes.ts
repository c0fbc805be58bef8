/**
 * Indexes of record tables beside those that every table has. They are made and dropped while records are read and written, on a connection of their own:
 * `concurrently` runs outside of any transaction, and a change of schema that waits for a table ends what is being built on it.
 */
import postgres from 'postgres'

import type { Databases } from './databases.ts'
import { connectionOptions, type Tx } from './pool.ts'
import { recordTable, tenantRole } from './records.ts'

/** Texts are put in order by as many characters: a cursor holds what a row was sorted by and has to fit into a header, and an index refuses long ones. */
export const orderedCharacters = 200

/** What texts are put in order by, where the column is one; an empty one is none. */
export function orderedTextSql(column: string): string {
  return `left(nullif(${column}, ''), ${orderedCharacters})`
}

/** What an index goes by: the value of a column `c12`, a text as it is put in order `s12`, or a field that every record has. */
export type IndexedBy = `c${number}` | `s${number}` | 'created' | 'modified' | 'key1'

/** `ordered` finds values and ranges and gives rows in order, `equal` finds whole texts of any length, `contains` finds parts of texts. */
export interface RecordIndex {
  readonly kind: 'ordered' | 'equal' | 'contains'
  readonly by: readonly IndexedBy[]
}

const letters = { ordered: 'o', equal: 'h', contains: 't' } as const

/** `o_c3_s12`: its name behind that of the table. */
export function indexName({ kind, by }: RecordIndex): string {
  return [letters[kind], ...by].join('_')
}

/** The index of such a name. */
export function namedIndex(name: string): RecordIndex | undefined {
  const [letter, ...by] = name.split('_')
  const kind = (['ordered', 'equal', 'contains'] as const).find((one) => letters[one] === letter)
  const isBy = (one: string): one is IndexedBy => /^(?:[cs]\d+|created|modified|key1)$/.test(one)
  return kind && by.length > 0 && by.every(isBy) ? { kind, by } : undefined
}

const systemColumns: Readonly<Record<string, string>> = { created: 'created_at', modified: 'valid_from', key1: `(nullif(key1, ''))` }

function termSql(by: IndexedBy): string {
  return systemColumns[by] ?? (by.startsWith('s') ? `(${orderedTextSql(`c${by.slice(1)}`)}) collate "unicode"` : by)
}

function methodSql({ kind, by }: RecordIndex): string {
  const terms = by.map(termSql)
  if (kind === 'equal') return `using hash (${terms.join(', ')})`
  if (kind === 'contains') return `using gin (${terms.map((term) => `${term} gin_trgm_ops`).join(', ')})`
  return `(${[...terms, 'id'].join(', ')})`
}

/** A record table as the planner knows it, with its indexes of this kind. */
export interface IndexedTable {
  readonly tenantId: number
  readonly entityId: number
  /** About how many rows it has. */
  readonly rows: number
  /** How many different values columns have, about; of a column that was never analyzed there is nothing. */
  readonly distinct: ReadonlyMap<string, number>
  readonly indexes: readonly { readonly name: string; readonly isValid: boolean; readonly lastUsed: string | null }[]
}

/** The connection of whoever keeps the indexes now. */
export interface Indexing {
  readonly sql: postgres.Sql
  tables(of: readonly { readonly tenantId: number; readonly entityId: number }[]): Promise<IndexedTable[]>
  /** Every table that has an index of this kind. */
  indexed(): Promise<{ readonly tenantId: number; readonly entityId: number }[]>
  /** Throws where PostgreSQL refuses, or where a change of schema needed the table; what is left of the index is not valid then. */
  build(table: { readonly tenantId: number; readonly entityId: number }, index: RecordIndex): Promise<void>
  drop(table: { readonly tenantId: number; readonly entityId: number }, name: string): Promise<void>
}

/** Shown in pg_stat_activity: whoever must change a table finds by it what is being built. */
const indexingName = 'fieldloop indexes'

/** Ends what is being built in this database now; it is begun again later. */
export async function endIndexBuilds(tx: Tx): Promise<void> {
  await tx`
    select pg_cancel_backend(pid) from pg_stat_activity
    where application_name = ${indexingName} and datname = current_database() and usename = current_user and state = 'active'`
}

const lockNumber = 7_024_004
const longestBuild = '15min'

/** Runs `work` as the only one who keeps indexes; undefined where another process does so now. The signal closes the connection. */
export async function withIndexing<T>(
  databases: Pick<Databases, 'directUrl'>,
  work: (indexing: Indexing) => Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const sql = postgres(databases.directUrl, connectionOptions(indexingName))
  const leave = () => void sql.end({ timeout: 0 })
  signal?.addEventListener('abort', leave)
  try {
    const [lock] = await sql<{ isMine: boolean }[]>`select pg_try_advisory_lock(${lockNumber}::bigint) as is_mine`
    if (lock?.isMine !== true) return undefined
    await sql.unsafe(`set statement_timeout = '${longestBuild}'`)
    await sql.unsafe(`set lock_timeout = '1min'`)
    return await work(indexingOn(sql))
  } finally {
    signal?.removeEventListener('abort', leave)
    await sql.end({ timeout: 1 })
  }
}

function indexingOn(sql: postgres.Sql): Indexing {
  return {
    sql,
    async indexed() {
      const rows = await sql<{ schema: string; table: string }[]>`
        select distinct n.nspname as schema, c.relname as table from pg_index x join pg_class i on i.oid = x.indexrelid
          join pg_class c on c.oid = x.indrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname ~ '^t_[0-9]+$' and c.relname ~ '^e_[0-9]+$' and i.relname ~ '^e_[0-9]+_[oht]_'`
      return rows.map(({ schema, table }) => ({ tenantId: Number(schema.slice(2)), entityId: Number(table.slice(2)) }))
    },
    async tables(of) {
      const found: IndexedTable[] = []
      for (let from = 0; from < of.length; from += tablesAtOnce) found.push(...(await tablesOf(sql, of.slice(from, from + tablesAtOnce))))
      return found
    },
    async build({ tenantId, entityId }, index) {
      const table = recordTable(tenantId, entityId)
      if (index.kind === 'contains') await sql.unsafe('create extension if not exists pg_trgm with schema public')
      const name = `e_${entityId}_${indexName(index)}`
      await sql.unsafe(`create index concurrently if not exists ${name} on ${table} ${methodSql(index)} where deleted_at is null`)
      // Of an expression PostgreSQL knows nothing until it has looked at the table again.
      await sql.unsafe(`analyze ${table}`)
    },
    async drop({ tenantId, entityId }, name) {
      await sql.unsafe(`drop index concurrently if exists "${tenantRole(tenantId)}"."e_${entityId}_${name}"`)
    },
  }
}

const tablesAtOnce = 500

interface TableRow {
  readonly tenantId: number
  readonly entityId: number
  readonly rows: number
  readonly distinct: Readonly<Record<string, number>>
  readonly indexes: IndexedTable['indexes']
}

/** Those of them that exist, in one statement however many there are. */
async function tablesOf(
  sql: postgres.Sql,
  of: readonly { readonly tenantId: number; readonly entityId: number }[],
): Promise<IndexedTable[]> {
  const wanted = JSON.stringify(of.map(({ tenantId, entityId }) => ({ tenant: tenantId, entity: entityId })))
  const found = await sql<TableRow[]>`
    select w.tenant as tenant_id, w.entity as entity_id, greatest(c.reltuples, 0)::float8 as rows,
      coalesce((select jsonb_object_agg(s.attname, case when s.n_distinct < 0 then -s.n_distinct * greatest(c.reltuples, 0) else s.n_distinct end)
        from pg_stats s where s.schemaname = n.nspname and s.tablename = c.relname), '{}') as distinct,
      coalesce((select jsonb_agg(jsonb_build_object('name', substring(i.relname from '^e_[0-9]+_([oht]_.*)$'), 'isValid', x.indisvalid, 'lastUsed', u.last_idx_scan))
        from pg_index x join pg_class i on i.oid = x.indexrelid left join pg_stat_all_indexes u on u.indexrelid = x.indexrelid
        where x.indrelid = c.oid and i.relname ~ '^e_[0-9]+_[oht]_'), '[]') as indexes
    from json_to_recordset(${wanted}::text::json) as w(tenant int, entity int)
      join pg_namespace n on n.nspname = 't_' || w.tenant join pg_class c on c.relnamespace = n.oid and c.relname = 'e_' || w.entity`
  return found.map((table) => ({ ...table, distinct: new Map(Object.entries(table.distinct)) }))
}
