/**
 * An input schema as `tools/list` shows it. A model pays for the whole list before it does anything, so the list has what helps to choose a tool and to
 * fill it in; bounds that a call hardly meets, and second names, stand in `describe_tool` and in OpenAPI. What is sent is held against the whole schema.
 */
import type { JsonSchema } from '#platform/json-schema.ts'

/** Bounds whose breach answers with an error that names them. */
const bounds = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'exclusiveMinimum'])
/** Ids end here, which no caller comes near. */
const largestId = 2_147_483_647
/** Patterns longer than this are read by nobody; the field's description says the same. */
const shownPattern = 40
/** Below the objects of a list only small ones are shown: larger ones are documents of their own, which a tool of theirs takes. */
const shownDepth = 2
const shownCharacters = 160

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether the field is a second name of another one, which the contract gives to some: the first is enough to be told of. */
function isSynonym(schema: unknown): boolean {
  return isObject(schema) && typeof schema['description'] === 'string' && schema['description'].startsWith('Another name of ')
}

/** `anyOf` of nothing but types, as one list of types. */
function typesOf(branches: readonly unknown[]): string[] | undefined {
  const types = branches.map((branch) =>
    isObject(branch) && Object.keys(branch).length === 1 && typeof branch['type'] === 'string' ? branch['type'] : undefined,
  )
  return types.every((type) => type !== undefined) ? types : undefined
}

function fieldsOf(properties: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const shown = Object.entries(properties).filter(([, field]) => !isSynonym(field))
  return Object.fromEntries(shown.map(([name, field]) => [name, listed(field, depth + 1, false)]))
}

function listed(node: unknown, depth: number, isDescribed: boolean): unknown {
  if (!isObject(node)) return node
  const says = isDescribed || typeof node['description'] === 'string'
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(node)) {
    if (bounds.has(key) || (key === 'maximum' && value === largestId)) continue
    if (key === 'pattern' && String(value).length > shownPattern) continue
    // A branch of a field says nothing that the field has not said.
    if (key === 'description' && isDescribed) continue
    // A field that is not known is refused with the nearest that is.
    if (key === 'additionalProperties' && value === false) continue
    if (key === 'properties' && isObject(value)) out[key] = fieldsOf(value, depth)
    else if (key === 'items' || key === 'additionalProperties') out[key] = listed(value, depth, false)
    else if (key === 'anyOf' && Array.isArray(value)) {
      const branches = value.map((branch) => listed(branch, depth, says))
      const types = typesOf(branches)
      if (types) out['type'] = types
      else out[key] = branches
    } else out[key] = value
  }
  if (depth < shownDepth || !('properties' in out) || JSON.stringify(out).length <= shownCharacters) return out
  const { properties: _properties, required: _required, ...rest } = out
  return rest
}

/** The slim form of a tool's input schema. */
export function listedSchema(schema: JsonSchema): JsonSchema {
  const slim = listed(schema, 0, false)
  return isObject(slim) ? slim : schema
}
