/** All SQL of users and their contacts. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'
import { roleBits, rolesOf } from '#platform/roles.ts'

import type { LanguageRow } from './users.rules.ts'
import type { Contact, User } from './users.schema.ts'

export interface UserRow {
  readonly tenantUserId: number
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  readonly languageCode: string
  readonly timeZoneIana: string
  readonly roleFlag: number
  readonly isLocked: boolean
  readonly isService: boolean
  /** When somebody took the membership; null: nobody signs in with it yet. */
  readonly acceptedDate: string | null
  readonly lastSignInDate: string | null
  readonly hasSecondFactor: boolean
  readonly contacts: readonly Contact[]
  readonly createdDate: string
}

export interface NewMember {
  readonly userId: number
  readonly userName: string
  readonly displayName: string
  /** Null: the tenant's. */
  readonly languageRegionId: number | null
  readonly timeZoneIana: string
  readonly roleFlag: number
  readonly isService: boolean
  readonly at: string
}

/** A row as the wire has it. */
export function toUser(row: UserRow): User {
  const { isService, acceptedDate, ...shown } = row
  const first = (kind: Contact['kind']) => row.contacts.find((contact) => contact.kind === kind)?.value ?? null
  return {
    ...shown,
    email: first('email'),
    phone: first('phone'),
    roles: rolesOf(row.roleFlag),
    status: row.isLocked ? 'locked' : acceptedDate === null && !isService ? 'invited' : 'active',
    contacts: [...row.contacts],
  }
}

const columns = (tx: Tx) => tx`
  u.tenant_user_id, u.user_id, u.user_name, u.display_name, l.language_code, u.time_zone_iana, u.role_flag, u.is_locked,
  u.is_service, u.accepted_date, u.last_sign_in_date, platform.has_second_factor(u.user_id) as has_second_factor, u.created_date,
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
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId}::bigint and u.ended_date is null`
  return row
}

/** The same, held until the transaction ends, so that two changes of one user see each other. */
export async function lockUserRow(tx: Tx, tenantId: number, tenantUserId: number): Promise<UserRow | undefined> {
  const [row] = await tx<UserRow[]>`
    select ${columns(tx)}
    from platform.tenant_user u join platform.language l using (language_region_id)
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId}::bigint and u.ended_date is null
    for no key update of u`
  return row
}

export interface UserFilter {
  readonly search: string | undefined
  readonly roleFlag: number
  readonly status: User['status'] | undefined
  readonly hasSecondFactor: boolean | undefined
  readonly includeService: boolean
}

/** The digits of a phone number as people write it; null for what is none. */
function phoneIn(search: string | undefined): string | null {
  if (search === undefined || !/^[+\d\s()./-]+$/.test(search)) return null
  return search.replaceAll(/\D/g, '') || null
}

/** As `toUser` shows it. */
const isInState = (tx: Tx, status: User['status'] | undefined) => {
  if (status === undefined) return tx`true`
  if (status === 'locked') return tx`u.is_locked`
  return status === 'invited'
    ? tx`not u.is_locked and u.accepted_date is null and not u.is_service`
    : tx`not u.is_locked and (u.accepted_date is not null or u.is_service)`
}

const isWithFactor = (tx: Tx, isWith: boolean | undefined) =>
  isWith === undefined ? tx`true` : tx`(u.user_id in (select platform.persons_with_factor())) = ${isWith}`

const isWanted = (tx: Tx, tenantId: number, filter: UserFilter) => tx`
  u.tenant_id = ${tenantId} and u.ended_date is null and (${filter.includeService} or not u.is_service) and u.role_flag & ${filter.roleFlag}::int = ${filter.roleFlag}::int
  and ${isInState(tx, filter.status)} and ${isWithFactor(tx, filter.hasSecondFactor)}
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

/** Users who are people, without the service users of keys. */
async function countPeople(tx: Tx, tenantId: number): Promise<number> {
  const [row] = await tx<
    [{ n: number }]
  >`select count(*)::int as n from platform.tenant_user where tenant_id = ${tenantId} and not is_service and ended_date is null`
  return row.n
}

/** The same for one caller at a time, until the transaction ends. */
export async function countPeopleInTurn(tx: Tx, tenantId: number): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`people ${tenantId}`}, 11))`
  return countPeople(tx, tenantId)
}

/** Those that the tenant has enabled. */
export async function listLanguageRows(tx: Tx, tenantId: number): Promise<LanguageRow[]> {
  return tx<LanguageRow[]>`
    select l.language_region_id, l.language_code from platform.language l, platform.tenant t
    where t.tenant_id = ${tenantId} and l.language_region_id <> all (t.disabled_languages)
    order by l.language_region_id`
}

/** A person who cannot sign in: of a membership that nobody has taken yet. */
export async function insertPerson(tx: Tx): Promise<number> {
  const [row] = await tx<{ userId: number }[]>`select platform.add_person() as user_id`
  if (!row) throw new Error('add_person answered no row')
  return row.userId
}

/** The name, or where a user of the tenant has it, with the first number that is free. Of two calls at once the second waits until the first is over. */
export async function findFreeName(tx: Tx, tenantId: number, wanted: string): Promise<string> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`user name ${tenantId} ${wanted.toLowerCase()}`}, 11))`
  const [row] = await tx<{ free: string }[]>`
    select case when n = 1 then ${wanted}::text else ${wanted}::text || '-' || n end as free from generate_series(1, 10000) n
    where not exists (select from platform.tenant_user
      where tenant_id = ${tenantId} and ended_date is null and lower(user_name) = lower(case when n = 1 then ${wanted}::text else ${wanted}::text || '-' || n end))
    order by n limit 1`
  return row?.free ?? wanted
}

/** Throws a unique violation of tenant_user_name where a user of the tenant has the name. */
export async function insertMember(tx: Tx, tenantId: number, member: NewMember): Promise<number> {
  const [row] = await tx<{ tenantUserId: number }[]>`
    insert into platform.tenant_user (tenant_id, user_id, user_name, display_name, language_region_id, time_zone_iana, role_flag, is_service, created_date)
    select ${tenantId}, ${member.userId}, ${member.userName}, ${member.displayName},
      coalesce(${member.languageRegionId}, language_region_id), ${member.timeZoneIana}, ${member.roleFlag}, ${member.isService}, ${member.at}
    from platform.tenant where tenant_id = ${tenantId}
    returning tenant_user_id`
  if (!row) throw new Error('An insert answered no row')
  return row.tenantUserId
}

/** One caller at a time for an e-mail of a tenant, until the transaction ends. */
export async function lockEmail(tx: Tx, tenantId: number, email: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`user ${tenantId} ${email}`}, 11))`
}

/** The user who has this contact. */
export async function findUserByEmail(tx: Tx, tenantId: number, email: string): Promise<UserRow | undefined> {
  const [row] = await tx<UserRow[]>`
    select ${columns(tx)}
    from platform.tenant_user u join platform.language l using (language_region_id)
    where u.tenant_id = ${tenantId} and not u.is_service and exists (
      select from platform.user_contact c
      where c.tenant_id = u.tenant_id and c.tenant_user_id = u.tenant_user_id and c.kind = 'email' and c.value = ${email})
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

export async function deleteContacts(tx: Tx, tenantId: number, tenantUserId: number): Promise<void> {
  await tx`delete from platform.user_contact where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

/** For good. It is a locked user's to whoever asks for less than that, and nobody's: `userId` is a person whom nobody is. */
export async function endMembership(
  tx: Tx,
  tenantId: number,
  tenantUserId: number,
  end: { readonly userId: number; readonly at: string },
): Promise<void> {
  await tx`
    update platform.tenant_user set ended_date = ${end.at}, user_id = ${end.userId}, is_locked = true, role_flag = 0, credential_version = credential_version + 1
    where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

/** With the lock the sessions of the user end, and stay ended when it is lifted. */
export async function updateLocked(tx: Tx, tenantId: number, tenantUserId: number, isLocked: boolean): Promise<void> {
  await tx`
    update platform.tenant_user set is_locked = ${isLocked}, credential_version = credential_version + ${isLocked ? 1 : 0}
    where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

export async function updateLanguage(tx: Tx, tenantId: number, tenantUserId: number, languageRegionId: number): Promise<void> {
  await tx`update platform.tenant_user set language_region_id = ${languageRegionId} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

export async function updateTimeZone(tx: Tx, tenantId: number, tenantUserId: number, timeZoneIana: string): Promise<void> {
  await tx`update platform.tenant_user set time_zone_iana = ${timeZoneIana} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

export async function updateDisplayName(tx: Tx, tenantId: number, tenantUserId: number, displayName: string): Promise<void> {
  await tx`update platform.tenant_user set display_name = ${displayName} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
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

/** Throws a unique violation of tenant_user_name where another user of the tenant has the name. */
export async function updateName(tx: Tx, tenantId: number, tenantUserId: number, userName: string): Promise<void> {
  await tx`update platform.tenant_user set user_name = ${userName} where tenant_id = ${tenantId} and tenant_user_id = ${tenantUserId}`
}

/** The log-in of the installation's first administrator. */
export async function setFirstLogIn(tx: Tx, userId: number, userName: string, passwordHash: string): Promise<void> {
  await tx`select platform.set_first_log_in(${userId}, ${userName}, ${passwordHash})`
}

/**
 * Whether another person of the tenant holds AdminUser and is not locked. Held until the transaction ends: of two administrators who take each other's
 * role at once, the second sees what the first did.
 */
export async function hasOtherAdministrator(tx: Tx, tenantId: number, tenantUserId: number): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`administrators ${tenantId}`}, 11))`
  const [row] = await tx<{ hasOther: boolean }[]>`
    select exists (select from platform.tenant_user
      where tenant_id = ${tenantId} and tenant_user_id <> ${tenantUserId} and not is_locked and not is_service
        and role_flag & ${roleBits.AdminUser} <> 0) as has_other`
  return row?.hasOther === true
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
    select tenant_user_id from platform.user_contact where tenant_id = ${tenantId} and value = ${address} limit 1`
  return row?.tenantUserId
}
