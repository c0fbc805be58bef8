/** The MCP endpoint: Streamable HTTP without sessions, for the revisions 2024-11-05 to 2026-07-28, on a raw Node request. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline as pipe } from 'node:stream/promises'

import { createMcpHandler, ProtocolErrorCode } from '@modelcontextprotocol/server'

import type { Pipeline } from '#platform/call.ts'
import { clientAddress, toldOrigin } from '#platform/client-address.ts'
import type { Config } from '#platform/config.ts'
import { AppError, errorCatalogue, toProblem } from '#platform/errors.ts'
import type { Logger } from '#platform/log.ts'
import { createPace } from '#platform/pace.ts'
import type { Resource, Resources } from '#platform/resources.ts'
import { rolesOf } from '#platform/roles.ts'
import { sharerOf, smallBytes } from '#platform/room.ts'

import { announcedBytes, CallerGone, findWrongParams, parseBody, readBody, withArguments } from './body.ts'
import { challengeOf, lackingRoles, type Metadata, metadataOf, scopeChallenge } from './challenge.ts'
import { acceptOf, createDirectWriter, isRecord, readDirectMessage } from './direct.ts'
import { bearerOf, createGuard } from './guard.ts'
import { createProgressStream } from './progress.ts'
import { createProtocolServer, type ProtocolFixtures } from './protocol.ts'
import { productPrompts, type PromptDefinition } from './prompts.ts'
import type { Corpus } from './resources.ts'
import type { Session } from './session.ts'
import { readSurface } from './surface.ts'
import { createToolCalls } from './tool-calls.ts'
import { createViews } from './views.ts'

export interface McpEndpointParts {
  readonly pipeline: Pipeline
  readonly config: Pick<Config, 'host' | 'publicUrl' | 'corsOrigins' | 'limits' | 'cacheDir' | 'trustedProxies'>
  readonly log: Logger
  readonly corpus: Corpus
  /** Where it is reached. Absent: no application connects, and no tenant has a host of its own. */
  readonly resources?: Resources
  readonly prompts?: readonly PromptDefinition[]
  /** For the conformance test alone. */
  readonly protocolFixtures?: ProtocolFixtures
}

/** Serves one request, whose body is unread. Never rejects. `close` ends the streams that wait for notifications. */
export type McpEndpoint = ((request: IncomingMessage, response: ServerResponse) => Promise<void>) & { close(): Promise<void> }

/** Headers that the protocol knows; the credential among others stays outside. */
const protocolHeaders = ['content-type', 'last-event-id', 'mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id']

function productVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined
  return typeof version === 'string' ? version : '0.0.0'
}

function requestIdOf(response: ServerResponse): string {
  const given = response.getHeader('x-request-id')
  if (typeof given === 'string') return given
  const made = randomUUID()
  response.setHeader('x-request-id', made)
  return made
}

function sendJson(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.statusCode = status
  response.setHeader('content-type', type)
  response.end(body)
}

function sendProblem(request: IncomingMessage, response: ServerResponse, error: unknown, requestId: string, metadata: Metadata): void {
  const problem = toProblem(error, requestId)
  if (problem.code === 'unauthenticated') response.setHeader('www-authenticate', challengeOf(request, metadata))
  if (error instanceof AppError && errorCatalogue[error.code].retryable) {
    response.setHeader('retry-after', String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))))
  }
  // What was not read is taken off the wire: closing on a caller that is still sending would lose it the answer.
  if (!request.readableEnded) request.resume()
  sendJson(response, problem.status, 'application/problem+json', JSON.stringify(problem))
}

function sendRpcError(
  response: ServerResponse,
  code: ProtocolErrorCode,
  error: AppError,
  requestId: string,
  id: unknown,
  status = 400,
): void {
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  const body = { jsonrpc: '2.0', id: known, error: { code, message: error.message, data: toProblem(error, requestId) } }
  sendJson(response, status, 'application/json', JSON.stringify(body))
}

/** Each message of a batch may be answered up to the limit of an answer, and all of them are one answer. */
const maxBatch = 20

/** The pipeline counts each operation that it runs; a request whose messages run none is counted here. */
function messagesOutsideOperations(body: unknown): number {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body]
  return messages.filter((message) => !isRecord(message) || message['method'] !== 'tools/call').length
}

async function sendWebResponse(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) {
    response.end()
    return
  }
  response.flushHeaders()
  await pipe(Readable.fromWeb(answer.body), response)
}

/** Builds the endpoint over a pipeline. Mount it with the raw request and response of each call to `/mcp`. */
export function createMcpEndpoint(parts: McpEndpointParts): McpEndpoint {
  const { pipeline, config, log, corpus, resources, protocolFixtures: fixtures } = parts
  const metadataAt = (place: Resource | undefined) => metadataOf(place, resources?.isOn === true)
  const { registry } = pipeline
  const version = productVersion()
  const guard = createGuard(config)
  const pace = createPace({ stallMs: config.limits.stallSeconds * 1000, bytesPerSecond: config.limits.minBytesPerSecond })
  const calls = createToolCalls(pipeline, config.cacheDir, log)
  const viewOf = createViews(registry, {
    always: [...(fixtures?.tools.values() ?? [])].map((tool) => tool.descriptor),
    catalog: (surface) => calls.catalog.descriptors(surface),
  })
  const writer = createDirectWriter(version)
  const toolsets = registry.domains.filter((domain) => domain.operations.some((operation) => operation.isTool)).map((domain) => domain.name)
  const protocolParts = { calls, corpus, prompts: parts.prompts ?? productPrompts, version, domains: registry.domains, fixtures }

  // The session of a request travels to its protocol server as the SDK's auth info, the one thing that it passes through.
  const sessions = new WeakMap<object, Session>()
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const session = authInfo && sessions.get(authInfo)
      if (!session) throw new Error('A protocol server was asked for outside a request')
      return createProtocolServer(session, protocolParts)
    },
    { onerror: (err) => log.debug({ err }, 'mcp') },
  )

  let isClosed = false
  const throughProtocol = async (request: IncomingMessage, response: ServerResponse, session: Session, body: unknown): Promise<void> => {
    if (isClosed) throw new AppError('unavailable', 'The server is stopping. Connect again in a moment.', { retryAfterSeconds: 1 })
    const headers = new Headers({ accept: acceptOf(request.headers) })
    for (const name of protocolHeaders) {
      const value = request.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const authInfo = { token: '', clientId: session.actor.credentialId, scopes: [] }
    sessions.set(authInfo, session)
    const web = new Request('http://localhost/mcp', { method: request.method ?? 'POST', headers, signal: session.signal })
    await sendWebResponse(response, await handler.fetch(web, { authInfo, parsedBody: body }))
  }

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    host: string,
    place: Resource | undefined,
  ): Promise<void> => {
    guard(request, host, place !== undefined)
    const credential = bearerOf(request, place?.url)
    const ip = clientAddress(request, config.trustedProxies)
    const actor = await pipeline.identify(credential, ip)
    if (place?.tenantId !== undefined && place.tenantId !== actor.tenantId)
      throw new AppError('forbidden', 'This is the address of another tenant than that of the credential.')
    const surface = readSurface(request.url ?? '', toolsets)
    const gone = new AbortController()
    const passage = pipeline.room.open('mcp', gone.signal)
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
      passage.leave()
    })
    const bytes = request.method === 'POST' ? announcedBytes(request, config.limits.mcpBytes) : 0
    if (bytes > smallBytes) await passage.enterWithBody(sharerOf(actor, ip), bytes)
    const { value: body, refusal } =
      request.method === 'POST'
        ? withArguments(await parseBody(await readBody(request, config.limits.mcpBytes, pace)))
        : { value: undefined, refusal: undefined }
    const single = isRecord(body) ? body : {}
    if (Array.isArray(body) && body.length > maxBatch) {
      const tooMany = new AppError(
        'invalid_input',
        `A batch holds at most ${maxBatch} messages, and this has ${body.length}. Send them in several requests.`,
      )
      sendRpcError(response, ProtocolErrorCode.InvalidRequest, tooMany, requestId, undefined)
      return
    }
    const uncounted = messagesOutsideOperations(body)
    if (uncounted > 0) await pipeline.charge(actor, uncounted)
    if (refusal && single['method'] !== 'tools/call') {
      sendRpcError(response, ProtocolErrorCode.InvalidParams, refusal, requestId, single['id'])
      return
    }

    const lacking = lackingRoles(body, actor, registry, surface)
    if (lacking !== 0) {
      await pipeline.charge(actor, 1)
      response.setHeader('www-authenticate', scopeChallenge(actor, lacking, metadataAt(place)))
      const roles = rolesOf(lacking).join(' and ')
      throw new AppError('forbidden', `The person who let this application in has ${roles}, and did not give it. Ask them for it.`)
    }

    const session: Session = {
      actor,
      credential,
      view: viewOf(surface, actor),
      requestId,
      ip,
      signal: gone.signal,
      passage,
      refusal,
    }

    const message = readDirectMessage(request.headers, body)
    if (message?.method === 'tools/list') {
      await passage.enterForAnswer(sharerOf(actor, ip))
      const list = writer.listBytes(message, session.view.listJson)
      passage.holdAnswer(list.length)
      sendJson(response, 200, 'application/json', list)
      return
    }
    const run = message && !fixtures?.tools.has(message.name) ? calls.find(session, message.name) : undefined
    if (message && !run) await pipeline.charge(actor, 1)
    if (!message || !run) {
      const isModern = typeof request.headers['mcp-method'] === 'string'
      const wrong = findWrongParams(single, isModern)
      if (wrong) {
        // Clients of the earlier revisions read an error's body only where the status is no error.
        sendRpcError(response, ProtocolErrorCode.InvalidParams, wrong, requestId, single['id'], isModern ? 400 : 200)
        return
      }
      await throughProtocol(request, response, session, body)
      return
    }
    const stream = createProgressStream(response, acceptOf(request.headers).includes('text/event-stream') ? message.meta : undefined)
    const outcome = await calls.call({ ...session, onProgress: stream.onProgress }, run, message.input, message.meta)
    stream.stop()
    const text = await writer.callText(message, outcome)
    passage.holdAnswer(text.length)
    if (!stream.end(text)) sendJson(response, 200, 'application/json', text)
  }

  const endpoint = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = requestIdOf(response)
    let place: Resource | undefined
    try {
      const { host } = toldOrigin(request, config.trustedProxies)
      place = await resources?.atHost(host, `address ${clientAddress(request, config.trustedProxies) ?? ''}`)
      await serve(request, response, requestId, host, place)
    } catch (error) {
      if (error instanceof CallerGone || response.destroyed) return
      if (response.headersSent) {
        log.debug({ err: error, requestId }, 'an MCP response broke off')
        response.destroy()
        return
      }
      if (!(error instanceof AppError)) log.error({ err: error, requestId }, 'an MCP request failed unexpectedly')
      if (error instanceof AppError && error.code === 'invalid_json') {
        sendRpcError(response, ProtocolErrorCode.ParseError, error, requestId, null)
      } else sendProblem(request, response, error, requestId, metadataAt(place))
    }
  }
  const close = () => {
    isClosed = true
    return handler.close()
  }
  return Object.assign(endpoint, { close })
}
