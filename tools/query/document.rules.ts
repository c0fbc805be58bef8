/** Compiles a record into the JSON that the wire shows. */
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.schema.ts'

import { type Compiling, createdBySql, externalKeySql, isoSql, valueSql } from './compile.rules.ts'

/** What of a record its documents show beside its own fields. */
export interface Shown {
  /** In the order of the entity. */
  readonly properties: readonly CatalogProperty[]
  readonly withDataJson: boolean
}

/** A compilation that shows records. */
export interface Showing extends Compiling {
  readonly shown: Shown
}

export function everythingOf(entity: CatalogEntity): Shown {
  return { properties: entity.properties, withDataJson: true }
}

/** The values that are shown by internalName, as one JSON value. */
export function dataSql(compiling: Showing): string {
  const data = compiling.shown.properties.map((property) => `'${property.internalName}': ${valueSql(compiling, property, 'wire')}`)
  return `json_object(${data.join(', ')}${data.length > 0 ? ' null on null' : ''})`
}

/** A record as the wire shows it, as one JSON value. `isDeletedShown` adds deletedDate. */
export function documentSql(compiling: Showing, options: { isDeletedShown?: boolean; extra?: readonly string[] } = {}): string {
  const { alias, entity, shown } = compiling
  const byId = shown.withDataJson
    ? shown.properties.map((property) => `'${property.propertyId}': ${valueSql(compiling, property, 'wire')}`)
    : []
  const parts = [
    `'eiRecordId': ${alias}.id`,
    `'entityId': ${entity.entityId}`,
    `'parentEIRecordId': ${alias}.parent_id`,
    `'key1': ${alias}.key1`,
    `'key2': ${alias}.key2`,
    `'key3': ${alias}.key3`,
    `'externalKey': ${externalKeySql(alias)}`,
    ...(shown.withDataJson
      ? [`'dataJson': json_object(${byId.join(', ')}${byId.length > 0 ? ' absent on null' : ''} returning text)`]
      : []),
    `'data': ${dataSql(compiling)}`,
    `'rowHash': upper(encode(${alias}.row_hash, 'hex'))`,
    `'workflowInstanceId': ${alias}.workflow_instance_id`,
    `'createdDate': ${isoSql(`${alias}.created_at`)}`,
    `'createdBy': ${createdBySql(compiling)}`,
    `'modifiedDate': ${isoSql(`${alias}.valid_from`)}`,
    `'modifiedBy': ${alias}.modified_by`,
    ...(options.isDeletedShown ? [`'deletedDate': ${isoSql(`${alias}.deleted_at`)}`] : []),
    ...(options.extra ?? []),
  ]
  return `json_object(${parts.join(', ')} null on null)`
}

/** The values of a record by entityPropertyId, in canonical form, as one JSON value. */
export function canonicalSql(compiling: Compiling): string {
  const parts = compiling.entity.properties.map(
    (property) => `'${property.entityPropertyId}': ${valueSql(compiling, property, 'canonical')}`,
  )
  return `json_object(${parts.join(', ')}${parts.length > 0 ? ' null on null' : ''})`
}
