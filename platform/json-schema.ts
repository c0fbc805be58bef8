/** JSON Schemas of zod schemas, slim enough to list hundreds of tools and plain enough for every host. */
import { z } from 'zod'

export type JsonSchema = { readonly [key: string]: unknown }

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Drops what a model does not need: patterns that only repeat a format, the bounds of safe integers, property-name schemas of string keys.
 * Measured on 370 tools this takes a third off the list.
 */
export function slim(
  node: unknown,
  { keepsEmpty = false }: { /** Of documents: what may be anything is said. */ keepsEmpty?: boolean } = {},
): unknown {
  const slimmer = (part: unknown) => slim(part, { keepsEmpty })
  if (Array.isArray(node)) return node.map(slimmer)
  if (!isObject(node)) return node
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (key === 'properties' && isObject(value)) {
      // An object of any fields: a host that sees an empty list of them may let the model send none.
      if (Object.keys(value).length === 0 && isObject(node['additionalProperties'])) continue
      // Its keys are field names, and a field may be called pattern or propertyNames.
      out[key] = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, slimmer(part)]))
      continue
    }
    if (key === '$schema' || key === 'propertyNames') continue
    if (key === 'pattern' && typeof node['format'] === 'string') continue
    // An object whose values may be anything says so best by saying nothing: some hosts refuse the empty schema.
    if (key === 'additionalProperties' && isObject(value) && Object.keys(value).length === 0 && !keepsEmpty) continue
    if ((key === 'maximum' || key === 'minimum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue
    out[key] = key === 'default' || key === 'const' || key === 'enum' || key === 'examples' ? value : slimmer(value)
  }
  return out
}

/**
 * The JSON Schema (draft 2020-12) of a wire schema. `io` is `input` for what a caller sends, `output` for what it gets.
 * Throws when the schema holds something that is not JSON, such as a date or a transform.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  // An input schema of the product is strict at its root by rule; an output stays open, so that a field can be added later.
  const json = slim(z.toJSONSchema(schema, { io: 'input', reused: 'inline', cycles: 'throw' }))
  if (!isObject(json)) throw new Error('A wire schema must be an object or an array')
  return io === 'input' ? { ...json, additionalProperties: false } : openObjects(json)
}

/** The schema without what refuses fields that it does not name. */
export function openObjects(node: unknown): JsonSchema {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk)
    if (!isObject(part)) return part
    return Object.fromEntries(
      Object.entries(part)
        .filter(([key, value]) => !(key === 'additionalProperties' && value === false))
        .map(([key, value]) => [key, walk(value)]),
    )
  }
  const open = walk(node)
  return isObject(open) ? open : {}
}

/** What MCP calls the output schema: an array stands under `items`, with the cursor and the count of its page. */
export function toStructuredSchema(schema: JsonSchema): JsonSchema {
  if (schema['type'] !== 'array') return schema
  return {
    type: 'object',
    properties: { items: schema, nextCursor: { type: 'string' }, totalCount: { type: 'integer' }, totalAtLeast: { type: 'integer' } },
    required: ['items'],
  }
}
