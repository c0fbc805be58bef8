/** Compiles the fields of a query tree: what stands for each in SQL. */
import { orderedTextSql } from '#platform/db/record-indexes.ts'
import type { CatalogProperty, DataType } from '#tools/entities/catalog.types.ts'
import type { SystemField } from '#tools/properties/operators.types.ts'

import { sqlTypeOf } from './columns.rules.ts'
import { columnOf, createdBySql, externalKeySql, keySql, type Source } from './source.rules.ts'
import type { Field } from './tree.types.ts'

/** What every record's own fields are. */
export const systemTypes: Readonly<Record<SystemField, DataType>> = {
  eiRecordId: 'Number',
  entityId: 'Number',
  parentEIRecordId: 'Number',
  key1: 'Text',
  key2: 'Text',
  key3: 'Text',
  externalKey: 'Text',
  workflowInstanceId: 'Number',
  createdDate: 'DateTime',
  createdBy: 'Number',
  modifiedDate: 'DateTime',
  modifiedBy: 'Number',
}

/** The property whose values a field has. */
export function propertyOf(field: Field): CatalogProperty | undefined {
  return 'property' in field ? field.property : 'output' in field ? field.of : undefined
}

/** A field of its source, as an expression. */
export function fieldSql(field: Field): string {
  const { source } = field
  const { alias } = source
  if ('output' in field) return field.output
  if ('property' in field) return columnOf(source, field.property)
  // What is made of nothing is not empty by itself where there is no record.
  if (source.isOptional === true && madeFields.has(field.system)) return `case when ${alias}.id is not null then ${systemSql(field)} end`
  return systemSql(field)
}

const madeFields: ReadonlySet<SystemField> = new Set(['entityId', 'key1', 'key2', 'key3', 'externalKey'])

function systemSql({ source, system }: { readonly source: Source; readonly system: SystemField }): string {
  const { alias } = source
  switch (system) {
    case 'eiRecordId':
      return `${alias}.id`
    case 'entityId':
      return `${source.entity.entityId}::bigint`
    case 'parentEIRecordId':
      return `${alias}.parent_id`
    case 'key1':
    case 'key2':
    case 'key3':
      return keySql(source, system === 'key1' ? 1 : system === 'key2' ? 2 : 3)
    case 'externalKey':
      return externalKeySql(source)
    case 'workflowInstanceId':
      return `${alias}.workflow_instance_id`
    case 'createdDate':
      return `${alias}.created_at`
    case 'createdBy':
      return createdBySql(source)
    case 'modifiedDate':
      return `${alias}.valid_from`
    case 'modifiedBy':
      return `${alias}.modified_by`
  }
}

/** PostgreSQL's type of one value of a field. */
export function typeOfField(field: Field): string {
  if ('output' in field) return field.sqlType
  if ('property' in field) return sqlTypeOf(field.dataType)
  return field.dataType === 'Number' ? 'bigint' : sqlTypeOf(field.dataType)
}

/** What a text property is put in order by, where `expression` is its value. */
export function orderedSql(field: Field, expression: string): string {
  return collated(field, orderedTextSql(expression))
}

/** People's order for text properties; keys stay in byte order, as they are compared. */
export function collated(field: Field, expression: string): string {
  return propertyOf(field) && field.dataType === 'Text' ? `${expression} collate "unicode"` : expression
}
