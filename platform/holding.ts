/** Whether credentials still hold, for calls that wait: looked at after each change of keys, users or tenants, and now and then; many in one statement. */
import { apiKeyOf, credentialsTopic, suspended } from './authenticate.ts'
import type { Databases } from './db/databases.ts'
import { AppError } from './errors.ts'
import { gather, type Gathered } from './gather.ts'
import { kept } from './kept.ts'
import { grantHolds, grantIdOf } from './grants.ts'
import type { Actor } from './operation.ts'
import { tenantAdminRoles } from './roles.ts'
import type { Services } from './services.ts'
import { holdsStill, sessionIdOf } from './sessions.ts'
import type { Wake } from './wake.ts'

/** A word of a change may be lost with the line that carries it, so a waiter asks by itself too. */
const checkAgainMs = 15_000

/** The bits of the roles; `none` where the key was revoked or has expired or the user was locked. */
type Held = number | 'none' | 'suspended'

type Asker = Pick<Actor, 'kind' | 'credentialId' | 'tenantId' | 'tenantUserId'> & Partial<Pick<Actor, 'roleFlag'>>

/**
 * What each actor may do now, in their order. Of a key that acts as a user: the roles that both hold. A call that waits ends with its session; what was made
 * in a session, a link say, outlives it.
 */
async function rolesHeldNow(databases: Databases, actors: readonly Asker[], isWaiting: boolean): Promise<Held[]> {
  const rows = await databases.lookUp(
    (tx) => tx<{ n: number; isSuspended: boolean; isService: boolean; roleFlag: number }[]>`
      select a.n::int as n, t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended, u.is_service,
        case when g.grant_id is not null then g.role_flag & u.role_flag & ${tenantAdminRoles}::int when k.api_key_id is null then u.role_flag
          when k.is_user_bound then k.role_flag & u.role_flag else k.role_flag end as role_flag
      from unnest(${actors.map((actor) => actor.tenantId)}::int[], ${actors.map((actor) => actor.tenantUserId)}::int[], ${actors.map((actor) => apiKeyOf(actor) ?? null)}::int[],
          ${actors.map((actor) => (isWaiting ? sessionIdOf(actor) : undefined) ?? null)}::int[], ${actors.map((actor) => grantIdOf(actor) ?? null)}::int[])
          with ordinality a (tenant_id, tenant_user_id, api_key_id, session_id, grant_id, n)
        join platform.tenant t on t.tenant_id = a.tenant_id
        join platform.tenant_user u on u.tenant_id = a.tenant_id and u.tenant_user_id = a.tenant_user_id
        left join platform.api_key k on k.tenant_id = a.tenant_id and k.api_key_id = a.api_key_id
        left join platform.oauth_grant g on g.tenant_id = a.tenant_id and g.grant_id = a.grant_id and g.tenant_user_id = a.tenant_user_id
      where not u.is_locked
        and (a.grant_id is null or (g.grant_id is not null and exists (select from platform.app_user p where p.user_id = g.user_id and ${grantHolds(tx)})))
        and (a.session_id is null or exists (
          select from platform.session s join platform.app_user p on p.user_id = s.user_id
          where s.session_id = a.session_id and s.user_id = u.user_id and ${holdsStill(tx)} and p.credential_version = s.person_version
            and u.credential_version = s.membership_version))
        and (a.api_key_id is null or (k.api_key_id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))`,
  )
  const held = new Map(rows.map((row) => [row.n, row]))
  return actors.map(({ kind, roleFlag }, index) => {
    const row = held.get(index + 1)
    if (!row) return 'none'
    if (row.isSuspended) return 'suspended'
    // A run has no more than its own roles, and a service user's runs have them alone.
    if (kind !== 'acting' || roleFlag === undefined) return row.roleFlag
    return row.isService ? roleFlag : row.roleFlag & roleFlag
  })
}

/**
 * The bits of the roles that a credential holds now, for what is done in its name without it. Throws AppError `unauthenticated` where it ceased to
 * hold, `tenant_suspended` where its tenant is suspended.
 */
export async function rolesOfAbsent({ databases }: Pick<Services, 'databases'>, actor: Asker): Promise<number> {
  const [held = 'none'] = await rolesHeldNow(databases, [actor], false)
  if (held === 'suspended') throw suspended()
  if (held === 'none')
    throw new AppError('unauthenticated', 'The credential that asked for this no longer holds. Ask again with one that does.')
  return held
}

interface Changes {
  /** Raised by each change of keys, users or tenants. */
  count: number
  readonly callbacks: Set<() => void>
  readonly roles: Gathered<Actor, Held>
  readonly end: () => void
}

const changesOf = kept(
  ({ databases, wake }): Changes => {
    const made: Changes = {
      count: 0,
      callbacks: new Set(),
      roles: gather((actors: readonly Actor[]) => rolesHeldNow(databases, actors, true)),
      end: wake.subscribe(credentialsTopic, () => {
        made.count++
        for (const callback of made.callbacks) callback()
      }),
    }
    return made
  },
  (made) => made.end(),
)

/** The credential of one call that waits. */
export interface Holding {
  /** Waits for the line, the time, the caller's leaving or a change of credentials, whichever is first. */
  next(line: ReturnType<Wake['listen']>, timeoutMs: number, signal: AbortSignal): Promise<void>
  /**
   * The bits of the roles that the caller holds. Asks the database only after a change or a while. Throws AppError `unauthenticated` where the
   * credential ceased to hold, `tenant_suspended` where its tenant was suspended.
   */
  roles(): Promise<number>
}

/** To be called before the first wait, so that no change is missed. */
export function holdingOf(services: Services, actor: Actor): Holding {
  const changes = changesOf(services)
  let known = changes.count
  let checkedAt = performance.now()
  let { roleFlag } = actor
  return {
    async next(line, timeoutMs, signal) {
      if (known !== changes.count) return
      const changed = new AbortController()
      const end = () => changed.abort()
      changes.callbacks.add(end)
      signal.addEventListener('abort', end)
      try {
        await line.next(Math.min(timeoutMs, checkAgainMs), changed.signal)
      } finally {
        signal.removeEventListener('abort', end)
        changes.callbacks.delete(end)
      }
    },
    async roles() {
      if (known === changes.count && performance.now() - checkedAt < checkAgainMs) return roleFlag
      known = changes.count
      checkedAt = performance.now()
      const held = await changes.roles.ask(actor)
      if (held === 'suspended') throw suspended()
      if (held === 'none') throw new AppError('unauthenticated', 'The credential ceased to hold while the call was waiting.')
      roleFlag = held
      return held
    },
  }
}
