/** Statements that write records: set-based, one for all rows of a chunk, with the superseded versions in the same statement. */
import type { Tx } from '#platform/db/pool.ts'
import { historyTable, recordTable } from '#platform/db/records.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { createParameters, documentSql, everythingOf, openSource } from '#tools/query/service.ts'

import { type FullRow, recordsetColumns, rowsJson } from './recordset.rules.ts'

const changeNumber = '(($2::int::bigint << 48) | pg_current_xact_id()::text::bigint)'

/** Who writes, and when. */
export interface WriteStamp {
  readonly epoch: number
  readonly stamp: string
  readonly tenantUserId: number
  /** Whether the statement answers the records that it wrote. */
  readonly withDocuments: boolean
}

/** A record as a statement has written it. */
export interface Written {
  readonly version: number
  /** As JSON text, where it was asked for. */
  readonly document?: string
}

interface WrittenRow extends Written {
  readonly id: number
}

/** What a writing statement returns of the record's row `e`, after the parameters that it has already. */
function documentReturned(
  tenantId: number,
  entity: CatalogEntity,
  withDocuments: boolean,
  given: readonly unknown[],
): { returned: string; parameters: unknown[] } {
  const parameters = createParameters()
  for (const value of given) parameters.add(value)
  const present = new Set(['created_by', ...entity.properties.map((property) => `c${property.columnId}`)])
  const returned = withDocuments
    ? `, (${documentSql({ source: openSource({ catalog: { tenantId }, entity, present, sight: undefined }), shown: everythingOf(entity), parameters })})::text as document`
    : ''
  return { returned, parameters: [...parameters.list] }
}

/** Inserts new records; answers those that went in, by id. One whose key or number somebody else has just taken is left out. */
export async function insertRecords(
  tx: Tx,
  tenantId: number,
  entity: CatalogEntity,
  by: WriteStamp,
  rows: readonly FullRow[],
): Promise<Map<number, Written>> {
  const columns = entity.properties.map((property) => `c${property.columnId}`)
  const { returned, parameters } = documentReturned(tenantId, entity, by.withDocuments, [
    rowsJson(entity, rows),
    by.epoch,
    by.stamp,
    by.tenantUserId || null,
  ])
  const inserted = await tx.unsafe<WrittenRow[]>(
    `insert into ${recordTable(tenantId, entity.entityId)} as e
       (id, parent_id, key1, key2, key3, row_hash, version, valid_from, created_at, created_by, created_change_no, change_no, modified_by${columns.map((c) => `, ${c}`).join('')})
     select r.id, r.p, r.k1, r.k2, r.k3, decode(r.h, 'hex'), 1, $3::text::timestamptz, $3::text::timestamptz, coalesce($4::int, 0), ${changeNumber}, ${changeNumber}, $4::int${columns.map((c) => `, r.${c}`).join('')}
     from json_to_recordset($1::text::json) as r(${recordsetColumns(entity)})
     on conflict do nothing
     returning e.id, e.version${returned}`,
    parameters,
    { prepare: true },
  )
  return new Map(inserted.map((row) => [row.id, row]))
}

const versionColumns = [
  'id',
  'parent_id',
  'key1',
  'key2',
  'key3',
  'row_hash',
  'version',
  'valid_from',
  'created_at',
  'created_change_no',
  'deleted_at',
  'deletion_id',
  'change_no',
  'modified_by',
  'workflow_instance_id',
] as const

/** Texts longer than this are not copied into history while the next version still has them. */
const longText = 1_000

/** The columns that history copies from a superseded row, and how; `o` holds the old row, `n` the new. */
function historyCopy(entity: CatalogEntity): { columns: string[]; values: string[]; sameAsNext: string } {
  const columns: string[] = [...versionColumns]
  const values = columns.map((column) => `u.${column}`)
  const same: string[] = []
  for (const property of entity.properties) {
    const column = `c${property.columnId}`
    columns.push(column)
    if (property.dataType === 'Text' && !property.isList) {
      values.push(`case when u.s${property.columnId} then null else u.${column} end`)
      same.push(`case when u.s${property.columnId} then ${property.columnId} end`)
    } else values.push(`u.${column}`)
  }
  return { columns, values, sameAsNext: same.length > 0 ? `array_remove(array[${same.join(', ')}]::int[], null)` : `'{}'::int[]` }
}

/** What an update returns of the old row, by name; `s<id>` tells that a long text is unchanged. */
function returningOld(entity: CatalogEntity): string {
  const own = entity.properties.map((property) => `old.c${property.columnId}`)
  const same = entity.properties
    .filter((property) => property.dataType === 'Text' && !property.isList)
    .map(
      (property) =>
        `coalesce(length(old.c${property.columnId}) > ${longText} and old.c${property.columnId} = new.c${property.columnId}, false) as s${property.columnId}`,
    )
  return [
    ...versionColumns.map((column) => `old.${column}`),
    ...own,
    ...same,
    'new.valid_from as next_from',
    'new.change_no as next_change',
    'new.version as next_version',
  ].join(', ')
}

/** The rest of an updating statement: history of what was superseded. A second change in one transaction leaves none. */
function withHistory(tenantId: number, entity: CatalogEntity, update: string, returned = ''): string {
  const { columns, values, sameAsNext } = historyCopy(entity)
  return `with u as (${update} returning ${returningOld(entity)}${returned}),
    h as (insert into ${historyTable(tenantId, entity.entityId)} (${columns.join(', ')}, valid_to, same_as_next)
      select ${values.join(', ')}, u.next_from, ${sameAsNext} from u where u.change_no <> u.next_change)
    select id, next_version as version${returned === '' ? '' : ', document'} from u`
}

/** Which records a transaction has updated so far. */
const updatedIn = new WeakMap<Tx, Set<number>>()

/**
 * Gives the versions before these records' their long texts, which they had left to the records as they stood: what the transaction changes for a second
 * time it changes under them. They are written anew, since nobody may alter history; a column of a property that is gone leaves with that.
 */
async function fillBefore(tx: Tx, tenantId: number, entity: CatalogEntity, ids: readonly number[]): Promise<void> {
  const texts = entity.properties.filter((property) => property.dataType === 'Text' && !property.isList)
  if (ids.length === 0 || texts.length === 0) return
  const own = entity.properties.map(({ columnId }) => `c${columnId}`)
  const isText = new Set(texts.map(({ columnId }) => `c${columnId}`))
  const filled = own.map((c) => (isText.has(c) ? `case when ${c.slice(1)} = any(h.same_as_next) then e.${c} else h.${c} end` : `h.${c}`))
  const history = historyTable(tenantId, entity.entityId)
  const current = recordTable(tenantId, entity.entityId)
  await tx.unsafe(
    `with h as (delete from ${history} h using ${current} e
       where e.id = any($1::bigint[]) and h.id = e.id and h.version = e.version - 1 and h.same_as_next <> '{}' returning h.*)
     insert into ${history} (${[...versionColumns, ...own, 'valid_to'].join(', ')})
     select ${[...versionColumns.map((column) => `h.${column}`), ...filled, 'h.valid_to'].join(', ')} from h join ${current} e on e.id = h.id`,
    [ids] as never[],
  )
}

/** How a version follows another: overwritten inside one transaction, raised otherwise. */
const nextVersion = `version = case when e.change_no = ${changeNumber} then e.version else e.version + 1 end`

/**
 * Updates records to these values where they are still the version that was read; answers those that were, as an insert does. `isLate` takes the old row's time
 * where it is later than this transaction's, instead of leaving the row out. What the transaction has made or changed before keeps its version.
 */
export async function updateRecords(
  tx: Tx,
  tenantId: number,
  entity: CatalogEntity,
  by: WriteStamp & { readonly isLate: boolean },
  rows: readonly FullRow[],
): Promise<Map<number, Written>> {
  const columns = entity.properties.map((property) => `c${property.columnId} = r.c${property.columnId}`)
  // Who made a record that is older than the column is in its history; the change that leads past it writes it down.
  const createdBy = `coalesce(e.created_by, case when e.version = 1 then e.modified_by
      else (select f.modified_by from ${historyTable(tenantId, entity.entityId)} f where f.id = e.id and f.version = 1) end, 0)`
  const update = `update ${recordTable(tenantId, entity.entityId)} e
    set parent_id = r.p, key1 = r.k1, key2 = r.k2, key3 = r.k3, row_hash = decode(r.h, 'hex'), ${nextVersion},
      valid_from = greatest(e.valid_from, $3::text::timestamptz), change_no = ${changeNumber}, modified_by = $4::int, created_by = ${createdBy}${columns.map((c) => `, ${c}`).join('')}
    from json_to_recordset($1::text::json) as r(${recordsetColumns(entity)})
    where e.id = r.id and e.version = r.v and e.deleted_at is null and ($5::boolean or e.valid_from <= $3::text::timestamptz)`
  const { returned, parameters } = documentReturned(tenantId, entity, by.withDocuments, [
    rowsJson(entity, rows),
    by.epoch,
    by.stamp,
    by.tenantUserId || null,
    by.isLate,
  ])
  const earlier = updatedIn.get(tx) ?? new Set()
  const again = rows.flatMap(({ id }) => (earlier.has(id) ? id : []))
  await fillBefore(tx, tenantId, entity, again)
  const updated = await tx.unsafe<WrittenRow[]>(withHistory(tenantId, entity, update, returned), parameters, { prepare: true })
  for (const { id } of updated) earlier.add(id)
  updatedIn.set(tx, earlier)
  return new Map(updated.map((row) => [row.id, row]))
}

/** Marks live records as deleted under one deletion id: a new version in the current table. Answers those that were live, by id. */
export async function markDeleted(
  tx: Tx,
  tenantId: number,
  entity: CatalogEntity,
  by: { epoch: number; stamp: string; tenantUserId: number; deletionId: number },
  ids: readonly number[],
): Promise<Map<number, Written>> {
  const update = `update ${recordTable(tenantId, entity.entityId)} e
    set deleted_at = greatest(e.valid_from, $3::text::timestamptz), deletion_id = $5::bigint, ${nextVersion},
      valid_from = greatest(e.valid_from, $3::text::timestamptz), change_no = ${changeNumber}, modified_by = $4::int
    where e.id = any($1::bigint[]) and e.deleted_at is null`
  const rows = await tx.unsafe<WrittenRow[]>(
    withHistory(tenantId, entity, update),
    [ids, by.epoch, by.stamp, by.tenantUserId || null, by.deletionId] as never[],
    { prepare: true },
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Makes deleted records live again: a new version without the deletion. Answers those that were deleted, by id. */
export async function markRestored(
  tx: Tx,
  tenantId: number,
  entity: CatalogEntity,
  by: { epoch: number; stamp: string; tenantUserId: number },
  ids: readonly number[],
): Promise<Map<number, Written>> {
  const update = `update ${recordTable(tenantId, entity.entityId)} e
    set deleted_at = null, deletion_id = null, ${nextVersion},
      valid_from = greatest(e.valid_from, $3::text::timestamptz), change_no = ${changeNumber}, modified_by = $4::int
    where e.id = any($1::bigint[]) and e.deleted_at is not null`
  const rows = await tx.unsafe<WrittenRow[]>(
    withHistory(tenantId, entity, update),
    [ids, by.epoch, by.stamp, by.tenantUserId || null] as never[],
    { prepare: true },
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** A number for one deletion with all that it takes along. */
export async function nextDeletionId(tx: Tx, tenantId: number): Promise<number> {
  const [row] = await tx.unsafe<{ id: number }[]>(`select nextval('t_${tenantId}.deletion') as id`)
  if (!row) throw new Error('The sequence gave no number')
  return row.id
}
