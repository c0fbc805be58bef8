/** The SQL of whom messages go to: users, their addresses, what they prefer, and the records that they are linked to. */
import type { Tx } from '#platform/db/pool.ts'

import type { QuietHours, VendorChannel } from '../channels/channels.schema.ts'
import type { ChannelKind } from '../messaging.schema.ts'

export interface Person {
  readonly tenantUserId: number
  readonly displayName: string
  readonly timeZoneIana: string
  readonly languageCode: string
  /** Verified contacts first, then the order in which they were added. */
  readonly emails: readonly string[]
  readonly phones: readonly string[]
  /** What they linked to themselves, the newest first. */
  readonly linked: readonly { readonly channelId: number; readonly channel: VendorChannel; readonly address: string }[]
  readonly channelOrder: readonly ChannelKind[]
  readonly quietHours: QuietHours | null
  readonly allowsUrgent: boolean
}

/** A user whose membership has ended is nobody: there is no one left to read what is sent. */
export async function findPerson(tx: Tx, tenantId: number, tenantUserId: number): Promise<Person | undefined> {
  const [row] = await tx<Person[]>`
    select u.tenant_user_id, u.display_name, u.time_zone_iana,
      (select l.language_code from platform.language l where l.language_region_id = u.language_region_id) as language_code,
      coalesce((select array_agg(k.value order by k.is_verified desc, k.contact_id) from platform.user_contact k
        where k.tenant_id = u.tenant_id and k.tenant_user_id = u.tenant_user_id and k.kind = 'email'), '{}') as emails,
      coalesce((select array_agg(k.value order by k.is_verified desc, k.contact_id) from platform.user_contact k
        where k.tenant_id = u.tenant_id and k.tenant_user_id = u.tenant_user_id and k.kind = 'phone'), '{}') as phones,
      coalesce((select json_agg(json_build_object('channelId', a.channel_id, 'channel', c.channel, 'address', a.address) order by a.registered_date desc, a.channel_address_id desc)
        from platform.channel_address a join platform.channel c on c.tenant_id = a.tenant_id and c.channel_id = a.channel_id
        where a.tenant_id = u.tenant_id and a.tenant_user_id = u.tenant_user_id), '[]') as linked,
      coalesce(p.channel_order, '{}') as channel_order, p.quiet_hours, coalesce(p.allows_urgent, true) as allows_urgent
    from platform.tenant_user u
      left join platform.contact_preference p on p.tenant_id = u.tenant_id and p.tenant_user_id = u.tenant_user_id
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId} and u.ended_date is null`
  return row
}

export interface Preferences {
  readonly channelOrder: readonly ChannelKind[]
  readonly quietHours: QuietHours | null
  readonly allowsUrgent: boolean
}

/** What is not named stays, also where another call names it at the same moment. */
export async function savePreferences(tx: Tx, tenantId: number, tenantUserId: number, to: Partial<Preferences>): Promise<void> {
  const order = to.channelOrder === undefined ? null : [...to.channelOrder]
  const quiet = to.quietHours ? JSON.stringify(to.quietHours) : null
  const allows = to.allowsUrgent ?? null
  await tx`
    insert into platform.contact_preference as p (tenant_id, tenant_user_id, channel_order, quiet_hours, allows_urgent)
    values (${tenantId}, ${tenantUserId}, coalesce(${order}::text[], '{}'), ${quiet}::text::jsonb, coalesce(${allows}::boolean, true))
    on conflict (tenant_id, tenant_user_id) do update
    set channel_order = coalesce(${order}::text[], p.channel_order),
      quiet_hours = case when ${to.quietHours === undefined}::boolean then p.quiet_hours else excluded.quiet_hours end,
      allows_urgent = coalesce(${allows}::boolean, p.allows_urgent)`
}

/** Whatever else comes in from this address on this channel waits until this transaction is over. */
export async function lockAddress(tx: Tx, tenantId: number, channelId: number, address: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`message from ${tenantId}/${channelId}/${address}`}, 0))`
}
