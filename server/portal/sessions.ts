/** Who visits the portal: a browser by its cookie, a program by the token that it was given here or by an API key. */
import type { IncomingMessage } from 'node:http'

import type { Credential, Pipeline } from '#platform/call.ts'
import { clientAddress, toldOrigin } from '#platform/client-address.ts'
import type { Config } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import type { Actor } from '#platform/operation.ts'
import { readPortalToken } from '#platform/portal-tokens.ts'
import type { Secrets } from '#platform/secrets.ts'
import { isSessionToken } from '#platform/sessions.ts'

import { authCookie, cookieOf, fromWhere } from './browser.rules.ts'

export interface PortalSessions {
  /** The browser's session in the tenant, or in the tenant that it used last; undefined where there is none. */
  sessionOf(request: IncomingMessage, subDomain?: string): Promise<Actor | undefined>
  /** Of a request that may change something, too. Throws AppError `forbidden` where another site sends it. */
  credentialOf(request: IncomingMessage, subDomain?: string): Promise<Credential>
}

/** Throws AppError `forbidden` for what changes something, comes with the browser's cookie, and not from a page of ours. */
export function refuseForeign(request: IncomingMessage, host: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || !(request.headers.cookie ?? '').includes(`${authCookie}=`)) return
  if (fromWhere(request.headers, host) === 'ours') return
  throw new AppError('forbidden', 'This did not come from a page of the portal. Programs send a key as Bearer, and no cookie.')
}

export function createPortalSessions({
  pipeline,
  config,
  secrets,
}: {
  readonly pipeline: Pick<Pipeline, 'identify'>
  readonly config: Config
  readonly secrets: Secrets
}): PortalSessions {
  async function bearerOf({ headers }: IncomingMessage): Promise<Credential | undefined> {
    const token = /^Bearer +([\x21-\x7e]{1,4096}) *$/i.exec(headers.authorization ?? '')?.[1]
    if (token === undefined) return undefined
    const value = await readPortalToken(secrets, token)
    if (value !== undefined) return { kind: 'portal', by: 'token', value, isBackground: isBackground(headers) }
    // A session of the API is good there alone.
    return isSessionToken(token) ? { kind: 'none' } : { kind: 'bearer', token }
  }

  function cookieCredential({ headers }: IncomingMessage, subDomain: string | undefined): Credential {
    const value = cookieOf(headers, authCookie)
    return value === undefined ? { kind: 'none' } : { kind: 'portal', by: 'cookie', value, subDomain, isBackground: isBackground(headers) }
  }

  return {
    async credentialOf(request, subDomain) {
      refuseForeign(request, toldOrigin(request, config.trustedProxies).host)
      return (await bearerOf(request)) ?? cookieCredential(request, subDomain)
    },
    async sessionOf(request, subDomain) {
      const credential = cookieCredential(request, subDomain)
      if (credential.kind === 'none') return undefined
      try {
        return await pipeline.identify(credential, clientAddress(request, config.trustedProxies))
      } catch (error) {
        if (error instanceof AppError && error.code === 'unauthenticated') return undefined
        throw error
      }
    },
  }
}

function isBackground(headers: IncomingMessage['headers']): boolean {
  return headers['x-background'] === '1'
}
