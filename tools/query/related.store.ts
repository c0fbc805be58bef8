/** The statement that reads the records related to many others at once. */
import type { Tx } from '#platform/db/pool.ts'
import { linkTable } from '#platform/db/records.ts'

import { constantSql, type Parameters } from './columns.rules.ts'
import { filterSql } from './conditions.rules.ts'
import { documentSql, type Showing } from './document.rules.ts'
import { orderSql } from './order.rules.ts'
import { readPage } from './read.store.ts'
import { rowsOf, type Source } from './source.rules.ts'
import type { QueryNode, SortKey } from './tree.types.ts'

export type RelatedBy = 'itself' | 'child' | 'peer'

export interface RelatedQuery {
  /** `itself`: the records of these ids, each once. */
  readonly by: RelatedBy
  readonly of: readonly number[]
  readonly filter: QueryNode | undefined
  readonly sort: readonly SortKey[]
  /** How many of each. */
  readonly each: number
  /** How many in all. */
  readonly limit: number
  readonly bytes: number
}

/** Under which condition a record of the source is related to `x.pid`. */
function relationSql(parameters: Parameters, { tenantId, alias, asOf }: Source, by: RelatedBy): string {
  if (by === 'itself') return `${alias}.id = x.pid`
  if (by === 'child') return `${alias}.parent_id = x.pid`
  const at = asOf === undefined ? undefined : constantSql(`${parameters.add(asOf)}::text`, 'timestamptz')
  const held = at === undefined ? 'l.unlinked_at is null' : `l.linked_at <= ${at} and (l.unlinked_at is null or l.unlinked_at > ${at})`
  const table = linkTable(tenantId)
  return `${alias}.id in (select l.record_b from ${table} l where l.record_a = x.pid and ${held}
    union all select l.record_a from ${table} l where l.record_b = x.pid and ${held})`
}

/**
 * As a `from` item under the source's alias: the related records of each, at most one more than so many, with `pid` (whose), `pn` (in which place that was
 * named) and `rn` (from 1). A source of the present is looked into for each one, by its index; one of the past is read once for all.
 */
function relatedSql(parameters: Parameters, source: Source, { by, of, filter, sort, each }: RelatedQuery): string {
  const { alias } = source
  const list = `jsonb_array_elements_text(${parameters.add(JSON.stringify(of))}::text::jsonb) with ordinality p(pid, pn)`
  const ids = `(select pid::bigint as pid, pn from ${list}) x`
  const { from, conditions } = rowsOf(parameters, source)
  const where = [relationSql(parameters, source, by), ...conditions, ...(filter ? [filterSql(parameters, filter)] : [])].join(' and ')
  const order = orderSql(parameters, source, sort)
  const few = each + 1
  if (source.asOf === undefined) {
    const own = `select ${alias}.*, row_number() over (order by ${order}) as rn from ${from} where ${where} order by ${order} limit ${few}`
    return `(select x.pid, x.pn, own.* from ${ids} cross join lateral (${own}) own) ${alias} where true`
  }
  const numbered = `row_number() over (partition by x.pn order by ${order}) as rn`
  return `(select x.pid, x.pn, ${alias}.*, ${numbered} from ${ids} cross join ${from} where ${where}) ${alias} where ${alias}.rn <= ${few}`
}

export interface RelatedRow {
  /** Whose it is: of an id that was asked for. */
  readonly of: number
  /** From 1 among those of one; past `each` it is there to tell that there are more, and has no document. */
  readonly n: number
  readonly document: Readonly<Record<string, unknown>> | null
}

/** The related records of all, in the order of those and then in their own, as many as fit. */
export async function listRelated(
  tx: Tx,
  showing: Showing,
  query: RelatedQuery,
): Promise<{ rows: readonly RelatedRow[]; hasMore: boolean }> {
  const { parameters, source } = showing
  const { items, fitting, found } = await readPage(tx, showing, {
    source: relatedSql(parameters, source, query),
    order: 'pn, rn',
    document: `json_object('of': pid, 'n': rn, 'document': case when rn <= ${query.each} then ${documentSql(showing)} end null on null)`,
    position: 'null::json',
    // Those that only tell of more come on top.
    limit: query.limit + query.of.length,
    bytes: query.bytes,
  })
  // The statement built this text itself, in the shape of RelatedRow.
  return { rows: JSON.parse(items) as RelatedRow[], hasMore: found > fitting }
}
