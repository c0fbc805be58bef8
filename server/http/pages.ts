/** What stands beside the operations: health, metrics, the documents, and the page at the root. */
import type { FastifyInstance, FastifyReply } from 'fastify'

import type { Readiness } from '#platform/call.ts'
import { clientAddress } from '#platform/client-address.ts'
import { AppError } from '#platform/errors.ts'
import { metricsContentType, metricsText, observeDeliveries, observeOutbox } from '#platform/metrics.ts'
import { roleBits } from '#platform/roles.ts'

import { bearerOf } from './credentials.ts'
import { addDocsRoutes, sendHtml } from './docs-routes.ts'
import type { Exchange, Exchanges } from './exchange.ts'
import { homePage } from './home-page.ts'
import type { HttpServerParts } from './http.types.ts'

/** Adds the pages and answers their paths. */
export function addPages(app: FastifyInstance, parts: HttpServerParts, exchanges: Exchanges): string[] {
  const { pipeline, config, docs } = parts
  const paths: string[] = []
  const page = (
    path: string,
    answer: (reply: FastifyReply, exchange: Exchange, authorization: ReturnType<typeof bearerOf>) => Promise<string>,
  ) => {
    paths.push(path)
    // Everybody who asks for the same text is sent the same bytes: readers that take their time cost no copy each.
    let kept: { readonly text: string; readonly bytes: Buffer } | undefined
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        const text = await answer(reply, exchanges.of(request.raw, reply.raw), bearerOf(request.raw))
        if (kept?.text !== text) kept = { text, bytes: Buffer.from(text) }
        return reply.send(kept.bytes)
      },
    })
  }

  // A failing check of the dependencies is itself an answer about them.
  const readiness = (exchange: Exchange): Promise<Readiness> =>
    parts.readiness().catch((error: unknown) => {
      exchange.error = error
      return { status: 'down', dependencies: {} }
    })

  page('/healthz', (reply) => {
    reply.type('application/json; charset=utf-8')
    return Promise.resolve('{"status":"alive"}')
  })
  page('/readyz', async (reply, exchange) => {
    const { status, dependencies } = await readiness(exchange)
    reply.code(status === 'ready' ? 200 : 503).type('application/json; charset=utf-8')
    return JSON.stringify({ status, dependencies })
  })
  page('/metrics', async (reply, _exchange, credential) => {
    const actor = await pipeline.identify(credential, clientAddress(reply.request.raw, config.trustedProxies))
    if ((actor.roleFlag & roleBits.GlobalAdmin) === 0) throw new AppError('forbidden', 'The metrics need a key with the role GlobalAdmin.')
    const backlog = await parts.backlog()
    observeOutbox(backlog)
    observeDeliveries(backlog.deliveries)
    reply.type(metricsContentType)
    return metricsText()
  })
  for (const [path, { type, text }] of docs.texts) {
    page(path, (reply) => {
      reply.type(type)
      return Promise.resolve(text)
    })
  }
  paths.push('/')
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    handler: async (request, reply) => {
      const state = await readiness(exchanges.of(request.raw, reply.raw))
      return sendHtml(
        reply,
        homePage({
          publicUrl: config.publicUrl,
          registry: pipeline.registry,
          readiness: state,
          hasMcp: parts.mcp !== undefined,
          pages: docs.site?.pages ?? [],
        }),
      )
    },
  })
  return docs.site === undefined ? paths : [...paths, ...addDocsRoutes(app, docs.site)]
}
