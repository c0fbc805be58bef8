/** The SQL of what a person does with their own log-in, as the look-up role. */
import type { Tx } from '#platform/db/pool.ts'

import { keepGrants } from '../grants/grants.store.ts'

export interface AccountRow {
  readonly userName: string | null
  readonly passwordHash: string | null
  /** Proved ones. */
  readonly emails: string[]
}

export async function findAccount(tx: Tx, userId: number): Promise<AccountRow | undefined> {
  const [row] = await tx<AccountRow[]>`
    select user_name, password_hash,
      array(select email from platform.person_email e where e.user_id = p.user_id order by proved_date, email) as emails
    from platform.app_user p where user_id = ${userId}`
  return row
}

/** All sessions of the person end but this one, and all sign-ins under way; applications stay. False where the password was changed meanwhile. */
export async function changePasswordHash(
  tx: Tx,
  userId: number,
  change: { readonly from: string; readonly to: string; readonly keptSession: number },
): Promise<boolean> {
  const [row] = await tx<{ version: number }[]>`
    update platform.app_user set password_hash = ${change.to}, credential_version = credential_version + 1
    where user_id = ${userId} and password_hash = ${change.from} returning credential_version as version`
  if (!row) return false
  await tx`delete from platform.session where user_id = ${userId} and session_id <> ${change.keptSession}`
  await keepGrants(tx, userId, row.version)
  await tx`update platform.session set person_version = ${row.version} where user_id = ${userId} and session_id = ${change.keptSession}`
  await tx`delete from platform.sign_in where user_id = ${userId}`
  await tx`delete from platform.person_link where user_id = ${userId} and kind in ('emailChange', 'reset')`
  return true
}

/** By a factor where one was shown. Answers when, in ISO 8601. */
export async function markProved(tx: Tx, sessionId: number, factor: string | null): Promise<string | undefined> {
  const [row] = await tx<{ at: string }[]>`
    update platform.session set proved_date = date_trunc('milliseconds', now()), factor = coalesce(${factor}, factor) where session_id = ${sessionId} returning proved_date as at`
  return row?.at
}

/** The first that nobody has. */
export async function findFreeLogInName(tx: Tx, names: readonly string[]): Promise<string | undefined> {
  const [row] = await tx<{ name: string }[]>`
    select name from unnest(${tx.array([...names])}::text[]) with ordinality wanted (name, n)
    where not exists (select from platform.app_user where lower(user_name) = lower(wanted.name)) order by n limit 1`
  return row?.name
}

/** Whether it signs somebody in. */
export async function isProvedEmail(tx: Tx, email: string): Promise<boolean> {
  const rows = await tx`select 1 from platform.person_email where email = ${email.toLowerCase()}`
  return rows.length > 0
}

/** False where the address is another person's. */
export async function proveEmail(tx: Tx, userId: number, email: string): Promise<boolean> {
  await tx`insert into platform.person_email (email, user_id) values (${email.toLowerCase()}, ${userId}) on conflict do nothing`
  const rows = await tx`select 1 from platform.person_email where email = ${email.toLowerCase()} and user_id = ${userId}`
  return rows.length > 0
}

/** Of a person who could not sign in. Throws a unique violation of app_user_name. */
export async function setFirstPassword(tx: Tx, userId: number, userName: string | null, passwordHash: string): Promise<void> {
  await tx`
    update platform.app_user set user_name = ${userName}, password_hash = ${passwordHash}, credential_version = credential_version + 1
    where user_id = ${userId}`
}

/** Of a person who signs in by e-mail alone; who has a name keeps it. Throws a unique violation of app_user_name. */
export async function setFirstLogInName(tx: Tx, userId: number, userName: string): Promise<void> {
  await tx`update platform.app_user set user_name = ${userName} where user_id = ${userId} and user_name is null`
}

/** All sessions of the person end, and all sign-ins under way. */
export async function setPasswordAnew(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx`update platform.app_user set password_hash = ${passwordHash}, reset_date = now(), credential_version = credential_version + 1 where user_id = ${userId}`
  await tx`delete from platform.session where user_id = ${userId}`
  await tx`delete from platform.sign_in where user_id = ${userId}`
  // A change of address that was begun in one of these sessions ends with it.
  await tx`delete from platform.person_link where user_id = ${userId} and kind = 'emailChange'`
}

/** All sessions of the person end, all sign-ins under way, and all applications that they let in. */
export async function endAllSessions(tx: Tx, userId: number): Promise<void> {
  await tx`update platform.app_user set credential_version = credential_version + 1 where user_id = ${userId}`
  await tx`delete from platform.session where user_id = ${userId}`
  await tx`delete from platform.sign_in where user_id = ${userId}`
}

const mostKeys = 100

/** Keys that act as the person, in all tenants. */
export async function listKeysOfPerson(tx: Tx, userId: number): Promise<{ name: string; prefix: string; tenant: string }[]> {
  return tx`select key_name as name, key_prefix as prefix, tenant_name as tenant from platform.list_keys_of_person(${userId}, ${mostKeys})`
}

/** An emailed link of a change of address, or of its undoing; what the first of these would void, the second does not. */
export interface EmailLink {
  readonly linkId: number
  readonly kind: 'emailChange' | 'emailUndo'
  readonly userId: number
  readonly email: string | null
  readonly replaces: string | null
  readonly emails: string[] | null
}

export async function insertEmailLink(
  tx: Tx,
  link: Omit<EmailLink, 'linkId'> & { readonly hash: Buffer; readonly hours: number },
): Promise<string> {
  if (link.kind === 'emailChange') await tx`delete from platform.person_link where user_id = ${link.userId} and kind = 'emailChange'`
  const [row] = await tx<{ expiresAt: string }[]>`
    insert into platform.person_link (kind, user_id, token_hash, email, replaces, emails, created_date, expires_at)
    values (${link.kind}, ${link.userId}, ${link.hash}, ${link.email}, ${link.replaces}, ${link.emails === null ? null : tx.array([...link.emails])}::text[],
      now(), date_trunc('milliseconds', now()) + make_interval(hours => ${link.hours}))
    returning expires_at`
  if (!row) throw new Error('An insert answered no row')
  return row.expiresAt
}

/** What `takeEmailLink` would take. */
export async function findEmailLink(tx: Tx, hash: Buffer): Promise<Pick<EmailLink, 'kind' | 'email'> | undefined> {
  const [row] = await tx<Pick<EmailLink, 'kind' | 'email'>[]>`
    select kind, email from platform.person_link
    where token_hash = ${hash} and kind in ('emailChange', 'emailUndo') and expires_at > now()`
  return row
}

/** Taken with it: each counts once. Undefined where it is over or void. */
export async function takeEmailLink(tx: Tx, hash: Buffer): Promise<EmailLink | undefined> {
  const [row] = await tx<EmailLink[]>`
    delete from platform.person_link where token_hash = ${hash} and kind in ('emailChange', 'emailUndo') and expires_at > now()
    returning link_id, kind, user_id, email, replaces, emails`
  return row
}

export async function deleteEmail(tx: Tx, userId: number, email: string): Promise<void> {
  await tx`delete from platform.person_email where user_id = ${userId} and email = ${email}`
}

/** Puts the addresses back as they were, and ends whatever the change may have been made by: sessions, sign-ins and links. `undone` is the link that does. */
export async function restoreEmails(tx: Tx, userId: number, emails: readonly string[], undone: number): Promise<void> {
  await tx`delete from platform.person_email where user_id = ${userId}`
  await tx`
    insert into platform.person_email (email, user_id) select email, ${userId} from unnest(${tx.array([...emails])}::text[]) email
    on conflict do nothing`
  await endAllSessions(tx, userId)
  // The undoing of a later change went to the addresses of whoever made this one, and would bring them back.
  await tx`
    delete from platform.person_link
    where user_id = ${userId} and (kind in ('emailChange', 'reset') or (kind = 'emailUndo' and link_id > ${undone}))`
}
