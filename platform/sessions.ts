/** Persons' own sessions: opaque tokens of which the hash alone is kept, each for one tenant, over at once where something under them changed. */
import { createHash, randomBytes } from 'node:crypto'

import type { Databases } from './db/databases.ts'
import type { Tx } from './db/pool.ts'
import { AppError } from './errors.ts'
import type { Actor } from './operation.ts'

/** How long a proof is fresh. */
export const freshProofMs = 10 * 60_000

const prefix = 'fls_'

/** How long a session of the portal holds without a request of its person. */
export const portalIdleSeconds = 15 * 60

/** 256 random bits. */
export function newSessionToken(): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** What the portal knows a browser or a program by: 256 random bits, which the API takes for no session. */
export function newPortalSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function isSessionToken(token: string): boolean {
  return token.startsWith(prefix)
}

/** What is kept of a token: SHA-256, since nobody guesses 256 random bits. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The session that calls; undefined where it is none. */
export function sessionIdOf({ kind, credentialId }: Pick<Actor, 'kind' | 'credentialId'>): number | undefined {
  return kind === 'session' ? Number(credentialId.slice('session:'.length)) : undefined
}

/** What begins the token of a sign-in under way. */
export const signInPrefix = 'fli_'

export function isSignInToken(token: string): boolean {
  return token.startsWith(signInPrefix)
}

/** The sign-in that calls, of whoever must enrol a factor; undefined where it is none. */
export function enrolmentIdOf({ kind, credentialId }: Pick<Actor, 'kind' | 'credentialId'>): number | undefined {
  return kind === 'enrolment' ? Number(credentialId.slice('enrolment:'.length)) : undefined
}

export interface LiveSession {
  readonly actor: Actor
  readonly isSuspended: boolean
  /** In milliseconds since the epoch. */
  readonly validUntil: number
}

export type SessionName =
  | { readonly hash: Buffer }
  | { readonly sessionId: number; readonly tenantUserId: number }
  /** Of a browser: its session in one tenant, or the one that was used last. */
  | { readonly cookieHash: Buffer; readonly subDomain: string | undefined }
  /** Of a program at the portal. */
  | { readonly portalHash: Buffer }

function named(tx: Tx, by: SessionName) {
  if ('hash' in by) return tx`s.token_hash = ${by.hash} and s.idle_until is null`
  if ('portalHash' in by) return tx`s.token_hash = ${by.portalHash} and s.idle_until is not null and s.cookie_hash is null`
  if ('sessionId' in by) return tx`s.session_id = ${by.sessionId} and s.tenant_user_id = ${by.tenantUserId}`
  return tx`s.cookie_hash = ${by.cookieHash} and coalesce(lower(t.sub_domain) = ${by.subDomain?.toLowerCase() ?? null}::text, true)`
}

/** Whether a session `s` is over by its time. */
export const holdsStill = (tx: Tx) => tx`s.expires_at > now() and coalesce(s.idle_until > now(), true)`

/**
 * Whether it lets anybody in now: a session `s` of person `p`, membership `u` in tenant `t`, and `i` the provider that it began by, where one stands. The
 * versions say so also where a user was locked and let in again, or a password was reset, since it began; of a suspended tenant it is told apart, since the
 * caller is told that.
 */
export const letsIn = (tx: Tx) => tx`
  (s.provider_issuer is null or i.tenant_id is not null) and ${holdsStill(tx)} and not u.is_locked and u.accepted_date is not null
  and p.credential_version = s.person_version and u.credential_version = s.membership_version and (t.credential_version = s.tenant_version or t.is_deactivated)`

/** The provider of a session `s`, left out where it began without one or that one is gone. */
export const providerOfSession = (tx: Tx) =>
  tx`left join platform.identity_provider i on i.tenant_id = s.tenant_id and i.issuer = s.provider_issuer`

/** The roles of a membership `u` in a session `s`: no more than its provider `i` may give, and none by one that is gone. */
export const rolesInSession = (tx: Tx) =>
  tx`(case when s.provider_issuer is null then u.role_flag else u.role_flag & coalesce(i.role_flag, 0) end)`

/**
 * The session of a token, or by its id where a URL names it; undefined where it is over.
 */
export async function findSession(databases: Pick<Databases, 'lookUp'>, by: SessionName, sharer: string): Promise<LiveSession | undefined> {
  const [row] = await databases.lookUp(
    (tx) => tx<
      {
        sessionId: number
        tenantId: number
        tenantUserId: number
        userId: number
        displayName: string
        roleFlag: number
        provedAt: number
        validUntil: number
        isSuspended: boolean
        isOfProvider: boolean
      }[]
    >`
      select s.session_id, s.tenant_id, s.tenant_user_id, s.user_id, u.display_name, ${rolesInSession(tx)} as role_flag,
        s.provider_issuer is not null as is_of_provider, extract(epoch from s.proved_date)::float8 * 1000 as proved_at, extract(epoch from least(s.expires_at, s.idle_until))::float8 * 1000 as valid_until,
        t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended
      from platform.session s
        join platform.tenant_user u on u.tenant_id = s.tenant_id and u.tenant_user_id = s.tenant_user_id and u.user_id = s.user_id
        join platform.tenant t on t.tenant_id = s.tenant_id
        join platform.app_user p on p.user_id = s.user_id
        ${providerOfSession(tx)}
      where ${named(tx, by)} and ${letsIn(tx)}
      order by s.last_used_date desc, s.session_id desc limit 1`,
    sharer,
  )
  if (!row) return undefined
  const { sessionId, isSuspended, validUntil, isOfProvider, ...who } = row
  const actor = { kind: 'session', credentialId: `session:${sessionId}`, ...who, ...(isOfProvider ? { isOfProvider } : {}) } as const
  return { actor, isSuspended, validUntil }
}

/** Whoever a tenant lets in once they have a second factor, by the token that select_tenant answered; undefined where it is over. It opens no role's door. */
export async function findEnrolment(databases: Pick<Databases, 'lookUp'>, hash: Buffer, sharer: string): Promise<LiveSession | undefined> {
  const [row] = await databases.lookUp(
    (tx) => tx<
      {
        signInId: number
        tenantId: number
        tenantUserId: number
        userId: number
        displayName: string
        provedAt: number
        validUntil: number
        isSuspended: boolean
      }[]
    >`
      select s.sign_in_id, u.tenant_id, u.tenant_user_id, u.user_id, u.display_name,
        extract(epoch from coalesce(s.proved_date, s.created_date))::float8 * 1000 as proved_at, extract(epoch from s.expires_at)::float8 * 1000 as valid_until,
        t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended
      from platform.sign_in s
        join platform.tenant_user u on u.tenant_id = s.tenant_id and u.user_id = s.user_id
        join platform.tenant t on t.tenant_id = s.tenant_id
        join platform.app_user p on p.user_id = s.user_id
      where s.token_hash = ${hash} and s.next = 'enrolSecondFactor' and s.expires_at > now()
        and not u.is_locked and u.accepted_date is not null and p.credential_version = s.person_version`,
    sharer,
  )
  if (!row) return undefined
  const { signInId, isSuspended, validUntil, ...who } = row
  return { actor: { kind: 'enrolment', credentialId: `enrolment:${signInId}`, roleFlag: 0, ...who }, isSuspended, validUntil }
}

/** A session of the portal was used: it holds 15 minutes from now, and so do the others of its browser. What is over stays so. */
export async function slideSession(databases: Pick<Databases, 'lookUp'>, sessionId: number): Promise<void> {
  await databases.lookUp(
    (tx) => tx`
      update platform.session s set idle_until = now() + make_interval(secs => ${portalIdleSeconds}),
        last_used_date = case when s.session_id = ${sessionId} then date_trunc('milliseconds', now()) else s.last_used_date end
      where (s.session_id = ${sessionId} or s.cookie_hash = (select cookie_hash from platform.session where session_id = ${sessionId}))
        and s.idle_until > now()`,
  )
}

/** Throws AppError `fresh_proof_required` where a session has not shown within ten minutes who it is. Whoever calls by a key shows it with each call. */
export function refuseStaleProof({ kind, provedAt = 0 }: Pick<Actor, 'kind' | 'provedAt'>): void {
  if ((kind !== 'session' && kind !== 'enrolment') || Date.now() - provedAt < freshProofMs) return
  throw new AppError('fresh_proof_required', 'Show again who you are with prove_identity, and repeat the call within 10 minutes.')
}
