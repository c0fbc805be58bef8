/** Statements on everything that an entity has, for who takes all of it along. */
import type { Tx } from '#platform/db/pool.ts'
import { linkTable } from '#platform/db/records.ts'

import { createParameters, isoSql, type Parameters } from './columns.rules.ts'
import { documentSql, showing as showingOf } from './document.rules.ts'
import { run } from './read.store.ts'
import { fromSql, openSource, type Readable } from './source.rules.ts'

/** Behind which version of which record a page begins. */
export interface VersionPlace {
  readonly id: number
  readonly version: number
}

export interface WholeRow extends VersionPlace {
  /** JSON text; null behind the bytes of a page: it stays in the database. */
  readonly line: string | null
}

/** Opens rows in an order, with lines until these have so many bytes and one line passes them: what follows is counted and does not travel. */
function openLines(
  tx: Tx,
  parameters: Parameters,
  { document, rows, order }: { document: string; rows: string; order: string },
  bytes: number,
) {
  return run(
    tx,
    `declare whole_rows no scroll cursor for
     select id, version, case when sum(octet_length(line)) over (rows unbounded preceding) - octet_length(line) < ${bytes} then line end as line
     from (select e.id, e.version, (${document})::text as line from ${rows} order by ${order} offset 0) lines`,
    parameters,
  )
}

const columnsOf = (readable: Readable) => ({ properties: readable.entity.properties, withDataJson: false })

function extra(alias: string): string[] {
  const end = `case when ${alias}.valid_to <> 'infinity' then ${isoSql(`${alias}.valid_to`)} end`
  return [`'version': ${alias}.version`, `'validTo': ${end}`]
}

/** Opens the records that live, from behind one on. `fetchWhole` then takes them, in the same transaction. */
export async function openRecords(tx: Tx, readable: Readable, after: number, bytes: number): Promise<void> {
  const showing = showingOf(readable, columnsOf(readable))
  const { parameters, source } = showing
  const rows = fromSql(parameters, source, `e.id > ${parameters.add(String(after))}::text::bigint`)
  const document = documentSql(showing, { extra: [`'version': e.version`] })
  await openLines(tx, parameters, { document, rows, order: 'e.id' }, bytes)
}

/** The id of the last of the next `atMost` records, deleted ones too; undefined where none follows. */
export async function findBound(tx: Tx, readable: Readable, after: number, atMost: number): Promise<number | undefined> {
  const parameters = createParameters()
  const source = openSource(readable, { rows: 'withDeleted' })
  const rows = fromSql(parameters, source, `e.id >= ${parameters.add(String(after))}::text::bigint`)
  const [row] = await run<{ id: number | null }>(
    tx,
    `select max(id) as id from (select e.id from ${rows} order by e.id limit ${atMost}) next`,
    parameters,
  )
  return row?.id ?? undefined
}

/** Opens the versions that are over, and the last ones of deleted records, from behind a version on up to a record. */
export async function openVersions(tx: Tx, readable: Readable, after: VersionPlace, upTo: number, bytes: number): Promise<void> {
  const showing = showingOf(readable, columnsOf(readable), { rows: 'versions' })
  const { parameters, source } = showing
  const id = `${parameters.add(String(after.id))}::text::bigint`
  const rows = fromSql(
    parameters,
    source,
    `e.id >= ${id}`,
    `e.id <= ${parameters.add(String(upTo))}::text::bigint`,
    `(e.id > ${id} or e.version > ${parameters.add(String(after.version))}::text::bigint)`,
    `(e.valid_to <> 'infinity' or e.deleted_at is not null)`,
  )
  const document = documentSql(showing, { isDeletedShown: true, extra: extra('e') })
  await openLines(tx, parameters, { document, rows, order: 'e.id, e.version' }, bytes)
}

/** The next of those that were opened. */
export async function fetchWhole(tx: Tx, count: number): Promise<WholeRow[]> {
  return tx.unsafe<WholeRow[]>(`fetch ${count} from whole_rows`)
}

/** Behind which link of which two records a page begins. */
export type LinkPlace = readonly [one: number, other: number, since: string]

/** Peers of all entities with the time that each link held, in their order. */
export async function listLinks(
  tx: Tx,
  tenantId: number,
  after: LinkPlace | undefined,
  limit: number,
): Promise<{ readonly line: string; readonly place: LinkPlace }[]> {
  const parameters = createParameters()
  const behind =
    after === undefined
      ? 'true'
      : `(record_a, record_b, linked_at) > (${parameters.add(String(after[0]))}::text::bigint, ${parameters.add(String(after[1]))}::text::bigint, ${parameters.add(after[2])}::text::timestamptz)`
  return run(
    tx,
    `select json_object('entityId': entity_a, 'eiRecordId': record_a, 'peerEntityId': entity_b, 'peerEIRecordId': record_b,
        'linkedDate': ${isoSql('linked_at')}, 'linkedBy': linked_by, 'unlinkedDate': ${isoSql('unlinked_at')}, 'unlinkedBy': unlinked_by)::text as line,
      json_build_array(record_a, record_b, linked_at::text) as place
    from ${linkTable(tenantId)} where ${behind}
    order by record_a, record_b, linked_at limit ${limit}`,
    parameters,
  )
}
