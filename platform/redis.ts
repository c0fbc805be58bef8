/**
 * A connection to Redis that costs nobody more than a moment when Redis is away: it is asked now and then, since a server that lives may still not
 * answer, and what fails makes it count as away until it answers again. Redis is never the only home of anything, so every caller has another way.
 */
import { Redis } from 'ioredis'

import type { Logger } from './log.ts'

export interface RedisLink {
  isUp(): boolean
  /** Sends one command. Rejects at once while Redis is away, and after `answerMs` where it hangs. */
  send(command: string, ...parameters: (string | number)[]): Promise<unknown>
  end(): Promise<void>
}

export interface Subscription {
  readonly channel: string
  readonly receive: (payload: string) => void
  /** Called each time the subscription stands: anything may have been missed before. */
  readonly resync: () => void
}

const answerMs = 500
const askEveryMs = 2_000
const firstConnectMs = 1_500
const longestPauseMs = 2_000

/**
 * Connects, and again whenever the connection goes. Resolves once connected or after 1.5 s: a start does not wait for Redis. With a subscription the
 * link takes no other commands.
 */
export async function openRedis(options: { url: string; name: string; log: Logger; subscription?: Subscription }): Promise<RedisLink> {
  const { name, log, subscription } = options
  const redis = new Redis(options.url, {
    connectionName: `fieldloop ${name}`,
    lazyConnect: true,
    connectTimeout: 1_000,
    commandTimeout: answerMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // Subscribed anew below, so that what follows the subscription follows every one.
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), longestPauseMs),
  })
  let isUp = false
  let wasTold: 'up' | 'away' | undefined
  let misses = 0

  function tell(next: 'up' | 'away', error?: unknown): void {
    isUp = next === 'up'
    // The first success is the ordinary case and worth no line.
    if (next === 'away' && wasTold !== 'away' && !isEnding) log.warn({ err: error, link: name }, 'Redis is away')
    if (next === 'up' && wasTold === 'away') log.info({ link: name }, 'Redis is back')
    wasTold = next
  }

  async function greet(): Promise<void> {
    try {
      if (subscription) await redis.subscribe(subscription.channel)
      misses = 0
      tell('up')
      subscription?.resync()
    } catch (error) {
      tell('away', error)
      redis.disconnect(true)
    }
  }

  async function ask(): Promise<void> {
    if (redis.status !== 'ready') return
    try {
      await redis.ping()
      // Between the connection and its subscription an answer proves nothing.
      if (misses > 0 || subscription === undefined) tell('up')
      misses = 0
    } catch (error) {
      misses++
      tell('away', error)
      // Once may be our own process that was busy; twice is a connection that leads nowhere.
      if (misses > 1) redis.disconnect(true)
    }
  }

  let isEnding = false
  redis.on('error', (error) => tell('away', error))
  redis.on('close', () => tell('away'))
  redis.on('ready', () => void greet())
  if (subscription) redis.on('message', (_channel, payload) => subscription.receive(payload))
  const asking = setInterval(() => void ask(), askEveryMs).unref()
  let limit: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => (limit = setTimeout(resolve, firstConnectMs)))
  await Promise.race([redis.connect().catch(() => {}), late]).finally(() => clearTimeout(limit))

  return {
    isUp: () => isUp,
    async send(command, ...parameters) {
      if (!isUp) throw new Error('Redis is away')
      try {
        return await redis.call(command, ...parameters)
      } catch (error) {
        tell('away', error)
        throw error
      }
    },
    async end() {
      isEnding = true
      clearInterval(asking)
      // What was sent before is carried out before the farewell.
      if (isUp) await redis.quit().catch(() => {})
      redis.disconnect()
    },
  }
}
