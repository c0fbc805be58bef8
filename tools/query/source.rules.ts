/** The records that a statement reads: each source is opened here, and only here is a table of records named. */
import { historyTable, recordTable } from '#platform/db/records.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.schema.ts'

import { constantSql, type Parameters, sqlTypeOf } from './columns.rules.ts'

/** An entity as its tables stand. */
export interface Readable {
  readonly catalog: Pick<Catalog, 'tenantId'>
  readonly entity: CatalogEntity
  /** Which columns the table has already: one that was attached and never written yet reads as empty. */
  readonly present: ReadonlySet<string>
}

/** Which rows of an entity: records that live, deleted ones too, or every version that a record had. */
type Rows = 'live' | 'withDeleted' | 'versions'

/** Records of one entity in a statement, under an alias. */
export interface Source {
  readonly tenantId: number
  readonly entity: CatalogEntity
  readonly present: ReadonlySet<string>
  readonly alias: string
  readonly rows: Rows
  /** ISO 8601: the records as they were then; undefined: as they are. */
  readonly asOf: string | undefined
}

export interface Opening {
  readonly alias?: string
  readonly rows?: Rows
  readonly asOf?: string | undefined
}

/**
 * Opens an entity's records for a statement. What a caller may see of an entity is decided here and told by `rowsOf` and `columnOf`, through which all SQL
 * on the source goes: no reader can forget it.
 */
export function openSource({ catalog, entity, present }: Readable, { alias = 'e', rows = 'live', asOf }: Opening = {}): Source {
  return { tenantId: catalog.tenantId, entity, present, alias, rows, asOf }
}

/** The rows of a source: a `from` item, and the conditions under which they are the records that it means. */
export function rowsOf(parameters: Parameters, source: Source): { readonly from: string; readonly conditions: readonly string[] } {
  const { tenantId, entity, alias, rows, asOf } = source
  const live = rows === 'live' ? [`${alias}.deleted_at is null`] : []
  if (rows !== 'versions' && asOf === undefined) return { from: `${recordTable(tenantId, entity.entityId)} ${alias}`, conditions: live }
  const at = asOf === undefined ? undefined : constantSql(`${parameters.add(asOf)}::text`, 'timestamptz')
  const then = at === undefined ? [] : [`${alias}.valid_from <= ${at}`, `${at} < ${alias}.valid_to`]
  return { from: `${versionsSql(source)} ${alias}`, conditions: [...then, ...live] }
}

/** The rows of a source that also fulfil these conditions, from behind the word `from` on. */
export function fromSql(parameters: Parameters, source: Source, ...conditions: readonly string[]): string {
  const rows = rowsOf(parameters, source)
  const all = [...rows.conditions, ...conditions]
  return `${rows.from} where ${all.length === 0 ? 'true' : all.join(' and ')}`
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
  'deleted_at',
  'modified_by',
  'workflow_instance_id',
] as const

/** The current version of each record and the superseded ones, every column of them, the long texts that history left to the next version filled in. */
function versionsSql({ tenantId, entity, present }: Source): string {
  const current = recordTable(tenantId, entity.entityId)
  const history = historyTable(tenantId, entity.entityId)
  const columns = entity.properties.filter((property) => present.has(`c${property.columnId}`))
  const later = (column: string, columnId: number) =>
    `case when ${columnId} = any(h.same_as_next) then coalesce(
       (select n.${column} from ${history} n where n.id = h.id and n.version > h.version and not (${columnId} = any(n.same_as_next)) order by n.version limit 1),
       (select c.${column} from ${current} c where c.id = h.id)) else h.${column} end as ${column}`
  // Those of history are found by the first version, as in a table that has no such column.
  const createdBy = present.has('created_by') ? 'created_by' : 'null::int as created_by'
  const ofHistory = columns.map((property) => {
    const column = `c${property.columnId}`
    return property.dataType === 'Text' && !property.isList ? later(column, property.columnId) : `h.${column}`
  })
  return `(select ${[...versionColumns, createdBy, ...columns.map((property) => `c${property.columnId}`), "'infinity'::timestamptz as valid_to"].join(', ')} from ${current}
    union all select ${[...versionColumns.map((column) => `h.${column}`), 'null::int', ...ofHistory, 'h.valid_to'].join(', ')} from ${history} h)`
}

/** The column of a property, or an empty value of its type. */
export function columnOf({ alias, present }: Source, property: CatalogProperty): string {
  const column = `c${property.columnId}`
  return present.has(column) ? `${alias}.${column}` : `null::${sqlTypeOf(property.dataType)}${property.isList ? '[]' : ''}`
}

/** Who made the first version. A row of a table without the column, or of one that got it since, has it in its history; 0 stands for nobody. */
export function createdBySql({ tenantId, entity, present, alias }: Source): string {
  const history = historyTable(tenantId, entity.entityId)
  const first = `case when ${alias}.version = 1 then ${alias}.modified_by
    else (select f.modified_by from ${history} f where f.id = ${alias}.id and f.version = 1) end`
  return present.has('created_by') ? `nullif(coalesce(${alias}.created_by, ${first}), 0)` : `(${first})`
}

/** The key parts that are not empty, joined. */
export function externalKeySql({ alias }: Source): string {
  return `concat_ws(' / ', nullif(${alias}.key1, ''), nullif(${alias}.key2, ''), nullif(${alias}.key3, ''))`
}
