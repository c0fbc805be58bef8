/** What an operation takes and answers over REST, in the terms that OpenAPI, Postman and the reference share. */
import type { JsonSchema } from '#platform/json-schema.ts'
import type { RegisteredOperation, Registry } from '#platform/registry.ts'

/** The domains with what their documents show: everything but the targets of our own URLs. */
export function listedDomains(registry: Registry) {
  return registry.domains.map((domain) => ({
    ...domain,
    operations: domain.operations.filter((operation) => operation.isUnlisted !== true),
  }))
}

export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  // JSON Schemas of zod objects always hold an object of schemas here.
  return (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>
}

export function requiredOf(schema: JsonSchema): readonly string[] {
  const required = schema['required']
  return Array.isArray(required) ? required.map(String) : []
}

/** A schema of an object none of whose fields of these names is required. */
function withOptional(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { required: _required, ...rest } = schema
  const required = requiredOf(schema).filter((name) => !names.includes(name))
  return { ...rest, ...(required.length > 0 ? { required } : {}) }
}

/** A schema of an object with some of its fields left out. */
export function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties: _properties, ...rest } = schema
  const properties = Object.fromEntries(Object.entries(propertiesOf(schema)).filter(([name]) => !names.includes(name)))
  return withOptional({ ...rest, properties }, names)
}

/**
 * Of a call over REST: what stands in the path, and the rest, which stands in the body; in the query where there is no body (GET, DELETE) or
 * the body is somebody else's.
 */
export function restInput(operation: RegisteredOperation): { path: readonly string[]; rest: JsonSchema; isInQuery: boolean } {
  const hidden = [...operation.pathParams, ...(operation.mcpOnlyFields ?? [])]
  return {
    path: operation.pathParams,
    rest: withOptional(without(operation.inputSchema, hidden), operation.queryFields ?? []),
    isInQuery:
      operation.method === 'GET' || operation.method === 'DELETE' || operation.bodyKind === 'raw' || operation.bodyKind === 'stream',
  }
}

/** An example's input without what stands in the path and what only MCP takes. */
export function restBody(operation: RegisteredOperation, input: unknown): Record<string, unknown> {
  const hidden = [...operation.pathParams, ...(operation.mcpOnlyFields ?? [])]
  return Object.fromEntries(Object.entries(recordOf(input)).filter(([name]) => !hidden.includes(name)))
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Whether the answer is a list that comes in pages. */
export function isPaged(operation: RegisteredOperation): boolean {
  return operation.outputSchema['type'] === 'array' && 'cursor' in propertiesOf(operation.inputSchema)
}

/** Who may call, as a sentence. */
export function whoMayCall(operation: RegisteredOperation): string {
  const { roles } = operation
  if (roles === 'any') return 'any signed-in caller'
  if (roles === 'Public') return 'anybody, without a credential'
  if (roles === 'Person') return "a person's own session; no key"
  if (roles === 'Agent') return 'sync agents, by X-Agent-Serial'
  return roles
    .split('|')
    .map((one) => (one === 'Signed' ? 'a signed URL' : one.split('&').join(' and ')))
    .join(', or ')
}
