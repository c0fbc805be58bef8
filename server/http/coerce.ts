/** Text from a path, a query or a form becomes what the operation's schema asks for; what does not fit stays text for the schema to refuse. */
import { AppError } from '#platform/errors.ts'
import { losesValue, parseJson } from '#platform/json.ts'
import type { JsonSchema } from '#platform/json-schema.ts'

export interface Field {
  /** JSON Schema's names of types. Empty: the schema does not say. */
  readonly types: ReadonlySet<string>
  readonly items: Field | undefined
  readonly isUuid: boolean
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldOf(schema: JsonSchema): Field {
  const types = new Set<string>()
  let items: Field | undefined
  for (const type of Array.isArray(schema['type']) ? schema['type'] : [schema['type']]) if (typeof type === 'string') types.add(type)
  if (isSchema(schema['items'])) items = fieldOf(schema['items'])
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[keyword]
    if (!Array.isArray(branches)) continue
    for (const branch of branches.filter(isSchema).map(fieldOf)) {
      for (const type of branch.types) types.add(type)
      items ??= branch.items
    }
  }
  return { types, items, isUuid: schema['format'] === 'uuid' }
}

/** The fields of an operation's input schema by their names. */
export function fieldsOf(inputSchema: JsonSchema): ReadonlyMap<string, Field> {
  const properties = inputSchema['properties']
  if (!isSchema(properties)) return new Map()
  return new Map(Object.entries(properties).flatMap(([name, schema]) => (isSchema(schema) ? [[name, fieldOf(schema)]] : [])))
}

const integer = /^(?:0|-?[1-9]\d{0,15})$/
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function coerceText(field: Field | undefined, text: string): unknown {
  if (!field) return text
  const { types } = field
  if (types.has('integer') && integer.test(text) && Number.isSafeInteger(Number(text))) return Number(text)
  if (types.has('number') && decimal.test(text) && !losesValue(text)) return Number(text)
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** The value of a parameter that may be given several times: an array where the schema has one, else the single value. */
export function coerceParameter(name: string, field: Field | undefined, texts: readonly string[]): unknown {
  if (field?.types.has('array')) return texts.map((text) => coerceText(field.items, text))
  const [text = ''] = texts
  if (texts.length > 1) {
    const issues = [{ path: `$.${name}`, severity: 'error', message: 'The parameter is given more than once.' } as const]
    throw new AppError('invalid_input', `The parameter ${name} is given more than once.`, { issues })
  }
  return coerceText(field, text)
}

/** As `coerceParameter`, and objects and arrays may be written as JSON. */
export function coerceFormField(name: string, field: Field | undefined, texts: readonly string[]): unknown {
  const [text = ''] = texts
  const takesJson =
    field !== undefined && ((field.types.has('array') && text.startsWith('[')) || (field.types.has('object') && text.startsWith('{')))
  return takesJson && texts.length === 1 ? parseJson(text) : coerceParameter(name, field, texts)
}

/** The value of a path parameter, or the 404 for a text that cannot be an id of this kind. */
export function coercePathParameter(field: Field | undefined, text: string, absent: () => AppError): unknown {
  const value = coerceText(field, text)
  const isNumeric = field !== undefined && !field.types.has('string') && (field.types.has('integer') || field.types.has('number'))
  const isNoUuid = field?.isUuid === true && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
  if ((isNumeric && typeof value !== 'number') || isNoUuid) throw absent()
  return value
}
