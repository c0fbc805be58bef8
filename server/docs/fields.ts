/** A JSON Schema as rows of a table: each field with its path, its type in words and what is said about it. */
import type { JsonSchema } from '#platform/json-schema.ts'

export interface FieldRow {
  /** `card.choices[].key`: dots for objects, brackets for lists. */
  readonly path: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

const deepest = 4

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function schemasAt(schema: JsonSchema, key: string): JsonSchema[] {
  const list = schema[key]
  return Array.isArray(list) ? list.filter(isSchema) : []
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  return [...schemasAt(schema, 'anyOf'), ...schemasAt(schema, 'oneOf')]
}

/** The type in words: `integer`, `string (date-time)`, `"open" or "ended"`, `list of string`, `object or null`. */
export function typeOf(schema: JsonSchema): string {
  const { type, format, enum: values, const: only, items } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  const variants = variantsOf(schema)
  if (variants.length > 0) return [...new Set(variants.map(typeOf))].join(' or ')
  if (type === 'array') return isSchema(items) ? `list of ${typeOf(items)}` : 'list'
  if (Array.isArray(type)) return type.join(' or ')
  if (typeof type === 'string') return typeof format === 'string' ? `${type} (${format})` : type
  return 'any value'
}

/** What bounds the value, where the type does not say it. */
function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, default: fallback }: JsonSchema): string[] {
  const range = (from: unknown, to: unknown, noun: string) => {
    const least = typeof from === 'number' ? from : 0
    if (typeof to !== 'number') return typeof from === 'number' ? [`at least ${least}${noun}`] : []
    return [least === 0 ? `at most ${to}${noun}` : `${least} to ${to}${noun}`]
  }
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' elements'),
    ...(typeof pattern === 'string' && pattern.length < 60 ? [`matches \`${pattern}\``] : []),
    ...(fallback === undefined ? [] : [`${JSON.stringify(fallback)} unless told`]),
  ]
}

function describe(schema: JsonSchema): string {
  const said = typeof schema['description'] === 'string' ? schema['description'] : ''
  return [said, boundsOf(schema).join(', ')].filter(Boolean).join('; ')
}

function withFields(schema: JsonSchema): { schema: JsonSchema; suffix: string } | undefined {
  if (isSchema(schema['properties'])) return { schema, suffix: '' }
  if (schema['type'] === 'array' && isSchema(schema['items'])) {
    const inner = withFields(schema['items'])
    return inner && { schema: inner.schema, suffix: `[]${inner.suffix}` }
  }
  return variantsOf(schema)
    .map(withFields)
    .find((found) => found !== undefined)
}

/** One row a field, what stands inside a field after it. An array's elements are rows under `[]`. */
export function fieldRows(root: JsonSchema, prefix = '', depth = 0): FieldRow[] {
  const found = withFields(root)
  if (!found || depth >= deepest) return []
  const { schema, suffix } = found
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const fields = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {})
  const base = `${prefix}${suffix}`
  return fields.flatMap(([name, field]): FieldRow[] => {
    if (!isSchema(field)) return []
    const path = base === '' ? name : `${base}.${name}`
    return [
      { path, type: typeOf(field), isRequired: required.includes(name), description: describe(field) },
      ...fieldRows(field, path, depth + 1),
    ]
  })
}
