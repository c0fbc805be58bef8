/** Statements that read records. PostgreSQL builds the JSON, and a page, its cursor and its count share one snapshot. */
import type { Tx } from '#platform/db/pool.ts'
import { recordTable } from '#platform/db/records.ts'
import type { PageRequest } from '#platform/paging.ts'

import { afterSql, type Compiling, constantSql, externalKeySql, filterSql, isoSql, orderSql, positionSql } from './compile.rules.ts'
import { documentSql, type Showing } from './document.rules.ts'
import { type DocumentPage, pageSql } from './page.rules.ts'
import type { GroupNode, SortKey } from './parse.rules.ts'

/** Runs a compiled statement. */
export function run<T extends object>(tx: Tx, text: string, compiled: Compiling): Promise<T[]> {
  // Compiled values are texts, numbers and arrays of them; their types stand in the statement.
  // Sent at once, so that a commit may follow in the same round trip.
  return tx.unsafe<T[]>(text, [...compiled.parameters.list] as never[], { prepare: true }).execute()
}

/** One live record by id, as JSON text. */
export async function findDocument(tx: Tx, tenantId: number, compiled: Showing, id: number): Promise<string | undefined> {
  const document = documentSql(compiled)
  const [row] = await run<{ document: string }>(
    tx,
    `select (${document})::text as document from ${recordTable(tenantId, compiled.entity.entityId)} e where e.id = ${compiled.parameters.add(String(id))}::text::bigint and e.deleted_at is null`,
    compiled,
  )
  return row?.document
}

export async function isLive(tx: Tx, tenantId: number, entityId: number, id: number): Promise<boolean> {
  const found = await tx.unsafe(`select 1 from ${recordTable(tenantId, entityId)} where id = $1 and deleted_at is null`, [id])
  return found.length > 0
}

/** One live record by its key, as JSON text. */
export async function findDocumentByKey(
  tx: Tx,
  tenantId: number,
  compiled: Showing,
  keys: readonly [string, string, string],
): Promise<string | undefined> {
  const document = documentSql(compiled)
  const [k1, k2, k3] = keys.map((part) => `${compiled.parameters.add(part)}::text`)
  const [row] = await run<{ document: string }>(
    tx,
    `select (${document})::text as document from ${recordTable(tenantId, compiled.entity.entityId)} e
     where e.key1 = ${k1} and e.key2 = ${k2} and e.key3 = ${k3} and e.key1 <> '' and e.deleted_at is null`,
    compiled,
  )
  return row?.document
}

/** The live or deleted record of this id or key: its id alone. A deleted key may have several; the last deleted is answered. */
export async function findAnyId(
  tx: Tx,
  tenantId: number,
  entityId: number,
  by: { id: number } | { keys: readonly [string, string, string] },
): Promise<number | undefined> {
  const table = recordTable(tenantId, entityId)
  const [row] =
    'id' in by
      ? await tx.unsafe<{ id: number }[]>(`select id from ${table} where id = $1::text::bigint`, [String(by.id)], { prepare: true })
      : await tx.unsafe<{ id: number }[]>(
          `select id from ${table} where key1 = $1::text and key2 = $2::text and key3 = $3::text and key1 <> ''
           order by deleted_at desc nulls first, id desc limit 1`,
          [...by.keys],
          { prepare: true },
        )
  return row?.id
}

export interface PageQuery {
  readonly filter: GroupNode | undefined
  readonly sort: readonly SortKey[]
  readonly after: readonly unknown[] | undefined
  readonly includeDeleted: boolean
  /** Only records changed at or after this time, ISO 8601. */
  readonly modifiedSince: string | undefined
  /** Only records under this parent. */
  readonly parentId?: number | undefined
}

/** A page as the store found it. */
export interface DocumentRows {
  /** A JSON array, as text. */
  readonly items: string
  /** How many are in it. */
  readonly fitting: number
  /** How many there were, at most one more than the page takes. */
  readonly found: number
  /** Of the last one in it. */
  readonly position: readonly unknown[] | null
}

/** Runs the statement of a page. */
export async function readPage<T extends object>(tx: Tx, compiled: Showing, page: DocumentPage): Promise<DocumentRows & T> {
  const [row] = await run<DocumentRows & T>(tx, pageSql(compiled, page), compiled)
  if (!row) throw new Error('A page answered no row')
  return row
}

/** How many rows a source has, counted no further than the page asks for. */
export function totalSql(page: PageRequest, source: string): string {
  if (page.countTo === undefined) return 'null::bigint'
  return `(select count(*) from (select from ${source}${page.countTo === Infinity ? '' : ` limit ${page.countTo + 1}`}) counted)`
}

function whereSql(compiled: Compiling, query: Pick<PageQuery, 'filter' | 'includeDeleted' | 'modifiedSince' | 'parentId'>): string {
  const { alias, parameters } = compiled
  return [
    query.includeDeleted ? 'true' : `${alias}.deleted_at is null`,
    filterSql(compiled, query.filter),
    ...(query.modifiedSince === undefined
      ? []
      : [`${alias}.valid_from >= ${constantSql(`${parameters.add(query.modifiedSince)}::text`, 'timestamptz')}`]),
    ...(query.parentId === undefined ? [] : [`${alias}.parent_id = ${parameters.add(String(query.parentId))}::text::bigint`]),
  ].join(' and ')
}

/** A page of live records (and deleted ones where asked), in order, with what its cursor needs. */
export async function listDocuments(
  tx: Tx,
  tenantId: number,
  compiled: Showing,
  page: PageRequest,
  query: PageQuery,
): Promise<DocumentRows & { readonly total: number | null }> {
  const source = `${recordTable(tenantId, compiled.entity.entityId)} ${compiled.alias} where ${whereSql(compiled, query)}`
  const after = query.after ? ` and ${afterSql(compiled, query.sort, query.after)}` : ''
  return readPage(tx, compiled, {
    source: `${source}${after}`,
    order: orderSql(compiled, query.sort),
    document: documentSql(compiled, { isDeletedShown: query.includeDeleted }),
    position: positionSql(compiled, query.sort),
    limit: page.pageSize,
    offset: page.offset,
    bytes: page.bytes,
    isWhole: page.isNumbered,
    also: { total: totalSql(page, source) },
  })
}

/** How many records a filter selects, counted up to `limit`. */
export async function countRecords(
  tx: Tx,
  tenantId: number,
  compiled: Compiling,
  filter: GroupNode | undefined,
  limit: number | undefined,
): Promise<number> {
  const where = whereSql(compiled, { filter, includeDeleted: false, modifiedSince: undefined })
  const [row] = await run<{ count: number }>(
    tx,
    `select count(*) as count from (select from ${recordTable(tenantId, compiled.entity.entityId)} e where ${where}${limit === undefined ? '' : ` limit ${limit}`}) counted`,
    compiled,
  )
  return row?.count ?? 0
}

export interface ChangeQuery {
  /** Rows after this position. */
  readonly after: { readonly changeNo: string; readonly id: string } | undefined
  /** What was created after this counts as added; undefined: everything. */
  readonly since: string | undefined
  /** Instead of a position: rows of versions that began at or after this time. */
  readonly sinceTime: string | undefined
  readonly onlyDeleted: boolean
  readonly limit: number
  readonly bytes: number
  readonly epoch: number
}

export interface ChangeRows extends DocumentRows {
  readonly position: readonly [changeNo: string, id: string] | null
  /** Every change below this is committed and was seen, or will never be. */
  readonly bound: string
}

/** Changes after a position in the order of their change numbers, all of them committed. */
export async function listChanges(tx: Tx, tenantId: number, compiled: Showing, query: ChangeQuery): Promise<ChangeRows> {
  const { parameters, entity } = compiled
  const table = recordTable(tenantId, entity.entityId)
  const bound = `(${parameters.add(query.epoch)}::int::bigint << 48 | pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`
  // A parameter that no part of the statement uses has no type, and PostgreSQL refuses it.
  const since =
    query.since === undefined || query.onlyDeleted || query.sinceTime !== undefined
      ? undefined
      : `${parameters.add(query.since)}::text::bigint`
  const sinceTime = query.sinceTime === undefined ? undefined : constantSql(`${parameters.add(query.sinceTime)}::text`, 'timestamptz')
  const isAdded = sinceTime ? `e.created_at >= ${sinceTime}` : since ? `e.created_change_no > ${since}` : 'true'
  const kind = `case when e.deleted_at is not null then 'deleted' when ${isAdded} then 'added' else 'modified' end`
  const document = query.onlyDeleted
    ? `json_object('eiRecordId': e.id, 'entityId': ${entity.entityId}, 'key1': e.key1, 'key2': e.key2, 'key3': e.key3, 'externalKey': ${externalKeySql('e')},
        'deletedDate': ${isoSql('e.deleted_at')}, 'deletedBy': e.modified_by, 'changeNo': e.change_no::text null on null)`
    : documentSql(compiled, { isDeletedShown: true, extra: [`'changeKind': ${kind}`] })
  const conditions = [`e.change_no < ${bound}`]
  if (query.onlyDeleted) conditions.push('e.deleted_at is not null')
  if (sinceTime) conditions.push(`e.valid_from >= ${sinceTime}`)
  if (query.after) {
    conditions.push(
      `(e.change_no, e.id) > (${parameters.add(query.after.changeNo)}::text::bigint, ${parameters.add(query.after.id)}::text::bigint)`,
    )
  }
  return readPage<ChangeRows>(tx, compiled, {
    source: `${table} e where ${conditions.join(' and ')}`,
    order: 'e.change_no, e.id',
    document,
    position: 'json_build_array(e.change_no::text, e.id::text)',
    limit: query.limit,
    bytes: query.bytes,
    also: { bound: `${bound}::text` },
  })
}
