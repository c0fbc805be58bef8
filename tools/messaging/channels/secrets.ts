/** Secrets of channels: sealed with the tenant's key, each bound to its row. */
import type { Tx } from '#platform/db/pool.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { mustExist } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'

import type { ChannelRow } from './channels.store.ts'

export type ChannelSecrets = Readonly<Record<string, string>>

const boundTo = (channelId: number) => `channel:${channelId}`

async function tenantOf(tx: Tx, tenantId: number) {
  return { tenantId, sealedKey: mustExist(await findTenantKey(tx, tenantId), 'tenant') }
}

/** A text sealed with the tenant's key, which opens again where it is bound to the same alone. */
export async function sealText(tx: Tx, services: Services, tenantId: number, place: string, text: string): Promise<Buffer> {
  return services.secrets.sealText(await tenantOf(tx, tenantId), place, text)
}

/** Undefined where it does not open: in a backup that was restored without its SECRETS_KEY. */
export async function openText(tx: Tx, services: Services, tenantId: number, place: string, sealed: Buffer): Promise<string | undefined> {
  const tenant = await tenantOf(tx, tenantId)
  try {
    return services.secrets.unsealText(tenant, place, sealed)
  } catch (error) {
    services.log.error({ err: error, tenantId, place }, 'a secret of a channel does not open')
    return undefined
  }
}

/** Null where there is nothing to keep. */
export async function sealSecrets(
  tx: Tx,
  services: Services,
  tenantId: number,
  channelId: number,
  secrets: ChannelSecrets,
): Promise<Buffer | null> {
  if (Object.keys(secrets).length === 0) return null
  return sealText(tx, services, tenantId, boundTo(channelId), JSON.stringify(secrets))
}

/** Undefined where they do not open. */
export async function openSecrets(tx: Tx, services: Services, tenantId: number, channel: ChannelRow): Promise<ChannelSecrets | undefined> {
  if (channel.sealedSecrets === null) return {}
  const text = await openText(tx, services, tenantId, boundTo(channel.channelId), channel.sealedSecrets)
  // Sealed by sealSecrets, and authenticated: it is what was put in.
  return text === undefined ? undefined : (JSON.parse(text) as ChannelSecrets)
}
