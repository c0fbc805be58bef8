/** Which tenant is reached at a host: by its own, or by its sub-domain of the installation's domain. A host chooses, and never grants. */
import { AppError } from './errors.ts'
import { kept } from './kept.ts'
import { createKnown } from './known.ts'
import type { Actor } from './operation.ts'
import { isHostName } from './outbound.ts'
import type { Services } from './services.ts'

const knownOf = kept(() => createKnown<{ readonly tenantId: number | undefined }>({ max: 10_000 }))

/** A host as a request names it: in lower case, without its port. */
export function hostNameOf(host: string | undefined): string {
  return (host ?? '')
    .toLowerCase()
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
}

/** Hosts of the installation itself, which are no tenant's. */
export function ownHosts({ publicUrl, portalUrl, host }: Pick<Services['config'], 'publicUrl' | 'portalUrl' | 'host'>): readonly string[] {
  return [new URL(publicUrl).hostname, new URL(portalUrl).hostname, host, 'localhost']
}

/** The active tenant that is reached at the host of a request, whose share of the connections `sharer` names; undefined for one that is nobody's. */
export async function tenantAt(services: Services, host: string | undefined, sharer: string): Promise<number | undefined> {
  const name = hostNameOf(host)
  const { config, databases } = services
  if (!isHostName(name) || ownHosts(config).includes(name)) return undefined
  const suffix = `.${config.tenantDomain}`
  const subDomain = name.endsWith(suffix) ? name.slice(0, -suffix.length) : null
  const found = await knownOf(services).find(name, async () => {
    const [row] = await databases.lookUp(
      (tx) => tx<{ tenantId: number }[]>`
        select tenant_id from platform.tenant
        where (lower(host) = ${name} or (host is null and lower(sub_domain) = ${subDomain}::text))
          and not is_deactivated and active_start <= now() and active_end >= now()`,
      sharer,
    )
    return { tenantId: row?.tenantId }
  })
  return found?.tenantId
}

/** Throws AppError `forbidden` where a credential is used at the host of another tenant than its own. */
export async function refuseElsewhere(services: Services, actor: Actor, host: string | undefined): Promise<void> {
  const tenantId = await tenantAt(services, host, String(actor.tenantId))
  if (tenantId === undefined || tenantId === actor.tenantId) return
  throw new AppError('forbidden', 'This host is of another tenant than the credential. Call your own host, or PUBLIC_URL.')
}
