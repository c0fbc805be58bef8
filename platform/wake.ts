/**
 * Waking of waiters after a commit: this process's at once, the others' by Redis where one is named, else or while it is away by NOTIFY, at most every
 * 20 ms under load. A lost wake-up costs only time, because every waiter also looks again by itself.
 */
import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'

import postgres from 'postgres'

import { connectionOptions } from './db/pool.ts'
import type { Logger } from './log.ts'
import { openRedis, type RedisLink } from './redis.ts'

const channel = 'fieldloop_wake'
const gatherMs = 20
const maxPayload = 7_000

export interface Wake {
  /** Tells every process that something about the topic was committed: `conversation:12`, `job:7`, `inbox:3`, `key:9`, `outbox`; `detail` says in a word or two what it was. */
  poke(topic: string, detail?: string): void
  /** Tells this process alone: of what it has found itself, and was not told. */
  stir(topic: string): void
  /**
   * Resolves at the next poke of the topic, or after `timeoutMs`, or when the signal aborts: whichever is first. Register before reading the
   * rows, or a commit between the two is only seen at the time-out.
   */
  listen(topic: string): { next(timeoutMs: number, signal?: AbortSignal): Promise<void>; close(): void }
  /** Calls back at each poke of the topic with its detail, and without one at each reconnection of the line between the processes. */
  subscribe(topic: string, callback: (detail?: string) => void): () => void
  /** Whether Redis carries wake-ups both ways now; false where none is named. */
  isOnRedis(): boolean
  end(): Promise<void>
}

interface Line {
  send(topics: string): void
  end(): Promise<void>
}

export interface WakeOptions {
  readonly directUrl: string
  /** Where wake-ups go out by Redis, with the address to hear them at. */
  readonly redis: { readonly commands: RedisLink; readonly url: string } | undefined
  readonly log: Logger
}

/** Opens the lines between processes. */
export async function createWake(options: WakeOptions): Promise<Wake> {
  const { log, redis } = options
  const topics = new EventEmitter()
  topics.setMaxListeners(0)
  const gathered = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  // Not by the wall clock, which may be set back by an hour, and would then hold back every wake-up for as long.
  let lastSent = -gatherMs

  // The line brings back what this process sent, which its own waiters have heard already.
  const self = randomUUID()
  const tell = (one: string) => {
    const [topic = '', detail] = one.split('\t')
    topics.emit(topic, detail)
  }
  const receive = (payload: string) => {
    const [sender, ...poked] = payload.split('\n')
    if (sender !== self) for (const one of poked) tell(one)
  }
  // After a gap anything may have been missed: everyone looks again.
  const resync = () => {
    for (const topic of topics.eventNames()) topics.emit(topic)
  }
  // Everyone listens on both: whoever finds Redis away sends by the other one.
  const line = await postgresLine(options.directUrl, receive, resync, log)
  const heard = redis && (await openRedis({ url: redis.url, name: 'wake-ups', log, subscription: { channel, receive, resync } }))

  function send(payload: string): void {
    if (!redis?.commands.isUp()) return line.send(payload)
    redis.commands.send('publish', channel, payload).catch(() => line.send(payload))
  }

  function flush(): void {
    timer = undefined
    lastSent = performance.now()
    let payload = self
    for (const topic of gathered) {
      if (payload.length + topic.length > maxPayload) {
        send(payload)
        payload = self
      }
      payload += `\n${topic}`
    }
    gathered.clear()
    if (payload !== self) send(payload)
  }

  return {
    poke(topic, detail) {
      topics.emit(topic, detail)
      gathered.add(detail === undefined ? topic : `${topic}\t${detail}`)
      if (timer) return
      const since = performance.now() - lastSent
      if (since >= gatherMs) flush()
      else timer = setTimeout(flush, gatherMs - since)
    },
    stir: (topic) => void topics.emit(topic),
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
    isOnRedis: () => redis?.commands.isUp() === true && heard?.isUp() === true,
    async end() {
      if (timer) {
        clearTimeout(timer)
        flush()
      }
      await Promise.all([heard?.end(), line.end()])
    },
  }
}

async function postgresLine(url: string, receive: (payload: string) => void, resync: () => void, log: Logger): Promise<Line> {
  const sender = postgres(url, connectionOptions('fieldloop wake'))
  const listener = postgres(url, connectionOptions('fieldloop listen'))
  await listener.listen(channel, receive, resync)
  return {
    send(payload) {
      sender`select pg_notify(${channel}, ${payload})`.catch((error: unknown) => log.debug({ err: error }, 'a wake-up was lost'))
    },
    async end() {
      await Promise.all([sender.end({ timeout: 1 }).catch(() => {}), listener.end({ timeout: 1 }).catch(() => {})])
    },
  }
}
