/** Where MCP is reached: at PUBLIC_URL and at the hosts of active tenants. Tokens of applications are made for one of these addresses, and count there alone. */
import { kept } from './kept.ts'
import { isHostName } from './outbound.ts'
import type { Services } from './services.ts'
import { tenantAt } from './tenant-hosts.ts'

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
  /** Of a tenant, whether anybody is there or not. */
  urlOf(tenant: { readonly host: string | null; readonly subDomain: string }): string
  /** By its own address, as a client names it. */
  named(url: string, sharer: string): Promise<Resource | undefined>
}

const isLoopback = (hostname: string) => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

function isSafe(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname)
}

function createResources(services: Services): Resources {
  const { config } = services
  const { origin, host: mainHost, protocol, port } = new URL(config.publicUrl)
  const main: Resource = { url: `${origin}/mcp`, origin, tenantId: undefined }

  async function atHost(given: string | undefined, sharer: string): Promise<Resource | undefined> {
    const host = given?.toLowerCase() ?? ''
    if (host === mainHost) return main
    const [, hostname = '', ownPort = ''] = /^([^:]{1,253})(?::(\d{1,5}))?$/.exec(host) ?? []
    if (ownPort !== port || !isHostName(hostname)) return undefined
    const tenantId = await tenantAt(services, hostname, sharer)
    const own = `${protocol}//${host}`
    return tenantId === undefined ? undefined : { url: `${own}/mcp`, origin: own, tenantId }
  }

  return {
    isOn: isSafe(config.publicUrl) && isSafe(config.portalUrl),
    main,
    atHost,
    urlOf: ({ host, subDomain }) =>
      `${protocol}//${(host ?? `${subDomain}.${config.tenantDomain}`).toLowerCase()}${port === '' ? '' : `:${port}`}/mcp`,
    async named(url, sharer) {
      if (url.length > 500 || !URL.canParse(url)) return undefined
      const found = await atHost(new URL(url).host, sharer)
      // Letter by letter: an address that only comes to the same is not the one that tokens are made for.
      return found?.url === url ? found : undefined
    },
  }
}

export const resourcesOf = kept(createResources)
