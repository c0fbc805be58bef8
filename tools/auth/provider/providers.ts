/** Tenants' own providers as this process knows them: discovered once in a while, and asked for few people of a tenant at a time. */
import { LRUCache } from 'lru-cache'

import { AppError } from '#platform/errors.ts'
import { kept } from '#platform/kept.ts'
import { discoverProvider, type OpenIdProvider } from '#platform/open-id.ts'
import type { Services } from '#platform/services.ts'

import { findProvider, findTenantOfProvider, type OpenTenant, type ProviderRow } from './provider.store.ts'

const keptMs = 10 * 60_000
const failedMs = 10_000
const mostAtOnce = 16

const known = kept(() => ({
  discovered: new LRUCache<string, Promise<OpenIdProvider>>({ max: 1_000, ttl: keptMs }),
  /** Asked in vain a moment ago: a provider that is down is not asked for everybody who presses the button. */
  failed: new LRUCache<string, true>({ max: 1_000, ttl: failedMs }),
  underWay: new Map<number, number>(),
}))

export const boundTo = (tenantId: number) => `identity provider:${tenantId}`

export interface TenantProvider {
  readonly tenant: OpenTenant
  readonly row: ProviderRow
}

/** Of an open tenant; undefined where it has none. */
export async function findTenantProvider(
  { databases }: Pick<Services, 'databases'>,
  by: { readonly tenantId: number } | { readonly subDomain: string },
  sharer: string,
): Promise<TenantProvider | undefined> {
  return databases.lookUp(async (tx) => {
    const tenant = await findTenantOfProvider(tx, by)
    const row = tenant && (await findProvider(tx, tenant.tenantId))
    return tenant && row ? { tenant, row } : undefined
  }, sharer)
}

const notThere = (cause?: unknown) =>
  new AppError('unavailable', 'The provider of this tenant does not answer. Try again in a while.', { retryAfterSeconds: 10, cause })

/** Throws AppError `unavailable`. */
async function discovered(services: Services, { tenant, row }: TenantProvider): Promise<OpenIdProvider> {
  const { discovered: all, failed } = known(services)
  // A change of the settings is another provider, in every process.
  const key = JSON.stringify([tenant.tenantId, row.issuer, row.clientId, row.setDate])
  if (failed.has(key)) throw notThere()
  const present = all.get(key)
  if (present) return present
  const clientSecret =
    row.sealedSecret === null ? undefined : services.secrets.unsealText(tenant, boundTo(tenant.tenantId), row.sealedSecret)
  // All who wait for it hear the same.
  const begun = discoverProvider(services.config, { issuer: row.issuer, clientId: row.clientId, clientSecret }).catch((error: unknown) => {
    all.delete(key)
    failed.set(key, true)
    throw notThere(error)
  })
  all.set(key, begun)
  return begun
}

/** Asks the provider of a tenant. Throws AppError `unavailable` where it does not answer, or too many are at it already. */
export async function atProvider<T>(services: Services, of: TenantProvider, ask: (provider: OpenIdProvider) => Promise<T>): Promise<T> {
  const { underWay } = known(services)
  const { tenantId } = of.tenant
  const count = underWay.get(tenantId) ?? 0
  if (count >= mostAtOnce) throw new AppError('unavailable', 'Too many sign in at this provider at once.', { retryAfterSeconds: 2 })
  underWay.set(tenantId, count + 1)
  try {
    return await ask(await discovered(services, of))
  } finally {
    const left = (underWay.get(tenantId) ?? 1) - 1
    if (left > 0) underWay.set(tenantId, left)
    else underWay.delete(tenantId)
  }
}
