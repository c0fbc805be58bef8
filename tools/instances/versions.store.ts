/** Statements on the versions of records: the current one of each, and the superseded ones beside it. */
import type { Tx } from '#platform/db/pool.ts'
import { historyTable, recordTable } from '#platform/db/records.ts'

import { type Compiling, constantSql, documentSql, filterSql, valueSql } from './compile.rules.ts'
import type { GroupNode } from './query.rules.ts'
import { type PageRows, run } from './read.store.ts'

/** Every column of a version, the long texts that history left to the next version filled in. */
function versionsSql(tenantId: number, compiled: Compiling): string {
  const { entity, present } = compiled
  const current = recordTable(tenantId, entity.entityId)
  const history = historyTable(tenantId, entity.entityId)
  const system = [
    'id',
    'parent_id',
    'key1',
    'key2',
    'key3',
    'row_hash',
    'version',
    'valid_from',
    'created_at',
    'deleted_at',
    'modified_by',
    'workflow_instance_id',
  ]
  const columns = entity.properties.filter((property) => present.has(`c${property.columnId}`))
  const later = (column: string, columnId: number) =>
    `case when ${columnId} = any(h.same_as_next) then coalesce(
       (select n.${column} from ${history} n where n.id = h.id and n.version > h.version and not (${columnId} = any(n.same_as_next)) order by n.version limit 1),
       (select c.${column} from ${current} c where c.id = h.id)) else h.${column} end as ${column}`
  // Those of history are found by the first version, as in a table that has no such column.
  const createdBy = present.has('created_by') ? 'created_by' : 'null::int as created_by'
  const ofHistory = columns.map((property) => {
    const column = `c${property.columnId}`
    return property.dataType === 'Text' && !property.isList ? later(column, property.columnId) : `h.${column}`
  })
  return `(select ${[...system, createdBy, ...columns.map((property) => `c${property.columnId}`), "'infinity'::timestamptz as valid_to"].join(', ')} from ${current}
    union all select ${[...system.map((column) => `h.${column}`), 'null::int', ...ofHistory, 'h.valid_to'].join(', ')} from ${history} h)`
}

/** The record as it was at a time, as JSON text; a deleted one with its deletedDate. Undefined where it did not exist yet. */
export async function findDocumentAsOf(tx: Tx, tenantId: number, compiled: Compiling, id: number, at: string): Promise<string | undefined> {
  const { parameters } = compiled
  const document = documentSql(compiled, { isDeletedShown: true })
  const idParam = `${parameters.add(String(id))}::text::bigint`
  const atParam = constantSql(`${parameters.add(at)}::text`, 'timestamptz')
  const [row] = await run<{ document: string }>(
    tx,
    `select (${document})::text as document from ${versionsSql(tenantId, compiled)} e
     where e.id = ${idParam} and e.valid_from <= ${atParam} and ${atParam} < e.valid_to order by e.version desc limit 1`,
    compiled,
  )
  return row?.document
}

/** A page of the entity's records as they lived at a time, by id. */
export async function listDocumentsAsOf(
  tx: Tx,
  tenantId: number,
  compiled: Compiling,
  query: { at: string; filter: GroupNode | undefined; pageSize: number; offset: number; afterId: number | undefined; withTotal: boolean },
): Promise<PageRows> {
  const { parameters } = compiled
  const atParam = constantSql(`${parameters.add(query.at)}::text`, 'timestamptz')
  const where = `e.valid_from <= ${atParam} and ${atParam} < e.valid_to and e.deleted_at is null and ${filterSql(compiled, query.filter)}`
  const after = query.afterId === undefined ? '' : ` and e.id > ${parameters.add(String(query.afterId))}::text::bigint`
  const versions = versionsSql(tenantId, compiled)
  const document = documentSql(compiled)
  const total = query.withTotal ? `(select count(*) from ${versions} e where ${where})` : 'null::bigint'
  const [row] = await run<{ items: string; hasMore: boolean; lastId: number | null; total: number | null }>(
    tx,
    `with page as materialized (
       select e.id, ${document} as document
       from (select * from ${versions} e where ${where}${after} order by e.id limit ${query.pageSize + 1} offset ${query.offset}) e
     ), numbered as (select id, document, row_number() over (order by id) as n from page)
     select '[' || coalesce(string_agg(document::text, ',' order by n) filter (where n <= ${query.pageSize}), '') || ']' as items,
       count(*) > ${query.pageSize} as has_more, max(id) filter (where n = ${query.pageSize}) as last_id, ${total} as total
     from numbered`,
    compiled,
  )
  return {
    items: row?.items ?? '[]',
    position: row?.hasMore && row.lastId !== null ? [String(row.lastId)] : undefined,
    totalCount: query.withTotal ? (row?.total ?? 0) : undefined,
  }
}

export interface VersionRow {
  readonly version: number
  readonly validFrom: string
  /** Null: it is the current version. */
  readonly validTo: string | null
  readonly deletedAt: string | null
  readonly modifiedBy: number | null
  readonly rowHash: string
  readonly key1: string
  readonly key2: string
  readonly key3: string
  readonly parentEIRecordId: number | null
  /** Wire values by internalName. */
  readonly data: Record<string, unknown>
}

/** The version that a record has now, which is how many there are. */
export async function findVersion(tx: Tx, tenantId: number, entityId: number, id: number): Promise<number> {
  const [row] = await tx.unsafe<{ version: number }[]>(
    `select version from ${recordTable(tenantId, entityId)} where id = $1::text::bigint`,
    [String(id)],
    { prepare: true },
  )
  return row?.version ?? 0
}

/** Versions of a record, oldest first, from a version on. */
export async function listVersions(
  tx: Tx,
  tenantId: number,
  compiled: Compiling,
  id: number,
  query: { fromVersion: number; limit: number; from?: string | undefined; to?: string | undefined },
): Promise<VersionRow[]> {
  const { parameters, entity } = compiled
  const data = entity.properties.map((property) => `'${property.internalName}': ${valueSql(compiled, property, 'wire')}`)
  const idParam = `${parameters.add(String(id))}::text::bigint`
  const conditions = [`e.id = ${idParam}`, `e.version >= ${parameters.add(String(query.fromVersion))}::text::bigint`]
  if (query.from !== undefined) conditions.push(`e.valid_to >= ${parameters.add(query.from)}::text::timestamptz`)
  if (query.to !== undefined) conditions.push(`e.valid_from <= ${parameters.add(query.to)}::text::timestamptz`)
  const rows = await run<Omit<VersionRow, 'data'> & { data: string }>(
    tx,
    `select e.version, e.valid_from, case when e.valid_to = 'infinity' then null else e.valid_to end as valid_to, e.deleted_at, e.modified_by,
       e.key1, e.key2, e.key3, e.parent_id as "parentEIRecordId", upper(encode(e.row_hash, 'hex')) as row_hash, (json_object(${data.join(', ')}${data.length > 0 ? ' null on null' : ''}))::text as data
     from ${versionsSql(tenantId, compiled)} e where ${conditions.join(' and ')} order by e.version limit ${query.limit}`,
    compiled,
  )
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as Record<string, unknown> }))
}
