/** The statement that reads what has changed, in the order of change numbers. */
import type { Tx } from '#platform/db/pool.ts'

import { constantSql, isoSql, type Parameters } from './columns.rules.ts'
import { documentSql, keysSql, type Showing } from './document.rules.ts'
import { type DocumentRows, readPage } from './read.store.ts'
import { externalKeySql, fromSql, type Readable, type Source, versionNumbersSql, wasDeletedSql, withLostSql } from './source.rules.ts'

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

const numberSql = (parameters: Parameters, text: string) => `${parameters.add(text)}::text::bigint`

/** Which versions of a record the reader of a watermark has: the last one when its drain began, and what this has shown since. */
function knownSql(parameters: Parameters, source: Source, { after, since, sinceTime }: ChangeQuery): string {
  const shown = after ? `v.change_no <= ${numberSql(parameters, after.changeNo)}` : undefined
  if (since === undefined && sinceTime === undefined) return shown ?? 'false'
  const [column, at] =
    sinceTime === undefined
      ? ['change_no', numberSql(parameters, since ?? '0')]
      : ['valid_from', constantSql(`${parameters.add(sinceTime)}::text`, 'timestamptz')]
  // Changed-since takes a time inclusive, a number exclusive.
  const isBefore = (one: string) => `${one}.${column} ${sinceTime === undefined ? '<=' : '<'} ${at}`
  const last = `v.version = (select max(w.version) from ${versionNumbersSql(source)} w where w.id = e.id and ${isBefore('w')})`
  return shown === undefined ? last : `(${last} or (not ${isBefore('v')} and ${shown}))`
}

function tombstoneSql({ entity }: Source, keys: Source): string {
  return `json_object('eiRecordId': e.id, 'entityId': ${entity.entityId}, ${keysSql(keys).join(', ')}, 'externalKey': ${externalKeySql(keys)},
    'deletedDate': ${isoSql('e.deleted_at')}, 'deletedBy': e.modified_by, 'changeNo': e.change_no::text null on null)`
}

/**
 * Changes after a position in the order of their change numbers, all of them committed. A record that its reader does not see any more is told as deleted
 * where the version that they have was theirs to see, as that version.
 */
export async function listChanges(tx: Tx, readable: Readable, showing: Showing, query: ChangeQuery): Promise<ChangeRows> {
  const { parameters, source } = showing
  const { onlyDeleted } = query
  const bound = `(${parameters.add(query.epoch)}::int::bigint << 48 | pg_snapshot_xmin(pg_current_snapshot())::text::bigint)`
  // A parameter that no part of the statement uses has no type, and PostgreSQL refuses it.
  const since = query.since === undefined || onlyDeleted || query.sinceTime !== undefined ? undefined : numberSql(parameters, query.since)
  const sinceTime = query.sinceTime === undefined ? undefined : constantSql(`${parameters.add(query.sinceTime)}::text`, 'timestamptz')
  const isAdded = sinceTime ? `e.created_at >= ${sinceTime}` : since ? `e.created_change_no > ${since}` : 'true'
  const before = sinceTime ? `h.valid_from < ${sinceTime}` : since && `h.change_no <= ${since}`
  // Whoever has it as deleted gets it anew.
  const isRestored = before === undefined ? 'false' : wasDeletedSql(source, before)
  const kind = `case when e.deleted_at is not null then 'deleted' when ${isAdded} or ${isRestored} then 'added' else 'modified' end`
  const documentOf = (version: Source, changeKind: string) =>
    onlyDeleted
      ? tombstoneSql(source, version)
      : documentSql({ ...showing, source: version }, { isDeletedShown: true, extra: [`'changeKind': ${changeKind}`] })
  const lost = withLostSql(parameters, readable, {
    columns: (version) => `${documentOf(version, "'deleted'")} as lost`,
    known: (version) => knownSql(parameters, version, query),
  })
  const conditions = [`e.change_no < ${bound}`]
  if (onlyDeleted) conditions.push('e.deleted_at is not null')
  if (sinceTime) conditions.push(`e.valid_from >= ${sinceTime}`)
  if (query.after)
    conditions.push(`(e.change_no, e.id) > (${numberSql(parameters, query.after.changeNo)}, ${numberSql(parameters, query.after.id)})`)
  const document = documentOf(source, kind)
  return readPage<ChangeRows>(tx, showing, {
    source: lost
      ? `${lost.from} where ${[...conditions, `(${lost.seen} or k.lost is not null)`].join(' and ')}`
      : fromSql(parameters, source, ...conditions),
    order: 'e.change_no, e.id',
    document: lost ? `case when ${lost.seen} then ${document} else e.lost end` : document,
    position: 'json_build_array(e.change_no::text, e.id::text)',
    limit: query.limit,
    bytes: query.bytes,
    also: { bound: `${bound}::text` },
  })
}
