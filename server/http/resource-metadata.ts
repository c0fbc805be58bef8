/** What a host reads of an `/mcp` before it connects: who issues tokens for it, and which roles to ask for first (RFC 9728). */
import type { FastifyInstance } from 'fastify'

import { clientAddress, toldOrigin } from '#platform/client-address.ts'
import type { Config } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import type { Resources } from '#platform/resources.ts'
import { firstRoles } from '#platform/grants.ts'

const path = '/.well-known/oauth-protected-resource'

/** Pages of any origin may read it: it says nothing that is not told to everybody. */
const open = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
const preflight = { ...open, 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*', 'access-control-max-age': '3600' }

/** Adds the routes and answers their paths. */
export function addResourceMetadata(
  app: FastifyInstance,
  resources: Resources,
  config: Pick<Config, 'portalUrl' | 'trustedProxies'>,
): string[] {
  const paths = [path, `${path}/mcp`]
  for (const url of paths) {
    app.options(url, (_request, reply) => reply.code(204).headers(preflight).send())
    app.route({
      method: ['GET', 'HEAD'],
      url,
      handler: async (request, reply) => {
        const ip = clientAddress(request.raw, config.trustedProxies)
        const place = resources.isOn
          ? await resources.atHost(toldOrigin(request.raw, config.trustedProxies).host, `address ${ip ?? ''}`)
          : undefined
        if (!place)
          throw new AppError('not_found', 'No application connects here: it is not the address of this installation or of a tenant.')
        const body = {
          resource: place.url,
          authorization_servers: [config.portalUrl],
          scopes_supported: firstRoles,
          bearer_methods_supported: ['header'],
        }
        return reply.headers(open).type('application/json; charset=utf-8').send(JSON.stringify(body))
      },
    })
  }
  return paths
}
