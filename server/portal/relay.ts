/** The API as a page of the portal calls it: the same operations through the same pipeline, in process, in the browser's session of the tenant in the path. */
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Credential } from '#platform/call.ts'
import { clientAddress } from '#platform/client-address.ts'
import { AppError } from '#platform/errors.ts'
import type { RegisteredOperation } from '#platform/registry.ts'
import { sessionIdOf } from '#platform/sessions.ts'
import { findNamedTenant, renewCookie } from '#tools/auth/service.ts'
import type { HttpHost } from '#server/http/host.ts'
import { addOperationRoutes, routesOf, type Route } from '#server/http/operations.ts'

import { authCookie, setCookie } from './browser.rules.ts'
import type { PortalParts } from './portal.types.ts'
import type { PortalSessions } from './sessions.ts'

const path = '/t/:subDomain'

/** Steps of a sign-in answer what opens a session outside of the browser; a vendor's webhook comes from no page. */
const elsewhere = new Set(['login', 'select_second_factor', 'verify_second_factor', 'select_tenant'])
const isRelayed = ([first]: Route['operations']) => !elsewhere.has(first.name) && first.bodyKind !== 'raw'

/** Who showed again who they are, or changed how: the browser gets a new cookie, and whoever had the old one has nothing. */
const renewsCookie = ({ name, roleRule, effect, codes }: RegisteredOperation) =>
  roleRule.isOfPerson && effect !== 'read' && (name === 'prove_identity' || codes.includes('fresh_proof_required'))

/** Adds the routes, and answers them as the router for unknown ones is to know them. */
export function addRelay(
  { app, exchanges, pace, timeouts }: HttpHost,
  { pipeline, services, config }: PortalParts,
  sessions: PortalSessions,
): { method: string; path: string }[] {
  const routes = routesOf(pipeline.registry).filter(({ operations }) => isRelayed(operations))
  const isSecure = config.portalUrl.startsWith('https:')
  const ipOf = ({ raw }: FastifyRequest) => clientAddress(raw, config.trustedProxies)
  // What a router decodes is a text.
  const subDomainOf = ({ params }: FastifyRequest) => (params as { subDomain: string }).subDomain

  async function credentialOf(request: FastifyRequest): Promise<Credential> {
    const credential = await sessions.credentialOf(request.raw, subDomainOf(request))
    if (credential.kind === 'none' || (credential.kind === 'portal' && credential.by === 'cookie')) return credential
    // A key or a token is of one tenant, whatever the path says.
    const [actor, tenant] = await Promise.all([
      pipeline.identify(credential, ipOf(request)),
      findNamedTenant(services, { subDomain: subDomainOf(request) }),
    ])
    if (tenant?.tenantId !== actor.tenantId) throw new AppError('forbidden', 'This credential is of another tenant than the path names.')
    return credential
  }

  async function onAnswered(operation: RegisteredOperation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!renewsCookie(operation)) return
    const actor = await sessions.sessionOf(request.raw, subDomainOf(request))
    const sessionId = actor && sessionIdOf(actor)
    const cookie = sessionId === undefined ? undefined : await renewCookie(services, sessionId)
    if (cookie !== undefined) reply.header('set-cookie', setCookie(authCookie, cookie, isSecure))
  }

  addOperationRoutes(app, routes, { pipeline, config, exchanges, pace, timeouts, below: { path, credentialOf, onAnswered } })
  return routes.map((route) => ({ method: route.method, path: `/t/{subDomain}${route.path}` }))
}
