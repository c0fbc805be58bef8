/** Calls a minute for each credential: a token bucket, in Redis where one is named, else in this process, which is then the only one. */
import { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'

import { AppError } from './errors.ts'
import type { Logger } from './log.ts'

export interface RateLimit {
  /** Takes one call. Throws AppError `rate_limited` with the seconds to wait. */
  take(credentialId: string): Promise<void>
  end(): void
}

interface Bucket {
  tokens: number
  at: number
}

// One round trip: refill by the time passed, take one, answer the milliseconds to wait (0: taken).
const script = `
local bucket = redis.call('hmget', KEYS[1], 'tokens', 'at')
local now = tonumber(ARGV[1])
local perMinute = tonumber(ARGV[2])
local tokens = tonumber(bucket[1]) or perMinute
local at = tonumber(bucket[2]) or now
tokens = math.min(perMinute, tokens + math.max(0, now - at) * perMinute / 60000)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) * 60000 / perMinute) end
redis.call('hset', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('pexpire', KEYS[1], 120000)
return wait`

export function createRateLimit(options: { callsPerMinute: number; redisUrl: string | undefined; log: Logger }): RateLimit {
  const { callsPerMinute, redisUrl, log } = options
  const buckets = new LRUCache<string, Bucket>({ max: 50_000 })
  const redis = redisUrl
    ? new Redis(redisUrl, { maxRetriesPerRequest: 1, connectTimeout: 1_000, commandTimeout: 200, enableOfflineQueue: false })
    : undefined
  redis?.on('error', (error) => log.debug({ err: error }, 'redis'))

  function waitHere(credentialId: string): number {
    const now = performance.now()
    const bucket = buckets.get(credentialId) ?? { tokens: callsPerMinute, at: now }
    bucket.tokens = Math.min(callsPerMinute, bucket.tokens + ((now - bucket.at) * callsPerMinute) / 60_000)
    bucket.at = now
    buckets.set(credentialId, bucket)
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) * 60_000) / callsPerMinute)
    bucket.tokens -= 1
    return 0
  }

  return {
    async take(credentialId) {
      let waitMs: number
      try {
        waitMs =
          redis?.status === 'ready'
            ? Number(await redis.eval(script, 1, `rate:${credentialId}`, Date.now(), callsPerMinute))
            : waitHere(credentialId)
      } catch (error) {
        // A Redis that is away must not stop the product; this process counts for itself meanwhile.
        log.debug({ err: error }, 'rate limit without redis')
        waitMs = waitHere(credentialId)
      }
      if (waitMs > 0) {
        const seconds = Math.max(1, Math.ceil(waitMs / 1000))
        throw new AppError('rate_limited', `More than ${callsPerMinute} calls a minute. Wait ${seconds} s.`, { retryAfterSeconds: seconds })
      }
    },
    end: () => redis?.disconnect(),
  }
}
