/** What oidc-provider keeps, in PostgreSQL. It has no session of its own: who a person is, the portal's session says each time. */
import { type Adapter, errors, type Payload, Provider } from 'oidc-provider'

import type { Resources } from '#platform/resources.ts'
import { flagOf, isRoleName, rolesOf } from '#platform/roles.ts'
import type { Serving, Told } from '#tools/auth/service.ts'

/** Hosts refresh in parallel: the same refresh token counts for so long after it was used first. */
const graceSeconds = 30
const day = 86_400
const year = 365 * day

const kinds = { AccessToken: 'access', RefreshToken: 'refresh', AuthorizationCode: 'code' } as const

export interface Kept {
  readonly serving: Serving
  readonly resources: Resources
  /** Of the request under way. */
  readonly told: () => Told
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')
const seconds = () => Math.floor(Date.now() / 1000)

/** The bits of the roles in a scope. */
export function rolesIn(scope: unknown): number {
  return flagOf(text(scope).split(' ').filter(isRoleName))
}

export function createAdapter(kept: Kept): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case 'AccessToken':
      case 'RefreshToken':
      case 'AuthorizationCode':
        return tokensOf(kept, kinds[model])
      case 'Grant':
        return grantsOf(kept)
      case 'Client':
        return clientsOf(kept)
      case 'Interaction':
      case 'ReplayDetection':
        return pendingOf(kept, model)
      default:
        return nothing
    }
  }
}

/** Of the session, which ends with each answer, and of what is switched off. */
const nothing: Adapter = {
  upsert: () => Promise.resolve(),
  find: () => Promise.resolve(undefined),
  findByUid: () => Promise.resolve(undefined),
  findByUserCode: () => Promise.resolve(undefined),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
}

function tokensOf({ serving, told }: Kept, kind: 'access' | 'refresh' | 'code'): Adapter {
  return {
    ...nothing,
    async upsert(id, { jti: _jti, ...payload }, expiresIn = 0) {
      const resource = text(kind === 'access' ? payload['aud'] : payload['resource'])
      const isSaved = await serving.saveToken({
        id,
        kind,
        grantId: Number(payload['grantId']),
        resource,
        roleFlag: kind === 'access' ? rolesIn(payload['scope']) : null,
        payload,
        // A code that comes a second time is to be known for a day.
        keptSeconds: kind === 'code' ? day : expiresIn,
      })
      if (!isSaved) throw new errors.InvalidGrant('grant not found')
    },
    async find(id) {
      const row = await serving.findToken(kind, id)
      if (!row) return undefined
      const found: Payload = { ...row.payload, jti: id }
      const { usedSecondsAgo: usedAgo } = row
      if (kind === 'access' || usedAgo === null || (kind === 'refresh' && usedAgo < graceSeconds)) return found
      // The library looks at the time first: what was used already is a theft also when its time is over.
      return { ...found, consumed: seconds() - Math.floor(usedAgo), ...(kind === 'code' ? { exp: seconds() + 60 } : {}) }
    },
    async consume(id) {
      // It looks before it marks, and of two at once both would find it unused.
      if (!(await serving.useToken(id, kind === 'refresh' ? graceSeconds : 0, told())))
        throw new errors.InvalidGrant(`${kind === 'code' ? 'authorization code' : 'refresh token'} already used`)
    },
    destroy: (id) => serving.dropToken(id),
  }
}

function grantsOf({ serving, resources, told }: Kept): Adapter {
  return {
    ...nothing,
    async find(id) {
      const grant = /^\d{1,9}$/.test(id) ? await serving.findGrant(Number(id)) : undefined
      if (!grant) return undefined
      // Said as what it is, since a host throws its tokens away where the grant is gone.
      if (grant.isSuspended) throw new errors.TemporarilyUnavailable('the tenant is suspended')
      const scope = rolesOf(grant.roleFlag).join(' ')
      const places = [resources.main.url, resources.urlOf(grant)]
      return {
        jti: id,
        kind: 'Grant',
        accountId: String(grant.userId),
        clientId: grant.clientId,
        iat: seconds(),
        exp: seconds() + year,
        openid: { scope: 'offline_access' },
        resources: Object.fromEntries(places.map((place) => [place, scope])),
      }
    },
    // At the token's end point it ends a grant only where something came a second time.
    destroy: (id) => serving.endGrant(Number(id), Provider.ctx?.oidc?.route === 'token', told()),
  }
}

function clientsOf({ serving }: Kept): Adapter {
  return {
    ...nothing,
    upsert: (id, payload) => serving.saveClient(id, payload),
    find: async (id) => (id.includes(':') ? undefined : serving.findClient(id)),
  }
}

function pendingOf({ serving }: Kept, model: string): Adapter {
  const named = (id: string) => `${model}:${id}`
  return {
    ...nothing,
    upsert: (id, payload, expiresIn = 0) => serving.savePending(named(id), payload, expiresIn),
    find: (id) => serving.findPending(named(id)),
    destroy: (id) => serving.dropPending(named(id)),
  }
}
