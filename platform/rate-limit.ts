/** Calls a minute for each credential: a token bucket, in Redis where one is named, so that processes count together; else in this process. */
import { LRUCache } from 'lru-cache'

import { AppError } from './errors.ts'
import type { RedisLink } from './redis.ts'

export interface RateLimit {
  /** Takes one call, or several that came in one request, of the installation's calls a minute or of others. Throws AppError `rate_limited` with the seconds to wait. */
  take(credentialId: string, calls?: number, perMinute?: number): Promise<void>
}

interface Bucket {
  tokens: number
  at: number
}

// One round trip: refill by the time passed, take the calls, answer the milliseconds to wait (0: taken). What is left may suffice for a part of the
// calls alone: the bucket then owes the rest, a minute's at most, and the next ones wait for it. The clock is Redis': those of several machines differ, and each
// difference would refill the bucket.
const script = `
local bucket = redis.call('hmget', KEYS[1], 'tokens', 'at')
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local perMinute = tonumber(ARGV[1])
local calls = tonumber(ARGV[2])
local tokens = tonumber(bucket[1]) or perMinute
local at = tonumber(bucket[2]) or now
tokens = math.min(perMinute, tokens + math.max(0, now - at) * perMinute / 60000)
local wait = 0
if tokens >= 1 then tokens = math.max(-perMinute, tokens - calls) else wait = math.ceil((1 - tokens) * 60000 / perMinute) end
redis.call('hset', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('pexpire', KEYS[1], 120000)
return wait`

/** `redis` is the link that all processes count through. */
export function createRateLimit(options: { callsPerMinute: number; redis: RedisLink | undefined }): RateLimit {
  const { callsPerMinute, redis } = options
  const buckets = new LRUCache<string, Bucket>({ max: 50_000 })

  function waitHere(credentialId: string, calls: number, perMinute: number): number {
    const now = performance.now()
    const bucket = buckets.get(credentialId) ?? { tokens: perMinute, at: now }
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000)
    bucket.at = now
    buckets.set(credentialId, bucket)
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * 60_000) / perMinute)
    bucket.tokens = Math.max(-perMinute, bucket.tokens - calls)
    return 0
  }

  return {
    async take(credentialId, calls = 1, perMinute = callsPerMinute) {
      // A Redis that is away must not stop the product; this process counts for itself meanwhile.
      const together = redis?.isUp()
        ? await redis.send('eval', script, 1, `fieldloop:calls:${credentialId}`, perMinute, calls).catch(() => null)
        : null
      const waitMs = together === null ? waitHere(credentialId, calls, perMinute) : Number(together)
      if (waitMs > 0) {
        const seconds = Math.max(1, Math.ceil(waitMs / 1000))
        throw new AppError('rate_limited', `More than ${perMinute} calls a minute. Wait ${seconds} s.`, { retryAfterSeconds: seconds })
      }
    },
  }
}
