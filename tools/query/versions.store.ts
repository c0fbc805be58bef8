/** Statements on the versions of records: the current one of each, and the superseded ones beside it. */
import type { Tx } from '#platform/db/pool.ts'
import { historyTable, recordTable } from '#platform/db/records.ts'
import type { PageRequest } from '#platform/paging.ts'

import { type Compiling, constantSql, filterSql, isoSql } from './compile.rules.ts'
import { dataSql, documentSql, type Showing } from './document.rules.ts'
import type { GroupNode } from './parse.rules.ts'
import { type DocumentRows, readPage, run, totalSql } from './read.store.ts'

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
export async function findDocumentAsOf(tx: Tx, tenantId: number, compiled: Showing, id: number, at: string): Promise<string | undefined> {
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
  compiled: Showing,
  page: PageRequest,
  query: { at: string; filter: GroupNode | undefined; afterId: number | undefined },
): Promise<DocumentRows & { readonly total: number | null }> {
  const { parameters } = compiled
  const atParam = constantSql(`${parameters.add(query.at)}::text`, 'timestamptz')
  const where = `e.valid_from <= ${atParam} and ${atParam} < e.valid_to and e.deleted_at is null and ${filterSql(compiled, query.filter)}`
  const after = query.afterId === undefined ? '' : ` and e.id > ${parameters.add(String(query.afterId))}::text::bigint`
  const source = `${versionsSql(tenantId, compiled)} e where ${where}`
  return readPage(tx, compiled, {
    source: `${source}${after}`,
    order: 'e.id',
    document: documentSql(compiled),
    position: 'json_build_array(e.id)',
    limit: page.pageSize,
    offset: page.offset,
    bytes: page.bytes,
    isWhole: page.isNumbered,
    also: { total: totalSql(page, source) },
  })
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

export interface VersionQuery {
  readonly fromVersion: number
  readonly limit: number
  readonly bytes: number
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Versions of a record, oldest first, from a version on, as many as fit; two at least, since the first may only be there to compare the second with. */
export async function listVersions(
  tx: Tx,
  tenantId: number,
  compiled: Showing,
  id: number,
  query: VersionQuery,
): Promise<{ readonly rows: readonly VersionRow[]; readonly hasMore: boolean }> {
  const { parameters } = compiled
  const idParam = `${parameters.add(String(id))}::text::bigint`
  const conditions = [`e.id = ${idParam}`, `e.version >= ${parameters.add(String(query.fromVersion))}::text::bigint`]
  if (query.from !== undefined) conditions.push(`e.valid_to >= ${parameters.add(query.from)}::text::timestamptz`)
  if (query.to !== undefined) conditions.push(`e.valid_from <= ${parameters.add(query.to)}::text::timestamptz`)
  const { items, fitting, found } = await readPage(tx, compiled, {
    source: `${versionsSql(tenantId, compiled)} e where ${conditions.join(' and ')}`,
    order: 'e.version',
    document: `json_object('version': e.version, 'validFrom': ${isoSql('e.valid_from')},
      'validTo': case when e.valid_to <> 'infinity' then ${isoSql('e.valid_to')} end, 'deletedAt': ${isoSql('e.deleted_at')},
      'modifiedBy': e.modified_by, 'rowHash': upper(encode(e.row_hash, 'hex')), 'key1': e.key1, 'key2': e.key2, 'key3': e.key3,
      'parentEIRecordId': e.parent_id, 'data': ${dataSql(compiled)} null on null)`,
    position: 'json_build_array(e.version)',
    limit: query.limit,
    bytes: query.bytes,
    always: 2,
  })
  // The statement built this text itself, in the shape of VersionRow.
  return { rows: JSON.parse(items) as VersionRow[], hasMore: found > fitting }
}
