/** Statements on the versions of a record: the current one, and the superseded ones beside it. */
import type { Tx } from '#platform/db/pool.ts'

import { createParameters, isoSql } from './columns.rules.ts'
import { dataSql, keysSql, type Showing } from './document.rules.ts'
import { readPage, run } from './read.store.ts'
import { fromSql, openSource, type Readable, rowHashSql, withheldSql } from './source.rules.ts'

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
  /** What of them is null because the caller may not see it. */
  readonly withheld?: readonly string[]
}

/** The version that a record has now, which is how many there are. */
export async function findVersion(tx: Tx, readable: Readable, id: number): Promise<number> {
  const parameters = createParameters()
  const source = openSource(readable, { rows: 'withDeleted' })
  const rows = fromSql(parameters, source, `e.id = ${parameters.add(String(id))}::text::bigint`)
  const [row] = await run<{ version: number }>(tx, `select e.version from ${rows}`, parameters)
  return row?.version ?? 0
}

export interface VersionQuery {
  readonly fromVersion: number
  readonly limit: number
  readonly bytes: number
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Versions of a record out of a source of them, oldest first, from a version on, as many as fit; two at least, since the first may only be there to compare the second with. */
export async function listVersions(
  tx: Tx,
  showing: Showing,
  id: number,
  query: VersionQuery,
): Promise<{ readonly rows: readonly VersionRow[]; readonly hasMore: boolean }> {
  const { parameters, source } = showing
  const withheld = withheldSql(source)
  const idParam = `${parameters.add(String(id))}::text::bigint`
  const conditions = [`e.id = ${idParam}`, `e.version >= ${parameters.add(String(query.fromVersion))}::text::bigint`]
  if (query.from !== undefined) conditions.push(`e.valid_to >= ${parameters.add(query.from)}::text::timestamptz`)
  if (query.to !== undefined) conditions.push(`e.valid_from <= ${parameters.add(query.to)}::text::timestamptz`)
  const { items, fitting, found } = await readPage(tx, showing, {
    source: fromSql(parameters, source, ...conditions),
    order: 'e.version',
    document: `json_object('version': e.version, 'validFrom': ${isoSql('e.valid_from')},
      'validTo': case when e.valid_to <> 'infinity' then ${isoSql('e.valid_to')} end, 'deletedAt': ${isoSql('e.deleted_at')},
      'modifiedBy': e.modified_by, 'rowHash': ${rowHashSql(parameters, source)}, ${keysSql(source).join(', ')},${withheld === undefined ? '' : ` 'withheld': array_to_json(${withheld}),`}
      'parentEIRecordId': e.parent_id, 'data': ${dataSql(showing)} null on null)`,
    position: 'json_build_array(e.version)',
    limit: query.limit,
    bytes: query.bytes,
    always: 2,
  })
  // The statement built this text itself, in the shape of VersionRow.
  return { rows: JSON.parse(items) as VersionRow[], hasMore: found > fitting }
}
