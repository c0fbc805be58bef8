/** The routes of the registry: each turns a request into one call of the pipeline, and its answer into a response. */
import { isDeepStrictEqual } from 'node:util'

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import type { Call, Credential, Pipeline } from '#platform/call.ts'
import { clientAddress, toldOrigin } from '#platform/client-address.ts'
import type { Config } from '#platform/config.ts'
import { AppError, type Issue } from '#platform/errors.ts'
import type { Pace, Watched } from '#platform/pace.ts'
import { noSuchId, nounOf } from '#platform/path-ids.ts'
import type { RegisteredOperation, Registry } from '#platform/registry.ts'
import { type Passage, sharerOf, smallBytes, uploadBytes } from '#platform/room.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import { sendAnswer } from './answers.ts'
import { checkDeclared, declaredBytes, mediaType, readBytes, readJsonObject } from './body.ts'
import { coerceFormField, coerceParameter, coercePathParameter, type Field, fieldsOf } from './coerce.ts'
import { credentialOf, idempotencyKeyOf, signedParameters } from './credentials.ts'
import type { Exchange, Exchanges } from './exchange.ts'
import { openForm, openStream } from './upload.ts'
import { decodeSegment, parseQuery, splitTarget, type Target } from './url.ts'

export interface OperationRouteParts {
  readonly pipeline: Pipeline
  readonly config: Config
  readonly exchanges: Exchanges
  readonly pace: Pace
  /** In milliseconds: without progress, until a body is whole that is kept in memory, and until a file is. */
  readonly timeouts: { readonly stall: number; readonly body: number; readonly upload: number }
  /** Where the same operations stand once more, below a path such as `/t/:subDomain`. */
  readonly below?: Below
}

export interface Below {
  readonly path: string
  /** Who calls. Throws AppError where the request may not. */
  readonly credentialOf: (request: FastifyRequest) => Credential | Promise<Credential>
  /** The call was answered without an error, and the answer has not been sent. */
  readonly onAnswered: (operation: RegisteredOperation, request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/** A method and path with the operation behind it; with several where the body decides. */
export interface Route {
  readonly method: RegisteredOperation['method']
  readonly path: string
  readonly operations: readonly [RegisteredOperation, ...RegisteredOperation[]]
  /** The operation's name; both names of a shared path. */
  readonly label: string
  /** Where in the path its parameters stand, and the noun for each. */
  readonly parameters: readonly { readonly index: number; readonly name: string; readonly what: string }[]
  readonly fields: ReadonlyMap<string, Field>
}

// Strangers get a part of the patience that others get; a small body that is not there by then is asked whose it is.
const strangersPart = 1 / 3
const askAfterPart = 1 / 10
const rawBytes = 1024 * 1024

function parameterOf(name: string, index: number): Route['parameters'][number] {
  return { index, name, what: nounOf(name) }
}

/** The routes in the order of the registry. */
export function routesOf(registry: Registry): Route[] {
  const routes = new Map<string, Route>()
  for (const operation of registry.operations) {
    const { method, path } = operation
    const key = `${method} ${path}`
    const shared = routes.get(key)
    const parameters = path
      .split('/')
      .flatMap((segment, index) => (segment.startsWith('{') ? [parameterOf(segment.slice(1, -1), index)] : []))
    const fields = new Map([...(shared?.fields ?? []), ...fieldsOf(operation.inputSchema)])
    const operations: Route['operations'] = shared ? [...shared.operations, operation] : [operation]
    routes.set(key, { method, path, label: operations.map(({ name }) => name).join('|'), operations, parameters, fields })
  }
  return [...routes.values()]
}

/** Adds every route of the registry to the server. */
export function addOperationRoutes(app: FastifyInstance, routes: readonly Route[], parts: OperationRouteParts): void {
  for (const route of routes) {
    app.route({
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url: (parts.below?.path ?? '') + route.path.replace(/\{([A-Za-z0-9]+)\}/g, ':$1'),
      handler: (request, reply) => answerCall(route, parts, request, reply),
    })
  }
}

async function answerCall(route: Route, parts: OperationRouteParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { pipeline, exchanges } = parts
  const exchange = exchanges.of(request.raw, reply.raw)
  exchange.operation = route.label
  const { below } = parts
  const target = targetOf(request, below)
  const [{ roleRule }] = route.operations
  const credential = below ? await below.credentialOf(request) : credentialOf(request.raw, target, roleRule.admitsSigned)
  const passage = pipeline.room.open('rest', exchange.signal)
  reply.raw.once('close', passage.leave)
  let call: Call
  try {
    call = await readCall({ route, parts, request, exchange, target, credential, passage })
  } catch (error) {
    // Whoever is not signed in learns that first, and nothing about the input.
    if (roleRule.needsCredential)
      await pipeline.identify(credential, clientAddress(request.raw, parts.config.trustedProxies), route.operations[0])
    throw error
  }
  exchange.operation = call.operation.name
  const { traceparent } = request.headers
  const answer = await exchanges.track(pipeline.run({ ...call, traceparent: typeof traceparent === 'string' ? traceparent : undefined }))
  if (call.upload?.isTruncated()) throw new AppError('invalid_input', 'The upload broke off before it was whole. Send it again.')
  await below?.onAnswered(call.operation, request, reply)
  return sendAnswer(request, reply, exchange, answer, passage)
}

/** The target as the operation knows it. */
function targetOf(request: FastifyRequest, below: Below | undefined): Target {
  const target = splitTarget(request.raw.url ?? '/')
  if (!below) return target
  const segments = target.path.split('/').slice(below.path.split('/').length)
  return { ...target, path: `/${segments.join('/')}` }
}

interface Arrival {
  readonly route: Route
  readonly parts: OperationRouteParts
  readonly request: FastifyRequest
  readonly exchange: Exchange
  readonly target: Target
  readonly credential: Credential
  readonly passage: Passage
}

async function readCall({ route, parts, request, exchange, target, credential, passage }: Arrival): Promise<Call> {
  const { pipeline, config, pace, timeouts } = parts
  const { raw } = request
  const [first] = route.operations
  const ip = clientAddress(raw, config.trustedProxies)
  const idempotencyKey = idempotencyKeyOf(raw)
  const common = {
    transport: 'rest',
    credential,
    idempotencyKey,
    requestId: exchange.requestId,
    ip,
    userAgent: raw.headers['user-agent']?.slice(0, 300),
    host: toldOrigin(raw, config.trustedProxies).host,
    signal: exchange.signal,
    passage,
  } as const
  const path = readPath(route, target)
  const query = readQuery(route, target)
  const declared = declaredBytes(raw)
  const { needsCredential } = first.roleRule
  const identify = () => pipeline.identify(credential, ip, first)
  /** Room for the body, and before it, of a caller that must have one, the credential: strangers do not get to fill our memory. */
  const enter = async (bytes: number) =>
    passage.enterWithBody(needsCredential ? sharerOf(await identify(), ip) : sharerOf({ kind: 'public', tenantId: 0 }, ip), bytes)
  const ofStranger: Watched = { totalMs: timeouts.body * strangersPart, stallMs: timeouts.stall * strangersPart }
  const ofUpload = (onLate: (error: unknown) => void) => void pace.watch(raw, { totalMs: timeouts.upload }, onLate)
  if (first.bodyKind === 'raw') {
    checkDeclared(raw, 'The body', rawBytes)
    if (declared === undefined || declared > smallBytes) await enter(declared ?? rawBytes)
    const hasBody = declared !== 0 && raw.method !== 'GET'
    const body = hasBody ? await readBytes(raw, { bytes: rawBytes, pace, watched: ofStranger }) : Buffer.alloc(0)
    const headers = Object.fromEntries(
      Object.entries(raw.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    )
    // What else a vendor appends to the query is part of the URL that it signs, not of the input.
    const known = Object.fromEntries([...query].filter(([name]) => route.fields.has(name)).map(([name, { value }]) => [name, value]))
    return { ...common, operation: first, input: { ...known, ...path }, raw: { body, headers, url: raw.url ?? '/' } }
  }
  if (first.bodyKind === 'stream') {
    const input = mergeInput(query, {}, path)
    await enter(uploadBytes)
    return { ...common, operation: first, input, upload: openStream(raw, config.limits.uploadBytes, ofUpload) }
  }
  if (first.bodyKind === 'multipart' && mediaType(raw) === 'multipart/form-data') {
    await enter(uploadBytes)
    const form = await openForm(request, config.limits.uploadBytes, ofUpload)
    const fields = [...form.fields].map(([name, texts]) => [name, coerceFormField(name, route.fields.get(name), texts)])
    return { ...common, operation: first, input: mergeInput(query, Object.fromEntries(fields), path), upload: form.upload }
  }
  const { jsonBytes } = config.limits
  // Below this a body is cheaper to read than a credential is to check twice.
  if (route.method !== 'GET' && (declared === undefined || declared > smallBytes)) await enter(Math.min(declared ?? jsonBytes, jsonBytes))
  const ofCaller: Watched = { totalMs: timeouts.body, ask: { afterMs: timeouts.stall * askAfterPart, check: identify } }
  const watched = needsCredential ? ofCaller : ofStranger
  const body = route.method === 'GET' ? {} : await readJsonObject(raw, { bytes: jsonBytes, pace, watched })
  const operation = operationFor(route, body)
  return { ...common, operation, input: mergeInput(query, withInputNames(operation, body), path) }
}

function readPath(route: Route, target: Target): Record<string, unknown> {
  if (route.parameters.length === 0) return {}
  const segments = target.path.split('/')
  const values = route.parameters.map(({ index, name, what }) => {
    const text = decodeSegment(segments[index] ?? '', what)
    return [name, coercePathParameter(route.fields.get(name), text, () => noSuchId(name, route.operations[0].inputSchema))]
  })
  return Object.fromEntries(values)
}

type QueryValue = { readonly value: unknown; readonly text: string }

function readQuery(route: Route, target: Target): Map<string, QueryValue> {
  const values = new Map<string, QueryValue>()
  if (target.query === '') return values
  const { admitsSigned } = route.operations[0].roleRule
  for (const [name, texts] of parseQuery(target.query)) {
    if (admitsSigned && signedParameters.some((parameter) => parameter === name)) continue
    values.set(name, { value: coerceParameter(name, route.fields.get(name), texts), text: texts.join(',') })
  }
  return values
}

/** What a value of the body would be in a query; undefined for what is none, whose text might be as long as the body. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.length <= 1_000 && value.every((part) => typeof part !== 'object') ? value.join(',') : undefined
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** A body with the names that the input has for its fields, where the path takes theirs. */
function withInputNames({ bodyNames = {} }: RegisteredOperation, body: Record<string, unknown>): Record<string, unknown> {
  let renamed = body
  for (const [name, known] of Object.entries(bodyNames)) {
    if (!Object.hasOwn(renamed, name) || Object.hasOwn(renamed, known)) continue
    const { [name]: value, ...rest } = renamed
    renamed = { ...rest, [known]: value }
  }
  return renamed
}

/** One object of query, body and path. A name that stands in two of them must say the same in both. */
function mergeInput(
  query: ReadonlyMap<string, QueryValue>,
  body: Record<string, unknown>,
  path: Record<string, unknown>,
): Record<string, unknown> {
  const issues: Issue[] = []
  const differ = (name: string, one: string, other: string) => {
    issues.push({ path: `$.${name}`, severity: 'error', message: `The ${one} and the ${other} give different values. Give it once.` })
  }
  const given = new Map<string, unknown>()
  for (const [name, { value, text }] of query) {
    given.set(name, value)
    if (Object.hasOwn(body, name) && !isDeepStrictEqual(value, body[name]) && textOf(body[name]) !== text) differ(name, 'query', 'body')
    if (Object.hasOwn(path, name) && !isDeepStrictEqual(value, path[name])) differ(name, 'query', 'path')
  }
  for (const [name, value] of Object.entries(path)) {
    if (Object.hasOwn(body, name) && !isDeepStrictEqual(value, body[name]) && textOf(body[name]) !== String(value))
      differ(name, 'body', 'path')
  }
  if (issues.length > 0)
    throw new AppError('invalid_input', `${issues.map(({ path }) => path).join(', ')}: given twice with different values.`, { issues })
  return { ...Object.fromEntries(given), ...body, ...path }
}

/** The operation of a shared path that takes this body. */
function operationFor(route: Route, body: Record<string, unknown>): RegisteredOperation {
  const [first] = route.operations
  if (!first.sharedPath) return first
  const names = Object.keys(body)
  const wanted: string[] = []
  const ways: string[] = []
  for (const operation of route.operations) {
    const rule = operation.sharedPath
    if (!rule) return operation
    if ('whenBodyHasOnly' in rule) {
      if (names.every((name) => rule.whenBodyHasOnly.includes(name))) return operation
      wanted.push(...rule.whenBodyHasOnly)
      ways.push(`an empty body, or one with ${rule.whenBodyHasOnly.join(' and ')} alone, for ${operation.name}`)
    } else {
      if (rule.whenBodyHas.some((name) => Object.hasOwn(body, name))) return operation
      wanted.push(...rule.whenBodyHas)
      ways.push(`${rule.whenBodyHas.join(' or ')} for ${operation.name}`)
    }
  }
  const strange = names.filter((name) => !wanted.includes(name))
  const issues = strange.slice(0, 20).map((name): Issue => {
    const suggestion = nearest(name, wanted)
    return {
      path: `$.${name}`,
      severity: 'error',
      message: 'This does not tell what to do.',
      ...(suggestion === undefined ? {} : { suggestion }),
    }
  })
  throw new AppError(
    'invalid_input',
    `The body has ${quoted(strange.slice(0, 5).join(', '))} and nothing that tells what to do. Send ${ways.join(', or ')}.`,
    { issues },
  )
}
