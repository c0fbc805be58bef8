/** Links between records and the users that they are. */
import type { Tx } from '#platform/db/pool.ts'

/** What a record says of the person behind it; null where it says nothing. */
export interface IdentityClaim {
  readonly eiRecordId: number
  readonly email: string | null
  readonly phone: string | null
}

/** Replaces the links of these records by what their claims match: the e-mail first, then the phone. */
export async function replaceLinks(tx: Tx, tenantId: number, entityId: number, claims: readonly IdentityClaim[]): Promise<void> {
  const json = JSON.stringify(claims.map((claim) => ({ r: claim.eiRecordId, e: claim.email, p: claim.phone })))
  await tx`
    delete from platform.identity_link
    where tenant_id = ${tenantId} and entity_id = ${entityId} and ei_record_id in (select r from json_to_recordset(${json}::text::json) as c(r bigint))`
  await tx`
    insert into platform.identity_link (tenant_id, entity_id, ei_record_id, tenant_user_id, matched_by, linked_at)
    select ${tenantId}, ${entityId}, m.r, m.tenant_user_id, m.matched_by, date_trunc('milliseconds', now())
    from (
      select distinct on (c.r) c.r, k.tenant_user_id, k.kind as matched_by
      from json_to_recordset(${json}::text::json) as c(r bigint, e text, p text)
        join platform.user_contact k on k.tenant_id = ${tenantId}
          and ((k.kind = 'email' and k.value = lower(c.e)) or (k.kind = 'phone' and k.value = c.p))
      order by c.r, k.kind, k.tenant_user_id
    ) m`
}

/** Removes the links of records that are gone. */
export async function unlinkIdentities(tx: Tx, tenantId: number, entityId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx`delete from platform.identity_link where tenant_id = ${tenantId} and entity_id = ${entityId} and ei_record_id = any(${ids}::bigint[])`
}
