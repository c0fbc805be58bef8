/** Two processes' platforms over a real Redis: what it carries, and that nobody waits for it when it is away. Skipped where no Redis can be had. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Platform } from '#platform/platform.ts'

import { eventually } from './support/patience.ts'
import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { hasRedis, openRedisServer, type TestRedis } from './support/redis.ts'

/** What a wake-up over PostgreSQL or Redis takes at most on a busy machine; a waiter that is not woken looks by itself after 25 seconds. */
const promptMs = 15_000

describe.skipIf(!hasRedis)('two processes with a Redis (skipped where none can be had)', () => {
  let redis: TestRedis
  let opened: PipelineWorld
  let here: Platform
  let there: Platform
  beforeAll(async () => {
    redis = await openRedisServer()
    opened = await openPipelineWorld()
    // Opened while Redis is still away: a start does not wait for it.
    const began = performance.now()
    here = await opened.open({ REDIS_URL: redis.url })
    there = await opened.open({ REDIS_URL: redis.url })
    expect(performance.now() - began).toBeLessThan(promptMs)
    expect(here.services.wake.isOnRedis()).toBe(false)
  })
  afterAll(async () => {
    await opened?.close()
    await redis?.close()
  })

  async function bothOn(): Promise<void> {
    await expect.poll(() => [here, there].map(({ services }) => services.wake.isOnRedis())).toEqual([true, true])
  }
  let isRunning = false
  beforeEach(async () => {
    if (!isRunning) await redis.start()
    isRunning = true
    await bothOn()
  })

  /** How long a wake-up took from here to there, in ms. */
  async function wake(topic: string): Promise<number> {
    const line = there.services.wake.listen(topic)
    const began = performance.now()
    const woken = line.next(25_000).then(() => performance.now() - began)
    here.services.wake.poke(topic)
    return woken.finally(() => line.close())
  }

  const call = (on: Platform) => opened.call('whoami', {}, { on })

  it('finds a Redis that comes after the start, and is heard by both', async () => {
    expect(await redis.ask('pubsub numsub fieldloop_wake')).toMatch(/fieldloop_wake\r\n:2$/)
  })

  it('wakes a waiter of the other process by Redis', async () => {
    const published = async () => Number(/cmdstat_publish:calls=(\d+)/.exec(await redis.ask('info commandstats'))?.[1] ?? 0)
    const count = await published()
    expect(await wake('conversation:1')).toBeLessThan(promptMs)
    expect(await published()).toBeGreaterThan(count)
  })

  it('counts the calls of a key over both processes', async () => {
    const narrow = { REDIS_URL: redis.url, CALLS_PER_MINUTE: '6' }
    const both = [await opened.open(narrow), await opened.open(narrow)]
    const key = await opened.world.tenant.keyWith(['DataView'])
    const taken: string[] = []
    for (let n = 0; n < 12; n++) {
      const on = both[n % 2] ?? here
      taken.push(
        await opened.call('whoami', {}, { on, key }).then(
          () => 'taken',
          (error: { code: string }) => error.code,
        ),
      )
    }
    expect(taken.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => 'taken'))
    expect(taken.filter((one) => one === 'rate_limited').length).toBeGreaterThanOrEqual(5)
  })

  it('holds a tenant to its records and its calls a minute over both processes, neither more nor less', async () => {
    const { world } = opened
    const limited = async (limits: object) => {
      const tenant = await world.newTenant()
      await world.sql`update platform.tenant set limits = ${world.sql.json({ ...limits })} where tenant_id = ${tenant.tenantId}`
      return tenant
    }
    const outcomes = async (times: number, act: (on: Platform, n: number) => Promise<unknown>) => {
      const found: string[] = []
      for (let n = 0; n < times; n++)
        found.push(
          await act([here, there][n % 2] ?? here, n).then(
            () => 'taken',
            (error: { code: string }) => error.code,
          ),
        )
      return found
    }
    const times = (n: number, what: string) => Array.from({ length: n }, () => what)

    const stores = await limited({ records: 7 })
    await opened.call('create_entity', { internalName: 'Order' }, { on: here, key: stores.key })
    const save = (on: Platform, n: number) =>
      opened.call('save_instance', { entity: 'Order', key1: `K${n}`, data: {} }, { on, key: stores.key })
    expect(await outcomes(11, save)).toEqual([...times(7, 'taken'), ...times(4, 'conflict')])
    // What was deleted makes room for as many.
    await opened.call('delete_instances_bulk', { entity: 'Order', keys: [{ key1: 'K0' }, { key1: 'K1' }] }, { on: there, key: stores.key })
    expect(await outcomes(4, (on, n) => save(on, n + 20))).toEqual([...times(2, 'taken'), ...times(2, 'conflict')])

    const calls = await limited({ callsPerMinute: 4 })
    const keys = [await calls.keyWith(['DataView']), await calls.keyWith(['DataView'])]
    const found = await outcomes(10, (on, n) => opened.call('whoami', {}, { on, key: keys[n % 2] ?? '' }))
    expect(found.slice(0, 4)).toEqual(times(4, 'taken'))
    expect(found.filter((one) => one === 'rate_limited').length).toBeGreaterThanOrEqual(5)
  })

  it('sends wake-ups by PostgreSQL and goes on answering while Redis is gone, and takes Redis again when it is back', async () => {
    await redis.kill()
    isRunning = false
    await expect.poll(() => here.services.wake.isOnRedis()).toBe(false)
    expect(await wake('conversation:2')).toBeLessThan(promptMs)
    const began = performance.now()
    for (let n = 0; n < 20; n++) await call(here)
    expect(performance.now() - began).toBeLessThan(promptMs)
    await redis.start()
    isRunning = true
    await bothOn()
    expect(await wake('conversation:3')).toBeLessThan(promptMs)
  })

  it('is not slowed by a Redis that hangs: it counts as away after its first silence', async () => {
    redis.signal('SIGSTOP')
    try {
      // These find out; what comes after them must not pay again.
      await call(here)
      expect(await wake('conversation:4')).toBeLessThan(promptMs)
      expect(here.services.wake.isOnRedis()).toBe(false)
      const began = performance.now()
      for (let n = 0; n < 40; n++) await call(here)
      // Each of them would wait half a second for Redis.
      expect(performance.now() - began).toBeLessThan(promptMs)
      await expect.poll(() => there.services.wake.isOnRedis()).toBe(false)
    } finally {
      redis.signal('SIGCONT')
    }
    await bothOn()
  })

  it('refuses a revoked key in the other process at once, with Redis and without', async () => {
    for (const isAway of [false, true]) {
      const { apiKeyId, apiKey } = await opened.call('create_api_key', { name: 'leaked', roles: ['DataView'] }, { on: here })
      if (isAway) {
        await redis.kill()
        isRunning = false
        await expect.poll(() => here.services.wake.isOnRedis()).toBe(false)
      }
      const refusal = () =>
        opened.call('whoami', {}, { on: there, key: apiKey }).then(
          () => 'taken',
          (error: { code: string }) => error.code,
        )
      // What is remembered does not grow old, as expect.poll would have it do: only the word of the other process ends it.
      vi.useFakeTimers({ toFake: ['performance'] })
      try {
        expect(await refusal()).toBe('taken')
        await opened.call('revoke_api_key', { apiKeyId }, { on: here })
        await eventually(async () => (await refusal()) === 'unauthenticated', 'the end of the key')
      } finally {
        vi.useRealTimers()
      }
    }
  })
})
