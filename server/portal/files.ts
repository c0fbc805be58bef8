/** The portal's files for integrators. Those that describe every operation are for whoever has a credential, by whichever way. */
import type { Credential, Pipeline } from '#platform/call.ts'
import { AppError, toProblem } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'
import { refuseElsewhere } from '#platform/tenant-hosts.ts'

import { authCookie, cookieOf } from './browser.rules.ts'
import type { PortalAnswer, PortalRoute, PortalText, Visit } from './portal.types.ts'
import { type Basic, createBasic, readBasic } from './programs.ts'
import type { PortalSessions } from './sessions.ts'
import { chooseTenant, tenantOfHost } from './sign-in/steps.ts'

const openToAll = new Set(['/llms.txt'])

/** What may be opened by its address; the rest of the application stands below a tenant. */
const addresses = [
  '/',
  '/login',
  '/llms.txt',
  '/llms-full.txt',
  '/api/postman.json',
  '/api/enrichments.json',
  '/api/response-shapes.json',
  '/profile',
  '/ops/api-keys',
  '/ops/mail',
]

export interface FileParts {
  readonly services: Services
  readonly pipeline: Pick<Pipeline, 'identify' | 'charge'>
  readonly sessions: PortalSessions
  readonly texts: ReadonlyMap<string, PortalText>
}

type Admitted = { readonly refusal: PortalAnswer; readonly roleFlag?: never } | { readonly refusal?: never; readonly roleFlag: number }

export interface FileRoutes {
  readonly routes: readonly PortalRoute[]
  /** The roles of who calls, or what to answer whoever has no credential, or a wrong one. Throws AppError for any other refusal. */
  readonly admitted: (visit: Visit) => Promise<Admitted>
}

export function createFileRoutes(parts: FileParts): FileRoutes {
  const { services, texts } = parts
  const basic = createBasic(services)
  const { portalUrl } = services.config
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${addresses.map((path) => `<url><loc>${portalUrl}${path}</loc></url>`).join('\n')}\n</urlset>\n`
  const robots = `User-agent: *\nDisallow: /\nSitemap: ${portalUrl}/sitemap.xml\n`
  const open = (path: string, type: string, text: string): PortalRoute => ({
    method: 'GET',
    path,
    answer: () => Promise.resolve({ status: 200, headers: { 'content-type': type, 'cache-control': 'no-cache' }, body: text }),
  })
  const routes = [
    open('/sitemap.xml', 'application/xml; charset=utf-8', sitemap),
    open('/robots.txt', 'text/plain; charset=utf-8', robots),
    ...[...texts].map(([path, { type, text }]): PortalRoute => {
      if (openToAll.has(path)) return open(path, type, text)
      // Everybody who asks is sent the same bytes: readers that take their time cost no copy each.
      const body = Buffer.from(text)
      return {
        method: 'GET',
        path,
        answer: async (visit) =>
          (await admittedTo(parts, basic, visit)).refusal ?? {
            status: 200,
            headers: { 'content-type': type, 'cache-control': 'no-store' },
            body,
          },
      }
    }),
  ]
  return { routes, admitted: (visit) => admittedTo(parts, basic, visit) }
}

async function admittedTo(parts: FileParts, basic: Basic, visit: Visit): Promise<Admitted> {
  try {
    return { roleFlag: await admit(parts, basic, visit) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 401) throw error
    const hasShown = visit.raw.headers.authorization !== undefined
    if (visit.wantsPage && !hasShown)
      return {
        refusal: {
          status: 303,
          headers: { location: `/login?returnTo=${encodeURIComponent(visit.path)}`, 'cache-control': 'no-store' },
          body: '',
        },
      }
    // A browser that is asked for Basic opens a window of its own over the page whose script asks.
    const challenge = visit.raw.headers['sec-fetch-site'] === undefined ? 'Bearer, Basic realm="Fieldloop", charset="UTF-8"' : 'Bearer'
    return {
      refusal: {
        status: 401,
        headers: { 'content-type': 'application/problem+json; charset=utf-8', 'cache-control': 'no-store', 'www-authenticate': challenge },
        body: JSON.stringify(toProblem(error, visit.requestId)),
      },
    }
  }
}

/** Answers the roles of who calls. */
async function admit({ services, pipeline, sessions }: FileParts, basic: Basic, visit: Visit): Promise<number> {
  const ofHost = await tenantOfHost(services, visit)
  if (readBasic(visit.raw.headers.authorization)) {
    const tenant = visit.query.get('tenant')?.toLowerCase()
    const member = await basic.memberOf(visit, (tenants) => chooseTenant(tenants, { ofHost, tenant, returnTo: '/' }))
    await pipeline.charge({ ...member, kind: 'session', credentialId: `basic:${member.tenantUserId}` }, 1)
    return member.roleFlag
  }
  const credential = await credentialOf(sessions, visit, ofHost)
  const actor = await pipeline.identify(credential, visit.ip)
  await pipeline.charge(actor, 1)
  await refuseElsewhere(services, actor, visit.host)
  return actor.roleFlag
}

async function credentialOf(sessions: PortalSessions, { raw }: Visit, ofHost: string | undefined): Promise<Credential> {
  if (raw.headers.authorization === undefined && cookieOf(raw.headers, authCookie) === undefined)
    throw new AppError(
      'unauthenticated',
      'Sign in: Basic, a token of POST /api/auth/login or an API key as Bearer, or the cookie of POST /login.',
    )
  return sessions.credentialOf(raw, ofHost)
}
