/** The reference of the tools: a page for each domain with a section for each operation, which docs_read answers one by one. */
import { errorCatalogue } from '#platform/errors.ts'
import type { JsonSchema } from '#platform/json-schema.ts'
import { commonErrors, commonWriteErrors } from '#platform/operation.ts'
import type { RegisteredOperation, Registry } from '#platform/registry.ts'

import { fieldRows } from './fields.ts'
import { table } from './markdown.ts'
import { isPaged, listedDomains, whoMayCall } from './wire.ts'

const effects = { read: 'reads', write: 'writes', destroy: 'deletes' } as const

function fieldTable(schema: JsonSchema): string {
  const rows = fieldRows(schema)
  if (rows.length === 0) return ''
  return table(
    ['field', 'type', 'required', 'about'],
    rows.map(({ path, type, isRequired, description }) => [`\`${path}\``, type, isRequired ? 'yes' : '', description]),
  )
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``
}

function inputOf(operation: RegisteredOperation): string {
  const fields = fieldTable(operation.inputSchema)
  if (fields === '') return 'Takes nothing.'
  const only = operation.mcpOnlyFields?.map((name) => `\`${name}\``).join(', ')
  const form = operation.bodyKind === 'multipart' ? 'Over REST the body is a multipart form with the file as one part. ' : ''
  const note = only ? `${form}Over MCP alone: ${only}.` : form.trim()
  return ['**Input**', note, fields].filter(Boolean).join('\n\n')
}

/** What it answers; a table that stands on this page already is named instead of repeated. */
function answerOf(operation: RegisteredOperation, shown: Map<string, string>): string {
  const { outputSchema, name } = operation
  const isList = outputSchema['type'] === 'array'
  const lead = operation.answersBytes
    ? 'Over REST the bytes. Over MCP:'
    : isList
      ? `A list; over MCP under \`items\`${isPaged(operation) ? ', with `nextCursor` where more exist and `totalCount`, or `totalAtLeast`, on the first page. Over REST these are headers (`X-Next-Cursor`, `X-Total-Count`, `X-Total-At-Least`)' : ''}. Each element:`
      : ''
  const element: JsonSchema = isList ? ((outputSchema['items'] ?? {}) as JsonSchema) : outputSchema
  const fields = fieldTable(element)
  if (fields === '') return lead === '' ? 'Answers an empty object.' : lead.replace(' Each element:', '')
  const key = JSON.stringify(element)
  const known = shown.get(key)
  const heading = '**Answer**'
  if (known !== undefined) return [heading, [lead, `The fields of the answer of \`${known}\`.`].filter(Boolean).join(' ')].join('\n\n')
  shown.set(key, name)
  return [heading, lead, fields].filter(Boolean).join('\n\n')
}

function errorsOf(operation: RegisteredOperation): string {
  const common = new Set<string>([...commonErrors, ...(operation.effect === 'read' ? [] : commonWriteErrors)])
  const own = operation.codes.filter((code) => !common.has(code))
  const named = own.map((code) => `\`${code}\` (${errorCatalogue[code].status})`).join(', ')
  return `Errors: ${named === '' ? 'only' : `${named}, and`} those of [every operation](../errors.md#errors-of-every-operation).`
}

function exampleOf(operation: RegisteredOperation): string {
  const shown = operation.examples.map(({ title, input, output }) => {
    return [`Example: ${title}.`, json(input), 'answers', json(output)].join('\n\n')
  })
  return shown.join('\n\n')
}

function sectionOf(operation: RegisteredOperation, shown: Map<string, string>): string {
  const { name, title, description, method, path, effect, isTool, sharedPath, annotations } = operation
  const repeat =
    effect === 'destroy'
      ? ', again changes nothing'
      : effect === 'read'
        ? ''
        : annotations.idempotentHint
          ? ', twice is the same as once'
          : ', with an idempotency key to repeat it safely'
  const shares = sharedPath
    ? 'whenBodyHasOnly' in sharedPath
      ? `Shares its path with another operation: over REST an empty body, or one with nothing but ${sharedPath.whenBodyHasOnly.map((field) => `\`${field}\``).join(' and ')}, means this one.`
      : `Shares its path with another operation: over REST a body with ${sharedPath.whenBodyHas.map((field) => `\`${field}\``).join(' or ')} means this one.`
    : ''
  const facts = [
    `- REST: \`${method} ${path}\`${isTool ? '' : ' (no MCP tool)'}`,
    `- Who may call: ${whoMayCall(operation)}`,
    `- It ${effects[effect]}${repeat}`,
  ].join('\n')
  return [
    `## ${name}`,
    `${title}. ${description}`,
    facts,
    shares,
    inputOf(operation),
    answerOf(operation, shown),
    errorsOf(operation),
    exampleOf(operation),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** Path in the corpus to page. */
export function toolPages(registry: Registry): Map<string, string> {
  return new Map(
    listedDomains(registry)
      .filter((domain) => domain.operations.length > 0)
      .map(({ name, title, summary, operations }) => {
        const shown = new Map<string, string>()
        const overview = table(
          ['tool', 'what it does', 'who may call'],
          operations.map((operation) => [`[\`${operation.name}\`](#${operation.name})`, operation.title, whoMayCall(operation)]),
        )
        const sections = operations.map((operation) => sectionOf(operation, shown))
        return [`reference/tools/${name}.md`, `${[`# ${title}: the tools`, summary, overview, ...sections].join('\n\n')}\n`]
      }),
  )
}
