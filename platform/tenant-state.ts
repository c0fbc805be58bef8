/** What a tenant may do now: whether it is suspended, and its own limits. Known for a second, and dropped at once when either changes. */
import { LRUCache } from 'lru-cache'

import { credentialsTopic, suspended } from './authenticate.ts'
import { AppError } from './errors.ts'
import { kept } from './kept.ts'
import type { Services } from './services.ts'

/** Absent: none but the installation's. */
export interface TenantLimits {
  readonly callsPerMinute?: number
  readonly records?: number
  readonly bytes?: number
  readonly users?: number
  readonly messagesPerDay?: number
}

interface TenantState {
  readonly isSuspended: boolean
  readonly limits: TenantLimits
}

const keptMs = 1_000
/** A count is believed for so long, beside what this process adds to it: nobody counts millions of records with each save. */
const countedMs = 60_000

const statesOf = kept(
  ({ wake }) => {
    const states = new LRUCache<number, TenantState>({ max: 10_000, ttl: keptMs })
    return { states, end: wake.subscribe(credentialsTopic, () => states.clear()) }
  },
  ({ end }) => end(),
)
const countsOf = kept(() => new LRUCache<string, { n: number }>({ max: 10_000, ttl: countedMs }))

async function stateOf(services: Services, tenantId: number): Promise<TenantState> {
  const { states } = statesOf(services)
  const known = states.get(tenantId)
  if (known) return known
  const [row] = await services.databases.lookUp(
    (tx) => tx<TenantState[]>`
      select is_deactivated or active_start > now() or active_end < now() as is_suspended, limits from platform.tenant where tenant_id = ${tenantId}`,
    String(tenantId),
  )
  const state = row ?? { isSuspended: true, limits: {} }
  states.set(tenantId, state)
  return state
}

export async function limitsOf(services: Services, tenantId: number): Promise<TenantLimits> {
  return (await stateOf(services, tenantId)).limits
}

export async function isSuspended(services: Services, tenantId: number): Promise<boolean> {
  return (await stateOf(services, tenantId)).isSuspended
}

/** Throws AppError `tenant_suspended`. */
export async function refuseSuspended(services: Services, tenantId: number): Promise<void> {
  if (await isSuspended(services, tenantId)) throw suspended()
}

const nouns = { records: 'records', bytes: 'bytes of files', users: 'users', messagesPerDay: 'messages within 24 hours' } as const

/**
 * Throws AppError `conflict` where the tenant would have more than its limit with `more` of them. `count` says how many there are, without those; it is asked
 * where the tenant has such a limit, and again once what was counted last leaves no room.
 */
export async function takeWithin(
  services: Services,
  tenantId: number,
  what: keyof typeof nouns,
  more: number,
  count: () => Promise<number>,
): Promise<void> {
  const limit = more > 0 ? (await limitsOf(services, tenantId))[what] : undefined
  if (limit === undefined) return
  const counts = countsOf(services)
  const key = `${what}:${tenantId}`
  const known = counts.get(key)
  if (known && known.n + more <= limit) {
    known.n += more
    return
  }
  const n = await count()
  if (n + more > limit)
    throw new AppError(
      'conflict',
      `The tenant may have ${limit} ${nouns[what]}, and has ${n}. Delete some, or ask whoever runs the installation for more.`,
    )
  counts.set(key, { n: n + more })
}
