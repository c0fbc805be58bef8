/** Who a credential belongs to. Looked up as the look-up role, kept for a few seconds, dropped at once when a key, a user or a tenant changes. */
import { randomBytes } from 'node:crypto'
import type { BlockList } from 'node:net'
import { crc32 } from 'node:zlib'

import { LRUCache } from 'lru-cache'

import { type ActingFor, actorOfRun, findActingUser } from './acting.ts'
import type { Credential } from './call.ts'
import { addressList, isOnList } from './client-address.ts'
import type { Databases } from './db/databases.ts'
import { AppError } from './errors.ts'
import { findGrant, grantIdOf, isAccessToken } from './grants.ts'
import type { Actor } from './operation.ts'
import { roleBits } from './roles.ts'
import type { Secrets } from './secrets.ts'
import {
  findEnrolment,
  findSession,
  hashToken,
  isSessionToken,
  isSignInToken,
  sessionIdOf,
  type SessionName,
  slideSession,
} from './sessions.ts'
import type { Wake } from './wake.ts'

/** Poked after a change of keys, users, roles or tenants. */
export const credentialsTopic = 'credentials'

/** No longer than this is anything believed whose change nobody was told of, since the line that tells may break. */
const keptMs = 1_000
/** Older than this it is looked up again while calls go on with what is known, so that a credential in use does not wait for the database. */
const freshMs = 500
/** How often a session of the portal in use is put off, and how near its end a call waits for that. */
const slideEveryMs = 5_000
const nearlyOverMs = 60_000

export interface Authenticator {
  /** Throws AppError `unauthenticated` or `tenant_suspended`. Who must enrol a factor is known to operations that admit them alone. */
  identify(credential: Credential, ip?: string, operation?: { readonly admitsEnrolment?: true | undefined }): Promise<Actor>
  end(): void
}

/** Nobody: of operations that need no credential. */
export const publicActor: Actor = {
  kind: 'public',
  tenantId: 0,
  tenantUserId: 0,
  userId: 0,
  displayName: 'public',
  roleFlag: 0,
  credentialId: 'public',
}

interface Found {
  readonly foundAt: number
  readonly actor: Actor
  readonly isSuspended: boolean
  /** Undefined: from anywhere. */
  readonly allowedFrom: BlockList | undefined
  readonly validUntil: number
  /** Of an application's token: the one address where it counts. */
  readonly resource?: string | undefined
  /** Of a user that runs act for: made for them alone. */
  readonly isService?: boolean
}

/** A new API key: `flk_<40 random characters><crc32>`. The check sum lets scanners of leaked secrets tell a key from noise. */
export function newApiKey(): string {
  const secret = randomBytes(30).toString('base64url').replaceAll(/[-_]/g, 'x')
  return `flk_${secret}${crc32(secret).toString(16).padStart(8, '0')}`
}

/** What is kept of a key: SHA-256, since a random secret of 240 bits needs no slow hash. */
export function hashApiKey(key: string): Buffer {
  return hashToken(key)
}

/** What a signature of a URL is made over: method, path, expiry in seconds since the epoch, tenant user, and who asked for it. */
export function signedText(method: string, path: string, exp: string, u: string, asker: string): string {
  return `${method}\n${path}\n${exp}\n${u}\n${asker}`
}

/** The key that calls; undefined where it is not one. */
export function apiKeyOf({ kind, credentialId }: Pick<Actor, 'kind' | 'credentialId'>): number | undefined {
  return kind === 'key' ? Number(credentialId.slice('key:'.length)) : undefined
}

/** Who asks for a URL, as it names them: a key (`k12`), a session (`n9`), a grant (`g3`), or the product itself (`s`) for a file of a message. Undefined: nobody whom a URL could outlive. */
export function askerOf(actor: Pick<Actor, 'kind' | 'credentialId'>): string | undefined {
  const apiKeyId = apiKeyOf(actor)
  if (apiKeyId !== undefined) return `k${apiKeyId}`
  const sessionId = sessionIdOf(actor)
  if (sessionId !== undefined) return `n${sessionId}`
  const grantId = grantIdOf(actor)
  if (grantId !== undefined) return `g${grantId}`
  return actor.kind === 'system' ? 's' : undefined
}

const refusal = () =>
  new AppError(
    'unauthenticated',
    'The credential is missing, wrong, expired or revoked. Send an API key, or the token of a session, as "Authorization: Bearer <key>".',
  )

/** What every call of a suspended tenant answers, those among them that were waiting when it was suspended. */
export const suspended = () =>
  new AppError('tenant_suspended', 'The tenant is suspended. Its data is kept; a global administrator can activate it.')

export function createAuthenticator(options: { databases: Databases; secrets: Secrets; wake: Wake }): Authenticator {
  const { databases, secrets, wake } = options
  const kept = new LRUCache<string, Found>({ max: 10_000, ttl: keptMs })
  const touched = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 })
  const slid = new LRUCache<string, true>({ max: 10_000, ttl: slideEveryMs })
  /** Look-ups under way, which those who ask meanwhile share. */
  const looking = new Map<string, Promise<Found | undefined>>()
  // A look-up that began before a change must not be kept after it, nor answer one who asks after it.
  const unsubscribe = wake.subscribe(credentialsTopic, () => {
    kept.clear()
    looking.clear()
  })

  /** A key by what is sent, or by its id where a URL names it. */
  async function findKey(
    by: { readonly hash: Buffer } | { readonly apiKeyId: number; readonly tenantUserId: number },
    sharer: string,
  ): Promise<Found | undefined> {
    const foundAt = performance.now()
    const [row] = await databases.lookUp(
      (tx) => tx<
        {
          tenantId: number
          apiKeyId: number
          tenantUserId: number
          keyRoles: number
          isUserBound: boolean
          userRoles: number
          userId: number
          displayName: string
          isLocked: boolean
          isSuspended: boolean
          allowedAddresses: string[]
          validUntil: number | null
        }[]
      >`
        select k.tenant_id, k.api_key_id, k.tenant_user_id, k.role_flag as key_roles, k.is_user_bound, u.role_flag as user_roles, u.user_id,
          u.display_name, u.is_locked, k.allowed_addresses,
          t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended,
          extract(epoch from ${'hash' in by ? tx`least(k.expires_at, case when k.key_hash = ${by.hash} then null else k.previous_until end)` : tx`k.expires_at`})::float8 * 1000
            as valid_until
        from platform.api_key k
          join platform.tenant_user u on u.tenant_id = k.tenant_id and u.tenant_user_id = k.tenant_user_id
          join platform.tenant t on t.tenant_id = k.tenant_id
        where k.revoked_at is null and ${
          'hash' in by
            ? tx`(k.key_hash = ${by.hash} or k.previous_hash = ${by.hash})`
            : tx`k.api_key_id = ${by.apiKeyId} and k.tenant_user_id = ${by.tenantUserId}`
        }`,
      sharer,
    )
    if (!row || row.isLocked) return undefined
    return {
      foundAt,
      actor: {
        kind: 'key',
        tenantId: row.tenantId,
        tenantUserId: row.tenantUserId,
        userId: row.userId,
        displayName: row.displayName,
        roleFlag: row.isUserBound ? row.keyRoles & row.userRoles : row.keyRoles,
        credentialId: `key:${row.apiKeyId}`,
      },
      isSuspended: row.isSuspended,
      allowedFrom: row.allowedAddresses.length === 0 ? undefined : addressList(row.allowedAddresses),
      validUntil: row.validUntil ?? Number.POSITIVE_INFINITY,
    }
  }

  async function findEnrolling(hash: Buffer, sharer: string): Promise<Found | undefined> {
    const foundAt = performance.now()
    const found = await findEnrolment(databases, hash, sharer)
    return found && { ...found, foundAt, allowedFrom: undefined }
  }

  async function findPerson(by: SessionName, sharer: string): Promise<Found | undefined> {
    const foundAt = performance.now()
    const found = await findSession(databases, by, sharer)
    return found && { ...found, foundAt, allowedFrom: undefined }
  }

  async function findApplication(by: Parameters<typeof findGrant>[1], sharer: string): Promise<Found | undefined> {
    const foundAt = performance.now()
    const found = await findGrant(databases, by, sharer)
    return found && { ...found, foundAt, allowedFrom: undefined }
  }

  /** Whom a URL names that the product signed itself: it was given the right to show that one file with the message that it delivers. */
  async function findSender(tenantUserId: number, sharer: string): Promise<Found | undefined> {
    const foundAt = performance.now()
    const [row] = await databases.lookUp(
      (tx) => tx<
        {
          tenantId: number
          tenantUserId: number
          userId: number
          displayName: string
          roleFlag: number
          isLocked: boolean
          isSuspended: boolean
        }[]
      >`
        select u.tenant_id, u.tenant_user_id, u.user_id, u.display_name, u.role_flag, u.is_locked,
          t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended
        from platform.tenant_user u join platform.tenant t on t.tenant_id = u.tenant_id
        where u.tenant_user_id = ${tenantUserId}`,
      sharer,
    )
    if (!row || row.isLocked) return undefined
    const { isLocked: _locked, isSuspended, ...actor } = row
    return {
      foundAt,
      // Access rules are asked with all roles of whoever sent it, who may lack the one that opens files.
      actor: { ...actor, roleFlag: actor.roleFlag | roleBits.DataView, kind: 'signed', credentialId: `signed:${tenantUserId}` },
      isSuspended,
      allowedFrom: undefined,
      validUntil: Number.POSITIVE_INFINITY,
    }
  }

  /** A URL is as good as the credential that asked for it is now, but from anywhere: it is made to be passed on. */
  async function findSigned(asker: string, tenantUserId: number, sharer: string): Promise<Found | undefined> {
    if (asker === 's') return findSender(tenantUserId, sharer)
    const id = Number(asker.slice(1))
    const found = await (asker.startsWith('n')
      ? findPerson({ sessionId: id, tenantUserId }, sharer)
      : asker.startsWith('g')
        ? findApplication({ grantId: id, tenantUserId }, sharer)
        : findKey({ apiKeyId: id, tenantUserId }, sharer))
    return found && { ...found, actor: { ...found.actor, kind: 'signed', credentialId: `signed:${tenantUserId}` }, allowedFrom: undefined }
  }

  async function findActing(who: ActingFor): Promise<Found | undefined> {
    const foundAt = performance.now()
    const found = await findActingUser(databases, who)
    return found && { ...found, foundAt, allowedFrom: undefined, validUntil: Number.POSITIVE_INFINITY }
  }

  // Best effort and at most once a minute for each credential: a call never waits for it.
  function touch({ kind, credentialId }: Actor): void {
    if (kind === 'enrolment' || touched.has(credentialId)) return
    touched.set(credentialId, true)
    const id = Number(credentialId.slice(credentialId.indexOf(':') + 1))
    databases
      .lookUp((tx) =>
        kind === 'session'
          ? tx`update platform.session set last_used_date = date_trunc('milliseconds', now()) where session_id = ${id}`
          : kind === 'grant'
            ? tx`update platform.oauth_grant set last_used_date = date_trunc('milliseconds', now()) where grant_id = ${id}`
            : tx`update platform.api_key set last_used_date = date_trunc('milliseconds', now()) where api_key_id = ${id}`,
      )
      .catch(() => touched.delete(credentialId))
  }

  /** The 15 minutes begin again. Only near the end does the call wait for it. */
  async function slide(id: string, { actor, validUntil }: Found): Promise<void> {
    const sessionId = sessionIdOf(actor)
    if (sessionId === undefined || slid.has(id)) return
    slid.set(id, true)
    const sliding = slideSession(databases, sessionId).then(
      () => void kept.delete(id),
      () => void slid.delete(id),
    )
    if (validUntil - Date.now() < nearlyOverMs) await sliding
  }

  /** One look-up for all who ask meanwhile. */
  function look(id: string, lookUp: () => Promise<Found | undefined>): Promise<Found | undefined> {
    const underWay = looking.get(id)
    if (underWay) return underWay
    const begun: Promise<Found | undefined> = lookUp()
      .then((found) => {
        if (looking.get(id) !== begun) return found
        if (found) kept.set(id, found)
        else kept.delete(id)
        return found
      })
      .finally(() => {
        if (looking.get(id) === begun) looking.delete(id)
      })
    looking.set(id, begun)
    return begun
  }

  async function find(id: string, lookUp: () => Promise<Found | undefined>): Promise<Found> {
    const last = kept.get(id)
    const age = last ? performance.now() - last.foundAt : 0
    const known = age < keptMs ? last : undefined
    if (known && age < freshMs) return known
    const looked = look(id, lookUp)
    if (known) {
      // Where it fails, what is known is looked up again by the next call, until it is too old.
      looked.catch(() => {})
      return known
    }
    const found = await looked
    if (!found) throw refusal()
    return found
  }

  return {
    async identify(credential, ip, operation) {
      // A credential that nobody has is anybody's, so what it costs is the share of whoever sent it.
      const sharer = `address ${ip ?? ''}`
      let found: Found
      let portalId: string | undefined
      switch (credential.kind) {
        case 'none':
          throw refusal()
        case 'bearer': {
          const { token, resource } = credential
          const hash = hashToken(token)
          if (isSignInToken(token) && operation?.admitsEnrolment !== true) throw refusal()
          found = await find(hash.toString('base64'), () => {
            if (isSignInToken(token)) return findEnrolling(hash, sharer)
            if (isAccessToken(token)) return findApplication({ hash }, sharer)
            return isSessionToken(token) ? findPerson({ hash }, sharer) : findKey({ hash }, sharer)
          })
          if (found.resource !== undefined && found.resource !== resource) throw refusal()
          touch(found.actor)
          break
        }
        case 'portal': {
          const { by, value, subDomain } = credential
          const hash = hashToken(value)
          portalId = `portal:${by}:${hash.toString('base64')}:${subDomain ?? ''}`
          found = await find(portalId, () => findPerson(by === 'cookie' ? { cookieHash: hash, subDomain } : { portalHash: hash }, sharer))
          break
        }
        case 'signed': {
          const { method, path, sig, exp, u } = credential
          const [, asker = '', signature = ''] = /^([kng]\d{1,9}|s)\.([\w-]{1,100})$/.exec(sig) ?? []
          const isValid =
            /^\d{1,12}$/.test(exp) && /^\d{1,9}$/.test(u) && secrets.verify('url', signedText(method, path, exp, u, asker), signature)
          if (!isValid || Number(exp) * 1000 < Date.now())
            throw new AppError('forbidden', 'The signed URL was changed or has expired. Ask for a new one with sign_asset_url.')
          found = await find(`signed:${asker}:${u}`, () => findSigned(asker, Number(u), sharer))
          break
        }
        case 'acting': {
          const { who } = credential
          const user = await find(`acting:${who.tenantId}:${who.tenantUserId}`, () => findActing(who))
          found = { ...user, actor: actorOfRun({ actor: user.actor, isService: user.isService === true }, who) }
          break
        }
      }
      if (found.validUntil < Date.now()) throw refusal()
      if (found.allowedFrom && !isOnList(found.allowedFrom, ip)) throw refusal()
      if (found.isSuspended) throw suspended()
      if (portalId !== undefined && credential.kind === 'portal' && !credential.isBackground) await slide(portalId, found)
      return found.actor
    },
    end: unsubscribe,
  }
}
