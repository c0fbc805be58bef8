/**
 * SQL of a tenant's export. Like its end, it goes over the tables of all domains; which of their columns leave is decided in `tables.rules.ts`. Each
 * statement runs in that tenant, whose rows alone row level security shows.
 */
import type { Tx } from '#platform/db/pool.ts'

import type { ExportedTable } from './tables.types.ts'

interface Column {
  readonly name: string
  readonly type: string
}

/** A table with the types of its columns, and what names a row of it. */
export interface TableShape {
  readonly exported: ExportedTable
  readonly columns: readonly Column[]
  readonly key: readonly Column[]
}

/** The columns of tables of the platform, in their order, and those of their primary keys that tell rows of one tenant apart. */
export async function readShapes(tx: Tx, tables: readonly ExportedTable[]): Promise<TableShape[]> {
  const rows = await tx<(Column & { table: string; keyPlace: number | null })[]>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type, array_position(i.indkey::int[], a.attnum::int) as key_place
    from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
    where n.nspname = 'platform' and c.relname = any(${tables.map(({ table }) => table)}::text[]) and a.attnum > 0 and not a.attisdropped
      and a.attname <> 'tenant_id'
    order by c.relname, a.attnum`
  const byTable = Map.groupBy(rows, ({ table }) => table)
  return tables.map((exported) => {
    const columns = byTable.get(exported.table) ?? []
    const ofIndex = columns.filter((column) => column.keyPlace !== null).sort((a, b) => Number(a.keyPlace) - Number(b.keyPlace))
    const typeOf = (expression: string) =>
      columns.find(({ name }) => expression === name || expression.includes(`(${name},`))?.type ?? 'text'
    const key = exported.key ? exported.key.map((name) => ({ name, type: typeOf(name) })) : ofIndex
    return { exported, columns: columns.filter(({ name }) => exported.columns.includes(name)), key }
  })
}

/** As the wire shows it. */
function shown({ name, type }: Column): string {
  const wire = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const value = type === 'timestamp with time zone' ? `to_char(t.${name}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : `t.${name}`
  return `${value} as "${wire}"`
}

const compressedGrowth = 10

/** About how many bytes of JSON a column makes, told without reading what lies outside its row. */
function sizeOf({ name, type }: Column): string {
  if (type === 'text') return `coalesce(octet_length(t.${name}), 0)`
  // What is compressed is larger written out, by how much nobody knows before.
  const growth = `case when pg_column_compression(t.${name}) is null then 1 else ${compressedGrowth} end`
  return `coalesce(pg_column_size(t.${name}) * ${growth}, 0)`
}

export interface TableRow {
  /** JSON text. */
  readonly line: string
  /** What names the row, as JSON text. */
  readonly place: string
}

/**
 * The rows of a table behind one of them, in the order of their keys: at most so many, and as many as fit into the bytes, the first one always. Sizes choose
 * the rows before any of them is written as JSON, since rows may be large and most of them belong to a later page. Helper columns end with an underscore,
 * as no column of a table does.
 */
export async function listTableRows(
  tx: Tx,
  tenantId: number,
  { exported, columns, key }: TableShape,
  after: string | undefined,
  { rows, bytes }: { readonly rows: number; readonly bytes: number },
): Promise<{ readonly rows: readonly TableRow[]; readonly hasMore: boolean }> {
  const names = key.map(({ name }) => name).join(', ')
  const behind = key.map(({ type }, index) => `($2::text::jsonb ->> ${index})::${type}`).join(', ')
  const ofPage = key.length > 0 && after !== undefined ? `and (${names}) > (${behind})` : ''
  // Of a table with one row for each tenant there is nothing behind the first.
  const order = key.length > 0 ? `order by ${names}` : ''
  const found = await tx.unsafe<(TableRow & { found: number })[]>(
    `select line_ as line, place_ as place, found_ as found from (
       select line_, place_, found_, n_, sum(octet_length(line_)) over (order by n_ rows unbounded preceding) as bytes_
       from (
         select (select row_to_json(s)::text from (select ${columns.map(shown).join(', ')}) s) as line_, t.place_, t.found_, t.n_
         from (
           select *, count(*) over () as found_, row_number() over () as n_, sum(size_) over (rows unbounded preceding) as sizes_
           from (
             select t.*, json_build_array(${names})::text as place_, ${columns.map(sizeOf).join(' + ')} as size_
             from platform."${exported.table}" t
             where t.tenant_id = $1::int and (${exported.only ?? 'true'}) ${ofPage} ${order} limit ${rows + 1}
           ) listed
         ) t
         where (n_ = 1 or sizes_ <= ${bytes}) and n_ <= ${rows} order by n_ limit ${rows}
       ) written
     ) measured
     where n_ = 1 or bytes_ <= ${bytes} order by n_`,
    [tenantId, ...(ofPage === '' ? [] : [after ?? null])],
  )
  const count = found[0]?.found ?? 0
  return { rows: found.map(({ line, place }) => ({ line, place })), hasMore: count > found.length }
}
