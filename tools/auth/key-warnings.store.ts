/** SQL of the word that people get before a key ends, as the look-up role: it is of all tenants. */
import type { Tx } from '#platform/db/pool.ts'
import { roleBits } from '#platform/roles.ts'

import { warningDays } from './auth.rules.ts'

export interface EndingKey {
  readonly name: string
  readonly prefix: string
  readonly expiresAt: string
  readonly tenantName: string
  readonly receivers: readonly Receiver[]
}

export interface Receiver {
  readonly displayName: string
  readonly email: string
  readonly languageCode: string
  readonly timeZoneIana: string
}

const mostKeys = 50
const mostReceivers = 20

/**
 * Takes keys of which people are to be told now, and says to whom: whoever made it, whom it acts as, and who administers keys; at most 20, those first whom it
 * concerns most. What is taken counts as told once the transaction is over, and whoever asks meanwhile takes others.
 */
export async function takeEndingKeys(tx: Tx): Promise<EndingKey[]> {
  const [early, late] = warningDays
  return tx<EndingKey[]>`
    with due as (
      select k.api_key_id from platform.api_key k join platform.tenant t using (tenant_id)
      where k.revoked_at is null and k.expires_at > now() and k.expires_at <= now() + make_interval(days => ${early})
        and (k.told_days is null or (k.told_days > ${late} and k.expires_at <= now() + make_interval(days => ${late})))
        and not t.is_deactivated and t.active_start <= now() and t.active_end >= now()
      order by k.expires_at limit ${mostKeys} for update of k skip locked
    ), told as (
      update platform.api_key k set told_days = case when k.expires_at <= now() + make_interval(days => ${late}) then ${late}::int else ${early}::int end
      from due where k.api_key_id = due.api_key_id
      returning k.tenant_id, k.tenant_user_id, k.made_by, k.name, k.prefix, k.expires_at
    )
    select told.name, told.prefix, told.expires_at, t.name as tenant_name, coalesce((
      select json_agg(json_object('displayName': r.display_name, 'email': r.value, 'languageCode': r.language_code, 'timeZoneIana': r.time_zone_iana))
      from (
        select u.display_name, u.time_zone_iana, l.language_code, c.value
        from platform.tenant_user u join platform.language l using (language_region_id) cross join lateral (
          select value from platform.user_contact c
          where c.tenant_id = u.tenant_id and c.tenant_user_id = u.tenant_user_id and c.kind = 'email' order by c.contact_id limit 1) c
        where u.tenant_id = told.tenant_id and not u.is_locked and not u.is_service and u.accepted_date is not null
          and (u.tenant_user_id in (told.made_by, told.tenant_user_id) or u.role_flag & ${roleBits.AdminIntegration} <> 0)
        order by u.tenant_user_id in (told.made_by, told.tenant_user_id) desc nulls last, u.tenant_user_id limit ${mostReceivers}) r), '[]') as receivers
    from told join platform.tenant t using (tenant_id)`
}
