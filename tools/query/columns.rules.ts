/** Records in PostgreSQL's terms: the types of their columns, and the parameters and constants of a statement on them. */
import type { RecordColumn } from '#platform/db/records.ts'
import type { CatalogEntity, CatalogProperty, DataType } from '#tools/entities/catalog.types.ts'

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

const isoFormat = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** A timestamptz as the wire shows it. */
export function isoSql(expression: string): string {
  return `to_char(${expression}, ${isoFormat})`
}

/** A text as a value of a type. Reading a time depends on settings, so PostgreSQL would read it again for every row; as a sub-query it is read once. */
export function constantSql(text: string, type: string): string {
  return type === 'timestamptz' || type === 'date' || type === 'time' ? `(select ${text}::${type})` : `${text}::${type}`
}
