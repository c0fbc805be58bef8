/** A value in a path that can be no id names nothing: 404 on every transport, with what an id looks like. */
import { AppError, type Issue } from './errors.ts'
import type { JsonSchema } from './json-schema.ts'

/** The noun behind a parameter's name: `assetFolderId` is an asset folder. */
export function nounOf(parameter: string): string {
  const words = parameter.replace(/(?:Id|Key)$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words === '' ? 'record' : words
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What the values of a schema look like, in a few words; empty where anything goes. */
function looksOf(schema: unknown): string {
  if (!isSchema(schema)) return ''
  const forms = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(forms)) return [...new Set(forms.map(looksOf).filter((look) => look !== ''))].join(' or ')
  if (Array.isArray(schema['enum'])) return `one of ${schema['enum'].slice(0, 20).join(', ')}`
  if (schema['type'] === 'integer') return 'a whole number from 1, such as 12'
  if (schema['format'] === 'uuid') return 'a UUID, such as 0b8ed6fe-9df4-4a62-9c0c-0a7a4e3a0f11'
  if (schema['type'] !== 'string') return ''
  return typeof schema['maxLength'] === 'number' ? `a text of at most ${schema['maxLength']} characters` : 'a text'
}

/** The refusal of a value that cannot be the parameter's. */
export function noSuchId(parameter: string, inputSchema: JsonSchema): AppError {
  const properties = inputSchema['properties']
  const look = isSchema(properties) ? looksOf(properties[parameter]) : ''
  return new AppError('not_found', `No such ${nounOf(parameter)}.${look === '' ? '' : ` ${parameter} is ${look}.`}`)
}

/** The same, where one of the findings about an input is that a parameter of its path can be no id. */
export function findNoSuchId(
  operation: { readonly pathParams: readonly string[]; readonly inputSchema: JsonSchema },
  input: unknown,
  issues: readonly Issue[],
): AppError | undefined {
  const given = typeof input === 'object' && input !== null ? new Map(Object.entries(input)) : new Map<string, unknown>()
  const wrong = operation.pathParams.find((name) => given.get(name) !== undefined && issues.some(({ path }) => path === `$.${name}`))
  return wrong === undefined ? undefined : noSuchId(wrong, operation.inputSchema)
}
