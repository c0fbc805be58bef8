/** Compiles a record into the JSON that the wire shows. */
import type { CatalogEntity, CatalogProperty, DataType } from '#tools/entities/catalog.types.ts'
import type { SystemField } from '#tools/properties/operators.types.ts'

import { createParameters, isoSql, type Parameters } from './columns.rules.ts'
import { fieldSql, systemTypes } from './field.rules.ts'
import {
  columnOf,
  createdBySql,
  externalKeySql,
  keySql,
  type Opening,
  openSource,
  type Readable,
  rowHashSql,
  type Source,
  withheldSql,
} from './source.rules.ts'

/** What of a record its documents show beside its own fields. */
export interface Shown {
  /** In the order of the entity. */
  readonly properties: readonly CatalogProperty[]
  readonly withDataJson: boolean
  /** What stands in `data` instead of the properties, in this order. */
  readonly columns?: readonly ShownColumn[]
}

/** A value in `data`: of a property, or of a field that every record has. */
export type ShownColumn = { readonly name: string } & ({ readonly property: CatalogProperty } | { readonly system: SystemField })

/** A statement that shows records of a source, while it is compiled. */
export interface Showing {
  readonly source: Source
  readonly shown: Shown
  readonly parameters: Parameters
}

/** Prepares a statement on an entity's records: of a page, of one of them, or of their versions. */
export function showing(readable: Readable, shown: Shown = everythingOf(readable.entity), opening: Opening = {}): Showing {
  return { source: openSource(readable, opening), shown, parameters: createParameters() }
}

export function everythingOf(entity: CatalogEntity): Shown {
  return { properties: entity.properties, withDataJson: true }
}

/** The value of a column as JSON: `canonical` keeps option ids, for merging and hashing; `wire` shows option names. */
function valueSql(parameters: Parameters, source: Source, property: CatalogProperty, form: 'wire' | 'canonical'): string {
  return shownSql(parameters, columnOf(source, property), property.dataType, property, form)
}

/** A value of a type, of a property where it is one, as JSON. */
export function shownSql(
  parameters: Parameters,
  column: string,
  dataType: DataType,
  property: CatalogProperty | undefined,
  form: 'wire' | 'canonical' = 'wire',
): string {
  const show = (one: string): string => {
    switch (dataType) {
      case 'DateTime':
        return isoSql(one)
      case 'DateOnly':
      case 'TimeOnly':
        return `${one}::text`
      case 'Choice':
      case 'Hierarchy':
        // As text: one jsonb among the values would make jsonb of the whole record, whose fields then stand in another order.
        return form === 'wire' && property ? `(${optionNames(parameters, property)} ->> ${one}::text)` : one
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
  if (property?.isList !== true) return show(column)
  // Once only: each showing of an option adds a parameter.
  const one = show('v')
  if (one === 'v') return `to_json(${column})`
  return `(select json_agg(${one} order by n) from unnest(${column}) with ordinality as u(v, n))`
}

const optionJson = new WeakMap<CatalogProperty, string>()

function optionNames(parameters: Parameters, property: CatalogProperty): string {
  let json = optionJson.get(property)
  if (json === undefined) {
    const shown = [...property.options, ...(property.retiredOptions ?? [])]
    json = JSON.stringify(Object.fromEntries(shown.map((option) => [option.optionId, option.internalName])))
    optionJson.set(property, json)
  }
  return `${parameters.add(json)}::text::jsonb`
}

function columnValueSql(parameters: Parameters, source: Source, column: ShownColumn): string {
  if ('property' in column) return valueSql(parameters, source, column.property, 'wire')
  const dataType = systemTypes[column.system]
  const value = fieldSql({ source, system: column.system, dataType })
  return dataType === 'DateTime' ? isoSql(value) : value
}

/** The values that are shown by internalName, as one JSON value. */
export function dataSql({ parameters, source, shown }: Showing): string {
  const columns = shown.columns ?? shown.properties.map((property) => ({ name: property.internalName, property }))
  // A column is called as the catalog or the list of system fields has it, so its name is safe in a statement.
  const data = columns.map((column) => `'${column.name}': ${columnValueSql(parameters, source, column)}`)
  return `json_object(${data.join(', ')}${data.length > 0 ? ' null on null' : ''})`
}

export function keysSql(source: Source): string[] {
  return ([1, 2, 3] as const).map((part) => `'key${part}': ${keySql(source, part)}`)
}

/** A record as the wire shows it, as one JSON value. `isDeletedShown` adds deletedDate. */
export function documentSql(showing: Showing, options: { isDeletedShown?: boolean; extra?: readonly string[] } = {}): string {
  const { parameters, source, shown } = showing
  const { alias, entity } = source
  const byId = shown.withDataJson
    ? shown.properties.map((property) => `'${property.propertyId}': ${valueSql(parameters, source, property, 'wire')}`)
    : []
  const withheld = withheldSql(source)
  const parts = [
    `'eiRecordId': ${alias}.id`,
    `'entityId': ${entity.entityId}`,
    `'parentEIRecordId': ${alias}.parent_id`,
    ...keysSql(source),
    `'externalKey': ${externalKeySql(source)}`,
    ...(shown.withDataJson
      ? [`'dataJson': json_object(${byId.join(', ')}${byId.length > 0 ? ' absent on null' : ''} returning text)`]
      : []),
    `'data': ${dataSql(showing)}`,
    `'rowHash': ${rowHashSql(parameters, source)}`,
    ...(withheld === undefined ? [] : [`'withheld': array_to_json(${withheld})`]),
    `'workflowInstanceId': ${alias}.workflow_instance_id`,
    `'createdDate': ${isoSql(`${alias}.created_at`)}`,
    `'createdBy': ${createdBySql(source)}`,
    `'modifiedDate': ${isoSql(`${alias}.valid_from`)}`,
    `'modifiedBy': ${alias}.modified_by`,
    ...(options.isDeletedShown ? [`'deletedDate': ${isoSql(`${alias}.deleted_at`)}`] : []),
    ...(options.extra ?? []),
  ]
  return `json_object(${parts.join(', ')} null on null)`
}

/** The values of a record by entityPropertyId, in canonical form, as one JSON value. */
export function canonicalSql(parameters: Parameters, source: Source): string {
  const parts = source.entity.properties.map(
    (property) => `'${property.entityPropertyId}': ${valueSql(parameters, source, property, 'canonical')}`,
  )
  return `json_object(${parts.join(', ')}${parts.length > 0 ? ' null on null' : ''})`
}
