/** Statements that read records. PostgreSQL builds the JSON, and a page, its cursor and its count share one snapshot. */
import type { Tx } from '#platform/db/pool.ts'
import type { PageRequest } from '#platform/paging.ts'

import { constantSql, createParameters, isoSql, type Parameters } from './columns.rules.ts'
import { filterSql } from './conditions.rules.ts'
import { dataSql, documentSql, showing as showingOf, type Showing } from './document.rules.ts'
import type { Keys } from './keys.rules.ts'
import { orderSql, positionSql, rangesAfter, rangesOfAll } from './order.rules.ts'
import { type DocumentPage, pageSql } from './page.rules.ts'
import { fromSql, keySql, linkSql, type Readable, type Source } from './source.rules.ts'
import type { Field, QueryNode, SortKey } from './tree.types.ts'
import { isOrderIndexed } from './uses.rules.ts'

/** Runs a compiled statement. */
export function run<T extends object>(tx: Tx, text: string, parameters: Parameters): Promise<T[]> {
  // Compiled values are texts, numbers and arrays of them; their types stand in the statement.
  // Sent at once, so that a commit may follow in the same round trip.
  return tx.unsafe<T[]>(text, [...parameters.list] as never[], { prepare: true }).execute()
}

/** What names a record: digits are its id, keys are three parts of text. */
export type RecordName = { readonly id: number } | { readonly keys: Keys }

function nameSql(parameters: Parameters, source: Source, name: RecordName): string {
  const { alias } = source
  if ('id' in name) return `${alias}.id = ${parameters.add(String(name.id))}::text::bigint`
  const [k1, k2, k3] = name.keys.map((part) => `${parameters.add(part)}::text`)
  const [c1, c2, c3] = ([1, 2, 3] as const).map((part) => keySql(source, part))
  return `${c1} = ${k1} and ${c2} = ${k2} and ${c3} = ${k3} and ${c1} <> ''`
}

/** One record of the source as JSON text, with its deletedDate where the source has deleted ones. */
export async function findDocument(tx: Tx, showing: Showing, name: RecordName): Promise<string | undefined> {
  const { parameters, source } = showing
  const document = documentSql(showing, { isDeletedShown: source.rows !== 'live' })
  const rows = fromSql(parameters, source, nameSql(parameters, source, name))
  const [row] = await run<{ document: string }>(tx, `select (${document})::text as document from ${rows}`, parameters)
  return row?.document
}

/** Live records of these ids, as objects. */
export async function findDocumentsOf(tx: Tx, readable: Readable, ids: readonly number[]): Promise<Readonly<Record<string, unknown>>[]> {
  const showing = showingOf(readable, { properties: readable.entity.properties, withDataJson: false })
  const { parameters, source } = showing
  const rows = fromSql(parameters, source, `${source.alias}.id = any(${parameters.add(ids)}::bigint[])`)
  const found = await run<{ document: string }>(
    tx,
    `select (${documentSql(showing)})::text as document from ${rows} order by ${source.alias}.id`,
    parameters,
  )
  return found.map(({ document }) => JSON.parse(document) as Record<string, unknown>)
}

/** The id alone of the source's record of this name. A deleted key may have several; a live one comes first, then the last deleted. */
export async function findId(tx: Tx, source: Source, name: RecordName): Promise<number | undefined> {
  const parameters = createParameters()
  const { alias } = source
  const [row] = await run<{ id: number }>(
    tx,
    `select ${alias}.id from ${fromSql(parameters, source, nameSql(parameters, source, name))}
     order by ${alias}.deleted_at desc nulls first, ${alias}.id desc limit 1`,
    parameters,
  )
  return row?.id
}

export interface PageQuery {
  readonly filter: QueryNode | undefined
  readonly sort: readonly SortKey[]
  readonly after: readonly unknown[] | undefined
  /** Only records changed at or after this time, ISO 8601. */
  readonly modifiedSince?: string | undefined
  /** Only records under this parent. */
  readonly parentId?: number | undefined
  /** Whose peers they are. */
  readonly linkedTo?: number | undefined
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
export async function readPage<T extends object>(tx: Tx, showing: Showing, page: DocumentPage): Promise<DocumentRows & T> {
  const [row] = await run<DocumentRows & T>(tx, pageSql(showing, page), showing.parameters)
  if (!row) throw new Error('A page answered no row')
  return row
}

/** How many rows a source has, counted no further than the page asks for. */
function totalSql(page: PageRequest, rows: string): string {
  if (page.countTo === undefined) return 'null::bigint'
  return `(select count(*) from (select from ${rows}${page.countTo === Infinity ? '' : ` limit ${page.countTo + 1}`}) counted)`
}

function conditionsOf(
  parameters: Parameters,
  { alias }: Source,
  { filter, modifiedSince, parentId }: Omit<PageQuery, 'sort' | 'after'>,
): string[] {
  return [
    ...(filter ? [filterSql(parameters, filter)] : []),
    ...(modifiedSince === undefined
      ? []
      : [`${alias}.valid_from >= ${constantSql(`${parameters.add(modifiedSince)}::text`, 'timestamptz')}`]),
    ...(parentId === undefined ? [] : [`${alias}.parent_id = ${parameters.add(String(parentId))}::text::bigint`]),
  ]
}

/** Since when, and by whom, a record is a peer of another. */
function linkFields({ parameters, source }: Showing, linkedTo: number | undefined): string[] {
  if (linkedTo === undefined) return []
  const link = (value: string) => `(select ${value} from ${linkSql(parameters, source, parameters.add(String(linkedTo)))} l)`
  return [`'linkedDate': ${link(isoSql('l.linked_at'))}`, `'linkedBy': ${link('l.linked_by')}`]
}

/** A page of the source's records in order, with what its cursor needs. */
export async function listDocuments(
  tx: Tx,
  showing: Showing,
  page: PageRequest,
  query: PageQuery,
): Promise<DocumentRows & { readonly total: number | null }> {
  const { parameters, source } = showing
  const { sort, after, filter } = query
  const all = fromSql(parameters, source, ...conditionsOf(parameters, source, query))
  const isIndexed = (field: Field) => isOrderIndexed(source, filter, field)
  const ranges = after
    ? rangesAfter(parameters, source, sort, after, isIndexed)
    : page.offset === 0
      ? rangesOfAll(parameters, source, sort, isIndexed)
      : undefined
  return readPage(tx, showing, {
    source: all,
    ranges,
    order: orderSql(parameters, source, sort),
    document: documentSql(showing, { isDeletedShown: source.rows !== 'live', extra: linkFields(showing, query.linkedTo) }),
    position: positionSql(parameters, source, sort),
    limit: page.pageSize,
    offset: page.offset,
    bytes: page.bytes,
    isWhole: page.isNumbered,
    also: { total: totalSql(page, all) },
  })
}

/** Opens the records of a query, in order, as they are now. `fetchRows` then takes them, in the same transaction. */
export async function openRows(tx: Tx, showing: Showing, query: PageQuery): Promise<void> {
  const { parameters, source } = showing
  const data = dataSql(showing)
  const rows = fromSql(parameters, source, ...conditionsOf(parameters, source, query))
  const order = orderSql(parameters, source, query.sort)
  await run(tx, `declare all_rows no scroll cursor for select (${data})::text as data from ${rows} order by ${order}`, parameters)
}

/** The next of the records that were opened. */
export async function fetchRows(tx: Tx, count: number): Promise<string[]> {
  const rows = await tx.unsafe<{ data: string }[]>(`fetch ${count} from all_rows`)
  return rows.map((row) => row.data)
}

/** The ids of the records that a filter selects, from the lowest on; `isHeld` keeps them from other writers until the transaction ends. */
export async function listIds(
  tx: Tx,
  source: Source,
  filter: QueryNode | undefined,
  { limit, isHeld }: { readonly limit: number; readonly isHeld: boolean },
): Promise<number[]> {
  const parameters = createParameters()
  const { alias } = source
  const rows = fromSql(parameters, source, ...(filter ? [filterSql(parameters, filter)] : []))
  const held = isHeld ? ` for no key update of ${alias}` : ''
  const found = await run<{ id: number }>(tx, `select ${alias}.id from ${rows} order by ${alias}.id limit ${limit}${held}`, parameters)
  return found.map((row) => row.id)
}

/** The ids of the records that a query selects, from the lowest on, with what is shown of each as JSON text. */
export async function listValues(
  tx: Tx,
  showing: Showing,
  filter: QueryNode | undefined,
  limit: number,
): Promise<{ readonly id: number; readonly data: string }[]> {
  const { parameters, source } = showing
  const rows = fromSql(parameters, source, ...(filter ? [filterSql(parameters, filter)] : []))
  return run(
    tx,
    `select ${source.alias}.id, (${dataSql(showing)})::text as data from ${rows} order by ${source.alias}.id limit ${limit}`,
    parameters,
  )
}

/** How many records of the source a query selects, counted up to `limit`. */
export async function countRows(
  tx: Tx,
  source: Source,
  query: Omit<PageQuery, 'sort' | 'after'>,
  limit: number | undefined,
): Promise<number> {
  const parameters = createParameters()
  const rows = fromSql(parameters, source, ...conditionsOf(parameters, source, query))
  const [row] = await run<{ count: number }>(
    tx,
    `select count(*) as count from (select from ${rows}${limit === undefined ? '' : ` limit ${limit}`}) counted`,
    parameters,
  )
  return row?.count ?? 0
}
