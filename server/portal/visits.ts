/** Carries the portal's routes over HTTP: a request becomes a visit, and whatever fails an answer that fits who asked. */
import type { FastifyReply, FastifyRequest } from 'fastify'

import { clientAddress, toldOrigin } from '#platform/client-address.ts'
import { AppError } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'
import type { HttpHost } from '#server/http/host.ts'
import { checkDeclared, mediaType, readBytes, readJsonObject } from '#server/http/body.ts'
import { splitTarget } from '#server/http/url.ts'

import { lookOf } from './look.ts'
import type { PortalAnswer, PortalRoute, Visit } from './portal.types.ts'
import { refuseForeign } from './sessions.ts'

// A form of ours is a few fields.
const formBytes = 16 * 1024

type Carrier = Pick<HttpHost, 'app' | 'exchanges' | 'pace' | 'timeouts'>

/** Whether a person is looking. */
export function wantsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return (headers.accept ?? '').includes('text/html')
}

export async function visitOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { exchanges, pace, timeouts }: Carrier,
  services: Services,
): Promise<Visit> {
  const { config } = services
  const { raw } = request
  const { requestId, signal } = exchanges.of(raw, reply.raw)
  const { path, query } = splitTarget(raw.url ?? '/')
  const { traceparent } = raw.headers
  const { host } = toldOrigin(raw, config.trustedProxies)
  const ip = clientAddress(raw, config.trustedProxies)
  const watched = { totalMs: timeouts.body / 3, stallMs: timeouts.stall / 3 }
  return {
    raw,
    path,
    query: new URLSearchParams(query),
    // What a router decodes is a record of texts.
    parameters: (request.params ?? {}) as Record<string, string>,
    host,
    look: wantsPage(request) ? await lookOf(services, host, ip) : undefined,
    wantsPage: wantsPage(request),
    acceptLanguage: raw.headers['accept-language'] ?? '',
    requestId,
    ip,
    userAgent: raw.headers['user-agent']?.slice(0, 300),
    signal,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    async form() {
      if (mediaType(raw) !== 'application/x-www-form-urlencoded')
        throw new AppError('unsupported_type', 'The form is sent as application/x-www-form-urlencoded.')
      checkDeclared(raw, 'The form', formBytes)
      return new URLSearchParams((await readBytes(raw, { bytes: formBytes, pace, watched })).toString())
    },
    json: () => readJsonObject(raw, { bytes: formBytes, pace, watched }),
  }
}

export function sendPortalAnswer(reply: FastifyReply, { status, headers, body }: PortalAnswer): FastifyReply {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value)
  return reply.code(status).send(body)
}

/** Adds the routes. `onFailure` answers what one of them throws; undefined: as a problem. */
export function addPortalRoutes(
  carrier: Carrier,
  routes: readonly PortalRoute[],
  services: Services,
  onFailure: (error: unknown, visit: Visit) => PortalAnswer | undefined,
): void {
  for (const { method, path, answer } of routes) {
    carrier.app.route({
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      url: path,
      handler: async (request, reply) => {
        const visit = await visitOf(request, reply, carrier, services)
        carrier.exchanges.of(request.raw, reply.raw).shownPath = path
        try {
          refuseForeign(request.raw, visit.host)
          return sendPortalAnswer(reply, await carrier.exchanges.track(answer(visit)))
        } catch (error) {
          const told = onFailure(error, visit)
          if (!told) throw error
          return sendPortalAnswer(reply, told)
        }
      },
    })
  }
}
