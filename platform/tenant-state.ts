/** What a tenant may do now: whether it is suspended, and its own limits. Known for a second, and dropped at once when either changes. */
import { LRUCache } from 'lru-cache'

import { credentialsTopic, suspended } from './authenticate.ts'
import type { Tx } from './db/pool.ts'
import { onEnd } from './db/transaction.ts'
import { AppError } from './errors.ts'
import { kept } from './kept.ts'
import { createKnown } from './known.ts'
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

/** A count is believed for so long, beside what is added to it: nobody counts millions of records with each save. */
const countedMs = 60_000
/** The same near the limit, where this process does not know what others add. */
const countedNearMs = 10_000
const nearPart = 0.95

const statesOf = kept(
  ({ wake }) => {
    const states = createKnown<TenantState>({ max: 10_000 })
    return { states, end: wake.subscribe(credentialsTopic, states.clear) }
  },
  ({ end }) => end(),
)
const countsOf = kept(() => new LRUCache<string, { n: number }>({ max: 10_000, ttl: countedMs }))

/** What was taken by transactions that have not ended, which no count of another one sees. */
const openOf = kept(() => new Map<string, Map<Tx, number>>())

/** What other transactions than this one have taken and not ended. */
function takenBeside(open: Map<string, Map<Tx, number>>, key: string, tx: Tx): number {
  let beside = 0
  for (const [other, more] of open.get(key) ?? []) if (other !== tx) beside += more
  return beside
}

function holdOpen(open: Map<string, Map<Tx, number>>, key: string, tx: Tx, more: number): void {
  const taken = open.get(key) ?? new Map<Tx, number>()
  open.set(key, taken)
  const before = taken.get(tx)
  taken.set(tx, (before ?? 0) + more)
  if (before !== undefined) return
  onEnd(tx, () => {
    taken.delete(tx)
    if (taken.size === 0) open.delete(key)
  })
}

const noSuchTenant: TenantState = { isSuspended: true, limits: {} }

async function stateOf(services: Services, tenantId: number): Promise<TenantState> {
  const found = await statesOf(services).states.find(String(tenantId), async () => {
    const [row] = await services.databases.lookUp(
      (tx) => tx<TenantState[]>`
        select is_deactivated or active_start > now() or active_end < now() as is_suspended, limits from platform.tenant where tenant_id = ${tenantId}`,
      String(tenantId),
    )
    return row
  })
  return found ?? noSuchTenant
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

/** Who takes of a limit, and in which transaction. */
interface Taker {
  readonly services: Services
  readonly tx: Tx
  readonly tenantId: number
}

const nouns = { records: 'records', bytes: 'bytes of files', users: 'users', messagesPerDay: 'messages within 24 hours' } as const

/** One round trip: what all processes believe, with `more` added where it fits; below zero where it does not: -1 where nobody has counted. */
const takeScript = `
local n = tonumber(redis.call('get', KEYS[1]))
if n == nil then return {-1, 0} end
if n + tonumber(ARGV[1]) > tonumber(ARGV[2]) then return {-2, n} end
redis.call('incrby', KEYS[1], ARGV[1])
return {0, n}`

/** Believes a count, unless another process has counted, or taken, meanwhile. */
const believeScript = `
local n = redis.call('get', KEYS[1])
if (n == false and ARGV[1] == '') or n == ARGV[1] then redis.call('set', KEYS[1], ARGV[2], 'px', ARGV[3]) end
return 0`

const roundsAtMost = 3

/** Takes of what all processes count together; `counted` where it was looked up for it. Undefined: Redis is away. */
async function takeTogether(
  { redis }: Services,
  key: string,
  { more, limit, count }: { readonly more: number; readonly limit: number; readonly count: () => Promise<number> },
): Promise<{ readonly isTaken: boolean; readonly counted: number } | undefined> {
  if (!redis?.isUp()) return undefined
  let counted = 0
  for (let round = 1; round <= roundsAtMost; round++) {
    const answer = await redis.send('eval', takeScript, 1, `fieldloop:has:${key}`, more, limit).catch(() => undefined)
    if (!Array.isArray(answer)) return undefined
    const [state, believed] = answer.map(Number)
    if (state === 0) return { isTaken: true, counted }
    counted = await count()
    if (counted + more > limit) return { isTaken: false, counted }
    const before = state === -1 ? '' : String(believed)
    await redis.send('eval', believeScript, 1, `fieldloop:has:${key}`, before, counted, countedMs).catch(() => undefined)
  }
  // Others took all of it between two counts.
  return { isTaken: false, counted }
}

/** The same in this process alone, which believes its own count, and adds to a new one what is being written beside it. */
async function takeHere(
  { services, tx }: Taker,
  key: string,
  { more, limit, count }: { readonly more: number; readonly limit: number; readonly count: () => Promise<number> },
): Promise<{ readonly isTaken: boolean; readonly counted: number }> {
  const counts = countsOf(services)
  const open = openOf(services)
  const known = counts.get(key)
  if (known && known.n + more <= limit) {
    known.n += more
    holdOpen(open, key, tx, more)
    return { isTaken: true, counted: known.n }
  }
  const before = takenBeside(open, key, tx)
  const seen = await count()
  const counted = seen + Math.max(before, takenBeside(open, key, tx))
  if (counted + more > limit) return { isTaken: false, counted }
  holdOpen(open, key, tx, more)
  counts.set(key, { n: counted + more }, { ttl: counted + more > limit * nearPart ? countedNearMs : countedMs })
  return { isTaken: true, counted }
}

/**
 * Throws AppError `conflict` where the tenant would have more than its limit with `more` of them. `count` says how many there are, without those; it is asked
 * where the tenant has such a limit, and again once what was counted last leaves no room.
 */
export async function takeWithin(taker: Taker, what: keyof typeof nouns, more: number, count: () => Promise<number>): Promise<void> {
  const { services, tenantId } = taker
  const limit = more > 0 ? (await limitsOf(services, tenantId))[what] : undefined
  if (limit === undefined) return
  const key = `${what}:${tenantId}`
  const asked = { more, limit, count }
  const { isTaken, counted } = (await takeTogether(services, key, asked)) ?? (await takeHere(taker, key, asked))
  if (!isTaken) throw pastLimit(what, limit, counted)
}

/** The same for what is made one by one: `count` lets one caller count at a time, until its transaction ends, so that none passes the limit beside another. */
export async function takeInTurn({ services, tenantId }: Taker, what: keyof typeof nouns, count: () => Promise<number>): Promise<void> {
  const limit = (await limitsOf(services, tenantId))[what]
  if (limit === undefined) return
  const counted = await count()
  if (counted >= limit) throw pastLimit(what, limit, counted)
}

function pastLimit(what: keyof typeof nouns, limit: number, counted: number): AppError {
  return new AppError(
    'conflict',
    `The tenant may have ${limit} ${nouns[what]}, and has ${counted}. Delete some, or ask whoever runs the installation for more.`,
  )
}
