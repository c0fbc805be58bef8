/** Attempts that are counted in PostgreSQL, so that all processes count together and a restart forgets none: wrong passwords and codes, public calls, sends. */
import type { Databases } from './db/databases.ts'
import type { Tx } from './db/pool.ts'
import { AppError } from './errors.ts'
import type { Secrets } from './secrets.ts'

export interface AttemptLimit {
  /** What is counted, and of whom. Kept as an HMAC: what people type into a sign-in is not for a table. */
  readonly of: readonly string[]
  /** So many in any span of so many seconds. */
  readonly most: number
  readonly seconds: number
}

export interface Attempt {
  /** It was none of those that count: the password was right. */
  giveBack(): Promise<void>
}

interface Parts {
  readonly databases: Pick<Databases, 'lookUp'>
  readonly secrets: Pick<Secrets, 'sign'>
}

/**
 * Counts an attempt under each limit before it is made, so that attempts at once cannot pass together. Throws AppError `rate_limited`, and then counts it
 * under none. `sharer` is whose share of the connections it takes.
 */
export async function takeAttempt({ databases, secrets }: Parts, limits: readonly AttemptLimit[], sharer: string): Promise<Attempt> {
  const keyed = limits
    // As JSON: what people type must not run on into the part behind it.
    .map(({ of, ...limit }) => ({ ...limit, key: secrets.sign('attempt', JSON.stringify(of)) }))
    // Always in one order: two attempts must not wait for each other.
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
  await databases.lookUp(async (tx) => {
    for (const { key, most, seconds } of keyed) {
      const waitSeconds = await countAttempt(tx, key, most, seconds)
      if (waitSeconds > 0)
        throw new AppError('rate_limited', `Too many attempts. Wait ${waitText(waitSeconds)}.`, { retryAfterSeconds: waitSeconds })
    }
  }, sharer)
  return {
    async giveBack() {
      await databases.lookUp(async (tx) => {
        for (const { key } of keyed) await tx`update platform.attempt set at = trim_array(at, least(1, cardinality(at))) where key = ${key}`
      }, sharer)
    },
  }
}

function waitText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`
}

/**
 * 0 where the attempt was counted, else the seconds until one counts again. Times are kept, not a count: no span of the length holds more than the limit. No
 * attempt waits for the disk: a crash of the database forgets those of its last second, and thousands of strangers would else keep the disk from everybody.
 */
async function countAttempt(tx: Tx, key: string, most: number, seconds: number): Promise<number> {
  const [row] = await tx<{ isRefused: boolean; waitSeconds: number }[]>`
    insert into platform.attempt as a (key, at, expires_at)
    values (${key}, array[clock_timestamp()], clock_timestamp() + make_interval(secs => ${seconds}))
    on conflict (key) do update set (at, is_refused, expires_at) = (
      select case when cardinality(recent) >= ${most} then recent else recent || clock_timestamp() end, cardinality(recent) >= ${most},
        clock_timestamp() + make_interval(secs => ${seconds})
      from (select array(select one from unnest(a.at) one where one > clock_timestamp() - make_interval(secs => ${seconds}) order by one) as recent) r)
    returning set_config('synchronous_commit', 'off', true), is_refused, ceil(extract(epoch from at[1] + make_interval(secs => ${seconds}) - clock_timestamp()))::int as wait_seconds`
  return row?.isRefused ? Math.max(1, row.waitSeconds) : 0
}

/** Drops what no limit asks for any more. */
export async function forgetAttempts(tx: Tx): Promise<void> {
  await tx`delete from platform.attempt where expires_at < now()`
}
