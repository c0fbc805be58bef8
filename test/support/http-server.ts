/** The HTTP server on a port of its own, over a small registry and a pipeline that keeps nothing. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'

import { pino } from 'pino'
import { z } from 'zod'

import { bytesAnswer, listing, rawJson } from '#platform/answer.ts'
import type { Call, Credential, Pipeline, Readiness } from '#platform/call.ts'
import { loadConfig } from '#platform/config.ts'
import { AppError, type ErrorCode, errorCatalogue } from '#platform/errors.ts'
import { parseInput } from '#platform/issues.ts'
import { type Actor, defineStagedOperation, type Domain, type Operation } from '#platform/operation.ts'
import { buildRegistry } from '#platform/registry.ts'
import { allows, flagOf, type RoleName, roleNames } from '#platform/roles.ts'
import { createRoom, type Room } from '#platform/room.ts'
import type { HttpServerParts } from '#server/http/http.types.ts'
import { createHttpServer } from '#server/http/server.ts'

import { withPhrases } from './phrases.ts'
import { noBacklog } from './backlog.ts'

type Facts = Pick<Parameters<typeof defineStagedOperation>[0], 'name' | 'path' | 'input'>
type Rest = Partial<Pick<Operation, 'method' | 'roles' | 'effect' | 'bodyKind' | 'sharedPath' | 'isUnlisted'>>

function operation(facts: Facts & Rest): Operation {
  return defineStagedOperation({
    title: `Title of ${facts.name}`,
    description: `Does what ${facts.name.replaceAll('_', ' ')} says.`,
    method: 'POST',
    roles: 'any',
    effect: 'read',
    output: z.object({}),
    errors: [],
    examples: [{ title: 'An example', input: {}, output: {} }],
    stagedHandler: () => Promise.reject(new Error('the pipeline of these tests answers by itself')),
    ...facts,
  })
}

const idOrName = z.union([z.number().int(), z.string()])
const echo = {
  thing: idOrName,
  note: z.string().optional(),
  count: z.number().int().optional(),
  weight: z.number().optional(),
  isOpen: z.boolean().optional(),
  tags: z.array(z.string()).optional(),
  ids: z.array(z.number().int()).optional(),
}

const bare: readonly Omit<Domain, 'phrases'>[] = [
  {
    name: 'things',
    title: 'Things',
    summary: 'What there is',
    operations: [
      operation({ name: 'whoami', path: '/api/v1/schema/whoami', input: z.object({}) }),
      operation({ name: 'echo_thing', path: '/api/v1/things/{thing}/echo', input: z.object(echo) }),
      operation({ name: 'list_things', path: '/api/v1/things/list', input: z.object({}) }),
      operation({
        name: 'get_thing',
        method: 'GET',
        path: '/api/v1/things/{thingId}',
        roles: 'DataView',
        input: z.object({ thingId: z.number().int(), isOpen: z.boolean().optional() }),
      }),
      operation({
        name: 'delete_thing',
        method: 'DELETE',
        path: '/api/v1/things/{thingId}',
        effect: 'destroy',
        input: z.object({ thingId: z.number().int() }),
      }),
      operation({
        name: 'upsert_row',
        path: '/api/v1/things/{thing}/rows/{record}',
        effect: 'write',
        sharedPath: { whenBodyHas: ['data', 'dataJson'] },
        input: z.object({
          thing: idOrName,
          record: z.string(),
          data: z.record(z.string(), z.unknown()).optional(),
          dataJson: z.string().optional(),
        }),
      }),
      operation({
        name: 'get_row',
        path: '/api/v1/things/{thing}/rows/{record}',
        sharedPath: { whenBodyHasOnly: ['properties'] },
        input: z.object({ thing: idOrName, record: z.string(), properties: z.array(z.string()).optional() }),
      }),
      operation({ name: 'wait_for_thing', path: '/api/v1/wait', input: z.object({}) }),
      operation({ name: 'fail', path: '/api/v1/fail', roles: 'Public', input: z.object({ code: z.string().optional() }) }),
    ],
  },
  {
    name: 'files',
    title: 'Files',
    summary: 'Bytes',
    operations: [
      operation({
        name: 'upload_file',
        path: '/api/v1/files',
        roles: 'FileEdit',
        effect: 'write',
        bodyKind: 'multipart',
        input: z.object({
          title: z.string().optional(),
          count: z.number().int().optional(),
          tags: z.array(z.string()).optional(),
          fileName: z.string().optional(),
          contentBase64: z.string().optional(),
        }),
      }),
      operation({
        name: 'put_bytes',
        method: 'PUT',
        path: '/api/v1/uploads/{token}',
        roles: 'Public',
        effect: 'write',
        bodyKind: 'stream',
        isUnlisted: true,
        input: z.object({ token: z.string() }),
      }),
      operation({
        name: 'download_file',
        method: 'GET',
        path: '/api/v1/files/{assetKey}/download',
        roles: 'DataView|Signed',
        input: z.object({ assetKey: z.uuid(), width: z.number().int().optional() }),
      }),
      operation({
        name: 'receive_webhook',
        path: '/api/v1/webhooks/{hookKey}',
        roles: 'Public',
        effect: 'write',
        bodyKind: 'raw',
        input: z.object({ hookKey: z.string() }),
      }),
    ],
  },
]
const domains = bare.map(withPhrases)

function actorOf(roles: readonly RoleName[], kind: Actor['kind'] = 'key'): Actor {
  return { kind, tenantId: 1, tenantUserId: 2, userId: 3, displayName: 'Ada', roleFlag: flagOf(roles), credentialId: 'key:1' }
}

/** A bearer token is the roles that it has, joined by a plus. */
function identify(credential: Credential): Actor {
  if (credential.kind === 'signed') {
    if (credential.sig !== 'good') throw new AppError('forbidden', 'The signature does not fit.')
    return actorOf([], 'signed')
  }
  const roles = credential.kind === 'bearer' ? credential.token.split('+') : []
  const known = roles.filter((role): role is RoleName => roleNames.some((name) => name === role))
  if (credential.kind === 'none' || known.length !== roles.length) throw new AppError('unauthenticated', 'Send a key as bearer token.')
  return actorOf(known)
}

/** What the next download answers, and what the last calls were. */
export interface Memory {
  download: () => unknown
  list: () => unknown
  /** Reads an upload; the default reads it to its end. */
  receive: (call: Call) => Promise<unknown>
  readonly calls: Call[]
  readonly logged: Record<string, unknown>[]
  readonly waiting: { release: () => void }[]
}

async function readAll(call: Call): Promise<unknown> {
  let bytes = 0
  let head = ''
  for await (const chunk of call.upload?.stream ?? []) {
    if (head === '') head = String(chunk).slice(0, 20)
    bytes += chunk.length
  }
  return { bytes, head, fileName: call.upload?.fileName, mimeType: call.upload?.mimeType, input: call.input }
}

function isErrorCode(text: string | undefined): text is ErrorCode {
  return text !== undefined && text in errorCatalogue
}

function answerOf(call: Call, memory: Memory): unknown {
  switch (call.operation.name) {
    case 'list_things':
      return memory.list()
    case 'upload_file':
    case 'put_bytes':
      return memory.receive(call)
    case 'download_file':
      return memory.download()
    case 'receive_webhook':
      return bytesAnswer({ body: '<Response/>', mimeType: 'text/xml', status: 202, headers: { 'x-vendor': 'yes' } })
    case 'wait_for_thing':
      return new Promise((resolve, reject) => {
        memory.waiting.push({ release: () => resolve({ released: true }) })
        call.signal.addEventListener('abort', () => reject(new AppError('timeout', 'The caller went away.')))
      })
    case 'fail': {
      const { code } = z.object({ code: z.string().optional() }).parse(call.input)
      if (!isErrorCode(code)) throw new Error('connection to 10.1.2.3 refused, password=hunter2')
      throw new AppError(code, `This is ${code}.`, {
        cause: new Error('relation "secret_table" does not exist'),
        ...(code === 'rate_limited' ? { retryAfterSeconds: 2.2 } : {}),
      })
    }
    default:
      return { operation: call.operation.name, input: call.input }
  }
}

function createPipeline(memory: Memory, room: Room): Pipeline {
  return {
    registry: buildRegistry(domains),
    room,
    identify: async (credential) => identify(credential),
    charge: async () => {},
    async run(call) {
      memory.calls.push(call)
      const { operation } = call
      const actor = operation.roleRule.needsCredential ? identify(call.credential) : actorOf([], 'public')
      if (actor.kind !== 'signed' && !allows(operation.roleRule, actor.roleFlag))
        throw new AppError('forbidden', `Needs ${operation.roles}.`)
      const parsed = parseInput(operation.input, call.input)
      if (!parsed.isOk) throw new AppError('invalid_input', 'The input is not valid.', { issues: parsed.issues })
      // As the product's pipeline does for what is read in one transaction; here each key is a tenant of its own.
      if (operation.name === 'list_things')
        await call.passage?.enterForAnswer(call.credential.kind === 'bearer' ? call.credential.token : '')
      return answerOf({ ...call, input: parsed.value }, memory)
    },
  }
}

export const allUp: Readiness = {
  status: 'ready',
  dependencies: { postgres: { state: 'up' }, temporal: { state: 'up' }, redis: { state: 'absent' } },
}

export interface TestServer {
  readonly url: string
  readonly port: number
  readonly memory: Memory
  readonly room: Room
  close(): Promise<void>
}

/** Starts it. `environment` is what loadConfig reads. */
export async function startHttpServer(
  parts: Partial<Pick<HttpServerParts, 'docs' | 'mcp' | 'pages' | 'timeouts' | 'readiness'>> = {},
  environment: Record<string, string> = {},
): Promise<TestServer> {
  const memory: Memory = {
    download: () => bytesAnswer({ body: '', mimeType: 'text/plain' }),
    list: () => listing(rawJson('[{"thingId":1}]'), { nextCursor: 'abc', totalCount: 7, totalAtLeast: 5 }),
    receive: readAll,
    calls: [],
    logged: [],
    waiting: [],
  }
  const lines = new Writable({
    write(chunk, _encoding, done) {
      const line: Record<string, unknown> = JSON.parse(String(chunk))
      memory.logged.push(line)
      done()
    },
  })
  const config = loadConfig({ PORT: '0', SHUTDOWN_SECONDS: '1', ...environment })
  const room = createRoom({ bytes: config.limits.bytesInFlight })
  const server = await createHttpServer({
    pipeline: createPipeline(memory, room),
    config,
    log: pino({ level: 'debug' }, lines),
    backlog: () =>
      Promise.resolve({
        lanes: { ...noBacklog.lanes, people: { waiting: 3, oldestSeconds: 4.5 } },
        givenUp: 1,
        deliveries: { due: 2, oldestSeconds: 61.5 },
      }),
    readiness: () => Promise.resolve(allUp),
    docs: {
      texts: new Map([
        ['/openapi.json', { type: 'application/json; charset=utf-8', text: '{"openapi":"3.1.0"}' }],
        ['/llms.txt', { type: 'text/plain; charset=utf-8', text: '# Fieldloop\n' }],
      ]),
    },
    ...parts,
  })
  const { port } = await server.listen()
  return { url: `http://127.0.0.1:${port}`, port, memory, room, close: () => server.close() }
}

/** A connection on which a test writes HTTP by hand. */
export async function openSocket(port: number): Promise<{ socket: Socket; text: () => string; closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return { socket, text: () => text, closed }
}

/** Sends the bytes as they are and answers everything that came until the connection ended. */
export async function exchangeRaw(port: number, bytes: string | Buffer): Promise<string> {
  const { socket, text, closed } = await openSocket(port)
  socket.write(bytes)
  await closed
  return text()
}
