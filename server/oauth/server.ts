/** The authorization server: its paths on the portal, and what the page of consent asks of it. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Context } from 'oidc-provider'

import { type AttemptLimit, takeAttempt } from '#platform/attempts.ts'
import { clientAddress, networkOf } from '#platform/client-address.ts'
import type { Consents } from '#platform/consents.ts'
import { strangerAt } from '#platform/db/databases.ts'
import { AppError } from '#platform/errors.ts'
import { createGuardedFetch } from '#platform/outbound.ts'
import type { Resources } from '#platform/resources.ts'
import type { Services } from '#platform/services.ts'
import { createServing, type Told } from '#tools/auth/service.ts'

import { createConsents } from './consents.ts'
import { createProvider, scopes } from './provider.ts'

const metadataPath = '/.well-known/oauth-authorization-server'
const hour = 3600

/** What strangers may ask, by path: an application refreshes for many people from one address. */
const limits: Readonly<Record<string, Omit<AttemptLimit, 'of'>>> = {
  '/oauth/register': { most: 20, seconds: hour },
  '/oauth/authorize': { most: 60, seconds: 60 },
  '/oauth/token': { most: 600, seconds: 60 },
  '/oauth/revoke': { most: 600, seconds: 60 },
}

export interface OAuthParts {
  readonly services: Services
  readonly resources: Resources
  /** The page that tells a person what went wrong, where nobody may be sent back. `reason` is ours or the library's, in English. */
  readonly errorPage: (
    request: IncomingMessage,
    reason: string,
  ) => { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export interface OAuth {
  readonly paths: readonly string[]
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  readonly consents: Consents
  end(): Promise<void>
}

const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

function sendJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...json, ...headers }).end(JSON.stringify(body))
}

export function createOAuth({ services, resources, errorPage }: OAuthParts): OAuth {
  const { config, log } = services
  const { portalUrl } = config
  const issuer = new URL(portalUrl)
  const serving = createServing(services)
  const outbound = createGuardedFetch(config)
  const under = new AsyncLocalStorage<Told>()
  const told = () => under.getStore() ?? { requestId: randomUUID(), ip: undefined }
  const provider = createProvider({
    issuer: portalUrl,
    schemes: config.oauthRedirectSchemes,
    serving,
    resources,
    told,
    fetch: (url, options) => outbound.fetch(url, options),
    errorPage(context, error, description) {
      const { headers, body } = errorPage(context.req, description ?? error)
      // The body first: with it the library chooses a type.
      context.body = body
      for (const [name, value] of Object.entries(headers)) context.set(name, value)
    },
  })
  provider.use(shapeAnswer)
  provider.on('server_error', (_context, error) =>
    log.error({ err: error, requestId: told().requestId }, 'the authorization server failed'),
  )
  const serve = provider.callback()

  /** What is told of the server is what it has: the library knows more than is switched on here. */
  async function shapeAnswer(context: Context, next: () => Promise<void>): Promise<void> {
    await next()
    dropSession(context.res)
    if (context.path === metadataPath && context.status === 200) context.body = metadataOf(context.body)
  }

  /** The one cookie that would outlast the answer; who a person is, the portal's own session says. */
  function dropSession(response: ServerResponse): void {
    const cookies = [response.getHeader('set-cookie') ?? []].flat().map(String)
    const others = cookies.filter((cookie) => !cookie.startsWith('DevPortal.App='))
    if (others.length === cookies.length) return
    if (others.length > 0) response.setHeader('set-cookie', others)
    else response.removeHeader('set-cookie')
  }

  function metadataOf(body: unknown): unknown {
    const told = body as Readonly<Record<string, unknown>>
    const kept = [
      'issuer',
      'authorization_endpoint',
      'token_endpoint',
      'registration_endpoint',
      'revocation_endpoint',
      'response_types_supported',
      'grant_types_supported',
      'code_challenge_methods_supported',
      'token_endpoint_auth_methods_supported',
      'token_endpoint_auth_signing_alg_values_supported',
      'authorization_response_iss_parameter_supported',
      'client_id_metadata_document_supported',
    ]
    return {
      ...Object.fromEntries(kept.map((name) => [name, told[name]])),
      response_modes_supported: ['query'],
      scopes_supported: [...scopes, 'offline_access'],
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', portalUrl)
    const isAuthorize = url.pathname.startsWith('/oauth/authorize')
    if (!resources.isOn) {
      sendJson(response, 404, {
        error: 'not_found',
        error_description: 'Applications connect where PUBLIC_URL and PORTAL_URL are https or loopback.',
      })
      return
    }
    if (!isAuthorize) {
      // Also of a refusal: a page reads none without it. No credential of the browser counts here.
      response.setHeader('access-control-allow-origin', '*')
      response.setHeader('access-control-expose-headers', 'WWW-Authenticate, Retry-After')
      if (request.method === 'OPTIONS') {
        response.writeHead(204, {
          'access-control-allow-methods': url.pathname === metadataPath ? 'GET' : 'POST',
          'access-control-allow-headers': '*, Authorization',
          'access-control-max-age': String(hour),
        })
        response.end()
        return
      }
    }
    const ip = clientAddress(request, config.trustedProxies)
    // The library answers a path with a slash behind it as the path itself.
    const counted = url.pathname.replace(/\/$/, '')
    const limit = limits[counted]
    if (limit && request.method !== 'OPTIONS') {
      try {
        await takeAttempt(services, [{ of: [counted, networkOf(ip)], ...limit }], strangerAt(ip))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error
        const seconds = String(Math.ceil(error.retryAfterSeconds ?? 60))
        sendJson(response, 429, { error: 'temporarily_unavailable', error_description: error.message }, { 'retry-after': seconds })
        return
      }
    }
    const mode = url.searchParams.get('response_mode')
    if (isAuthorize && mode !== null && mode !== 'query') {
      sendJson(response, 400, { error: 'unsupported_response_mode', error_description: 'The answer comes in the query.' })
      return
    }
    // Its own addresses follow the request: they are to be ours, whatever the request says that it asked.
    request.headers['x-forwarded-host'] = issuer.host
    request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1)
    const requestId = response.getHeader('x-request-id')
    await under.run({ requestId: typeof requestId === 'string' ? requestId : randomUUID(), ip }, () => serve(request, response))
  }

  return {
    paths: ['/oauth/authorize', '/oauth/authorize/:uid', '/oauth/token', '/oauth/register', '/oauth/revoke', metadataPath],
    handle,
    consents: createConsents({ provider, serving, resources, schemes: config.oauthRedirectSchemes }),
    end: () => outbound.end(),
  }
}
