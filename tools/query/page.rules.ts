/** Compiles the statement of a page of records: made into JSON by PostgreSQL, which also ends it where the answer would pass its bytes. */
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

import type { Showing } from './document.rules.ts'
import type { Range } from './order.rules.ts'
import { columnOf } from './source.rules.ts'

export interface DocumentPage {
  /** The rows, as a `from` clause with its conditions, under the alias of the source. */
  readonly source: string
  /** Of these the ones in the ranges, which follow each other; undefined: all. */
  readonly ranges?: readonly Range[] | undefined
  readonly order: string
  /** One row as JSON. */
  readonly document: string
  /** The place of a row as JSON, for the cursor behind it. */
  readonly position: string
  readonly limit: number
  readonly offset?: number
  /** The most bytes that the rows take as a JSON array. */
  readonly bytes: number
  /** How many of the first rows are answered whatever they take: 1 unless told. */
  readonly always?: number
  /** Nothing is answered where not all of it fits. */
  readonly isWhole?: boolean
  /** Further columns of the answer: expressions by name. */
  readonly also?: Readonly<Record<string, string>>
}

/** At least this many bytes go into a row's JSON, without reading it: PostgreSQL knows how long a stored text is. Undefined where no value is long. */
function weightSql({ source, shown }: Showing): string | undefined {
  const weigh = (property: CatalogProperty): string[] => {
    const column = columnOf(source, property)
    // A list is stored in up to four times the bytes that its JSON takes, or compressed.
    if (property.isList) return [`coalesce(pg_column_size(${column}) / 4, 0)`]
    return property.dataType === 'Text' ? [`coalesce(octet_length(${column}), 0)`] : []
  }
  const terms = shown.properties.flatMap(weigh)
  if (terms.length === 0) return undefined
  return `(${terms.join(' + ')})${shown.withDataJson ? ' * 2' : ''}`
}

/**
 * The rows that a page looks at, and the statements before it that choose them: one more than the page, whose presence is the only honest sign of a next
 * page. A range is looked at where those before it do not fill the page.
 */
function rowsSql({ source }: Showing, { source: all, order, ranges, limit, offset = 0 }: DocumentPage): { before: string; rows: string } {
  const [only] = ranges ?? [{ condition: 'true', order }]
  const most = limit + 1
  const rowsOf = ({ condition, order: within }: Range) =>
    `select * from ${all}${condition === 'true' ? '' : ` and ${condition}`} order by ${within} limit ${most}`
  if (only && (ranges?.length ?? 1) === 1) return { before: '', rows: `${rowsOf(only)} offset ${offset}` }
  const named = (ranges ?? []).map((range, index) => {
    const earlier = Array.from({ length: index }, (_, number) => `(select count(*) from range${number})`)
    const rest = index === 0 ? '' : ` limit greatest(0, ${[most, ...earlier].join(' - ')})`
    // The fixed limit within lets the plan be made for a page, the counted one ends it.
    return `range${index} as materialized (select * from (${rowsOf(range)}) ${source.alias}${rest}), `
  })
  return { before: named.join(''), rows: named.map((_, index) => `select * from range${index}`).join(' union all ') }
}

/**
 * The page as one row: `items` (a JSON array as text), `fitting` and `found` (how many rows are in it, how many there were, at most one more than the
 * limit), `position` (of the last row in it). Rows are chosen first, and made into documents then: neither those before the page nor those that surely
 * do not fit any more.
 */
export function pageSql(showing: Showing, page: DocumentPage): string {
  const { alias } = showing.source
  const { order, limit, bytes, always = 1 } = page
  const weight = weightSql(showing)
  const before = weight === undefined ? '0' : `sum(${weight}) over (order by ${order} rows between unbounded preceding and 1 preceding)`
  const items = `coalesce(string_agg(document, ',' order by n) filter (where fits), '')`
  const whole = page.isWhole ? `case when bool_and(fits or n > ${limit}) then ${items} else '' end` : items
  const also = Object.entries(page.also ?? {}).map(([name, expression]) => `, ${expression} as ${name}`)
  const { before: earlier, rows } = rowsSql(showing, page)
  return `with ${earlier}chosen as (
      select ${alias}.*, row_number() over (order by ${order}) as page_row, ${before} as page_before
      from (${rows}) ${alias}
    ), shown as materialized (
      select page_row as n, ${page.position} as position,
        case when page_row <= ${always} or page_before < ${bytes} then (${page.document})::text end as document
      from chosen ${alias}
    ), measured as (
      select n, position, document,
        n <= ${limit} and (n <= ${always} or 1 + sum(coalesce(octet_length(document), ${bytes}) + 1) over (order by n) <= ${bytes}) as fits
      from shown
    ), page as (
      select '[' || ${whole} || ']' as items, count(*) filter (where fits)::int as fitting, count(*)::int as found,
        (array_agg(position order by n))[count(*) filter (where fits)] as position
      from measured
    )
    select items, fitting, found, position${also.join('')} from page`
}
