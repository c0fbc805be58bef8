/** The registry as OpenAPI 3.1: the same schemas as the tools', for clients that speak REST. */
import type { JsonSchema } from '#platform/json-schema.ts'
import { documentSchemas } from '#platform/document-schema.ts'
import type { RegisteredOperation, Registry } from '#platform/registry.ts'

import { errorResponses, examplesOf, headers, problemSchema, ref, successResponses } from './openapi-answers.ts'
import { onOnePath } from './openapi-paths.ts'
import { listedDomains, propertiesOf, requiredOf, restBody, restInput, whoMayCall } from './wire.ts'

export interface OpenApiOptions {
  /** Where the API is reached. */
  readonly publicUrl: string
  readonly version: string
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Any string of the caller’s: the same key and body within 24 hours answers the first answer again and does nothing.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

/** What stands in a path, where the tool's schema does without words. */
const pathWords: Readonly<Record<string, string>> = {
  property: 'Id or internalName of a property',
  entity: 'Id or internalName of an entity',
  childEntity: 'Id or internalName of the child entity',
  peerEntity: 'Id or internalName of the peer entity',
  entityPropertyId: 'As describe_entity shows it',
  optionId: 'As list_property_options shows it',
  messageId: 'As list_inbox and send_message answer it',
  channelId: 'As list_channels shows it',
  channelKey: 'As create_channel answers it',
  tenantUserId: 'As list_users shows it',
  triggerKey: 'As set_workflow_triggers answers it',
}

function parametersOf(operation: RegisteredOperation): unknown[] {
  const { path, rest, isInQuery } = restInput(operation)
  const inputs = propertiesOf(operation.inputSchema)
  const described = (schema: JsonSchema | undefined) => {
    const { description, ...plain } = schema ?? {}
    return { ...(typeof description === 'string' ? { description } : {}), schema: plain }
  }
  const required = requiredOf(rest)
  return [
    ...path.map((name) => ({ name, in: 'path', required: true, description: pathWords[name], ...described(inputs[name]) })),
    ...(isInQuery
      ? Object.entries(propertiesOf(rest)).map(([name, schema]) => ({
          name,
          in: 'query',
          required: required.includes(name),
          ...described(schema),
        }))
      : (operation.queryFields ?? []).map((name) => ({ name, in: 'query', required: false, ...described(inputs[name]) }))),
    ...(operation.effect === 'read' || !operation.roleRule.needsCredential ? [] : [ref('parameters/IdempotencyKey')]),
  ]
}

function bodyOf(operations: readonly RegisteredOperation[]): unknown {
  const [operation] = operations
  if (!operation) return undefined
  const { bodyKind = 'json' } = operation
  const binary = { schema: { type: 'string', format: 'binary' } }
  if (bodyKind === 'stream') return { required: true, content: { 'application/octet-stream': binary } }
  if (bodyKind === 'raw') {
    const body = { schema: {} }
    return {
      required: true,
      description: 'The vendor’s own body, signed as the vendor signs it.',
      content: { 'application/json': body, 'application/x-www-form-urlencoded': body },
    }
  }
  const bodies = operations.flatMap((one) => {
    const { rest, isInQuery } = restInput(one)
    return isInQuery ? [] : [{ one, rest }]
  })
  const [first] = bodies
  if (!first) return undefined
  if (bodyKind === 'multipart') {
    const properties = {
      ...propertiesOf(first.rest),
      file: { type: 'string', format: 'binary', description: 'The file, as one part of the form' },
    }
    return {
      required: true,
      content: { 'multipart/form-data': { schema: { ...first.rest, properties, required: [...requiredOf(first.rest), 'file'] } } },
    }
  }
  if (bodies.every(({ rest }) => Object.keys(propertiesOf(rest)).length === 0)) return undefined
  const schema = bodies.length === 1 ? first.rest : { anyOf: bodies.map(({ rest }) => rest) }
  const examples = bodies.flatMap(({ one }) => one.examples.map(({ title, input }) => ({ title, value: restBody(one, input) })))
  return {
    // A body whose fields are all optional may be absent.
    required: bodies.every(({ rest }) => requiredOf(rest).length > 0),
    content: { 'application/json': { schema, examples: examplesOf(examples) } },
  }
}

const securitySchemes: Readonly<Record<string, unknown>> = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key of create_api_key, or a session of select_tenant' },
  session: { type: 'http', scheme: 'bearer', description: 'A session of select_tenant; no API key' },
  signedUrl: { type: 'apiKey', in: 'query', name: 'sig', description: 'As sign_asset_url answers it, with the other two' },
  signedUrlExpiry: { type: 'apiKey', in: 'query', name: 'exp', description: 'Beside sig' },
  signedUrlUser: { type: 'apiKey', in: 'query', name: 'u', description: 'Beside sig' },
  agentSerial: { type: 'apiKey', in: 'header', name: 'X-Agent-Serial', description: 'The serial number of a sync agent' },
}

/** Those that some operation takes. */
function schemesOf(operations: readonly RegisteredOperation[]): Record<string, unknown> {
  const used = new Set(operations.flatMap((one) => securityOf(one).flatMap(Object.keys)))
  return Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => used.has(name)))
}

function securityOf({ roleRule, takesSession }: RegisteredOperation): Record<string, never[]>[] {
  if (!roleRule.needsCredential) return takesSession ? [{}, { session: [] }] : []
  if (roleRule.isOfPerson) return [{ session: [] }]
  if (roleRule.admitsAgent) return [{ agentSerial: [] }]
  return [
    ...(roleRule.masks.length > 0 || !roleRule.admitsSigned ? [{ bearer: [] }] : []),
    ...(roleRule.admitsSigned ? [{ signedUrl: [], signedUrlExpiry: [], signedUrlUser: [] }] : []),
  ]
}

function operationObject(domain: string, operations: readonly RegisteredOperation[], shared: Map<string, unknown>): unknown {
  const [first] = operations
  if (!first) return undefined
  const isShared = operations.length > 1
  const description = operations
    .map((one) => `${isShared ? `**${one.name}**: ` : ''}${one.description}\n\nWho may call: ${whoMayCall(one)}.`)
    .join('\n\n')
  const requestBody = bodyOf(operations)
  return {
    operationId: operations.map((one) => one.name).join('_or_'),
    tags: [domain],
    summary: operations.map((one) => one.title).join(' / '),
    description,
    'x-operations': operations.map((one) => one.name),
    'x-roles': operations.map((one) => one.roles),
    'x-effect': operations.map((one) => one.effect),
    security: securityOf(first),
    parameters: operations
      .toSorted((a, b) => parametersOf(b).length - parametersOf(a).length)
      .slice(0, 1)
      .flatMap(parametersOf),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...successResponses(operations), ...errorResponses(operations, shared) },
  }
}

/** The domains with the schemas of this document in place of the tools', and the components that those refer to. */
function withDocumentSchemas(domains: ReturnType<typeof listedDomains>) {
  const schemas = documentSchemas()
  const answered = new Map(domains.flatMap(({ operations }) => operations.map((one) => [one.name, schemas.answered(one.output)] as const)))
  const documented = domains.map((domain) => ({
    ...domain,
    operations: domain.operations.map((one) => ({
      ...one,
      inputSchema: schemas.sent(one.input),
      outputSchema: answered.get(one.name) ?? {},
      examples: one.examples.filter(({ isMistaken }) => isMistaken !== true),
    })),
  }))
  return { domains: onOnePath(documented), components: schemas.components() }
}

/** The OpenAPI 3.1 document of every listed operation. Two operations on one path are one operation that names both. */
export function openapiDocument(registry: Registry, { publicUrl, version }: OpenApiOptions): Record<string, unknown> {
  const responses = new Map<string, unknown>()
  const paths = new Map<string, Record<string, unknown>>()
  const { domains, components } = withDocumentSchemas(listedDomains(registry))
  for (const domain of domains) {
    const routes = Map.groupBy(domain.operations, ({ method, path }) => `${method} ${path}`)
    for (const operations of routes.values()) {
      const [first] = operations
      if (!first) continue
      const item = paths.get(first.path) ?? {}
      item[first.method.toLowerCase()] = operationObject(domain.name, operations, responses)
      paths.set(first.path, item)
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fieldloop',
      version,
      description:
        'A multi-tenant operations platform that AI agents can run. Every operation here is also an MCP tool at /mcp, with the name of its operationId; errors are application/problem+json with a code.',
      // Whoever runs the installation answers for it; its pages are what a reader has of it.
      contact: { name: 'Documentation of this installation', url: `${publicUrl}/docs` },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: publicUrl }],
    security: [{ bearer: [] }],
    tags: domains.map(({ name, summary }) => ({ name, description: summary })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: schemesOf(domains.flatMap(({ operations }) => operations)),
      parameters: { IdempotencyKey: idempotencyKey },
      headers,
      schemas: { Problem: problemSchema, ...components },
      responses: Object.fromEntries([...responses].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}
