/** What an HTTP request on the MCP endpoint must show before its body is read. */
import type { IncomingMessage } from 'node:http'

import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'

import type { Credential } from '#platform/call.ts'
import type { Config } from '#platform/config.ts'
import { AppError } from '#platform/errors.ts'
import { quoted } from '#platform/suggest.ts'

/** Host names that the endpoint answers to: loopback, the address it listens on, and the public one. */
function allowedHostnames(config: Pick<Config, 'host' | 'publicUrl'>): string[] {
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return [...new Set([...localhostAllowedHostnames(), host.toLowerCase(), new URL(config.publicUrl).hostname])]
}

/**
 * Refuses what a page of another site could send through a browser that can reach this address: throws AppError `forbidden` for a foreign
 * Host or Origin. A client that is no browser sends no Origin. `host` is the one that was asked, `isKnownHost`: a tenant is reached there.
 */
export function createGuard(
  config: Pick<Config, 'host' | 'publicUrl' | 'corsOrigins'>,
): (request: IncomingMessage, host: string, isKnownHost: boolean) => void {
  const hostnames = allowedHostnames(config)
  const remedy = 'Connect by localhost, or set PUBLIC_URL to the address that clients use.'
  const isNamed = (origin: string) => config.corsOrigins.some((one) => one === '*' || one === origin)
  return ({ headers }, host, isKnownHost) => {
    if (!isKnownHost && !validateHostHeader(host, hostnames).ok) {
      throw new AppError('forbidden', `This server does not answer to the host ${quoted(host)}. ${remedy}`)
    }
    if (!validateOriginHeader(headers.origin, hostnames).ok && !isNamed(headers.origin ?? '')) {
      throw new AppError('forbidden', `Pages of ${quoted(headers.origin ?? '')} may not use this server. Set CORS_ORIGINS to let them.`)
    }
  }
}

/** The bearer token of the request, which came to the `resource`. Throws AppError `unauthenticated` where there is none. */
export function bearerOf({ headers }: IncomingMessage, resource: string | undefined): Credential {
  const token = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined)
    throw new AppError('unauthenticated', 'Send an API key: Authorization: Bearer <key>. Hosts that know OAuth connect without one.')
  return { kind: 'bearer', token, resource }
}
