/** The SQL of addresses that people linked to themselves, and of the codes that prove them. */
import type { Tx } from '#platform/db/pool.ts'

export interface AddressOf {
  readonly channelId: number
  readonly address: string
}

export interface DeviceRow {
  readonly device: string
  readonly sealedDetails: Buffer | null
}

/** A later code of a user takes the place of an earlier one. */
export async function saveLinkCode(
  tx: Tx,
  tenantId: number,
  code: { readonly channelId: number; readonly tenantUserId: number; readonly hash: Buffer; readonly expiresAt: string },
): Promise<void> {
  await tx`
    insert into platform.channel_link_code (tenant_id, channel_id, tenant_user_id, code_hash, expires_at)
    values (${tenantId}, ${code.channelId}, ${code.tenantUserId}, ${code.hash}, ${code.expiresAt})
    on conflict (tenant_id, channel_id, tenant_user_id) do update set code_hash = excluded.code_hash, expires_at = excluded.expires_at`
}

/** Whose code it is, which is gone with that; undefined for one that is not, or no longer, good. */
export async function takeLinkCode(tx: Tx, tenantId: number, channelId: number, hash: Buffer, stamp: string): Promise<number | undefined> {
  const [row] = await tx<{ tenantUserId: number }[]>`
    delete from platform.channel_link_code
    where tenant_id = ${tenantId} and channel_id = ${channelId} and code_hash = ${hash} and expires_at > ${stamp}
    returning tenant_user_id`
  return row?.tenantUserId
}

/** What is undefined stays as it is. */
export async function saveAddress(
  tx: Tx,
  tenantId: number,
  stamp: string,
  made: AddressOf & { readonly device: string; readonly tenantUserId: number | undefined; readonly sealedDetails: Buffer | undefined },
): Promise<void> {
  const { channelId, address, device, tenantUserId = null, sealedDetails = null } = made
  await tx`
    insert into platform.channel_address as a (tenant_id, channel_id, tenant_user_id, address, device, sealed_details, registered_date)
    values (${tenantId}, ${channelId}, ${tenantUserId}, ${address}, ${device}, ${sealedDetails}, ${stamp})
    on conflict (tenant_id, channel_id, address, device) do update
    set tenant_user_id = coalesce(excluded.tenant_user_id, a.tenant_user_id), sealed_details = coalesce(excluded.sealed_details, a.sealed_details),
      registered_date = excluded.registered_date`
}

/** The newest first. */
export async function listDevices(tx: Tx, tenantId: number, { channelId, address }: AddressOf): Promise<DeviceRow[]> {
  return tx<DeviceRow[]>`
    select device, sealed_details from platform.channel_address
    where tenant_id = ${tenantId} and channel_id = ${channelId} and address = ${address}
    order by registered_date desc, channel_address_id desc`
}

export async function findAddressOwner(tx: Tx, tenantId: number, { channelId, address }: AddressOf): Promise<number | undefined> {
  const [row] = await tx<{ tenantUserId: number | null }[]>`
    select tenant_user_id from platform.channel_address
    where tenant_id = ${tenantId} and channel_id = ${channelId} and address = ${address}
    order by registered_date desc, channel_address_id desc limit 1`
  return row?.tenantUserId ?? undefined
}

/** Keeps the newest of an address. */
export async function keepNewest(tx: Tx, tenantId: number, { channelId, address }: AddressOf, most: number): Promise<void> {
  await tx`
    delete from platform.channel_address
    where tenant_id = ${tenantId} and channel_id = ${channelId} and address = ${address} and channel_address_id not in (
      select channel_address_id from platform.channel_address
      where tenant_id = ${tenantId} and channel_id = ${channelId} and address = ${address}
      order by registered_date desc, channel_address_id desc limit ${most})`
}

export async function deleteDevice(tx: Tx, tenantId: number, { channelId, address }: AddressOf, device: string): Promise<void> {
  await tx`
    delete from platform.channel_address
    where tenant_id = ${tenantId} and channel_id = ${channelId} and address = ${address} and device = ${device}`
}

/** A device is one person's: whoever had it before has it no more. */
export async function deleteElsewhere(tx: Tx, tenantId: number, { channelId, address }: AddressOf, device: string): Promise<void> {
  await tx`
    delete from platform.channel_address
    where tenant_id = ${tenantId} and channel_id = ${channelId} and address <> ${address} and device = ${device}`
}

/** What a user linked on a channel, and codes that would. */
export async function unlinkUser(tx: Tx, tenantId: number, channelId: number, tenantUserId: number): Promise<void> {
  await tx`delete from platform.channel_address where tenant_id = ${tenantId} and channel_id = ${channelId} and tenant_user_id = ${tenantUserId}`
  await tx`delete from platform.channel_link_code where tenant_id = ${tenantId} and channel_id = ${channelId} and tenant_user_id = ${tenantUserId}`
}
