/** The API's HTTP server: the registry's operations, MCP, health, metrics, the documents and the page at the root, on one port. */
import type { FastifyReply, FastifyRequest } from 'fastify'

import { allowOrigins } from './cors.ts'
import { answerBrowser } from './docs-routes.ts'
import { createHost, type HttpHost } from './host.ts'
import type { HttpServerParts } from './http.types.ts'
import { addOperationRoutes, routesOf } from './operations.ts'
import { addPages } from './pages.ts'
import { noteFailure, problemResponse, sendProblem } from './problems.ts'
import { addResourceMetadata } from './resource-metadata.ts'
import { unknownRoute } from './unknown-route.ts'
import { splitTarget } from './url.ts'
import { addWebPages } from './web-pages.ts'

export type HttpServer = Pick<HttpHost, 'app' | 'listen' | 'close'>

/** Builds the server; nothing listens yet. */
export async function createHttpServer(parts: HttpServerParts): Promise<HttpServer> {
  const { pipeline, config, log, mcp } = parts
  const { app, exchanges, pace, timeouts, listen, close } = await createHost({
    config,
    log,
    port: config.port,
    timeouts: parts.timeouts,
    prepare: (app) => allowOrigins(app, config.corsOrigins),
    answerUnknown,
  })
  const routes = routesOf(pipeline.registry)

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
  await app.ready()
  return { app, listen, close }
}
