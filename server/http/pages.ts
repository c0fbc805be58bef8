/** What stands beside the operations: health, metrics, the documents, and the page at the root. */
import { randomBytes } from 'node:crypto'

import type { FastifyInstance, FastifyReply } from 'fastify'

import type { Readiness } from '#platform/call.ts'
import { AppError } from '#platform/errors.ts'
import { metricsContentType, metricsText } from '#platform/metrics.ts'
import { roleBits } from '#platform/roles.ts'

import { addressOf, bearerOf } from './credentials.ts'
import type { Exchange, Exchanges } from './exchange.ts'
import { homePage } from './home-page.ts'
import type { HttpServerParts } from './server.ts'

/** Adds the pages and answers their paths. */
export function addPages(app: FastifyInstance, parts: HttpServerParts, exchanges: Exchanges): string[] {
  const { pipeline, config, docs } = parts
  const paths: string[] = []
  const page = (
    path: string,
    answer: (reply: FastifyReply, exchange: Exchange, authorization: ReturnType<typeof bearerOf>) => Promise<string>,
  ) => {
    paths.push(path)
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store')
        return reply.send(await answer(reply, exchanges.of(request.raw, reply.raw), bearerOf(request.raw)))
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
    const actor = await pipeline.identify(credential, addressOf(reply.request.raw))
    if ((actor.roleFlag & roleBits.GlobalAdmin) === 0) throw new AppError('forbidden', 'The metrics need a key with the role GlobalAdmin.')
    reply.type(metricsContentType)
    return metricsText()
  })
  page('/openapi.json', (reply) => {
    reply.type('application/json; charset=utf-8')
    return Promise.resolve(docs.openapi())
  })
  page('/llms.txt', (reply) => {
    reply.type('text/plain; charset=utf-8')
    return Promise.resolve(docs.llmsTxt())
  })
  page('/', async (reply, exchange) => {
    const nonce = randomBytes(16).toString('base64')
    const own = `'nonce-${nonce}'`
    reply.type('text/html; charset=utf-8').headers({
      'content-security-policy': `default-src 'none'; style-src ${own}; script-src ${own}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    })
    return homePage({
      nonce,
      publicUrl: config.publicUrl,
      registry: pipeline.registry,
      readiness: await readiness(exchange),
      hasMcp: parts.mcp !== undefined,
    })
  })
  return paths
}
