/** The records that a statement reads: each source is opened here, and only here is a table of records named. */
import { historyTable, linkTable, recordTable } from '#platform/db/records.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

import { constantSql, type Parameters, sqlTypeOf } from './columns.rules.ts'
import { hashPads, rulesFor, seesEveryRow, type Sight, showingRules } from './sight.rules.ts'

/** An entity as its tables stand. */
export interface Readable {
  readonly catalog: Pick<Catalog, 'tenantId'>
  readonly entity: CatalogEntity
  /** Which columns the table has already: one that was attached and never written yet reads as empty. */
  readonly present: ReadonlySet<string>
  /** What the caller sees of it; undefined: everything. */
  readonly sight: Sight | undefined
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
  readonly sight: Sight | undefined
  /** Instead of one time: a time of the statement itself, as an expression. */
  readonly at: string | undefined
  /** What sight is asked of: the record as it stands, or each version by itself. */
  readonly judged: 'record' | 'version'
  /** It is joined to others, and there may be no record of it beside them. */
  readonly isOptional?: boolean | undefined
}

export interface Opening {
  readonly alias?: string
  readonly rows?: Rows
  readonly asOf?: string | undefined
  readonly at?: string | undefined
  readonly judged?: Source['judged']
  readonly isOptional?: boolean
}

/**
 * Opens an entity's records for a statement. What a caller may see of an entity is decided here and told by `rowsOf` and `columnOf`, through which all SQL
 * on the source goes: no reader can forget it.
 */
export function openSource(
  { catalog, entity, present, sight }: Readable,
  { alias = 'e', rows = 'live', asOf, at, judged = 'record', isOptional }: Opening = {},
): Source {
  return { tenantId: catalog.tenantId, entity, present, alias, rows, asOf, at, sight, judged, isOptional }
}

/** The time that the records are read as of. */
function timeSql(parameters: Parameters, { asOf, at }: Source): string | undefined {
  return at ?? (asOf === undefined ? undefined : constantSql(`${parameters.add(asOf)}::text`, 'timestamptz'))
}

/** The rows of a source: a `from` item, and the conditions under which they are the records that it means. */
export function rowsOf(parameters: Parameters, source: Source): { readonly from: string; readonly conditions: readonly string[] } {
  const { tenantId, entity, alias, rows } = source
  if (source.present.size === 0) return { from: noRowsSql(source), conditions: [] }
  const live = rows === 'live' ? [`${alias}.deleted_at is null`] : []
  const seen = seenSql(source)
  const flags = flagsSql(parameters, source)
  const table = recordTable(tenantId, entity.entityId)
  const isPresent = source.asOf === undefined && source.at === undefined
  if (rows !== 'versions' && isPresent) {
    const from = flags.length === 0 ? `${table} ${alias}` : `(select t.*, ${flags.join(', ')} from ${table} t) ${alias}`
    return { from, conditions: [...live, ...seen] }
  }
  const at = timeSql(parameters, source)
  const then = at === undefined ? [] : [`${alias}.valid_from <= ${at}`, `${at} < ${alias}.valid_to`]
  const versions = versionsSql(source)
  if (source.judged === 'version' && flags.length > 0)
    return { from: `(select t.*, ${flags.join(', ')} from ${versions} t) ${alias}`, conditions: [...then, ...live, ...seen] }
  // Whether somebody sees a record is asked of it as it stands, whenever its versions are from.
  const from =
    flags.length === 0
      ? `${versions} ${alias}`
      : `(select v.*, ${flagNames(source)
          .map((name) => `s.${name}`)
          .join(', ')} from ${versions} v join (select t.id, ${flags.join(', ')} from ${table} t) s on s.id = v.id) ${alias}`
  return { from, conditions: [...then, ...live, ...seen] }
}

/** In place of a table that nobody has needed yet: its columns, and no rows. */
function noRowsSql(source: Source): string {
  const columns = [
    'null::bigint as id, null::bigint as parent_id, null::text as key1, null::text as key2, null::text as key3, null::int as version',
    'null::timestamptz as valid_from, null::timestamptz as created_at, null::int as modified_by, null::bigint as workflow_instance_id',
    ...flagNames(source).map((name) => `false as ${name}`),
  ]
  return `(select ${columns.join(', ')} where false) ${source.alias}`
}

/** The columns that tell which of the caller's reading rules hold for a row; none where they need not be asked. */
function flagNames({ sight }: Source): string[] {
  const reading = sight ? rulesFor(sight, 'read') : []
  return reading.some((rule) => rule.holds !== undefined) ? reading.map((_, index) => `sees_${index}`) : []
}

function flagsSql(parameters: Parameters, source: Source): string[] {
  const reading = source.sight && flagNames(source).length > 0 ? rulesFor(source.sight, 'read') : []
  return reading.map(
    ({ holds }, index) => `${holds === undefined ? 'true' : `coalesce(${holds(parameters, 't')}, false)`} as sees_${index}`,
  )
}

/**
 * Records, the seen ones and those of which an earlier version was seen: `lost` makes the columns of that version, under the alias `v`, out of the
 * conditions under which it was known. Undefined where every row is seen, or none.
 */
export function withLostSql(
  parameters: Parameters,
  readable: Readable,
  lost: { readonly columns: (version: Source) => string; readonly known: (version: Source) => string },
) {
  const source = openSource(readable, { rows: 'withDeleted' })
  if (flagNames(source).length === 0 || seenSql(source).length === 0) return undefined
  const [seen] = seenSql(source)
  const { from } = rowsOf(parameters, source)
  const version = openSource(readable, { alias: 'v', rows: 'versions', judged: 'version' })
  const before = fromSql(parameters, version, 'v.id = e.id', 'v.deleted_at is null', lost.known(version))
  const found = `left join lateral (select ${lost.columns(version)} from ${before} order by v.version desc limit 1) k on not ${seen}`
  return { from: `${from} ${found}`, seen: String(seen) }
}

/** The condition under which a row is the caller's to see. */
function seenSql(source: Source): string[] {
  const { sight, alias } = source
  if (!sight || seesEveryRow(sight)) return []
  const flags = flagNames(source).map((name) => `${alias}.${name}`)
  return [flags.length === 0 ? 'false' : `(${flags.join(' or ')})`]
}

/** Whether the caller sees the property in a row: always, never, or as the expression says. */
function shownSql({ sight, alias }: Source, property: CatalogProperty): true | false | string {
  if (!sight) return true
  const showing = showingRules(sight, property)
  if (showing === 'everywhere' || showing === 'nowhere') return showing === 'everywhere'
  return `(${showing.map((index) => `${alias}.sees_${index}`).join(' or ')})`
}

/** Whether the caller sees the property in no row at all. */
export function isWithheld({ sight }: Pick<Source, 'sight'>, property: CatalogProperty): boolean {
  return sight !== undefined && showingRules(sight, property) === 'nowhere'
}

/** A value where the caller sees the property it is of, else `otherwise`. */
function shownOr(source: Source, property: CatalogProperty, value: string, otherwise: string): string {
  const shown = shownSql(source, property)
  if (typeof shown === 'boolean') return shown ? value : otherwise
  return `case when ${shown} then ${value} else ${otherwise} end`
}

/** The names of what is withheld in a row, as a list; undefined where that is nothing in any row. */
export function withheldSql(source: Source): string | undefined {
  const { properties } = source.entity
  const parts = properties.flatMap((property) => {
    const shown = shownSql(source, property)
    if (shown === true) return []
    return shown === false ? `'${property.internalName}'` : `case when not ${shown} then '${property.internalName}' end`
  })
  return parts.length === 0 ? undefined : `array_remove(array[${parts.join(', ')}]::text[], null)`
}

/** The row hash as digits. Who may not see all of a record gets another in its place: the formula is public, and a short hidden value can be tried out. */
export function rowHashSql(parameters: Parameters, source: Source): string {
  const hash = `${source.alias}.row_hash`
  const plain = `upper(encode(${hash}, 'hex'))`
  const withheld = withheldSql(source)
  if (withheld === undefined || source.sight === undefined) return plain
  const [inner, outer] = hashPads(source.sight.hashKey).map((pad) => `decode(${parameters.add(pad)}::text, 'hex')`)
  const sealed = `upper(encode(substring(sha256(${outer} || sha256(${inner} || ${hash})) for 20), 'hex'))`
  return `case when cardinality(${withheld}) = 0 then ${plain} else ${sealed} end`
}

/** A part of the key, empty where the property that it follows from is withheld. */
export function keySql(source: Source, part: 1 | 2 | 3): string {
  const property = source.sight && source.entity.properties.find((one) => one.keyPart === part)
  const column = `${source.alias}.key${part}`
  return property ? shownOr(source, property, column, `''`) : column
}

/** The rows of a source that also fulfil these conditions, from behind the word `from` on. */
export function fromSql(parameters: Parameters, source: Source, ...conditions: readonly string[]): string {
  const rows = rowsOf(parameters, source)
  const all = [...rows.conditions, ...conditions]
  return `${rows.from} where ${all.length === 0 ? 'true' : all.join(' and ')}`
}

/** Pairs of peers, `one` and `other`, each pair in both directions: as they are, or as they were at the time of a source. */
export function peersSql(parameters: Parameters, source: Source): string {
  const { tenantId } = source
  const at = timeSql(parameters, source)
  const holds = at === undefined ? 'unlinked_at is null' : `linked_at <= ${at} and (unlinked_at is null or ${at} < unlinked_at)`
  return `(select record_a as one, record_b as other from ${linkTable(tenantId)} where ${holds}
    union all select record_b, record_a from ${linkTable(tenantId)} where ${holds})`
}

/** The link that a source's row has to the record of an id, which is a parameter: as it is, or as it was at the time of the source. */
export function linkSql(parameters: Parameters, { tenantId, alias, asOf }: Source, id: string): string {
  const at = asOf === undefined ? undefined : constantSql(`${parameters.add(asOf)}::text`, 'timestamptz')
  const holds = at === undefined ? 'unlinked_at is null' : `linked_at <= ${at} and (unlinked_at is null or ${at} < unlinked_at)`
  const other = `${id}::text::bigint`
  return `(select linked_at, linked_by from ${linkTable(tenantId)}
    where record_a = least(${alias}.id, ${other}) and record_b = greatest(${alias}.id, ${other}) and ${holds} limit 1)`
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
  'change_no',
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

/** The numbers of every version of each record, with the change and the time that made it. */
export function versionNumbersSql({ tenantId, entity }: Source): string {
  const columns = 'id, version, change_no, valid_from'
  return `(select ${columns} from ${recordTable(tenantId, entity.entityId)} union all select ${columns} from ${historyTable(tenantId, entity.entityId)})`
}

/** Whether a record was deleted in the last of its superseded versions, under the alias `h`, that fulfils a condition; null where there is none. */
export function wasDeletedSql({ tenantId, entity, alias }: Source, condition: string): string {
  return `(select h.deleted_at is not null from ${historyTable(tenantId, entity.entityId)} h where h.id = ${alias}.id and ${condition} order by h.version desc limit 1)`
}

/** The column of a property, or an empty value of its type: where there is none yet, and where it is withheld. */
export function columnOf(source: Source, property: CatalogProperty): string {
  const { alias, present } = source
  const column = `c${property.columnId}`
  const none = `null::${sqlTypeOf(property.dataType)}${property.isList ? '[]' : ''}`
  if (!present.has(column)) return none
  return source.sight ? shownOr(source, property, `${alias}.${column}`, none) : `${alias}.${column}`
}

/** Who made the first version. A row of a table without the column, or of one that got it since, has it in its history; 0 stands for nobody. */
export function createdBySql({ tenantId, entity, present, alias }: Source): string {
  if (present.size === 0) return 'null::int'
  const history = historyTable(tenantId, entity.entityId)
  const first = `case when ${alias}.version = 1 then ${alias}.modified_by
    else (select f.modified_by from ${history} f where f.id = ${alias}.id and f.version = 1) end`
  return present.has('created_by') ? `nullif(coalesce(${alias}.created_by, ${first}), 0)` : `(${first})`
}

/** The key parts that are not empty, joined. */
export function externalKeySql(source: Source): string {
  const parts = ([1, 2, 3] as const).map((part) => `nullif(${keySql(source, part)}, '')`)
  return `concat_ws(' / ', ${parts.join(', ')})`
}
