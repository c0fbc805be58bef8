/** The SQL of channels, of what people refused on them, and of what their vendors have delivered already. */
import type { Tx } from '#platform/db/pool.ts'

import type { ProviderName } from '../providers/index.ts'
import type { VendorChannel } from './channels.schema.ts'

export interface ChannelRow {
  readonly channelId: number
  readonly internalName: string
  readonly channel: VendorChannel
  readonly provider: ProviderName
  readonly settings: Readonly<Record<string, string | number | boolean>>
  readonly sealedSecrets: Buffer | null
  readonly secretNames: readonly string[]
  readonly channelKey: string
}

const columns = (tx: Tx) => tx`channel_id, internal_name, channel, provider, settings, sealed_secrets, secret_names, channel_key`

export async function listChannels(tx: Tx, tenantId: number): Promise<ChannelRow[]> {
  return tx<ChannelRow[]>`select ${columns(tx)} from platform.channel where tenant_id = ${tenantId} order by channel_id`
}

export async function findChannel(tx: Tx, tenantId: number, channelId: number): Promise<ChannelRow | undefined> {
  const [row] = await tx<
    ChannelRow[]
  >`select ${columns(tx)} from platform.channel where tenant_id = ${tenantId} and channel_id = ${channelId}`
  return row
}

export async function lockChannel(tx: Tx, tenantId: number, channelId: number): Promise<ChannelRow | undefined> {
  const [row] = await tx<ChannelRow[]>`
    select ${columns(tx)} from platform.channel where tenant_id = ${tenantId} and channel_id = ${channelId} for no key update`
  return row
}

export async function findChannelByKey(tx: Tx, tenantId: number, channelKey: string): Promise<ChannelRow | undefined> {
  const [row] = await tx<
    ChannelRow[]
  >`select ${columns(tx)} from platform.channel where tenant_id = ${tenantId} and channel_key = ${channelKey}`
  return row
}

/** As the look-up role: whose webhook this is. */
export async function findTenantOfKey(tx: Tx, channelKey: string): Promise<number | undefined> {
  const [row] = await tx<{ tenantId: number }[]>`select tenant_id from platform.channel where channel_key = ${channelKey}`
  return row?.tenantId
}

/** Undefined where the tenant has that many channels already. */
export async function insertChannel(
  tx: Tx,
  tenantId: number,
  stamp: string,
  most: number,
  made: Omit<ChannelRow, 'channelId' | 'sealedSecrets' | 'secretNames'>,
): Promise<number | undefined> {
  const [row] = await tx<{ channelId: number }[]>`
    insert into platform.channel (tenant_id, internal_name, channel, provider, settings, channel_key, created_date, modified_date)
    select ${tenantId}, ${made.internalName}, ${made.channel}, ${made.provider}, ${JSON.stringify(made.settings)}::text::jsonb, ${made.channelKey}, ${stamp}, ${stamp}
    where (select count(*) from platform.channel where tenant_id = ${tenantId}) < ${most}
    returning channel_id`
  return row?.channelId
}

export async function setChannel(
  tx: Tx,
  tenantId: number,
  stamp: string,
  to: Omit<ChannelRow, 'channel' | 'provider' | 'channelKey'>,
): Promise<void> {
  await tx`
    update platform.channel
    set internal_name = ${to.internalName}, settings = ${JSON.stringify(to.settings)}::text::jsonb, sealed_secrets = ${to.sealedSecrets},
      secret_names = ${[...to.secretNames]}, modified_date = ${stamp}
    where tenant_id = ${tenantId} and channel_id = ${to.channelId}`
}

export async function deleteChannel(tx: Tx, tenantId: number, channelId: number): Promise<boolean> {
  const { count } = await tx`delete from platform.channel where tenant_id = ${tenantId} and channel_id = ${channelId}`
  return count > 0
}

/** False where this delivery was taken before. Of two at once the second waits for the first. */
export async function takeReceipt(tx: Tx, tenantId: number, channelId: number, receiptKey: string, stamp: string): Promise<boolean> {
  const { count } = await tx`
    insert into platform.channel_receipt (tenant_id, channel_id, receipt_key, at) values (${tenantId}, ${channelId}, ${receiptKey}, ${stamp})
    on conflict do nothing`
  return count > 0
}

export interface OptOut {
  readonly channel: VendorChannel
  readonly address: string
  readonly isOut: boolean
  readonly source: 'person' | 'vendor' | 'administrator'
  readonly at: string
}

/** The newest word of each address on each channel. */
export async function listOptOuts(tx: Tx, tenantId: number, addresses: readonly string[]): Promise<OptOut[]> {
  return tx<OptOut[]>`
    select distinct on (channel, address) channel, address, is_out, source, at
    from platform.opt_out
    where tenant_id = ${tenantId} and address = any(${[...addresses]})
    order by channel, address, opt_out_id desc`
}

export async function isOptedOut(tx: Tx, tenantId: number, channel: VendorChannel, address: string): Promise<boolean> {
  const [row] = await tx<{ isOut: boolean }[]>`
    select is_out from platform.opt_out
    where tenant_id = ${tenantId} and channel = ${channel} and address = ${address}
    order by opt_out_id desc limit 1`
  return row?.isOut === true
}

export async function insertOptOut(tx: Tx, tenantId: number, stamp: string, made: Omit<OptOut, 'at'>): Promise<void> {
  await tx`
    insert into platform.opt_out (tenant_id, channel, address, is_out, source, at)
    values (${tenantId}, ${made.channel}, ${made.address}, ${made.isOut}, ${made.source}, ${stamp})`
}
