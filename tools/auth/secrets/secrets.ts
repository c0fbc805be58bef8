/** Named secrets for the steps and connections that send them: sealed with the tenant's key, each bound to its row. */
import type { Tx } from '#platform/db/pool.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { quoted } from '#platform/suggest.ts'

import { listSealedSecrets, listSecretRows, noteUse } from './secrets.store.ts'

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

const usualPort: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }

/** Whether a secret for these hosts may go to an address. A host without a port means all of its ports. */
function isFor(hosts: readonly string[], { hostname, port, protocol }: URL): boolean {
  const withPort = `${hostname}:${port === '' ? (usualPort[protocol] ?? '') : port}`
  return hosts.some((one) => one.toLowerCase() === hostname || one.toLowerCase() === withPort)
}

/**
 * Secrets for a call to this address, by the names that were asked for, each with what stands before it. Throws AppError `unprocessable` for one that is not
 * there, or not for that host.
 */
export async function openSecrets(
  { tx, tenantId, stamp, services }: TxContext,
  names: readonly string[],
  url: URL,
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await listSealedSecrets(tx, tenantId, names)
  const tenant = await tenantOf(tx, tenantId)
  const opened = names.map((name) => {
    const row = rows.find(({ internalName }) => internalName.toLowerCase() === name.toLowerCase())
    if (!row) throw new AppError('unprocessable', `There is no secret ${quoted(name)}. save_secret keeps one.`)
    if (!isFor(row.hosts, url))
      throw new AppError('unprocessable', `The secret ${quoted(name)} is not for ${quoted(url.host)}. save_secret names its hosts.`)
    return [name, `${row.prefix ?? ''}${services.secrets.unsealText(tenant, boundTo(row.secretId), row.sealedValue)}`] as const
  })
  await noteUse(
    tx,
    tenantId,
    rows.map(({ secretId }) => secretId),
    stamp,
  )
  return new Map(opened)
}
