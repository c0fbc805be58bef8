/** The SQL of signing in, as the look-up role: it is done before a tenant is known, and what belongs to persons is no tenant's. */
import type { Tx } from '#platform/db/pool.ts'
import { forgetAttempts } from '#platform/attempts.ts'
import type { Actor } from '#platform/operation.ts'
import { holdsStill } from '#platform/sessions.ts'

import type { LogIn } from './sign-in.rules.ts'
import type { Session, TenantChoice } from './sign-in.schema.ts'

export interface LogInRow {
  readonly userId: number
  readonly userName: string | null
  readonly passwordHash: string | null
  readonly credentialVersion: number
}

/** Whom a log-in name or a proved e-mail names. */
export async function findPersonByLogIn(tx: Tx, { kind, value }: LogIn): Promise<LogInRow | undefined> {
  const [row] = await tx<LogInRow[]>`
    select p.user_id, p.user_name, p.password_hash, p.credential_version from platform.app_user p
    where ${
      kind === 'name'
        ? tx`lower(p.user_name) = ${value}`
        : tx`p.user_id = (select e.user_id from platform.person_email e where e.email = ${value})`
    }`
  return row
}

const mostTenants = 500
const mostWrongCodes = 5
const isOpen = (tx: Tx) => tx`not t.is_deactivated and t.active_start <= now() and t.active_end >= now()`
const isTaken = (tx: Tx) => tx`u.accepted_date is not null and not u.is_locked and not u.is_service`

/** Where a person may go, the latest first; or the one tenant that is asked for. */
export async function listTenantsOf(tx: Tx, userId: number, only?: number): Promise<TenantChoice[]> {
  return tx<TenantChoice[]>`
    select t.tenant_id, t.name, t.sub_domain from platform.tenant_user u join platform.tenant t using (tenant_id)
    where u.user_id = ${userId} and ${isTaken(tx)} and ${isOpen(tx)} and coalesce(u.tenant_id = ${only ?? null}::int, true)
    order by u.last_sign_in_date desc nulls last, t.tenant_id
    limit ${mostTenants}`
}

/** The tenant's own provider that somebody signed in with: what follows is of that tenant alone. */
export interface OfProvider {
  readonly tenantId: number
  readonly issuer: string
}

export interface SignInRow {
  readonly signInId: number
  /** Null: of a passkey alone, which tells who it is. */
  readonly userId: number | null
  readonly next: 'secondFactor' | 'selectTenant' | 'enrolSecondFactor'
  /** Of enrolSecondFactor: the tenant that demands it. */
  readonly tenantId: number | null
  readonly channel: string | null
  readonly factorId: number | null
  readonly factor: string | null
  /** When the person showed who they are, where that was in a session. */
  readonly provedDate: string | null
  /** Until when the session lasts that it leads to, where it began in one. */
  readonly sessionUntil: string | null
  readonly expiresAt: string
  readonly provider: OfProvider | null
}

/** What the token of a sign-in stands for; undefined once it is over, ended by wrong codes, or the person's password was set anew since. */
export async function findSignIn(tx: Tx, hash: Buffer, ...next: SignInRow['next'][]): Promise<SignInRow | undefined> {
  const [row] = await tx<SignInRow[]>`
    select s.sign_in_id, s.user_id, s.next, s.tenant_id, s.channel, s.factor_id, s.factor, s.proved_date, s.session_until, s.expires_at,
      case when s.provider_issuer is not null then json_object('tenantId': s.provider_tenant_id, 'issuer': s.provider_issuer) end as provider
    from platform.sign_in s left join platform.app_user p using (user_id)
    where s.token_hash = ${hash} and s.next = any(${tx.array(next)}::text[]) and s.expires_at > now() and s.wrong_codes < ${mostWrongCodes}
      and (s.user_id is null or p.credential_version = s.person_version)`
  return row
}

export interface NewSignIn extends Pick<SignInRow, 'next' | 'factor'> {
  readonly userId: number
  readonly hash: Buffer
  readonly tenantId?: number | null | undefined
  readonly provedDate?: string | null | undefined
  readonly sessionUntil?: string | null | undefined
  readonly provider?: OfProvider | null | undefined
}

/** Answers until when it holds. What is past its time goes with it. */
export async function insertSignIn(tx: Tx, signIn: NewSignIn): Promise<string> {
  await tx`delete from platform.sign_in where expires_at < now()`
  await forgetAttempts(tx)
  const [row] = await tx<{ expiresAt: string }[]>`
    insert into platform.sign_in (user_id, token_hash, next, tenant_id, person_version, factor, proved_date, session_until, provider_tenant_id, provider_issuer,
      created_date, expires_at)
    select user_id, ${signIn.hash}, ${signIn.next}, ${signIn.tenantId ?? null}, credential_version, ${signIn.factor}, ${signIn.provedDate ?? null},
      ${signIn.sessionUntil ?? null}, ${signIn.provider?.tenantId ?? null}::int, ${signIn.provider?.issuer ?? null}, now(), now() + interval '10 minutes'
    from platform.app_user where user_id = ${signIn.userId}
    returning expires_at`
  if (!row) throw new Error('An insert answered no row')
  return row.expiresAt
}

/** Of whoever is to show a passkey and nothing else. */
export async function insertPasskeySignIn(tx: Tx, hash: Buffer): Promise<{ readonly signInId: number; readonly expiresAt: string }> {
  const [row] = await tx<{ signInId: number; expiresAt: string }[]>`
    insert into platform.sign_in (token_hash, next, channel, created_date, expires_at)
    values (${hash}, 'secondFactor', 'passkey', now(), now() + interval '10 minutes') returning sign_in_id, expires_at`
  if (!row) throw new Error('An insert answered no row')
  return row
}

export async function chooseChannel(tx: Tx, signInId: number, channel: string, factorId: number | null): Promise<void> {
  await tx`update platform.sign_in set channel = ${channel}, factor_id = ${factorId} where sign_in_id = ${signInId}`
}

/** Counts a code before it is looked at, so that codes at once cannot be tried together. False where there were too many. */
export async function countCode(tx: Tx, signInId: number): Promise<boolean> {
  const rows = await tx`
    update platform.sign_in set wrong_codes = wrong_codes + 1 where sign_in_id = ${signInId} and wrong_codes < ${mostWrongCodes} returning sign_in_id`
  return rows.length > 0
}

/** Ends a sign-in; false where another call did. */
export async function deleteSignIn(tx: Tx, signInId: number): Promise<boolean> {
  const rows = await tx`delete from platform.sign_in where sign_in_id = ${signInId} returning sign_in_id`
  return rows.length > 0
}

export interface NewSession {
  readonly userId: number
  readonly tenantId: number
  readonly hash: Buffer
  readonly factor: string | null
  readonly address: string | null
  readonly userAgent: string | null
  /** Null: now, in this sign-in. */
  readonly provedDate?: string | null | undefined
  /** Null: the whole eight hours. */
  readonly sessionUntil?: string | null | undefined
  /** By which it begins: it ends with it, and has no role that whoever set it lacked. */
  readonly provider?: OfProvider | null | undefined
}

export interface BegunSession {
  readonly sessionId: number
  readonly tenantUserId: number
  readonly displayName: string
  readonly roleFlag: number
  readonly remainingSeconds: number
}

const mostSessions = 50

/**
 * A session in one of the person's tenants, with what is left of another one where it came from there; undefined where that tenant is not theirs to go
 * to. The versions are read with the rows that they speak for, so that a lock at the same moment ends it.
 */
export async function insertSession(tx: Tx, session: NewSession): Promise<BegunSession | undefined> {
  const issuer = session.provider?.issuer ?? null
  const times = tx`
    select coalesce(${session.provedDate ?? null}::timestamptz, now()) as proved_date,
      coalesce(${session.sessionUntil ?? null}::timestamptz, now() + interval '8 hours') as expires_at`
  const [row] = await tx<BegunSession[]>`
    insert into platform.session (user_id, tenant_id, tenant_user_id, token_hash, person_version, membership_version, tenant_version, factor,
      proved_date, created_date, last_used_date, expires_at, address, user_agent, provider_issuer)
    select u.user_id, u.tenant_id, u.tenant_user_id, ${session.hash}, p.credential_version, u.credential_version, t.credential_version, ${session.factor},
      times.proved_date, date_trunc('milliseconds', now()), date_trunc('milliseconds', now()), times.expires_at, ${session.address}, ${session.userAgent}, ${issuer}
    from platform.tenant_user u join platform.tenant t using (tenant_id) join platform.app_user p using (user_id), (${times}) times
    where u.user_id = ${session.userId} and u.tenant_id = ${session.tenantId} and ${isTaken(tx)} and ${isOpen(tx)} and times.expires_at > now()
      and (${issuer}::text is null or exists (select from platform.identity_provider i where i.tenant_id = u.tenant_id and i.issuer = ${issuer}))
    returning session_id, tenant_user_id, floor(extract(epoch from expires_at - now()))::int as remaining_seconds`
  if (!row) return undefined
  await tx`delete from platform.session where expires_at < now()`
  await tx`
    delete from platform.session where user_id = ${session.userId} and session_id not in (
      select session_id from platform.session where user_id = ${session.userId} order by session_id desc limit ${mostSessions})`
  const [member] = await tx<{ displayName: string; roleFlag: number }[]>`
    update platform.tenant_user set last_sign_in_date = date_trunc('milliseconds', now())
    where tenant_id = ${session.tenantId} and tenant_user_id = ${row.tenantUserId}
    returning display_name, role_flag & coalesce((
      select i.role_flag from platform.identity_provider i where i.tenant_id = ${session.tenantId} and i.issuer = ${issuer}), role_flag) as role_flag`
  if (!member) throw new Error('The membership of a session is not to be found')
  return { ...row, ...member }
}

/** What a session passes on to one in another tenant. */
export interface SessionProofs {
  readonly factor: string | null
  readonly provedDate: string
  readonly sessionUntil: string
}

/** Held until what it leads to is there: what ends the session meanwhile would otherwise come before the version that the new one begins with. */
export async function findSessionProofs(tx: Tx, sessionId: number): Promise<SessionProofs | undefined> {
  const [row] = await tx<SessionProofs[]>`
    select factor, proved_date, expires_at as session_until from platform.session where session_id = ${sessionId} and expires_at > now()
    for no key update`
  return row
}

/** A factor that was confirmed was shown: in the session, or in the sign-in that waits for one. */
export async function markFactorShown(
  tx: Tx,
  of: { readonly sessionId: number | undefined; readonly signInId: number | undefined },
  factor: string,
): Promise<void> {
  if (of.sessionId !== undefined) await tx`update platform.session set factor = ${factor} where session_id = ${of.sessionId}`
  if (of.signInId !== undefined) await tx`update platform.sign_in set factor = ${factor} where sign_in_id = ${of.signInId}`
}

export type SessionRow = Omit<Session, 'isCurrent'>

type SessionOwner = Pick<Actor, 'userId' | 'tenantUserId' | 'isOfProvider'>

/** A person's sessions; to one of the tenant's own provider those alone that it began for that user. */
const areOf = (tx: Tx, { userId, tenantUserId, isOfProvider }: SessionOwner) =>
  isOfProvider === true
    ? tx`s.user_id = ${userId} and s.tenant_user_id = ${tenantUserId} and s.provider_issuer is not null`
    : tx`s.user_id = ${userId}`

/** Those that hold, the latest first. */
export async function listSessionRows(tx: Tx, owner: SessionOwner): Promise<SessionRow[]> {
  return tx<SessionRow[]>`
    select s.session_id, s.tenant_id, s.created_date, s.last_used_date, s.address, s.user_agent
    from platform.session s
      join platform.tenant_user u on u.tenant_id = s.tenant_id and u.tenant_user_id = s.tenant_user_id and u.user_id = s.user_id
      join platform.tenant t on t.tenant_id = s.tenant_id
      join platform.app_user p on p.user_id = s.user_id
    where ${areOf(tx, owner)} and ${holdsStill(tx)} and not u.is_locked and p.credential_version = s.person_version
      and u.credential_version = s.membership_version and t.credential_version = s.tenant_version
      and (s.provider_issuer is null or exists (
        select from platform.identity_provider i where i.tenant_id = s.tenant_id and i.issuer = s.provider_issuer))
    order by s.session_id desc limit ${mostSessions}`
}

export interface EndedSession {
  readonly sessionId: number
  readonly tenantId: number
  readonly tenantUserId: number
}

/** Of the person alone; answers what ended, none where it is not theirs. With a browser's session go those that it has in other tenants. */
export async function deleteSession(tx: Tx, owner: SessionOwner, sessionId: number): Promise<EndedSession[]> {
  return tx<EndedSession[]>`
    delete from platform.session s
    where ${areOf(tx, owner)} and (session_id = ${sessionId}::bigint
      or cookie_hash = (select cookie_hash from platform.session s where ${areOf(tx, owner)} and session_id = ${sessionId}::bigint))
    returning session_id, tenant_id, tenant_user_id`
}
