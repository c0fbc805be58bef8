/** The SQL of links to persons, as the look-up role: whoever opens one has not signed in. */
import type { Tx } from '#platform/db/pool.ts'

export type LinkKind = 'invitation' | 'reset'

interface InvitedMember {
  readonly tenantId: number
  readonly tenantUserId: number
  /** What whoever invited held: a user who holds more by now is not taken. */
  readonly roleFlag: number
}

export interface NewPersonLink {
  readonly kind: LinkKind
  readonly userId: number
  readonly hash: Buffer
  /** Of an invitation. */
  readonly member?: InvitedMember | undefined
  readonly email: string | null
  readonly hours: number
}

/** The older one of its kind is void. Answers until when it holds. */
export async function insertPersonLink(tx: Tx, link: NewPersonLink): Promise<string> {
  await tx`delete from platform.person_link where expires_at < now()`
  const [row] = await tx<{ expiresAt: string }[]>`
    insert into platform.person_link (kind, user_id, tenant_id, tenant_user_id, role_flag, token_hash, email, created_date, expires_at)
    values (${link.kind}, ${link.userId}, ${link.member?.tenantId ?? null}, ${link.member?.tenantUserId ?? null}, ${link.member?.roleFlag ?? null}, ${link.hash}, ${link.email}, now(),
      date_trunc('milliseconds', now()) + make_interval(hours => ${link.hours}))
    on conflict (user_id, kind) where kind <> 'emailUndo' do update set tenant_id = excluded.tenant_id, tenant_user_id = excluded.tenant_user_id,
      role_flag = excluded.role_flag, token_hash = excluded.token_hash, email = excluded.email, created_date = excluded.created_date, expires_at = excluded.expires_at
    returning expires_at`
  if (!row) throw new Error('An insert answered no row')
  return row.expiresAt
}

export interface PersonLink {
  readonly linkId: number
  readonly kind: LinkKind
  readonly userId: number
  readonly tenantId: number | null
  readonly tenantUserId: number | null
  /** Of an invitation: what whoever sent it held. */
  readonly roleFlag: number | null
  readonly email: string | null
  /** Of an invitation: what the tenant calls the user, and itself. */
  readonly label: string | null
  readonly subDomain: string | null
  readonly tenantName: string | null
}

/** Undefined where it is over or void, and of an invitation where the user was locked or holds more than whoever invited, the tenant is suspended, or somebody has taken it. */
export async function findPersonLink(tx: Tx, hash: Buffer): Promise<PersonLink | undefined> {
  const [row] = await tx<PersonLink[]>`
    select l.link_id, l.kind, l.user_id, l.tenant_id, l.tenant_user_id, l.role_flag, l.email, u.user_name as label, lower(t.sub_domain) as sub_domain, t.name as tenant_name
    from platform.person_link l
      left join platform.tenant_user u on u.tenant_id = l.tenant_id and u.tenant_user_id = l.tenant_user_id and u.user_id = l.user_id
      left join platform.tenant t on t.tenant_id = u.tenant_id
    where l.token_hash = ${hash} and l.expires_at > now() and (l.kind = 'reset' or (not u.is_locked and u.accepted_date is null and u.role_flag & ~l.role_flag = 0
      and not t.is_deactivated and t.active_start <= now() and t.active_end >= now()))`
  return row
}

/** False where another call used it first. */
export async function usePersonLink(tx: Tx, linkId: number): Promise<boolean> {
  const rows = await tx`delete from platform.person_link where link_id = ${linkId} returning link_id`
  return rows.length > 0
}

/** Whether there was one. */
export async function deleteInvitation(tx: Tx, userId: number): Promise<boolean> {
  const rows = await tx`delete from platform.person_link where user_id = ${userId} and kind = 'invitation' returning link_id`
  return rows.length > 0
}

/** The membership is taken, by the person that it was made with or by another. Throws a unique violation where that one is a user of the tenant already. */
export async function takeMembership(tx: Tx, member: InvitedMember, userId: number): Promise<boolean> {
  const rows = await tx`
    update platform.tenant_user set user_id = ${userId}, accepted_date = date_trunc('milliseconds', now()), credential_version = credential_version + 1
    where tenant_id = ${member.tenantId} and tenant_user_id = ${member.tenantUserId} and accepted_date is null and not is_locked
      and role_flag & ~${member.roleFlag}::int = 0
    returning tenant_user_id`
  return rows.length > 0
}

/** Whoever opened the link that went there reads it. */
export async function verifyContact(tx: Tx, member: { tenantId: number; tenantUserId: number }, email: string): Promise<void> {
  await tx`
    update platform.user_contact set is_verified = true
    where tenant_id = ${member.tenantId} and tenant_user_id = ${member.tenantUserId} and kind = 'email' and value = ${email}`
}

/** What a mail to a member says of them, with the sub-domain of their tenant. */
export async function findAddressed(
  tx: Tx,
  { tenantId, tenantUserId }: { readonly tenantId: number; readonly tenantUserId: number },
): Promise<{ displayName: string; languageCode: string; subDomain: string } | undefined> {
  const [row] = await tx<{ displayName: string; languageCode: string; subDomain: string }[]>`
    select u.display_name, l.language_code, lower(t.sub_domain) as sub_domain
    from platform.tenant_user u join platform.language l using (language_region_id) join platform.tenant t on t.tenant_id = u.tenant_id
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId}`
  return row
}

/** The one tenant of a person; undefined where they have none, or several. */
export async function findOnlyTenant(
  tx: Tx,
  userId: number,
): Promise<{ tenantId: number; languageCode: string; displayName: string } | undefined> {
  const rows = await tx<{ tenantId: number; languageCode: string; displayName: string }[]>`
    select u.tenant_id, l.language_code, u.display_name from platform.tenant_user u join platform.language l using (language_region_id)
    where u.user_id = ${userId} and u.accepted_date is not null and not u.is_service limit 2`
  return rows.length === 1 ? rows[0] : undefined
}
