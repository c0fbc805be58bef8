/** The portal's HTTP server: signing in, the API in a browser's session, files for integrators, and the application that signed-in people see. */
import type { FastifyReply, FastifyRequest } from 'fastify'

import { toldOrigin } from '#platform/client-address.ts'
import type { Actor } from '#platform/operation.ts'
import { createHost, type HttpHost } from '#server/http/host.ts'
import { noteFailure, problemResponse, sendProblem } from '#server/http/problems.ts'
import { unknownRoute } from '#server/http/unknown-route.ts'
import { splitTarget } from '#server/http/url.ts'
import { addWebPages } from '#server/http/web-pages.ts'
import { findNamedTenant } from '#tools/auth/service.ts'

import { applicationFiles, applicationPage } from './application.ts'
import { authCookie, cookieOf, subDomainOf } from './browser.rules.ts'
import { createPageCall } from './calls.ts'
import { createConsentRoutes } from './consent/routes.ts'
import { createFileRoutes } from './files.ts'
import { homePage } from './home-page.ts'
import { tenantThemeRoute, themeRoute } from './look.ts'
import { createMailsRoute } from './mails.ts'
import type { PortalAnswer, PortalParts, RawHandler, Visit } from './portal.types.ts'
import { createTokenRoute } from './programs.ts'
import { createProviderRoutes } from './provider/routes.ts'
import { addRelay } from './relay.ts'
import { createPortalSessions, type PortalSessions } from './sessions.ts'
import { type FrameParts, frameOf } from './sign-in/frame.ts'
import { createLinkRoutes } from './sign-in/link-routes.ts'
import { toldOf } from './sign-in/problems.ts'
import { createSignInRoutes } from './sign-in/routes.ts'
import { addPortalRoutes, sendPortalAnswer, visitOf, wantsPage } from './visits.ts'

const robots = { 'x-robots-tag': 'noindex, nofollow' }
const hsts = { 'strict-transport-security': 'max-age=31536000' }

export interface Portal extends Pick<HttpHost, 'app' | 'listen' | 'close'> {
  readonly sessions: PortalSessions
}

/** Builds the server; nothing listens yet. */
export async function createPortal(parts: PortalParts): Promise<Portal> {
  const { services, pipeline, config, log, oauth, application } = parts
  const sessions = createPortalSessions({ pipeline, config, secrets: services.secrets })
  const isSecure = config.portalUrl.startsWith('https:')
  const host = await createHost({
    config,
    log,
    port: config.portalPort,
    headers: isSecure ? { ...robots, ...hsts } : robots,
    timeouts: parts.timeouts,
    prepare: async (app) => {
      app.addHook('onRequest', (request, reply, done) => {
        if (toldOrigin(request.raw, config.trustedProxies).isHttps) reply.headers(hsts)
        done()
      })
    },
    answerUnknown,
  })
  const { app, exchanges, pace, timeouts } = host
  const frameParts: FrameParts = { secrets: services.secrets, isSecure }
  const call = createPageCall(pipeline)
  const links = createLinkRoutes({ ...frameParts, services, call })
  const providers = createProviderRoutes({ ...frameParts, services, call })
  const signIn = { ...frameParts, services, call, openLink: links.open, askToLink: providers.askToLink }
  const files = createFileRoutes({ services, pipeline, sessions, texts: parts.texts ?? new Map() })
  const routes = [
    ...createSignInRoutes(signIn),
    ...providers.routes(signIn),
    ...links.routes,
    ...files.routes,
    // A page of the application, which the contract names among the files: a program without a credential learns that it needs one.
    {
      method: 'GET',
      path: '/ops/api-keys',
      answer: async (visit: Visit) => (await files.admitted(visit)).refusal ?? pageOfPerson(visit),
    } as const,
    createTokenRoute({ services, call }),
    themeRoute(services),
    createMailsRoute({ config, admitted: files.admitted }),
    tenantThemeRoute({ services, sessions }),
    ...(application ? applicationFiles(application) : []),
    ...(oauth ? createConsentRoutes({ ...frameParts, services, consents: oauth.consents, sessions, call }) : []),
    ...(parts.pages ?? []),
  ]

  const known = [
    ...addRelay(host, parts, sessions),
    ...addWebPages(app, parts.files ?? [], { pipeline, config, exchanges, pace, timeouts }),
    ...routes.map(({ method, path }) => ({ method, path: path.replace(/:(\w+)/g, '{$1}') })),
  ]
  addPortalRoutes(host, routes, services, failureOf)
  if (oauth) for (const path of oauth.paths) app.all(path, (request, reply) => handOver(oauth.handle, request, reply))

  async function handOver(handle: RawHandler, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const exchange = exchanges.of(request.raw, reply.raw)
    reply.hijack()
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value)
    try {
      await exchanges.track(handle(request.raw, reply.raw))
    } catch (error) {
      const { problem, headers, body } = problemResponse(error, exchange.requestId)
      noteFailure(exchange, error, problem)
      if (reply.raw.headersSent) reply.raw.destroy()
      else reply.raw.writeHead(problem.status, headers).end(body)
    }
  }

  /** A page that says why, where a person is looking. */
  function failureOf(error: unknown, visit: Visit): PortalAnswer | undefined {
    if (!visit.wantsPage) return undefined
    const { texts, show } = frameOf(visit, frameParts)
    const told = toldOf(error, texts, texts.failed)
    if (!told) log.error({ err: error, requestId: visit.requestId }, 'a page failed')
    return show({ status: told?.status ?? 500, title: texts.signIn, problem: told?.problem ?? texts.failed })
  }

  /** What no route answers is a path of the application, where a person is looking. */
  async function answerUnknown(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { error, allow } = unknownRoute(known, request.method, splitTarget(request.raw.url ?? '/').path)
    const isLook = request.method === 'GET' || request.method === 'HEAD'
    const isOfApi = /^\/(?:api|oauth|\.well-known|web)\/|^\/t\/[^/]*\/api\//.test(request.raw.url ?? '/')
    if (allow.length > 0 || !isLook || isOfApi || !wantsPage(request)) {
      if (allow.length > 0) reply.header('allow', allow.join(', '))
      return sendProblem(reply, exchanges.of(request.raw, reply.raw), error)
    }
    const visit = await visitOf(request, reply, host, services)
    const answer = await pageOfPerson(visit).catch((thrown: unknown) => failureOf(thrown, visit))
    return answer ? sendPortalAnswer(reply, answer) : sendProblem(reply, exchanges.of(request.raw, reply.raw), error)
  }

  async function pageOfPerson(visit: Visit): Promise<PortalAnswer> {
    const { go } = frameOf(visit, frameParts)
    const subDomain = subDomainOf(visit.path)
    const wanted = encodeURIComponent(visit.path + (visit.query.size > 0 ? `?${visit.query.toString()}` : ''))
    const actor = await sessionOf(visit, subDomain)
    if (!actor) {
      const isInAnother = subDomain !== undefined && (await sessionOf(visit, undefined)) !== undefined
      return go(isInAnother ? `/login/tenant?returnTo=${wanted}` : `/login?returnTo=${wanted}`)
    }
    if (visit.path === '/') {
      const tenant = await findNamedTenant(services, { tenantId: actor.tenantId })
      if (tenant) return go(`/t/${tenant.subDomain}`)
    }
    return application ? applicationPage({ application, services, call }, visit, actor) : homePage(frameOf(visit, frameParts), actor)
  }

  const sessionOf = async (visit: Visit, subDomain: string | undefined): Promise<Actor | undefined> =>
    cookieOf(visit.raw.headers, authCookie) === undefined ? undefined : sessions.sessionOf(visit.raw, subDomain)

  await app.ready()
  return { app, sessions, listen: () => host.listen(), close: () => host.close() }
}
