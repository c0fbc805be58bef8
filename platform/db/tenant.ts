/** What every domain may ask of a tenant: whether there is one, what it is called, and the key that its secrets are sealed with. */
import type { Tx } from './pool.ts'

export async function hasTenant(tx: Tx, tenantId: number): Promise<boolean> {
  const [row] = await tx`select 1 from platform.tenant where tenant_id = ${tenantId}`
  return row !== undefined
}

export async function findTenantName(tx: Tx, tenantId: number): Promise<string> {
  const [row] = await tx<[{ name: string }]>`select name from platform.tenant where tenant_id = ${tenantId}`
  return row.name
}

/** The tenant's own key, sealed with the installation's. */
export async function findTenantKey(tx: Tx, tenantId: number): Promise<Buffer | undefined> {
  const [row] = await tx<{ sealedKey: Buffer }[]>`select sealed_key from platform.tenant where tenant_id = ${tenantId}`
  return row?.sealedKey
}

/** A tenant as tokens name it. */
export async function findNamedTenant(tx: Tx, tenantId: number) {
  const [row] = await tx<[{ tenantId: number; name: string; subDomain: string; host: string }]>`
    select tenant_id, name, sub_domain, host from platform.tenant where tenant_id = ${tenantId}`
  return row
}
