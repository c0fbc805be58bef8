/** What a query of records may say: their own fields, and which comparisons and aggregates a data type takes. */
import type { DataType } from './properties.schema.ts'

/** Fields that every record has, by their wire names: what filters and sorts go by beside properties. */
export const systemFields = [
  'eiRecordId',
  'entityId',
  'parentEIRecordId',
  'key1',
  'key2',
  'key3',
  'externalKey',
  'workflowInstanceId',
  'createdDate',
  'createdBy',
  'modifiedDate',
  'modifiedBy',
] as const

export type SystemField = (typeof systemFields)[number]

export const operators = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'in',
  'notIn',
  'contains',
  'notContains',
  'startsWith',
  'endsWith',
  'isEmpty',
  'isNotEmpty',
  'under',
] as const

export type Operator = (typeof operators)[number]

export const aggregates = ['COUNT', 'SUM', 'AVG', 'MIN', 'MAX'] as const

export type Aggregate = (typeof aggregates)[number]

const numeric: ReadonlySet<DataType> = new Set(['Number', 'Currency'])
const ordered: ReadonlySet<DataType> = new Set(['Number', 'Currency', 'DateTime', 'DateOnly', 'TimeOnly', 'Text'])

export function operatorsOf(dataType: DataType): readonly Operator[] {
  const allowed = new Set<Operator>(['eq', 'ne', 'in', 'notIn', 'isEmpty', 'isNotEmpty'])
  if (ordered.has(dataType)) for (const op of ['gt', 'gte', 'lt', 'lte', 'between'] as const) allowed.add(op)
  if (dataType === 'Text') for (const op of ['contains', 'notContains', 'startsWith', 'endsWith'] as const) allowed.add(op)
  if (dataType === 'Hierarchy') allowed.add('under')
  return operators.filter((op) => allowed.has(op))
}

export function aggregatesOf(dataType: DataType): readonly Aggregate[] {
  return aggregates.filter((fn) => fn === 'COUNT' || numeric.has(dataType) || ((fn === 'MIN' || fn === 'MAX') && ordered.has(dataType)))
}
