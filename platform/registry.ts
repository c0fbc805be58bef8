/** Assembles every operation, checks it, and computes once what the transports and the documents need of it. */
import type { z } from 'zod'

import { type ErrorCode, errorCatalogue } from './errors.ts'
import { fieldWords } from './field-words.ts'
import { type JsonSchema, toJsonSchema, toStructuredSchema } from './json-schema.ts'
import { commonErrors, commonWriteErrors, type Domain, type Operation, phraseLanguages, type Phrases } from './operation.ts'
import { parseRoles, type RoleRule } from './roles.ts'

export interface RegisteredOperation extends Operation {
  readonly domain: string
  readonly roleRule: RoleRule
  /** Every code that it may answer, common ones included, in the order of the catalogue. Tests refuse an answer with any other. */
  readonly codes: readonly ErrorCode[]
  /** Names in braces in `path`, in order. */
  readonly pathParams: readonly string[]
  readonly inputSchema: JsonSchema
  /** The REST body. */
  readonly outputSchema: JsonSchema
  /** The same as MCP's structured content. */
  readonly structuredSchema: JsonSchema
  /** Public, Agent, Person and unlisted operations are REST only; every other one is also a tool. */
  readonly isTool: boolean
  /** What people say when they mean it, of a tool. */
  readonly phrases: readonly string[]
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
  }
}

export interface Registry {
  readonly domains: readonly {
    readonly name: string
    readonly title: string
    readonly summary: string
    readonly operations: readonly RegisteredOperation[]
  }[]
  /** Every operation, in reading order. */
  readonly operations: readonly RegisteredOperation[]
  readonly byName: ReadonlyMap<string, RegisteredOperation>
}

function shapeOf(schema: z.ZodObject): Record<string, unknown> {
  return schema.shape
}

function isErrorCode(text: string): text is ErrorCode {
  return text in errorCatalogue
}

function codesOf({ effect, errors }: Operation, { needsCredential }: RoleRule): ErrorCode[] {
  const own = new Set([...commonErrors, ...(effect === 'read' ? [] : commonWriteErrors)])
  // Whom it asks for no credential it can tell that one is wrong only by a check of its own, which it declares.
  if (!needsCredential) own.delete('unauthenticated')
  for (const code of errors) own.add(code)
  return Object.keys(errorCatalogue)
    .filter(isErrorCode)
    .filter((code) => own.has(code))
}

/** Gives fields that say nothing of themselves the words that all fields of their name have. */
function described(schema: JsonSchema): JsonSchema {
  const fields = schema['properties']
  if (typeof fields !== 'object' || fields === null) return schema
  const properties = Object.entries(fields).map(([name, field]: [string, JsonSchema]) => {
    const words = fieldWords[name]
    return [name, words === undefined || 'description' in field ? field : { ...field, description: words }]
  })
  return { ...schema, properties: Object.fromEntries(properties) }
}

/** The input as a tool shows it. */
function inputSchemaOf({ input, mcpRequiredFields = [] }: Operation): JsonSchema {
  const schema = described(toJsonSchema(input, 'input'))
  if (mcpRequiredFields.length === 0) return schema
  const always = Array.isArray(schema['required']) ? schema['required'] : []
  return { ...schema, required: [...always, ...mcpRequiredFields] }
}

/** Throws where a language has none: nobody who speaks it would find the tool. */
function phrasesOf({ name, phrases }: Domain, tool: string): string[] {
  const own: Partial<Phrases[string]> = phrases[tool] ?? {}
  const apart = phraseLanguages.map((language) => (own[language] ?? '').split(';').map((phrase) => phrase.trim()))
  const silent = phraseLanguages.filter((_, index) => !apart[index]?.every((phrase) => phrase !== '' && phrase.length <= 200))
  if (silent.length > 0)
    throw new Error(`${tool}: tools/${name}/${name}.phrases.ts says in ${silent.join(', ')} nothing, or too much, of what people call it`)
  return [...new Set(apart.flat())]
}

function register(domain: Domain, operation: Operation): RegisteredOperation {
  const { name, path, input, output, effect } = operation
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(name)) throw new Error(`${name}: a tool name is at most 40 lower-case letters, digits and underscores`)
  if (operation.description.length > 1000) throw new Error(`${name}: the description is longer than 1,000 characters`)
  if (!operation.handler === !operation.stagedHandler) throw new Error(`${name}: exactly one of handler and stagedHandler`)
  const pathParams = [...path.matchAll(/\{([A-Za-z0-9]+)\}/g)].map((match) => match[1] ?? '')
  const missing = pathParams.filter((param) => !(param in shapeOf(input)))
  if (missing.length > 0) throw new Error(`${name}: the input lacks the path parameters ${missing.join(', ')}`)
  const roleRule = parseRoles(operation.roles)
  const outputSchema = toJsonSchema(output, 'output')
  const isTool = roleRule.needsCredential && !roleRule.admitsAgent && !roleRule.isOfPerson && operation.isUnlisted !== true
  return {
    ...operation,
    domain: domain.name,
    roleRule,
    codes: codesOf(operation, roleRule),
    pathParams,
    inputSchema: inputSchemaOf(operation),
    outputSchema,
    structuredSchema: toStructuredSchema(outputSchema),
    isTool,
    phrases: isTool ? phrasesOf(domain, name) : [],
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destroy',
      idempotentHint: effect === 'read' || operation.isIdempotent === true,
    },
  }
}

/** Builds the registry. Throws on two operations of one name, on one route declared twice without `sharedPath`, and on each bad literal. */
export function buildRegistry(domains: readonly Domain[]): Registry {
  const byName = new Map<string, RegisteredOperation>()
  const routes = new Map<string, RegisteredOperation>()
  const built = domains.map((domain) => ({
    name: domain.name,
    title: domain.title,
    summary: domain.summary,
    operations: domain.operations.map((operation) => {
      const registered = register(domain, operation)
      if (byName.has(registered.name)) throw new Error(`${registered.name} is declared twice`)
      byName.set(registered.name, registered)
      const route = `${registered.method} ${registered.path}`
      const other = routes.get(route)
      if (other && !(other.sharedPath && registered.sharedPath))
        throw new Error(`${route} is declared by ${other.name} and by ${registered.name}`)
      routes.set(route, registered)
      return registered
    }),
  }))
  for (const domain of domains)
    for (const name of Object.keys(domain.phrases))
      if (byName.get(name)?.isTool !== true || byName.get(name)?.domain !== domain.name)
        throw new Error(`${domain.name}.phrases.ts has phrases for ${name}, which is no tool of ${domain.name}`)
  return { domains: built, operations: built.flatMap((domain) => domain.operations), byName }
}
