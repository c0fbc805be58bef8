/** What tokens may name of a record and of whoever asks, known from the catalog before any record is read. */
import type { ScalarType, Shape, Shapes } from '#platform/tokens/shape.ts'
import type { CatalogProperty, DataType } from '#tools/entities/catalog.types.ts'
import { systemFields } from '#tools/properties/operators.types.ts'

const types: Readonly<Record<DataType, ScalarType>> = {
  Number: 'number',
  Currency: 'number',
  DateTime: 'dateTime',
  DateOnly: 'date',
  TimeOnly: 'time',
  Text: 'text',
  Choice: 'choice',
  Hierarchy: 'choice',
  Boolean: 'boolean',
  Attachment: 'file',
  Signature: 'file',
  Binary: 'file',
}

const text: Shape = { kind: 'scalar', type: 'text' }
const number: Shape = { kind: 'scalar', type: 'number' }
const dateTime: Shape = { kind: 'scalar', type: 'dateTime' }

const textFields: readonly string[] = ['key1', 'key2', 'key3', 'externalKey']
const timeFields: readonly string[] = ['createdDate', 'modifiedDate']

/** The caller, or the user whom a record is linked to. */
export const shapeOfUser: Shape = {
  kind: 'object',
  fields: {
    tenantUserId: number,
    userId: number,
    userName: text,
    displayName: text,
    email: text,
    phone: text,
    languageCode: text,
    timeZoneIana: text,
  },
}

/** What every text may name. */
export const shapesOfCaller: Shapes = {
  $user: shapeOfUser,
  $tenant: { kind: 'object', fields: { tenantId: number, name: text, subDomain: text, host: text } },
  $now: dateTime,
  $today: { kind: 'scalar', type: 'date' },
}

function shapeOfProperty({ dataType, isList }: CatalogProperty): Shape {
  const one: Shape = { kind: 'scalar', type: types[dataType] }
  return isList ? { kind: 'list', of: one } : one
}

/** A record with these properties, and what stands in it beside them. */
export function shapeOfRecord(properties: readonly CatalogProperty[], inside: Shapes = {}): Shape {
  const own = systemFields.map((name) => [name, textFields.includes(name) ? text : timeFields.includes(name) ? dateTime : number] as const)
  const values = properties.map((property) => [property.internalName, shapeOfProperty(property)] as const)
  return { kind: 'object', fields: { ...Object.fromEntries([...own, ...values]), ...inside } }
}
