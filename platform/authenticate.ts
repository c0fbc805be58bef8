/** Who a credential belongs to. Looked up as the look-up role, kept for a few seconds, dropped at once when a key, a user or a tenant changes. */
import { LRUCache } from 'lru-cache'

import { type ActingFor, actorOfRun, findActingUser } from './acting.ts'
import { apiKeyOf, findKey } from './api-keys.ts'
import type { Credential } from './call.ts'
import type { Databases } from './db/databases.ts'
import { AppError } from './errors.ts'
import { findGrant, grantIdOf, isAccessToken } from './grants.ts'
import { type KeyReach, whyOutOfReach } from './key-reach.ts'
import { createKnown } from './known.ts'
import type { Actor } from './operation.ts'
import { roleBits } from './roles.ts'
import type { Secrets } from './secrets.ts'
import { findEnrolment, findSession, hashToken, isSessionToken, isSignInToken, sessionIdOf, slideSession } from './sessions.ts'
import type { Wake } from './wake.ts'

/** Poked after a change of keys, users, roles or tenants. */
export const credentialsTopic = 'credentials'

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

interface Found extends KeyReach {
  readonly actor: Actor
  readonly isSuspended: boolean
  readonly validUntil: number
  /** Of an application's token: the one address where it counts. */
  readonly resource?: string | undefined
  /** Of a user that runs act for: made for them alone. */
  readonly isService?: boolean
}

/** What a signature of a URL is made over: method, path, expiry in seconds since the epoch, tenant user, and who asked for it. */
export function signedText(method: string, path: string, exp: string, u: string, asker: string): string {
  return `${method}\n${path}\n${exp}\n${u}\n${asker}`
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
  const known = createKnown<Found>({ max: 10_000 })
  const touched = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 })
  const slid = new LRUCache<string, true>({ max: 10_000, ttl: slideEveryMs })
  const unsubscribe = wake.subscribe(credentialsTopic, known.clear)

  /** Whom a URL names that the product signed itself: it was given the right to show that one file with the message that it delivers. */
  async function findSender(tenantUserId: number, sharer: string): Promise<Found | undefined> {
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
      // Access rules are asked with all roles of whoever sent it, who may lack the one that opens files.
      actor: { ...actor, roleFlag: actor.roleFlag | roleBits.DataView, kind: 'signed', credentialId: `signed:${tenantUserId}` },
      isSuspended,
      validUntil: Number.POSITIVE_INFINITY,
    }
  }

  /** A URL is as good as the credential that asked for it is now, but from anywhere: it is made to be passed on. */
  async function findSigned(asker: string, tenantUserId: number, sharer: string): Promise<Found | undefined> {
    if (asker === 's') return findSender(tenantUserId, sharer)
    const id = Number(asker.slice(1))
    const found = await (asker.startsWith('n')
      ? findSession(databases, { sessionId: id, tenantUserId }, sharer)
      : asker.startsWith('g')
        ? findGrant(databases, { grantId: id, tenantUserId }, sharer)
        : findKey(databases, { apiKeyId: id, tenantUserId }, sharer))
    return found && { ...found, actor: { ...found.actor, kind: 'signed', credentialId: `signed:${tenantUserId}` }, allowedFrom: undefined }
  }

  async function findActing(who: ActingFor): Promise<Found | undefined> {
    const found = await findActingUser(databases, who)
    return found && { ...found, validUntil: Number.POSITIVE_INFINITY }
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
      () => known.forget(id),
      () => void slid.delete(id),
    )
    if (validUntil - Date.now() < nearlyOverMs) await sliding
  }

  async function find(id: string, lookUp: () => Promise<Found | undefined>): Promise<Found> {
    const found = await known.find(id, lookUp)
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
            if (isSignInToken(token)) return findEnrolment(databases, hash, sharer)
            if (isAccessToken(token)) return findGrant(databases, { hash }, sharer)
            return isSessionToken(token) ? findSession(databases, { hash }, sharer) : findKey(databases, { hash }, sharer)
          })
          if (found.resource !== undefined && found.resource !== resource) throw refusal()
          touch(found.actor)
          break
        }
        case 'portal': {
          const { by, value, subDomain } = credential
          const hash = hashToken(value)
          portalId = `portal:${by}:${hash.toString('base64')}:${subDomain ?? ''}`
          found = await find(portalId, () =>
            findSession(databases, by === 'cookie' ? { cookieHash: hash, subDomain } : { portalHash: hash }, sharer),
          )
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
      const outside = whyOutOfReach(found, ip, Date.now())
      if (outside !== undefined) throw new AppError('unauthenticated', outside)
      if (found.isSuspended) throw suspended()
      if (portalId !== undefined && credential.kind === 'portal' && !credential.isBackground) await slide(portalId, found)
      return found.actor
    },
    end: unsubscribe,
  }
}
