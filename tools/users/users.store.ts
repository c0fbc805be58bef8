/** All SQL of users and their contacts. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'
import { rolesOf } from '#platform/roles.ts'

import type { LanguageRow } from './users.rules.ts'
import type { Contact, User } from './users.schema.ts'

export interface UserRow {
  readonly tenantUserId: number
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  /** What they sign in with. */
  readonly loginEmail: string | null
  readonly languageCode: string
  readonly timeZoneIana: string
  readonly roleFlag: number
  readonly isLocked: boolean
  readonly isService: boolean
  readonly contacts: readonly Contact[]
  readonly createdDate: string
}

export interface NewMember {
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  readonly email: string | null
  /** Null: the tenant's. */
  readonly languageRegionId: number | null
  readonly timeZoneIana: string
  readonly roleFlag: number
  readonly isService: boolean
  readonly at: string
}

/** A row as the wire has it. */
export function toUser(row: UserRow): User {
  const { isService: _isService, loginEmail: _loginEmail, ...shown } = row
  const first = (kind: Contact['kind']) => row.contacts.find((contact) => contact.kind === kind)?.value ?? null
  return { ...shown, email: first('email'), phone: first('phone'), roles: rolesOf(row.roleFlag), contacts: [...row.contacts] }
}

const columns = (tx: Tx) => tx`
  u.tenant_user_id, u.user_id, u.user_name, u.display_name, u.email as login_email, l.language_code, u.time_zone_iana, u.role_flag, u.is_locked,
  u.is_service, u.created_date,
  coalesce((
    select json_agg(json_object('contactId': c.contact_id, 'kind': c.kind, 'value': c.value, 'isVerified': c.is_verified) order by c.contact_id)
    from platform.user_contact c where c.tenant_id = u.tenant_id and c.tenant_user_id = u.tenant_user_id
  ), '[]') as contacts`

/** In which zone and language users read. */
export async function listUserPlaces(
  tx: Tx,
  tenantId: number,
  tenantUserIds: readonly number[],
): Promise<{ tenantUserId: number; timeZoneIana: string; languageCode: string }[]> {
  if (tenantUserIds.length === 0) return []
  return tx`
    select u.tenant_user_id, u.time_zone_iana, l.language_code
    from platform.tenant_user u join platform.language l using (language_region_id)
    where u.tenant_id = ${tenantId} and u.tenant_user_id = any(${tx.array([...tenantUserIds])}::int[])`
}

export async function findUser(tx: Tx, tenantId: number, tenantUserId: number): Promise<UserRow | undefined> {
  const [row] = await tx<UserRow[]>`
    select ${columns(tx)}
    from platform.tenant_user u join platform.language l using (language_region_id)
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId}::bigint`
  return row
}

/** The same, held until the transaction ends, so that two changes of one user see each other. */
export async function lockUserRow(tx: Tx, tenantId: number, tenantUserId: number): Promise<UserRow | undefined> {
  const [row] = await tx<UserRow[]>`
    select ${columns(tx)}
    from platform.tenant_user u join platform.language l using (language_region_id)
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId}::bigint
    for no key update of u`
  return row
}

export interface UserFilter {
  readonly search: string | undefined
  readonly roleFlag: number
  readonly includeService: boolean
}

/** The digits of a phone number as people write it; null for what is none. */
function phoneIn(search: string | undefined): string | null {
  if (search === undefined || !/^[+\d\s()./-]+$/.test(search)) return null
  return search.replaceAll(/\D/g, '') || null
}

const isWanted = (tx: Tx, tenantId: number, filter: UserFilter) => tx`
  u.tenant_id = ${tenantId} and (${filter.includeService} or not u.is_service) and u.role_flag & ${filter.roleFlag}::int = ${filter.roleFlag}::int
  and (${filter.search ?? null}::text is null
    or position(lower(${filter.search ?? null}) in lower(u.user_name)) > 0
    or position(lower(${filter.search ?? null}) in lower(u.display_name)) > 0
    or exists (select from platform.user_contact c
      where c.tenant_id = u.tenant_id and c.tenant_user_id = u.tenant_user_id and (position(lower(${filter.search ?? null}) in c.value) > 0
        or c.kind = 'phone' and position(${phoneIn(filter.search)}::text in c.value) > 0)))`

/** The oldest first. */
export async function listUserRows(
  tx: Tx,
  tenantId: number,
  page: PageRequest,
  filter: UserFilter & { after: number },
): Promise<Found<UserRow>> {
  return fetchPage<UserRow>(
    tx,
    page,
    tx`
      select ${columns(tx)}
      from platform.tenant_user u join platform.language l using (language_region_id)
      where ${isWanted(tx, tenantId, filter)} and u.tenant_user_id > ${filter.after}::bigint
      order by u.tenant_user_id`,
  )
}

export async function countUsers(tx: Tx, tenantId: number, page: PageRequest, filter: UserFilter): Promise<Total> {
  return countPage(tx, page, tx`from platform.tenant_user u where ${isWanted(tx, tenantId, filter)}`)
}

export async function listLanguageRows(tx: Tx): Promise<LanguageRow[]> {
  return tx<LanguageRow[]>`select language_region_id, language_code from platform.language order by language_region_id`
}

/**
 * The person of this e-mail, or a new one. Where somebody else has the name, one that was derived gets a number; any other throws a unique violation
 * of app_user_name.
 */
export async function ensurePerson(
  tx: Tx,
  wanted: { userName: string; isNameDerived: boolean; email: string | null },
): Promise<{ userId: number; userName: string }> {
  const [row] = await tx<{ userId: number; userName: string }[]>`
    select found_id as user_id, found_name as user_name
    from platform.ensure_user(${wanted.userName}, ${wanted.email}, ${wanted.isNameDerived})`
  if (!row) throw new Error('ensure_user answered no row')
  return row
}

/** Undefined where that person is a member already. */
export async function insertMember(tx: Tx, tenantId: number, member: NewMember): Promise<number | undefined> {
  const [row] = await tx<{ tenantUserId: number }[]>`
    insert into platform.tenant_user (tenant_id, user_id, user_name, display_name, email, language_region_id, time_zone_iana, role_flag, is_service, created_date)
    select ${tenantId}, ${member.userId}, ${member.userName}, ${member.displayName}, ${member.email},
      coalesce(${member.languageRegionId}, language_region_id), ${member.timeZoneIana}, ${member.roleFlag}, ${member.isService}, ${member.at}
    from platform.tenant where tenant_id = ${tenantId}
    on conflict do nothing
    returning tenant_user_id`
  return row?.tenantUserId
}

/** One caller at a time for an e-mail of a tenant, until the transaction ends. */
export async function lockEmail(tx: Tx, tenantId: number, email: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`user ${tenantId} ${email}`}, 11))`
}

/** The user who has this contact, or who signs in with it. */
export async function findUserByEmail(tx: Tx, tenantId: number, email: string): Promise<UserRow | undefined> {
  const [row] = await tx<UserRow[]>`
    select ${columns(tx)}
    from platform.tenant_user u join platform.language l using (language_region_id)
    where u.tenant_id = ${tenantId} and not u.is_service and (lower(u.email) = ${email} or exists (
      select from platform.user_contact c
      where c.tenant_id = u.tenant_id and c.tenant_user_id = u.tenant_user_id and c.kind = 'email' and c.value = ${email}))
    order by u.tenant_user_id
    limit 1`
  return row
}

/** Undefined where somebody of the tenant has it already. */
export async function insertContact(
  tx: Tx,
  tenantId: number,
  tenantUserId: number,
  contact: { kind: Contact['kind']; value: string },
): Promise<Contact | undefined> {
  const [row] = await tx<Contact[]>`
    insert into platform.user_contact (tenant_id, tenant_user_id, kind, value)
    values (${tenantId}, ${tenantUserId}, ${contact.kind}, ${contact.value})
    on conflict do nothing
    returning contact_id, kind, value, is_verified`
  return row
}

export async function deleteContact(tx: Tx, tenantId: number, tenantUserId: number, contactId: number): Promise<void> {
  await tx`delete from platform.user_contact where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId} and contact_id = ${contactId}`
}

export async function updateLocked(tx: Tx, tenantId: number, tenantUserId: number, isLocked: boolean): Promise<void> {
  await tx`update platform.tenant_user set is_locked = ${isLocked} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

export async function updateLanguage(tx: Tx, tenantId: number, tenantUserId: number, languageRegionId: number): Promise<void> {
  await tx`update platform.tenant_user set language_region_id = ${languageRegionId} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

export async function updateTimeZone(tx: Tx, tenantId: number, tenantUserId: number, timeZoneIana: string): Promise<void> {
  await tx`update platform.tenant_user set time_zone_iana = ${timeZoneIana} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

export async function updateRoles(tx: Tx, tenantId: number, tenantUserId: number, roleFlag: number): Promise<void> {
  await tx`update platform.tenant_user set role_flag = ${roleFlag} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

/** Of service users alone: a person's name and roles are the person's. */
export async function updateServiceUser(
  tx: Tx,
  tenantId: number,
  tenantUserId: number,
  key: { name: string; roleFlag: number },
): Promise<void> {
  await tx`
    update platform.tenant_user set display_name = ${key.name}, role_flag = ${key.roleFlag}
    where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId} and is_service`
}

/** Throws a unique violation of app_user_name where somebody else has the name. */
export async function renamePerson(tx: Tx, userId: number, userName: string): Promise<void> {
  await tx`select platform.rename_user(${userId}, ${userName})`
}

export async function setPersonPassword(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx`select platform.set_password(${userId}, ${passwordHash})`
}

/** Whether the person belongs to other tenants too, whose administrators have as much say in how they sign in. */
export async function isMemberElsewhere(tx: Tx, userId: number): Promise<boolean> {
  const [row] = await tx<{ isElsewhere: boolean }[]>`select platform.is_member_elsewhere(${userId}) as is_elsewhere`
  return row?.isElsewhere === true
}

/** False where it cannot be theirs: the person belongs elsewhere too, or it is another person's. */
export async function setLoginEmail(tx: Tx, userId: number, email: string | null): Promise<boolean> {
  const [row] = await tx<{ isSet: boolean }[]>`select platform.set_login_email(${userId}, ${email}) as is_set`
  return row?.isSet === true
}

/** Display names by tenant user id. */
export async function findDisplayNames(tx: Tx, tenantId: number, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<{ tenantUserId: number; displayName: string }[]>`
    select tenant_user_id, display_name from platform.tenant_user where tenant_id = ${tenantId} and tenant_user_id = any(${ids}::int[])`
  return new Map(rows.map((row) => [row.tenantUserId, row.displayName]))
}

/** Every role that some person of the tenant holds, together. */
export async function readHeldRoles(tx: Tx, tenantId: number): Promise<number> {
  const [row] = await tx<[{ held: number }]>`
    select coalesce(bit_or(role_flag), 0)::int as held from platform.tenant_user
    where tenant_id = ${tenantId} and not is_locked and not is_service`
  return row.held
}

/** The user that a phone number or an e-mail address is a contact of. */
export async function findUserByAddress(tx: Tx, tenantId: number, address: string): Promise<number | undefined> {
  const [row] = await tx<{ tenantUserId: number }[]>`
    select tenant_user_id from platform.user_contact where tenant_id = ${tenantId} and value = ${address}
    union all
    select tenant_user_id from platform.tenant_user where tenant_id = ${tenantId} and lower(email) = ${address}
    limit 1`
  return row?.tenantUserId
}
