/** Where MCP is reached: at PUBLIC_URL and at the hosts of active tenants. Tokens of applications are made for one of these addresses, and count there alone. */
import { LRUCache } from 'lru-cache'

import type { Config } from './config.ts'
import type { Databases } from './db/databases.ts'
import { kept } from './kept.ts'
import { isHostName } from './outbound.ts'

export interface Resource {
  /** `<origin>/mcp` */
  readonly url: string
  readonly origin: string
  /** Of a tenant's own host; undefined at PUBLIC_URL. */
  readonly tenantId: number | undefined
}

export interface Resources {
  /** Whether applications may connect: not where a token or a password would cross a network in the open. */
  readonly isOn: boolean
  /** PUBLIC_URL's. */
  readonly main: Resource
  /** By the Host of a request, whose share of the connections `sharer` names; undefined for a host that is nobody's. */
  atHost(host: string | undefined, sharer: string): Promise<Resource | undefined>
  /** By its own address, as a client names it. */
  named(url: string, sharer: string): Promise<Resource | undefined>
}

/** How long what a host is may be believed. */
const keptMs = 1_000

const isLoopback = (hostname: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname)
}

export function createResources({
  config,
  databases,
}: {
  readonly config: Pick<Config, 'publicUrl' | 'portalUrl' | 'tenantDomain'>
  readonly databases: Pick<Databases, 'lookUp'>
}): Resources {
  const { origin, host: mainHost, protocol, port } = new URL(config.publicUrl)
  const main: Resource = { url: `${origin}/mcp`, origin, tenantId: undefined }
  const known = new LRUCache<string, { readonly tenantId: number | undefined }>({ max: 1_000, ttl: keptMs })

  async function tenantOf(hostname: string, sharer: string): Promise<number | undefined> {
    const kept = known.get(hostname)
    if (kept) return kept.tenantId
    const [row] = await databases.lookUp(
      (tx) => tx<{ tenantId: number }[]>`
        select tenant_id from platform.tenant
        where (lower(host) = ${hostname} or (host is null and lower(sub_domain) || '.' || ${config.tenantDomain}::text = ${hostname}))
          and not is_deactivated and active_start <= now() and active_end >= now()`,
      sharer,
    )
    known.set(hostname, { tenantId: row?.tenantId })
    return row?.tenantId
  }

  async function atHost(given: string | undefined, sharer: string): Promise<Resource | undefined> {
    const host = given?.toLowerCase() ?? ''
    if (host === mainHost) return main
    const [, hostname = '', ownPort = ''] = /^([^:]{1,253})(?::(\d{1,5}))?$/.exec(host) ?? []
    if (ownPort !== port || !isHostName(hostname)) return undefined
    const tenantId = await tenantOf(hostname, sharer)
    const own = `${protocol}//${host}`
    return tenantId === undefined ? undefined : { url: `${own}/mcp`, origin: own, tenantId }
  }

  return {
    isOn: isSafe(config.publicUrl) && isSafe(config.portalUrl),
    main,
    atHost,
    async named(url, sharer) {
      if (url.length > 500 || !URL.canParse(url)) return undefined
      const found = await atHost(new URL(url).host, sharer)
      // Letter by letter: an address that only comes to the same is not the one that tokens are made for.
      return found?.url === url ? found : undefined
    },
  }
}

export const resourcesOf = kept((services) => createResources(services))
