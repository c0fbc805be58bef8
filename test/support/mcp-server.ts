/** The MCP endpoint on a port of its own, over a small registry and a pipeline that answers from memory. */
import { createServer, type Server } from 'node:http'

import { z } from 'zod'

import { bytesAnswer, embeddedAnswer, listing, rawJson } from '#platform/answer.ts'
import type { Call, Credential, Pipeline } from '#platform/call.ts'
import { loadConfig } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import { createLog } from '#platform/log.ts'
import { type Actor, defineStagedOperation, type Domain, type Operation } from '#platform/operation.ts'
import { buildRegistry } from '#platform/registry.ts'
import { allows, flagOf, type RoleName, rolesOf } from '#platform/roles.ts'
import { createRoom } from '#platform/room.ts'
import { createMcpEndpoint, type McpEndpointParts } from '#server/mcp/endpoint.ts'

import { withPhrases } from './phrases.ts'

const entity = z.string().describe('Id or internalName of the entity')
const record = z.object({ eiRecordId: z.number().int(), note: z.string() })

type Facts = Pick<Parameters<typeof defineStagedOperation>[0], 'name' | 'path' | 'roles' | 'effect' | 'input' | 'output'>

function operation(facts: Facts & { method?: 'GET' | 'DELETE'; isIdempotent?: boolean }): Operation {
  return defineStagedOperation({
    title: `Title of ${facts.name}`,
    description: `Does what ${facts.name.replaceAll('_', ' ')} says.`,
    method: 'POST',
    errors: [],
    examples: [{ title: 'An example', input: {}, output: {} }],
    stagedHandler: async () => Promise.reject(new Error('the memory pipeline answers from its own table')),
    ...facts,
  })
}

const none = z.object({})
const id = z.number().int()

const bare: readonly Omit<Domain, 'phrases'>[] = [
  {
    name: 'docs',
    title: 'Documentation',
    summary: 'The corpus',
    operations: [
      operation({
        name: 'docs_index',
        path: '/docs/index',
        roles: 'any',
        effect: 'read',
        input: none,
        output: z.object({ pages: z.array(none) }),
      }),
      operation({
        name: 'docs_read',
        path: '/docs/read',
        roles: 'any',
        effect: 'read',
        input: z.object({ path: z.string() }),
        output: none,
      }),
    ],
  },
  {
    name: 'schema',
    title: 'Schema',
    summary: 'Who am I',
    operations: [
      operation({ name: 'whoami', path: '/whoami', roles: 'any', effect: 'read', input: none, output: z.object({ tenantId: id }) }),
    ],
  },
  {
    name: 'entities',
    title: 'Entities',
    summary: 'Kinds of record',
    operations: [
      operation({
        name: 'list_entities',
        path: '/entities/list',
        roles: 'any',
        effect: 'read',
        input: none,
        output: z.array(z.object({ entityId: id })),
      }),
      operation({
        name: 'create_entity',
        path: '/entities',
        roles: 'BuilderAdmin',
        effect: 'write',
        input: z.object({ internalName: z.string() }),
        output: z.object({ entityId: id }),
      }),
    ],
  },
  {
    name: 'instances',
    title: 'Records',
    summary: 'Records of entities',
    operations: [
      operation({
        name: 'list_instances',
        path: '/entities/{entity}/instances/list',
        roles: 'DataView',
        effect: 'read',
        input: z.object({ entity, pageSize: z.number().int().min(1).max(1000).optional() }),
        output: z.array(record),
      }),
      operation({
        name: 'save_instance',
        path: '/entities/{entity}/instances',
        roles: 'DataEdit',
        effect: 'write',
        input: z.object({ entity, note: z.string(), weight: z.number().optional() }),
        output: record,
      }),
      operation({
        name: 'delete_instance',
        path: '/entities/{entity}/instances/{record}',
        method: 'DELETE',
        roles: 'DataDelete',
        effect: 'destroy',
        isIdempotent: true,
        input: z.object({ entity, record: z.string() }),
        output: z.object({ deleted: z.boolean() }),
      }),
      operation({ name: 'await_forever', path: '/await-forever', roles: 'DataView', effect: 'read', input: none, output: none }),
      operation({ name: 'answer_bytes', path: '/answer-bytes', roles: 'DataView', effect: 'read', input: none, output: none }),
      operation({ name: 'fail_unexpectedly', path: '/fail', roles: 'DataView', effect: 'read', input: none, output: none }),
    ],
  },
  {
    name: 'assets',
    title: 'Files',
    summary: 'Files',
    operations: [
      operation({
        name: 'download_asset',
        path: '/assets/{assetKey}/download',
        method: 'GET',
        roles: 'DataView|Signed',
        effect: 'read',
        input: z.object({ assetKey: z.string() }),
        output: z.object({ url: z.string() }),
      }),
    ],
  },
  {
    name: 'auth',
    title: 'Sign-in',
    summary: 'Keys and sessions',
    operations: [operation({ name: 'login', path: '/auth/login', roles: 'Public', effect: 'write', input: none, output: none })],
  },
]
const domains = bare.map(withPhrases)

const photograph = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==', 'base64')
const url = 'https://files.test/download'
const downloads: Readonly<Record<string, unknown>> = {
  photograph: embeddedAnswer({ url }, photograph, 'image/png'),
  table: embeddedAnswer({ url }, Buffer.from('a,b\n1,2\n'), 'text/csv'),
  archive: embeddedAnswer({ url }, Buffer.from([80, 75, 255, 0]), 'application/zip'),
}

type Input = Readonly<Record<string, unknown>>

const answers: Readonly<Record<string, (input: Input, signal: AbortSignal) => unknown>> = {
  docs_index: () => ({ pages: [{}] }),
  docs_read: () => ({}),
  whoami: () => ({ tenantId: 1 }),
  list_entities: () => [{ entityId: 7 }],
  create_entity: () => ({ entityId: 8 }),
  list_instances: () => listing(rawJson('[{"eiRecordId":1,"note":"said \\"yes\\" – ünïcode"}]'), { nextCursor: 'next', totalAtLeast: 3 }),
  save_instance: ({ note }) => ({ eiRecordId: 2, note }),
  delete_instance: () => Promise.reject(new AppError('not_found', 'No such record.')),
  await_forever: (_input, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new AppError('timeout', 'The caller went away.')))),
  answer_bytes: () => bytesAnswer({ body: 'bytes', mimeType: 'text/plain' }),
  fail_unexpectedly: () => Promise.reject(new Error('relation "secret" does not exist')),
  download_asset: ({ assetKey }) => downloads[String(assetKey)],
}

/** Tokens that the pipeline knows, and their roles. */
export const keys = {
  viewer: ['DataView'],
  editor: ['DataView', 'DataEdit'],
  builder: ['BuilderAdmin', 'DataView', 'DataEdit', 'DataDelete'],
} as const satisfies Record<string, readonly RoleName[]>

function actorOf(credential: Credential): Actor {
  const token = credential.kind === 'bearer' ? credential.token : ''
  if (token === 'suspended') throw new AppError('tenant_suspended', 'The tenant is suspended.')
  if (token === 'database-away') throw new AppError('unavailable', 'The database is away.', { retryAfterSeconds: 2 })
  const roles = Object.entries(keys).find(([name]) => name === token)?.[1]
  if (!roles) throw new AppError('unauthenticated', 'The credential is not accepted.')
  return { kind: 'key', tenantId: 1, tenantUserId: 1, userId: 1, displayName: token, roleFlag: flagOf(roles), credentialId: `key:${token}` }
}

/** The calls that were counted against the caller's limit, and how many may be. */
interface Budget {
  spent: number
  limit: number
}

/** A pipeline that checks roles and fields and calls the handler, in memory. `calls` has every call that came, refused ones too. */
function createMemoryPipeline(): { pipeline: Pipeline; calls: Call[]; budget: Budget } {
  const registry = buildRegistry(domains)
  const calls: Call[] = []
  const budget = { spent: 0, limit: Number.POSITIVE_INFINITY }
  const charge = async (_actor: Actor, count: number) => {
    if (budget.spent >= budget.limit) throw new AppError('rate_limited', 'Too many calls. Wait 7 s.', { retryAfterSeconds: 7 })
    budget.spent += count
  }
  const run = async (call: Call): Promise<unknown> => {
    calls.push(call)
    const actor = actorOf(call.credential)
    await charge(actor, 1)
    if (!allows(call.operation.roleRule, actor.roleFlag)) {
      throw new AppError(
        'forbidden',
        `${call.operation.name} needs ${call.operation.roles}; this key has ${rolesOf(actor.roleFlag).join(', ')}.`,
      )
    }
    const parsed = call.operation.input.strict().safeParse(call.input)
    if (!parsed.success) {
      const issues = parsed.error.issues.map(
        (issue) => ({ path: ['$', ...issue.path].join('.'), severity: 'error', message: issue.message }) as const,
      )
      throw new AppError('invalid_input', 'The input is not valid.', { issues })
    }
    return answers[call.operation.name]?.(parsed.data, call.signal)
  }
  const room = createRoom({ bytes: 64 * 1024 * 1024 })
  return { pipeline: { registry, room, run, identify: async (credential) => actorOf(credential), charge }, calls, budget }
}

export const corpus: McpEndpointParts['corpus'] = {
  pages: () => [
    { path: 'guides/start.md', title: 'Start', summary: 'How to begin' },
    { path: 'guides/import.md', title: 'Import', summary: 'How to import' },
    { path: 'reference/errors.md', title: 'Errors', summary: 'Every code' },
  ],
  read: (wanted) => (wanted.startsWith('guides/') ? { title: 'Start', markdown: `# ${wanted}\n` } : undefined),
}

export interface McpServer {
  readonly url: string
  readonly port: number
  readonly pipeline: Pipeline
  readonly calls: Call[]
  readonly budget: Budget
  /** Closes the endpoint, while the port goes on listening. */
  close(): Promise<void>
  stop(): Promise<void>
}

/** The port that a listening server was given. */
export function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port')
  return address.port
}

/** Starts the endpoint at `/mcp` on a free loopback port. */
export async function startMcpServer(more: Partial<McpEndpointParts> = {}, env: Record<string, string> = {}): Promise<McpServer> {
  const { pipeline, calls, budget } = createMemoryPipeline()
  const config = loadConfig({ PUBLIC_URL: 'https://field.example.org', MAX_MCP_BYTES: String(64 * 1024), ...env })
  const endpoint = createMcpEndpoint({ pipeline, config, log: createLog('silent'), corpus, ...more })
  const server = createServer((request, response) => void endpoint(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    pipeline,
    calls,
    budget,
    close: () => endpoint.close(),
    async stop() {
      await endpoint.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
