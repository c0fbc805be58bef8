/** What each of our HTTP servers stands on: bounds of time and size, connections that are followed, and every failure as a problem. Its room adds the routes. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'

import multipart from '@fastify/multipart'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

import type { Config } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import type { Logger } from '#platform/log.ts'
import { createPace, type Pace } from '#platform/pace.ts'

import { findDoubledHeader } from './credentials.ts'
import { createExchanges, type Exchanges } from './exchange.ts'
import type { Timeouts } from './http.types.ts'
import { rawProblem, sendProblem } from './problems.ts'

const defaultTimeouts: Omit<Timeouts, 'stall'> = {
  headers: 20_000,
  body: 300_000,
  upload: 6 * 3_600_000,
  answer: 300_000,
  idle: 75_000,
  keepAlive: 75_000,
  drain: 5_000,
}

export interface HostParts {
  readonly config: Config
  readonly log: Logger
  readonly port: number
  /** Of every answer, whatever becomes of the request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Hooks that come before a request is looked at. */
  readonly prepare?: (app: FastifyInstance) => Promise<void>
  readonly answerUnknown: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>
}

export interface HttpHost {
  readonly app: FastifyInstance
  readonly exchanges: Exchanges
  readonly pace: Pace
  readonly timeouts: Timeouts
  /** Listens on the configured host. Throws what the system says when it cannot, such as EADDRINUSE. */
  listen(): Promise<{ port: number }>
  /** Stops accepting, lets answers under way end for `config.shutdownSeconds`, then cuts what is left. Always settles. */
  close(): Promise<void>
}

/** Without routes; nothing listens yet. */
export async function createHost({ config, log, port, headers = {}, prepare, answerUnknown, ...parts }: HostParts): Promise<HttpHost> {
  const { stallSeconds, minBytesPerSecond } = config.limits
  const timeouts: Timeouts = { ...defaultTimeouts, stall: stallSeconds * 1000, ...parts.timeouts }
  const app: FastifyInstance = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: false,
    keepAliveTimeout: timeouts.keepAlive,
    connectionTimeout: timeouts.idle,
    // Node's own limit would count uploads too; bodies have theirs in readBytes, uploads the idle time.
    requestTimeout: 0,
    http: {
      headersTimeout: timeouts.headers,
      connectionsCheckingInterval: Math.min(5_000, timeouts.headers),
      maxHeaderSize: 32 * 1024,
      requireHostHeader: false,
    },
    routerOptions: {
      // A key of three parts of 200 characters, each up to 12 bytes once percent-encoded.
      maxParamLength: 16 * 1024,
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply.headers(headers)),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, exchanges.isAnswering(socket), headers),
  })
  const exchanges: Exchanges = createExchanges({ server: app.server, log, timeouts })

  app.addHook('onRequest', (request, reply, done) => {
    const { requestId } = exchanges.of(request.raw, reply.raw)
    reply.headers(headers).header('x-request-id', requestId).header('x-content-type-options', 'nosniff')
    done()
  })
  // What a caller expects beyond 100-continue may be passed over, and is: Node would refuse it without a word.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.server.on('connect', (_request, socket) => {
    socket.on('error', () => {})
    socket.end(rawProblem(new AppError('not_found', 'This is no proxy. /openapi.json lists every route.'), randomUUID(), headers))
  })
  await prepare?.(app)
  // Behind the marks for browsers: a page reads no refusal without them.
  app.addHook('onRequest', (request, _reply, done) => {
    // Node's own refusal would be an answer without a body.
    const lacksHost = request.raw.httpVersion === '1.1' && request.raw.headers.host === undefined
    done(lacksHost ? new AppError('invalid_input', 'The request has no Host header.') : findDoubledHeader(request.raw))
  })
  // Bodies stay on the wire until the route that wants one reads it with its own limits.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // The size is our own count: the plugin's error would come without the rest of the form being dropped.
  await app.register(multipart, { throwFileSizeLimit: false })
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply))
  app.setNotFoundHandler(answerUnknown)

  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> {
    // Only QUERY must have a type, and Fastify asks for it before it looks whether there is such a route.
    const isQuery = typeof error === 'object' && error !== null && 'code' in error && error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
    return isQuery ? answerUnknown(request, reply) : sendProblem(reply, exchanges.of(request.raw, reply.raw), error)
  }

  let closing: Promise<void> | undefined
  return {
    app,
    exchanges,
    pace: createPace({ stallMs: timeouts.stall, bytesPerSecond: minBytesPerSecond }),
    timeouts,
    async listen() {
      await app.ready()
      // Not Fastify's own listen: for the name localhost that makes a second server, whose connections nobody would end.
      app.server.listen({ host: config.host, port })
      await once(app.server, 'listening')
      const address = app.server.address()
      return { port: typeof address === 'object' && address !== null ? address.port : port }
    },
    close() {
      closing ??= (async () => {
        const closed = app.close()
        await exchanges.close(config.shutdownSeconds * 1000)
        await closed
      })()
      return closing
    },
  }
}

/** Answers what never became a request: broken HTTP, headers that are too long or too late. */
function answerClientError(
  error: Error & { code?: string },
  socket: Socket,
  isAnswering: boolean,
  headers: Readonly<Record<string, string>>,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const reason =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new AppError('too_large', 'The request line and the headers are longer than 32 KiB together.')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new AppError('timeout', 'The request did not arrive in time.', { status: 408 })
        : new AppError('invalid_input', 'This is not well-formed HTTP.')
  socket.write(rawProblem(reason, randomUUID(), headers))
  socket.destroySoon()
}
