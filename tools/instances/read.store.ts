/** Statements that read records. PostgreSQL builds the JSON, and a page, its cursor and its count share one snapshot. */
import type { Tx } from '#platform/db/pool.ts'
import { recordTable } from '#platform/db/records.ts'

import {
  afterSql,
  constantSql,
  type Compiling,
  documentSql,
  externalKeySql,
  filterSql,
  isoSql,
  orderSql,
  positionSql,
} from './compile.rules.ts'
import type { GroupNode, SortKey } from './query.rules.ts'

/** Runs a compiled statement. */
export function run<T extends object>(tx: Tx, text: string, compiled: Compiling): Promise<T[]> {
  // Compiled values are texts, numbers and arrays of them; their types stand in the statement.
  // Sent at once, so that a commit may follow in the same round trip.
  return tx.unsafe<T[]>(text, [...compiled.parameters.list] as never[], { prepare: true }).execute()
}

/** One live record by id, as JSON text. */
export async function findDocument(tx: Tx, tenantId: number, compiled: Compiling, id: number): Promise<string | undefined> {
  const document = documentSql(compiled)
  const [row] = await run<{ document: string }>(
    tx,
    `select (${document})::text as document from ${recordTable(tenantId, compiled.entity.entityId)} e where e.id = ${compiled.parameters.add(String(id))}::text::bigint and e.deleted_at is null`,
    compiled,
  )
  return row?.document
}

/** One live record by its key, as JSON text. */
export async function findDocumentByKey(
  tx: Tx,
  tenantId: number,
  compiled: Compiling,
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
  readonly pageSize: number
  readonly offset: number
  readonly after: readonly unknown[] | undefined
  readonly withTotal: boolean
  readonly includeDeleted: boolean
  /** Only records changed at or after this time, ISO 8601. */
  readonly modifiedSince: string | undefined
  /** Only records under this parent. */
  readonly parentId?: number | undefined
}

export interface PageRows {
  /** A JSON array, as text. */
  readonly items: string
  readonly position: readonly unknown[] | undefined
  readonly totalCount: number | undefined
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
export async function listDocuments(tx: Tx, tenantId: number, compiled: Compiling, query: PageQuery): Promise<PageRows> {
  const { alias } = compiled
  const table = recordTable(tenantId, compiled.entity.entityId)
  const document = documentSql(compiled, { isDeletedShown: query.includeDeleted })
  const where = whereSql(compiled, query)
  const after = query.after ? ` and ${afterSql(compiled, query.sort, query.after)}` : ''
  const order = orderSql(compiled, query.sort)
  const total = query.withTotal ? `(select count(*) from ${table} ${alias} where ${where})` : 'null::bigint'
  // Ask for one row more than the page: its presence is the only honest sign of a next page. The rows are chosen first and shown then: those before
  // the page are never made into documents.
  const [row] = await run<{ items: string; hasMore: boolean; position: unknown[] | null; total: number | null }>(
    tx,
    `with page as materialized (
       select ${document} as document, ${positionSql(compiled, query.sort)} as position, row_number() over (order by ${order}) as n
       from (select * from ${table} ${alias} where ${where}${after} order by ${order} limit ${query.pageSize + 1} offset ${query.offset}) ${alias}
     ), numbered as (select document, position, row_number() over (order by n) as n from page)
     select '[' || coalesce(string_agg(document::text, ',' order by n) filter (where n <= ${query.pageSize}), '') || ']' as items,
       count(*) > ${query.pageSize} as has_more, (json_agg(position) filter (where n = ${query.pageSize})) -> 0 as position, ${total} as total
     from numbered`,
    compiled,
  )
  return {
    items: row?.items ?? '[]',
    position: row?.hasMore ? (row.position ?? undefined) : undefined,
    totalCount: query.withTotal ? (row?.total ?? 0) : undefined,
  }
}

/** How many records a filter selects. */
export async function countRecords(tx: Tx, tenantId: number, compiled: Compiling, filter: GroupNode | undefined): Promise<number> {
  const where = whereSql(compiled, { filter, includeDeleted: false, modifiedSince: undefined })
  const [row] = await run<{ count: number }>(
    tx,
    `select count(*) as count from ${recordTable(tenantId, compiled.entity.entityId)} e where ${where}`,
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
  readonly epoch: number
}

export interface ChangeRows {
  readonly rows: { readonly document: string; readonly changeNo: string; readonly id: string }[]
  /** Every change below this is committed and was seen, or will never be. */
  readonly bound: string
}

/** Changes after a position in the order of their change numbers, all of them committed. */
export async function listChanges(tx: Tx, tenantId: number, compiled: Compiling, query: ChangeQuery): Promise<ChangeRows> {
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
        'deletedDate': ${isoSql('e.deleted_at')}, 'deletedBy': e.modified_by null on null)`
    : documentSql(compiled, { isDeletedShown: true, extra: [`'changeKind': ${kind}`] })
  const conditions = [`e.change_no < ${bound}`]
  if (query.onlyDeleted) conditions.push('e.deleted_at is not null')
  if (sinceTime) conditions.push(`e.valid_from >= ${sinceTime}`)
  if (query.after) {
    conditions.push(
      `(e.change_no, e.id) > (${parameters.add(query.after.changeNo)}::text::bigint, ${parameters.add(query.after.id)}::text::bigint)`,
    )
  }
  const rows = await run<{ document: string; changeNo: string; id: string; bound: string }>(
    tx,
    `select b.bound::text as bound, r.document, r.change_no, r.id from (select ${bound} as bound) b left join lateral (
       select (${document})::text as document, e.change_no::text as change_no, e.id::text as id
       from ${table} e where ${conditions.join(' and ')} order by e.change_no, e.id limit ${query.limit}) r on true`,
    compiled,
  )
  return { rows: rows.filter((row) => row.document !== null), bound: rows[0]?.bound ?? '0' }
}
