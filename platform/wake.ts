/**
 * Waking of waiters after a commit: this process's at once, the others' by NOTIFY or Redis, at most every 20 ms under load. A lost wake-up
 * costs only time, because every waiter also looks again by itself.
 */
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'

import { Redis } from 'ioredis'
import postgres from 'postgres'

import { connectionOptions } from './db/pool.ts'
import type { Logger } from './log.ts'

const channel = 'fieldloop_wake'
const gatherMs = 20
const maxPayload = 7_000

export interface Wake {
  /** Tells every process that something about the topic was committed: `conversation:12`, `job:7`, `inbox:3`, `key:9`, `outbox`. */
  poke(topic: string): void
  /**
   * Resolves at the next poke of the topic, or after `timeoutMs`, or when the signal aborts: whichever is first. Register before reading the
   * rows, or a commit between the two is only seen at the time-out.
   */
  listen(topic: string): { next(timeoutMs: number, signal?: AbortSignal): Promise<void>; close(): void }
  /** Calls back at each poke of the topic, and with each reconnection of the line between the processes. */
  subscribe(topic: string, callback: () => void): () => void
  /** Whether the line to the other processes stands. */
  isUp(): boolean
  end(): Promise<void>
}

interface Line {
  send(topics: string): void
  isUp(): boolean
  end(): Promise<void>
}

/** Opens the line between processes: Redis where one is named, else PostgreSQL on a direct connection. */
export async function createWake(options: { directUrl: string; redisUrl: string | undefined; log: Logger }): Promise<Wake> {
  const { log } = options
  const topics = new EventEmitter()
  topics.setMaxListeners(0)
  const gathered = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let lastSent = 0

  // The line brings back what this process sent, which its own waiters have heard already.
  const self = randomUUID()
  const receive = (payload: string) => {
    const [sender, ...poked] = payload.split('\n')
    if (sender !== self) for (const topic of poked) topics.emit(topic)
  }
  // After a gap anything may have been missed: everyone looks again.
  const resync = () => {
    for (const topic of topics.eventNames()) topics.emit(topic)
  }
  const line = options.redisUrl
    ? await redisLine(options.redisUrl, receive, resync, log)
    : await postgresLine(options.directUrl, receive, resync, log)

  function flush(): void {
    timer = undefined
    lastSent = Date.now()
    let payload = self
    for (const topic of gathered) {
      if (payload.length + topic.length > maxPayload) {
        line.send(payload)
        payload = self
      }
      payload += `\n${topic}`
    }
    gathered.clear()
    if (payload !== self) line.send(payload)
  }

  return {
    poke(topic) {
      topics.emit(topic)
      gathered.add(topic)
      if (timer) return
      const since = Date.now() - lastSent
      if (since >= gatherMs) flush()
      else timer = setTimeout(flush, gatherMs - since)
    },
    listen(topic) {
      let isPoked = false
      let wake: (() => void) | undefined
      const onPoke = () => {
        isPoked = true
        wake?.()
      }
      topics.on(topic, onPoke)
      return {
        next: (timeoutMs, signal) =>
          new Promise<void>((resolve) => {
            const done = () => {
              clearTimeout(limit)
              signal?.removeEventListener('abort', done)
              wake = undefined
              isPoked = false
              resolve()
            }
            const limit = setTimeout(done, timeoutMs)
            signal?.addEventListener('abort', done)
            wake = done
            if (isPoked || signal?.aborted) done()
          }),
        close: () => topics.off(topic, onPoke),
      }
    },
    subscribe(topic, callback) {
      topics.on(topic, callback)
      return () => topics.off(topic, callback)
    },
    isUp: () => line.isUp(),
    async end() {
      if (timer) {
        clearTimeout(timer)
        flush()
      }
      await line.end()
    },
  }
}

async function postgresLine(url: string, receive: (payload: string) => void, resync: () => void, log: Logger): Promise<Line> {
  const sender = postgres(url, connectionOptions('fieldloop wake'))
  const listener = postgres(url, connectionOptions('fieldloop listen'))
  await listener.listen(channel, receive, resync)
  return {
    isUp: () => true,
    send(payload) {
      sender`select pg_notify(${channel}, ${payload})`.catch((error: unknown) => log.debug({ err: error }, 'a wake-up was lost'))
    },
    async end() {
      await Promise.all([sender.end({ timeout: 1 }).catch(() => {}), listener.end({ timeout: 1 }).catch(() => {})])
    },
  }
}

async function redisLine(url: string, receive: (payload: string) => void, resync: () => void, log: Logger): Promise<Line> {
  // Tuned so that a Redis that is away costs a failed wake-up and not eight seconds of a call.
  const options = { maxRetriesPerRequest: 1, connectTimeout: 1_000, commandTimeout: 500, enableOfflineQueue: false, lazyConnect: true }
  const sender = new Redis(url, options)
  const listener = new Redis(url, { ...options, autoResubscribe: true, commandTimeout: 5_000, enableOfflineQueue: true })
  for (const client of [sender, listener]) client.on('error', (error) => log.debug({ err: error }, 'redis'))
  listener.on('message', (_channel, payload) => receive(payload))
  listener.on('ready', resync)
  await Promise.all([sender.connect().catch(() => {}), listener.connect().catch(() => {})])
  await listener.subscribe(channel).catch(() => {})
  return {
    isUp: () => sender.status === 'ready' && listener.status === 'ready',
    send(payload) {
      sender.publish(channel, payload).catch((error: unknown) => log.debug({ err: error }, 'a wake-up was lost'))
    },
    async end() {
      sender.disconnect()
      listener.disconnect()
    },
  }
}
