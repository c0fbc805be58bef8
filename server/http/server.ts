/** The API's HTTP server: the registry's operations, MCP, health, metrics, the documents and the page at the root, on one port. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'

import multipart from '@fastify/multipart'
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'

import { AppError } from '#platform/errors.ts'
import { createPace } from '#platform/pace.ts'

import { allowOrigins } from './cors.ts'
import { findDoubledHeader } from './credentials.ts'
import { answerBrowser } from './docs-routes.ts'
import { createExchanges, type Exchanges } from './exchange.ts'
import type { HttpServerParts, Timeouts } from './http.types.ts'
import { addOperationRoutes, routesOf } from './operations.ts'
import { addPages } from './pages.ts'
import { noteFailure, problemResponse, rawProblem, sendProblem } from './problems.ts'
import { addResourceMetadata } from './resource-metadata.ts'
import { unknownRoute } from './unknown-route.ts'
import { splitTarget } from './url.ts'
import { addWebPages } from './web-pages.ts'

const defaultTimeouts: Omit<Timeouts, 'stall'> = {
  headers: 20_000,
  body: 300_000,
  upload: 6 * 3_600_000,
  answer: 300_000,
  idle: 75_000,
  keepAlive: 75_000,
  drain: 5_000,
}

export interface HttpServer {
  readonly app: FastifyInstance
  /** Listens on the configured host and port. Throws what the system says when it cannot, such as EADDRINUSE. */
  listen(): Promise<{ port: number }>
  /** Stops accepting, lets answers under way end for `config.shutdownSeconds`, then cuts what is left. Always settles. */
  close(): Promise<void>
}

/** Builds the server; nothing listens yet. */
export async function createHttpServer(parts: HttpServerParts): Promise<HttpServer> {
  const { pipeline, config, log, mcp } = parts
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
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, exchanges.isAnswering(socket)),
  })
  const exchanges: Exchanges = createExchanges({ server: app.server, log, timeouts })
  const routes = routesOf(pipeline.registry)

  app.addHook('onRequest', (request, reply, done) => {
    const { requestId } = exchanges.of(request.raw, reply.raw)
    reply.header('x-request-id', requestId).header('x-content-type-options', 'nosniff')
    done()
  })
  // What a caller expects beyond 100-continue may be passed over, and is: Node would refuse it without a word.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.server.on('connect', (_request, socket) => {
    socket.on('error', () => {})
    socket.end(rawProblem(new AppError('not_found', 'This is no proxy. /openapi.json lists every route.'), randomUUID()))
  })
  await allowOrigins(app, config.corsOrigins)
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

  const pace = createPace({ stallMs: timeouts.stall, bytesPerSecond: minBytesPerSecond })
  addOperationRoutes(app, routes, { pipeline, config, exchanges, pace, timeouts })
  const pages = addPages(app, parts, exchanges)
  const metadata = parts.resources ? addResourceMetadata(app, parts.resources, config) : []
  const forPeople = addWebPages(app, parts.pages ?? [], { pipeline, config, exchanges, pace, timeouts })
  if (mcp) {
    app.post('/mcp', async (request, reply) => {
      const exchange = exchanges.of(request.raw, reply.raw)
      reply.hijack()
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value)
      try {
        await exchanges.track(mcp(request.raw, reply.raw, undefined))
      } catch (error) {
        const { problem, headers, body } = problemResponse(error, exchange.requestId)
        noteFailure(exchange, error, problem)
        if (reply.raw.headersSent) reply.raw.destroy()
        else reply.raw.writeHead(problem.status, headers).end(body)
      }
    })
  }
  const known = [
    ...routes,
    ...[...pages, ...metadata].map((path) => ({ method: 'GET', path })),
    ...forPeople,
    ...(mcp ? [{ method: 'POST', path: '/mcp' }] : []),
  ]
  const { site } = parts.docs
  const shown = new Set(pages)
  function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { error, allow } = unknownRoute(known, request.method, splitTarget(request.raw.url ?? '/').path)
    if (allow.length > 0) reply.header('allow', allow.join(', '))
    else if (site !== undefined) {
      const answered = answerBrowser(request, reply, { site, shown, sentence: error.message })
      if (answered) return answered
    }
    return sendProblem(reply, exchanges.of(request.raw, reply.raw), error)
  }
  function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    // Only QUERY must have a type, and Fastify asks for it before it looks whether there is such a route.
    const isQuery = typeof error === 'object' && error !== null && 'code' in error && error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE'
    return isQuery ? answerUnknown(request, reply) : sendProblem(reply, exchanges.of(request.raw, reply.raw), error)
  }
  app.setNotFoundHandler(answerUnknown)
  await app.ready()

  let closing: Promise<void> | undefined
  return {
    app,
    async listen() {
      // Not Fastify's own listen: for the name localhost that makes a second server, whose connections nobody would end.
      app.server.listen({ host: config.host, port: config.port })
      await once(app.server, 'listening')
      const address = app.server.address()
      return { port: typeof address === 'object' && address !== null ? address.port : config.port }
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
function answerClientError(error: Error & { code?: string }, socket: Socket, isAnswering: boolean): void {
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
  socket.write(rawProblem(reason, randomUUID()))
  socket.destroySoon()
}
