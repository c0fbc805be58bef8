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

/** Null where there is nothing to keep. */
export async function sealSecrets(
  tx: Tx,
  services: Services,
  tenantId: number,
  channelId: number,
  secrets: ChannelSecrets,
): Promise<Buffer | null> {
  if (Object.keys(secrets).length === 0) return null
  return services.secrets.sealText(await tenantOf(tx, tenantId), boundTo(channelId), JSON.stringify(secrets))
}

/** Undefined where they do not open: in a backup that was restored without its SECRETS_KEY. */
export async function openSecrets(tx: Tx, services: Services, tenantId: number, channel: ChannelRow): Promise<ChannelSecrets | undefined> {
  if (channel.sealedSecrets === null) return {}
  const tenant = await tenantOf(tx, tenantId)
  let text: string
  try {
    text = services.secrets.unsealText(tenant, boundTo(channel.channelId), channel.sealedSecrets)
  } catch (error) {
    services.log.error({ err: error, tenantId, channelId: channel.channelId }, 'the secrets of a channel do not open')
    return undefined
  }
  // Sealed by sealSecrets, and authenticated: it is what was put in.
  return JSON.parse(text) as ChannelSecrets
}
