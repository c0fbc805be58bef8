/** Compiles a query tree to SQL. Identifiers come from the catalog alone, values are always parameters. */
import { historyTable, type RecordColumn } from '#platform/db/records.ts'
import type { CatalogEntity, CatalogProperty, DataType } from '#tools/entities/catalog.schema.ts'
import type { Scalar } from '#tools/properties/service.ts'

import type { Field, QueryNode, RuleNode, SortKey } from './parse.rules.ts'

const sqlTypes: Readonly<Record<DataType, RecordColumn['sqlType']>> = {
  Number: 'float8',
  Currency: 'numeric',
  DateTime: 'timestamptz',
  DateOnly: 'date',
  TimeOnly: 'time',
  Text: 'text',
  Choice: 'int',
  Hierarchy: 'int',
  Boolean: 'boolean',
  Attachment: 'uuid',
  Signature: 'uuid',
  Binary: 'uuid',
}

export function sqlTypeOf(dataType: DataType): RecordColumn['sqlType'] {
  return sqlTypes[dataType]
}

/** Whether the server gives a new record its value. */
export function isNumbered({ numbering }: CatalogProperty): boolean {
  return (numbering ?? null) !== null
}

/** The columns that an entity's tables must have. */
export function columnsOf(entity: CatalogEntity): RecordColumn[] {
  return entity.properties.map((property) => ({
    columnId: property.columnId,
    sqlType: sqlTypes[property.dataType],
    isList: property.isList,
    isNumbered: isNumbered(property),
  }))
}

/** Collects parameters while a statement is compiled; `$1` is the first. */
export interface Parameters {
  readonly list: readonly unknown[]
  /** Adds a value and answers its placeholder. */
  add(value: unknown): string
}

export function createParameters(): Parameters {
  const list: unknown[] = []
  return { list, add: (value) => `$${list.push(value)}` }
}

/** Which columns the table has already: one that was attached and never written yet reads as empty. */
export interface Compiling {
  readonly tenantId: number
  readonly entity: CatalogEntity
  readonly present: ReadonlySet<string>
  readonly parameters: Parameters
  /** The alias of the record row. */
  readonly alias: string
}

const isoFormat = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** A timestamptz as the wire shows it. */
export function isoSql(expression: string): string {
  return `to_char(${expression}, ${isoFormat})`
}

/** The column of a property, or an empty value of its type. */
export function columnSql(compiling: Compiling, property: CatalogProperty): string {
  const column = `c${property.columnId}`
  const type = `${sqlTypes[property.dataType]}${property.isList ? '[]' : ''}`
  return compiling.present.has(column) ? `${compiling.alias}.${column}` : `null::${type}`
}

/** The value of a column as JSON: `canonical` keeps option ids, for merging and hashing; `wire` shows option names. */
export function valueSql(compiling: Compiling, property: CatalogProperty, form: 'wire' | 'canonical'): string {
  const column = columnSql(compiling, property)
  const show = (one: string): string => {
    switch (property.dataType) {
      case 'DateTime':
        return isoSql(one)
      case 'DateOnly':
      case 'TimeOnly':
        return `${one}::text`
      case 'Choice':
      case 'Hierarchy':
        // As text: one jsonb among the values would make jsonb of the whole record, whose fields then stand in another order.
        return form === 'wire' ? `(${optionNames(compiling, property)} ->> ${one}::text)` : one
      case 'Number':
      case 'Currency':
      case 'Text':
      case 'Boolean':
      case 'Attachment':
      case 'Signature':
      case 'Binary':
        return one
    }
  }
  if (!property.isList) return show(column)
  // Once only: each showing of an option adds a parameter.
  const one = show('v')
  if (one === 'v') return `to_json(${column})`
  return `(select json_agg(${one} order by n) from unnest(${column}) with ordinality as u(v, n))`
}

const optionJson = new WeakMap<CatalogProperty, string>()

function optionNames(compiling: Compiling, property: CatalogProperty): string {
  let json = optionJson.get(property)
  if (json === undefined) {
    const shown = [...property.options, ...(property.retiredOptions ?? [])]
    json = JSON.stringify(Object.fromEntries(shown.map((option) => [option.optionId, option.internalName])))
    optionJson.set(property, json)
  }
  return `${compiling.parameters.add(json)}::text::jsonb`
}

function fieldSql(compiling: Compiling, field: Field): string {
  const { alias } = compiling
  if ('property' in field) return columnSql(compiling, field.property)
  switch (field.system) {
    case 'eiRecordId':
      return `${alias}.id`
    case 'entityId':
      return `${compiling.entity.entityId}::bigint`
    case 'parentEIRecordId':
      return `${alias}.parent_id`
    case 'key1':
    case 'key2':
    case 'key3':
      return `${alias}.${field.system}`
    case 'externalKey':
      return externalKeySql(alias)
    case 'workflowInstanceId':
      return `${alias}.workflow_instance_id`
    case 'createdDate':
      return `${alias}.created_at`
    case 'createdBy':
      return createdBySql(compiling)
    case 'modifiedDate':
      return `${alias}.valid_from`
    case 'modifiedBy':
      return `${alias}.modified_by`
  }
}

/** Who made the first version. A row of a table without the column, or of one that got it since, has it in its history; 0 stands for nobody. */
export function createdBySql({ tenantId, entity, present, alias }: Compiling): string {
  const history = historyTable(tenantId, entity.entityId)
  const first = `case when ${alias}.version = 1 then ${alias}.modified_by
    else (select f.modified_by from ${history} f where f.id = ${alias}.id and f.version = 1) end`
  return present.has('created_by') ? `nullif(coalesce(${alias}.created_by, ${first}), 0)` : `(${first})`
}

/** The key parts that are not empty, joined. */
export function externalKeySql(alias: string): string {
  return `concat_ws(' / ', nullif(${alias}.key1, ''), nullif(${alias}.key2, ''), nullif(${alias}.key3, ''))`
}

function typeOfField(field: Field): string {
  if ('property' in field) return sqlTypes[field.dataType]
  return field.dataType === 'Number' ? 'bigint' : sqlTypes[field.dataType]
}

/** A text as a value of a type. Reading a time depends on settings, so PostgreSQL would read it again for every row; as a sub-query it is read once. */
export function constantSql(text: string, type: string): string {
  return type === 'timestamptz' || type === 'date' || type === 'time' ? `(select ${text}::${type})` : `${text}::${type}`
}

function likePattern(op: string, text: string): string {
  const plain = text.replaceAll(/[\\%_]/g, (special) => `\\${special}`)
  if (op === 'startsWith') return `${plain}%`
  if (op === 'endsWith') return `%${plain}`
  return `%${plain}%`
}

/** A positive comparison of one value; on a list it holds when any element does. */
function positiveSql(compiling: Compiling, rule: RuleNode, op: RuleNode['op']): string {
  const { parameters } = compiling
  const type = typeOfField(rule.field)
  const column = fieldSql(compiling, rule.field)
  const isList = 'property' in rule.field && rule.field.property.isList
  const param = (value: Scalar | undefined) => constantSql(`${parameters.add(String(value))}::text`, type)
  const compare = (one: string): string => {
    const [first, second] = rule.values
    switch (op) {
      case 'eq':
        return `${one} = ${param(first)}`
      case 'gt':
        return `${one} > ${param(first)}`
      case 'gte':
        return `${one} >= ${param(first)}`
      case 'lt':
        return `${one} < ${param(first)}`
      case 'lte':
        return `${one} <= ${param(first)}`
      case 'between':
        return `${one} between ${param(first)} and ${param(second)}`
      case 'in':
        return `${one} = any(array(select jsonb_array_elements_text(${parameters.add(JSON.stringify(rule.values.map(String)))}::text::jsonb)::${type}))`
      case 'contains':
      case 'startsWith':
      case 'endsWith':
        return `${one} ilike ${parameters.add(likePattern(op, String(first)))}::text`
      default:
        throw new Error(`${op} is not a positive comparison`)
    }
  }
  if (!isList) return compare(column)
  return `exists (select from unnest(${column}) as u(v) where ${compare('u.v')})`
}

function emptySql(compiling: Compiling, field: Field): string {
  const column = fieldSql(compiling, field)
  return typeOfField(field) === 'text' && !('property' in field && field.property.isList)
    ? `(${column} is null or ${column} = '')`
    : `${column} is null`
}

function ruleSql(compiling: Compiling, rule: RuleNode): string {
  switch (rule.op) {
    case 'isEmpty':
      return emptySql(compiling, rule.field)
    case 'isNotEmpty':
      return `not (${emptySql(compiling, rule.field)})`
    // The negations hold for empty values, for which the comparison itself is neither true nor false.
    case 'ne':
      return `(${positiveSql(compiling, rule, 'eq')}) is not true`
    case 'notIn':
      return `(${positiveSql(compiling, rule, 'in')}) is not true`
    case 'notContains':
      return `(${positiveSql(compiling, rule, 'contains')}) is not true`
    default:
      return positiveSql(compiling, rule, rule.op)
  }
}

/** A boolean expression; `true` for an empty group. */
export function filterSql(compiling: Compiling, node: QueryNode | undefined): string {
  if (!node) return 'true'
  if (node.kind === 'rule') return ruleSql(compiling, node)
  if (node.nodes.length === 0) return 'true'
  return `(${node.nodes.map((part) => filterSql(compiling, part)).join(node.logic === 'AND' ? ' and ' : ' or ')})`
}

/** A cursor holds what a row was sorted by, and has to fit into a header. */
const sortedCharacters = 200

/**
 * What rows are sorted by: options in the order that the property gives them, deleted ones after the others; texts by how they begin, where an empty
 * one is none, as isEmpty has it; anything else by its value.
 */
function sortSql(compiling: Compiling, field: Field): string {
  const column = fieldSql(compiling, field)
  if (field.dataType === 'Text') return 'property' in field ? `left(nullif(${column}, ''), ${sortedCharacters})` : `nullif(${column}, '')`
  if (!('property' in field) || (field.dataType !== 'Choice' && field.dataType !== 'Hierarchy')) return column
  const ranked = [...field.property.options, ...(field.property.retiredOptions ?? [])]
  const ranks = JSON.stringify(Object.fromEntries(ranked.map((option, rank) => [option.optionId, rank])))
  return `((select ${compiling.parameters.add(ranks)}::text::jsonb) ->> ${column}::text)::int`
}

/** People's order for text properties; keys stay in byte order, as they are compared. */
function collated(field: Field, expression: string): string {
  return 'property' in field && field.dataType === 'Text' ? `${expression} collate "unicode"` : expression
}

/** `order by` terms: empty values last in both directions, the id to break ties. */
export function orderSql(compiling: Compiling, sort: readonly SortKey[]): string {
  const terms = sort.map((key) => `${collated(key.field, sortSql(compiling, key.field))} ${key.direction} nulls last`)
  return [...terms, `${compiling.alias}.id asc`].join(', ')
}

/** What a cursor keeps of a row: its sort values as text, then its id. */
export function positionSql(compiling: Compiling, sort: readonly SortKey[]): string {
  const parts = sort.map((key) => {
    const expression = sortSql(compiling, key.field)
    return typeOfField(key.field) === 'timestamptz' ? isoSql(expression) : `(${expression})::text`
  })
  return `json_build_array(${[...parts, `${compiling.alias}.id::text`].join(', ')})`
}

/** The rows after a position in this order: equal so far and then later, term by term, empty values being the last of each. */
export function afterSql(compiling: Compiling, sort: readonly SortKey[], position: readonly unknown[]): string {
  const { alias, parameters } = compiling
  const equal: string[] = []
  const alternatives: string[] = []
  sort.forEach((key, index) => {
    const column = sortSql(compiling, key.field)
    const value = position[index]
    if (typeof value === 'string') {
      const param = constantSql(`${parameters.add(value)}::text`, typeOfField(key.field))
      const later = `(${collated(key.field, column)} ${key.direction === 'asc' ? '>' : '<'} ${param} or ${column} is null)`
      alternatives.push(`(${[...equal, later].join(' and ')})`)
      equal.push(`${column} = ${param}`)
    } else equal.push(`${column} is null`)
  })
  alternatives.push(`(${[...equal, `${alias}.id > ${parameters.add(String(position.at(-1)))}::text::bigint`].join(' and ')})`)
  return `(${alternatives.join(' or ')})`
}
