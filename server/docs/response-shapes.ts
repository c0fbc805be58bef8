/** Input and answer of every operation as tables of fields, for programs that would rather not read JSON Schema. */
import type { JsonSchema } from '#platform/json-schema.ts'
import type { Registry } from '#platform/registry.ts'

import { fieldRows } from './fields.ts'
import { isPaged, listedDomains, without } from './wire.ts'

function table(schema: JsonSchema): Record<string, unknown>[] {
  return fieldRows(schema).map(({ path, type, isRequired, description }) => ({
    field: path,
    type,
    required: isRequired,
    ...(description === '' ? {} : { description }),
  }))
}

/** By operation: method, path, roles, the fields of the REST input and those of the REST answer. */
export function responseShapes(registry: Registry): Record<string, unknown> {
  const operations = listedDomains(registry).flatMap((domain) => domain.operations)
  return {
    operations: Object.fromEntries(
      operations.map((operation) => [
        operation.name,
        {
          domain: operation.domain,
          method: operation.method,
          path: operation.path,
          roles: operation.roles,
          isTool: operation.isTool,
          input: table(without(operation.inputSchema, operation.mcpOnlyFields ?? [])),
          answer: {
            kind: operation.answersBytes ? 'bytes' : operation.outputSchema['type'] === 'array' ? 'list' : 'object',
            isPaged: isPaged(operation),
            fields: table(operation.outputSchema),
          },
        },
      ]),
    ),
  }
}
