/**
 * Whether credentials still hold, for calls that wait: looked at after each change of keys, users or tenants, and now and then; many in one statement, and each
 * once, however many calls wait with it. Whoever was told of no change finds it in the log of changes, which is read once in a moment for all of them.
 */
import { apiKeyOf } from './api-keys.ts'
import { credentialsTopic, suspended } from './authenticate.ts'
import { addressList } from './client-address.ts'
import { createChangeReader } from './credential-changes.ts'
import type { Databases } from './db/databases.ts'
import { AppError } from './errors.ts'
import { gather, type Gathered } from './gather.ts'
import { kept } from './kept.ts'
import { grantHolds, grantIdOf } from './grants.ts'
import { type KeyHours, whyOutOfReach } from './key-reach.ts'
import type { Actor } from './operation.ts'
import { tenantAdminRoles } from './roles.ts'
import { createRounds, type Rounds, type Waiting } from './rounds.ts'
import type { Services } from './services.ts'
import { letsIn, providerOfSession, rolesInSession, sessionIdOf } from './sessions.ts'
import type { Wake } from './wake.ts'

/** What ends a credential ends what waits with it within a second, the look itself included. */
const readChangesMs = 900

/** However little has changed. */
const checkAgainMs = 15_000

/** Hours begin and end with a minute, in every zone. */
const minuteMs = 60_000

/** The bits of the roles; `none` where the key was revoked, has expired or is out of its hours, or the user was locked. */
type Held = number | 'none' | 'suspended'

type Asker = Pick<Actor, 'kind' | 'credentialId' | 'tenantId' | 'tenantUserId'> & Partial<Pick<Actor, 'roleFlag'>>

/** Somebody whose call waits, and whence it came. */
interface Waiter {
  readonly actor: Actor
  readonly ip: string | undefined
}

interface HeldNow {
  readonly held: Held
  /** After so long time alone may have changed it. */
  readonly forMs: number
}

/**
 * What each actor may do now, in their order. Of a key that acts as a user: the roles that both hold. A call that waits ends with its session
 * and with the hours of its key, and where its address is none of the key's any more; what was made with them, a link say, outlives them. What began by a tenant's
 * own provider has no more than it may give.
 */
async function rolesHeldNow(
  databases: Databases,
  askers: readonly { readonly actor: Asker; readonly ip?: string | undefined }[],
  isWaiting: boolean,
): Promise<HeldNow[]> {
  const actors = askers.map(({ actor }) => actor)
  const rows = await databases.lookUp(
    (tx) => tx<
      {
        n: number
        isSuspended: boolean
        isService: boolean
        validHours: KeyHours | null
        allowedAddresses: string[] | null
        roleFlag: number
        leftMs: number | null
      }[]
    >`
      select a.n::int as n, k.valid_hours, k.allowed_addresses, t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended, u.is_service,
        extract(epoch from least(t.active_end, k.expires_at, s.expires_at, s.idle_until) - now())::float8 * 1000 as left_ms,
        case when g.grant_id is not null then g.role_flag & u.role_flag & ${tenantAdminRoles}::int when k.api_key_id is null then ${rolesInSession(tx)}
          when k.is_user_bound then k.role_flag & u.role_flag else k.role_flag end as role_flag
      from unnest(${actors.map((actor) => actor.tenantId)}::int[], ${actors.map((actor) => actor.tenantUserId)}::int[], ${actors.map((actor) => apiKeyOf(actor) ?? null)}::int[],
          ${actors.map((actor) => sessionIdOf(actor) ?? null)}::int[], ${actors.map((actor) => grantIdOf(actor) ?? null)}::int[])
          with ordinality a (tenant_id, tenant_user_id, api_key_id, session_id, grant_id, n)
        join platform.tenant t on t.tenant_id = a.tenant_id
        join platform.tenant_user u on u.tenant_id = a.tenant_id and u.tenant_user_id = a.tenant_user_id
        left join platform.api_key k on k.tenant_id = a.tenant_id and k.api_key_id = a.api_key_id
        left join platform.session s on s.session_id = a.session_id and s.tenant_user_id = u.tenant_user_id and s.user_id = u.user_id
        left join platform.app_user p on p.user_id = s.user_id
        ${providerOfSession(tx)}
        left join platform.oauth_grant g on g.tenant_id = a.tenant_id and g.grant_id = a.grant_id and g.tenant_user_id = a.tenant_user_id
      where not u.is_locked
        and (a.grant_id is null or (g.grant_id is not null and exists (select from platform.app_user p where p.user_id = g.user_id and ${grantHolds(tx)})))
        and (a.session_id is null or not ${isWaiting} or (${letsIn(tx)}))
        and (a.api_key_id is null or (k.api_key_id is not null and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))`,
  )
  const found = new Map(rows.map((row) => [row.n, row]))
  const now = Date.now()
  return askers.map(({ actor: { kind, roleFlag }, ip }, index) => {
    const row = found.get(index + 1)
    const { validHours, allowedAddresses } = row ?? {}
    const forMs = Math.min(row?.leftMs ?? Infinity, validHours ? minuteMs - (now % minuteMs) : Infinity)
    const allowedFrom = allowedAddresses && allowedAddresses.length > 0 ? addressList(allowedAddresses) : undefined
    const isOutOfReach = isWaiting && whyOutOfReach({ allowedFrom, hours: validHours ?? undefined }, ip, now) !== undefined
    if (!row || isOutOfReach) return { held: 'none', forMs }
    if (row.isSuspended) return { held: 'suspended', forMs }
    // A session may be over, and with it what its provider may give at most: what it made has no more than it had.
    if (kind === 'session' && !isWaiting && roleFlag !== undefined) return { held: row.roleFlag & roleFlag, forMs }
    // A run has no more than its own roles, and a service user's runs have them alone.
    if (kind !== 'acting' || roleFlag === undefined) return { held: row.roleFlag, forMs }
    return { held: row.isService ? roleFlag : row.roleFlag & roleFlag, forMs }
  })
}

/**
 * The bits of the roles that a credential holds now, for what is done in its name without it. Throws AppError `unauthenticated` where it ceased to
 * hold, `tenant_suspended` where its tenant is suspended.
 */
export async function rolesOfAbsent({ databases }: Pick<Services, 'databases'>, actor: Asker): Promise<number> {
  const [now] = await rolesHeldNow(databases, [{ actor }], false)
  const held = now?.held ?? 'none'
  if (held === 'suspended') throw suspended()
  if (held === 'none')
    throw new AppError('unauthenticated', 'The credential that asked for this no longer holds. Ask again with one that does.')
  return held
}

/** What calls wait with. */
interface Credential extends Waiting, Waiter {
  held: Held
  /** The changes under it that were found in the log. */
  found: number
  /** The changes that `held` takes into account. */
  known: number
  asking: { readonly known: number; readonly done: Promise<void> } | undefined
  calls: number
  /** Of those that wait now. */
  readonly rouse: Set<() => void>
}

interface Credentials {
  open(waiter: Waiter): Credential
  close(credential: Credential): void
  /** Asks the database, unless what is known is new and takes every change into account. */
  refresh(credential: Credential): Promise<void>
  end(): void
}

/** A run has no more than its own roles, so that two runs of one user are two credentials, and so is a key at two addresses. */
const nameOf = ({ actor: { kind, tenantId, tenantUserId, credentialId, roleFlag }, ip }: Waiter) =>
  JSON.stringify([kind, tenantId, tenantUserId, credentialId, kind === 'acting' ? roleFlag : null, kind === 'key' ? ip : null])

function createCredentials({ databases, wake, log }: Services): Credentials {
  /** Of keys, users and tenants. */
  let changes = 0
  const open = new Map<string, Credential>()
  const roles: Gathered<Waiter, HeldNow> = gather((waiters) => rolesHeldNow(databases, waiters, true))
  const readChanges = createChangeReader(databases)

  const changesOf = ({ found }: Pick<Credential, 'found'>) => changes + found

  async function askOnce(credential: Credential, known: number): Promise<void> {
    const began = performance.now()
    const { held, forMs } = await roles.ask(credential)
    credential.known = known
    credential.lookedAt = began
    // What has changed meanwhile is still to be looked at.
    if (known === changesOf(credential)) credential.dueAt = performance.now() + forMs
    if (held === credential.held) return
    credential.held = held
    for (const rouse of credential.rouse) rouse()
  }

  /** Shared by all who ask meanwhile, but not by those who ask after a change. */
  function ask(credential: Credential): Promise<void> {
    const known = changesOf(credential)
    if (credential.asking?.known === known) return credential.asking.done
    const asking = { known, done: askOnce(credential, known) }
    credential.asking = asking
    const forget = () => {
      if (credential.asking === asking) credential.asking = undefined
    }
    asking.done.then(forget, forget)
    return asking.done
  }

  const rounds: Rounds<Credential> = createRounds({
    againMs: checkAgainMs,
    tickMs: readChangesMs,
    async before(all) {
      const isChanged = await readChanges()
      if (!isChanged) return
      for (const credential of all) {
        if (!isChanged(credential.actor)) continue
        credential.found++
        credential.dueAt = 0
      }
    },
    look: async (some) => void (await Promise.all(some.map(ask))),
    log,
    complaint: 'credentials of calls that wait could not be looked at and are looked at again',
  })
  const unsubscribe = wake.subscribe(credentialsTopic, () => {
    changes++
    rounds.hurry()
  })

  return {
    open(waiter) {
      const { actor } = waiter
      const name = nameOf(waiter)
      const known = open.get(name)
      const credential: Credential = known ?? {
        ...waiter,
        held: actor.roleFlag,
        found: 0,
        known: changes,
        lookedAt: performance.now(),
        // Whoever calls may have been known for a second, and the log is read from now on.
        dueAt: 0,
        asking: undefined,
        calls: 0,
        rouse: new Set(),
      }
      credential.calls++
      if (!known) {
        open.set(name, credential)
        rounds.add(credential)
      }
      return credential
    },
    close(credential) {
      credential.calls--
      if (credential.calls > 0) return
      open.delete(nameOf(credential))
      rounds.remove(credential)
    },
    async refresh(credential) {
      if (credential.known !== changesOf(credential) || performance.now() - credential.lookedAt >= checkAgainMs) await ask(credential)
    },
    end() {
      unsubscribe()
      rounds.end()
    },
  }
}

const credentialsOf = kept(createCredentials, ({ end }) => end())

/** The credential of one call that waits. */
export interface Holding {
  /** Waits for the line, the time, the caller's leaving or a change of what the credential may do, whichever is first. */
  next(line: ReturnType<Wake['listen']>, timeoutMs: number, signal: AbortSignal): Promise<void>
  /**
   * The bits of the roles that the caller holds. Asks the database only after a change or a while. Throws AppError `unauthenticated` where the
   * credential ceased to hold, `tenant_suspended` where its tenant was suspended.
   */
  roles(): Promise<number>
  close(): void
}

/** To be called before the first wait, so that no change is missed. `ip`: whence the call came, which a key may be bound to. */
export function holdingOf(services: Services, actor: Actor, ip?: string): Holding {
  const credentials = credentialsOf(services)
  const credential = credentials.open({ actor, ip })
  let told: Held = actor.roleFlag
  return {
    async next(line, timeoutMs, signal) {
      if (credential.held !== told) return
      const changed = new AbortController()
      const end = () => changed.abort()
      credential.rouse.add(end)
      signal.addEventListener('abort', end)
      try {
        await line.next(timeoutMs, changed.signal)
      } finally {
        signal.removeEventListener('abort', end)
        credential.rouse.delete(end)
      }
    },
    async roles() {
      await credentials.refresh(credential)
      const { held } = credential
      told = held
      if (held === 'suspended') throw suspended()
      if (held === 'none') throw new AppError('unauthenticated', 'The credential ceased to hold while the call was waiting.')
      return held
    },
    close: () => credentials.close(credential),
  }
}
