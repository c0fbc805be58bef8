/** Pages of rows that end where their answer would pass its limit: the bytes are counted here, before they travel. */
import type { PendingQuery, Row } from 'postgres'

import { type Found, type PageRequest, type Total, totalOf } from '../paging.ts'
import type { Tx } from './pool.ts'

/** A part of a statement. */
export type Sql = PendingQuery<Row[]>

interface Measured {
  readonly pageRow: number
  readonly pageFound: number
}

/**
 * The rows of an ordered statement (which has no limit of its own) that a page takes, as many of them as fit into its bytes as JSON, the first one always.
 */
export async function fetchPage<R extends object>(
  tx: Tx,
  page: Pick<PageRequest, 'pageSize' | 'offset' | 'bytes'>,
  statement: Sql,
): Promise<Found<R>> {
  // Ask for one row more than the page: its presence is the only honest sign of a next page. Windows without an order take the rows as they come.
  const measured = await tx<(R & Measured)[]>`
    select * from (
      select found.*, row_number() over () as page_row, count(*) over () as page_found,
        1 + sum(octet_length(to_json(found)::text) + 1) over (rows unbounded preceding) as page_bytes
      from (${statement} limit ${page.pageSize + 1} offset ${page.offset}) found
    ) measured
    where page_row = 1 or page_bytes <= ${page.bytes}
    order by page_row`
  const count = measured[0]?.pageFound ?? 0
  const rows = measured.slice(0, page.pageSize).map(bare)
  return { rows, hasMore: count > rows.length }
}

/** A row without what it was measured by. */
function bare<R extends object>(row: R & Measured): R {
  const { pageRow: _row, pageFound: _found, pageBytes: _bytes, ...rest } = row as R & Measured & { readonly pageBytes: number }
  // Of R the three that were taken out are no part.
  return rest as unknown as R
}

/** How many rows there are in all, no further than the page asks for. `source` is a statement from its `from` on. */
export async function countPage(tx: Tx, page: PageRequest, source: Sql): Promise<Total> {
  if (page.countTo === undefined) return {}
  const limit = page.countTo === Infinity ? null : page.countTo + 1
  const [row] = await tx<[{ count: number }]>`select count(*)::int as count from (select ${source} limit ${limit}::bigint) counted`
  return totalOf(page, row.count)
}
