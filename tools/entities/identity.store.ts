/** SQL of the identity bridge: what records say of the people behind them, and who that is. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Sql } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

/** In the normal form of contacts; null where the record says nothing. */
export interface IdentityClaim {
  readonly eiRecordId: number
  readonly email: string | null
  readonly phone: string | null
}

/** Writes what these records say, over what they said before. */
export async function upsertClaims(
  tx: Tx,
  tenantId: number,
  entityId: number,
  stamp: string,
  claims: readonly IdentityClaim[],
): Promise<void> {
  const said = claims.filter((claim) => claim.email !== null || claim.phone !== null)
  const silent = claims.filter((claim) => claim.email === null && claim.phone === null)
  if (silent.length > 0) {
    const ids = silent.map((claim) => claim.eiRecordId)
    await deleteClaims(tx, tenantId, ids)
  }
  if (said.length === 0) return
  await tx`
    insert into platform.identity_claim as present (tenant_id, entity_id, ei_record_id, email, phone, claimed_at)
    select ${tenantId}, ${entityId}, r."eiRecordId", r.email, r.phone, ${stamp}
    from json_to_recordset(${JSON.stringify(said)}::text::json) as r("eiRecordId" bigint, email text, phone text)
    on conflict (tenant_id, ei_record_id) do update set email = excluded.email, phone = excluded.phone, claimed_at = excluded.claimed_at
      where (present.email, present.phone) is distinct from (excluded.email, excluded.phone)`
}

/** Of records that are gone. */
export async function deleteClaims(tx: Tx, tenantId: number, recordIds: readonly number[]): Promise<void> {
  if (recordIds.length === 0) return
  await tx`delete from platform.identity_claim where tenant_id = ${tenantId} and ei_record_id = any(${recordIds}::bigint[])`
}

/** Of every record of an entity. */
export async function deleteClaimsOfEntity(tx: Tx, tenantId: number, entityId: number): Promise<void> {
  await tx`delete from platform.identity_claim where tenant_id = ${tenantId} and entity_id = ${entityId}`
}

export interface IdentityLink {
  readonly eiRecordId: number
  readonly entityId: number
  readonly tenantUserId: number
  readonly userName: string
  readonly displayName: string
  readonly matchedBy: 'email' | 'phone'
  readonly linkedDate: string
}

/** Links by record id. */
export async function listIdentityLinks(
  tx: Tx,
  tenantId: number,
  entityId: number,
  page: PageRequest,
  after: number,
): Promise<Found<IdentityLink>> {
  return fetchPage<IdentityLink>(
    tx,
    page,
    tx`
      select l.ei_record_id, l.entity_id, l.tenant_user_id, u.user_name, u.display_name, l.matched_by, l.linked_at as linked_date
      from platform.identity_link l join platform.tenant_user u on u.tenant_id = l.tenant_id and u.tenant_user_id = l.tenant_user_id
      where l.tenant_id = ${tenantId} and l.entity_id = ${entityId} and l.ei_record_id > ${after}
      order by l.ei_record_id`,
  )
}

export async function countIdentityLinks(tx: Tx, tenantId: number, entityId: number): Promise<number> {
  const [row] = await tx<
    { count: number }[]
  >`select count(*) as count from platform.identity_link where tenant_id = ${tenantId} and entity_id = ${entityId}`
  return row?.count ?? 0
}

/** The same as a list tells it. */
export async function totalOfLinks(tx: Tx, tenantId: number, entityId: number, page: PageRequest): Promise<Total> {
  return countPage(tx, page, tx`from platform.identity_link where tenant_id = ${tenantId} and entity_id = ${entityId}`)
}

/** The user that a record is linked to by its e-mail or phone property. */
export async function findUserOfRecord(tx: Tx, tenantId: number, eiRecordId: number): Promise<number | undefined> {
  const [row] = await tx<{ tenantUserId: number }[]>`
    select tenant_user_id from platform.identity_link where tenant_id = ${tenantId} and ei_record_id = ${eiRecordId} limit 1`
  return row?.tenantUserId
}

export async function hasTenantUser(tx: Tx, tenantId: number, tenantUserId: number): Promise<boolean> {
  const [row] = await tx`select 1 from platform.tenant_user where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
  return row !== undefined
}

/** A user as rules and tokens know one. */
export interface Caller {
  readonly tenantUserId: number
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  readonly email: string | null
  readonly phone: string | null
  readonly languageCode: string
  readonly timeZoneIana: string
  readonly roleFlag: number
  /** The records that are this person, of each entity the oldest so many. */
  readonly links: readonly { readonly entityId: number; readonly eiRecordId: number }[]
}

/**
 * The records of an entity that are linked to a user, as platform.identity_link says: asked from the user's contacts, so that it takes as long as this user
 * has records and not as the entity has.
 */
const recordsOf = (tx: Tx, of: { readonly tenantId: Sql; readonly tenantUserId: Sql; readonly entityId: Sql }, limit: number) => tx`(
  select ei_record_id from (
    select c.ei_record_id from platform.user_contact k cross join lateral (
      select ei_record_id from platform.identity_claim
      where tenant_id = ${of.tenantId} and email = k.value and entity_id = ${of.entityId}
      order by ei_record_id limit ${limit}) c
    where k.tenant_id = ${of.tenantId} and k.tenant_user_id = ${of.tenantUserId} and k.kind = 'email'
    union
    select c.ei_record_id from platform.user_contact k cross join lateral (
      select ei_record_id from platform.identity_claim claim
      where tenant_id = ${of.tenantId} and phone = k.value and entity_id = ${of.entityId} and not exists (
        select from platform.user_contact e where e.tenant_id = claim.tenant_id and e.kind = 'email' and e.value = claim.email)
      order by ei_record_id limit ${limit}) c
    where k.tenant_id = ${of.tenantId} and k.tenant_user_id = ${of.tenantUserId} and k.kind = 'phone') found
  order by ei_record_id limit ${limit})`

/** Whoever makes many records with one address must not make each call of that user read them all. */
const linksOfEntity = 1_000

export async function findCaller(tx: Tx, tenantId: number, tenantUserId: number): Promise<Caller | undefined> {
  const [row] = await tx<Caller[]>`
    select u.tenant_user_id, u.user_id, u.user_name, u.display_name, l.language_code, u.time_zone_iana, u.role_flag,
      (select k.value from platform.user_contact k
       where k.tenant_id = u.tenant_id and k.tenant_user_id = u.tenant_user_id and k.kind = 'email' order by k.contact_id limit 1) as email,
      (select k.value from platform.user_contact k
       where k.tenant_id = u.tenant_id and k.tenant_user_id = u.tenant_user_id and k.kind = 'phone' order by k.contact_id limit 1) as phone,
      coalesce((select json_agg(json_build_object('entityId', e.entity_id, 'eiRecordId', i.ei_record_id) order by e.entity_id, i.ei_record_id)
       from platform.entity e cross join lateral ${recordsOf(tx, { tenantId: tx`u.tenant_id`, tenantUserId: tx`u.tenant_user_id`, entityId: tx`e.entity_id` }, linksOfEntity)} i
       where e.tenant_id = u.tenant_id and e.is_tenant_user_role), '[]') as links
    from platform.tenant_user u join platform.language l using (language_region_id)
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId}`
  return row
}

/** The records of an entity that are linked to a user, at most so many, the oldest first. */
export async function findRecordsOfUser(
  tx: Tx,
  tenantId: number,
  entityId: number,
  tenantUserId: number,
  limit: number,
): Promise<number[]> {
  const of = { tenantId: tx`${tenantId}::int`, tenantUserId: tx`${tenantUserId}::int`, entityId: tx`${entityId}::int` }
  const rows = await tx<{ eiRecordId: number }[]>`select ei_record_id from ${recordsOf(tx, of, limit)} linked order by ei_record_id`
  return rows.map((row) => row.eiRecordId)
}
