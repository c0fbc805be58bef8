/** What the tokens of a context may name, known from the catalog before any record is read. */
import type { ScalarType, Shape, Shapes } from '#platform/tokens/shape.ts'
import type { CatalogProperty, DataType } from '#tools/entities/catalog.schema.ts'
import { systemFields } from '#tools/properties/operators.schema.ts'

import type { Plan, PlannedInclude } from './context.rules.ts'

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
const user: Shape = {
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

const always: Shapes = {
  $user: user,
  $tenant: { kind: 'object', fields: { tenantId: number, name: text, subDomain: text, host: text } },
  $now: dateTime,
  $today: { kind: 'scalar', type: 'date' },
}

function shapeOfProperty({ dataType, isList }: CatalogProperty): Shape {
  const one: Shape = { kind: 'scalar', type: types[dataType] }
  return isList ? { kind: 'list', of: one } : one
}

function shapeOfRecord(properties: readonly CatalogProperty[], includes: readonly PlannedInclude[]): Shape {
  const own = systemFields.map((name) => [name, textFields.includes(name) ? text : timeFields.includes(name) ? dateTime : number] as const)
  const values = properties.map((property) => [property.internalName, shapeOfProperty(property)] as const)
  return { kind: 'object', fields: { ...Object.fromEntries([...own, ...values]), ...shapesOfIncludes(includes) } }
}

function shapesOfIncludes(includes: readonly PlannedInclude[]): Shapes {
  const shapes = includes.map((one) => {
    const record = shapeOfRecord(one.properties, one.includes)
    return [one.name, one.via === 'parent' ? record : ({ kind: 'list', of: record } as const)] as const
  })
  return Object.fromEntries(shapes)
}

/** The roots of a context: its entity, its includes, and what every text has. */
export function shapesOf({ entity, includes, hasUser }: Plan): Shapes {
  return {
    [entity.internalName]: shapeOfRecord(entity.properties, []),
    ...shapesOfIncludes(includes),
    ...(hasUser ? { user } : {}),
    ...always,
  }
}

/** The options of properties by the names that lead to them: what `label` shows. */
export function labelsOf({ entity, includes }: Plan): ReadonlyMap<string, CatalogProperty> {
  const labels = new Map<string, CatalogProperty>()
  const add = (before: string, properties: readonly CatalogProperty[], inside: readonly PlannedInclude[]) => {
    for (const property of properties) if (property.options.length > 0) labels.set(`${before}.${property.internalName}`, property)
    for (const one of inside) add(`${before}.${one.name}`, one.properties, one.includes)
  }
  add(entity.internalName, entity.properties, [])
  for (const one of includes) add(one.name, one.properties, one.includes)
  return labels
}
