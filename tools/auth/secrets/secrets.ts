/** Named secrets for the steps and connections that send them: sealed with the tenant's key, each bound to its row. */
import type { Tx } from '#platform/db/pool.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { mustExist } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'

import { listSecretRows } from './secrets.store.ts'

const boundTo = (secretId: number) => `secret:${secretId}`

async function tenantOf(tx: Tx, tenantId: number) {
  return { tenantId, sealedKey: mustExist(await findTenantKey(tx, tenantId), 'tenant') }
}

export async function sealSecret(tx: Tx, services: Services, tenantId: number, secretId: number, value: string): Promise<Buffer> {
  return services.secrets.sealText(await tenantOf(tx, tenantId), boundTo(secretId), value)
}

/** The hosts of every secret, by its name in lower case. */
export async function hostsOfSecrets(tx: Tx, tenantId: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await listSecretRows(tx, tenantId)
  return new Map(rows.map(({ internalName, hosts }) => [internalName.toLowerCase(), hosts]))
}
