/** The statement that reads what has changed, in the order of change numbers. */
import type { Tx } from '#platform/db/pool.ts'

import { constantSql, isoSql } from './columns.rules.ts'
import { documentSql, type Showing } from './document.rules.ts'
import { type DocumentRows, readPage } from './read.store.ts'
import { externalKeySql, fromSql } from './source.rules.ts'

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
export async function listChanges(tx: Tx, showing: Showing, query: ChangeQuery): Promise<ChangeRows> {
  const { parameters, source } = showing
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
    ? `json_object('eiRecordId': e.id, 'entityId': ${source.entity.entityId}, 'key1': e.key1, 'key2': e.key2, 'key3': e.key3, 'externalKey': ${externalKeySql(source)},
        'deletedDate': ${isoSql('e.deleted_at')}, 'deletedBy': e.modified_by, 'changeNo': e.change_no::text null on null)`
    : documentSql(showing, { isDeletedShown: true, extra: [`'changeKind': ${kind}`] })
  const conditions = [`e.change_no < ${bound}`]
  if (query.onlyDeleted) conditions.push('e.deleted_at is not null')
  if (sinceTime) conditions.push(`e.valid_from >= ${sinceTime}`)
  if (query.after) {
    conditions.push(
      `(e.change_no, e.id) > (${parameters.add(query.after.changeNo)}::text::bigint, ${parameters.add(query.after.id)}::text::bigint)`,
    )
  }
  return readPage<ChangeRows>(tx, showing, {
    source: fromSql(parameters, source, ...conditions),
    order: 'e.change_no, e.id',
    document,
    position: 'json_build_array(e.change_no::text, e.id::text)',
    limit: query.limit,
    bytes: query.bytes,
    also: { bound: `${bound}::text` },
  })
}
