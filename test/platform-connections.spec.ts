/** Connections that go in the middle of a transaction: nothing of it commits, nothing of it is sent again, and nobody waits for ever. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import postgres from 'postgres'

import { connectionOptions } from '#platform/db/pool.ts'
import { toProblem } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Platform } from '#platform/platform.ts'

import { gate, openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { steps } from './support/test-operations.ts'
import type { World } from './support/world.ts'

let opened: PipelineWorld
let world: World
let platform: Platform
let open: PipelineWorld['open']
let call: PipelineWorld['call']
let effects: PipelineWorld['effects']
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ world, platform, open, call, effects } = opened)
})
afterAll(() => opened?.close())
afterEach(() => steps.clear())

describe('a connection that is lost in the middle of a handler', () => {
  /** One connection, so that whatever comes next gets the one that was lost. */
  let narrow: Platform
  beforeAll(async () => {
    narrow = await open({ DATABASE_POOL: '1' })
  })

  async function backendOf({ tx }: TxContext): Promise<number> {
    const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid ?? 0
  }

  async function kill(pid: number): Promise<void> {
    await world.sql`select pg_terminate_backend(${pid})`
    await expect.poll(async () => (await world.sql`select 1 from pg_stat_activity where pid = ${pid}`).length).toBe(0)
  }

  it('commits nothing of it, answers 503, and the next call works', async () => {
    steps.set('killed', async (context) => kill(await backendOf(context)))
    await expect(call('write_twice', { label: 'killed' }, { on: narrow })).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 1,
    })
    expect(await call('write_twice', { label: 'after' }, { on: narrow })).toMatchObject({ attempt: 1 })
    expect(await effects('killed')).toBe(0)
    expect(await effects('after')).toBe(2)
  })

  it('ends a statement under way as well', async () => {
    steps.set('asleep', async (context) => {
      const pid = await backendOf(context)
      await Promise.all([context.tx`select pg_sleep(20)`, kill(pid)])
    })
    await expect(call('write_twice', { label: 'asleep' }, { on: narrow })).rejects.toMatchObject({ code: 'unavailable' })
    expect(await effects('asleep')).toBe(0)
    await call('list_users', {}, { on: narrow })
  })

  it('sends nothing again that was waiting behind a statement', async () => {
    for (let round = 0; round < 5; round++) {
      steps.set('queued', async (context) => {
        const pid = await backendOf(context)
        // The first statement of its kind is described before it runs, and what comes after it waits in the client for that.
        const first = context.tx.unsafe(`select pg_sleep($1) as round_${round}`, [20])
        const behind = Array.from(
          { length: 3 },
          (_, n) => context.tx`insert into platform.test_unfenced (label) values (${`queued ${round} ${n}`})`,
        )
        await Promise.all([first, ...behind, kill(pid)])
      })
      await expect(call('write_twice', { label: 'queued' }, { on: narrow })).rejects.toMatchObject({ code: 'unavailable' })
    }
    // Whatever was sent again would come before these.
    for (let n = 0; n < 3; n++) await call('write_twice', { label: 'after queued' }, { on: narrow })
    expect(await world.sql`select label from platform.test_unfenced`).toEqual([])
    expect(await effects('queued')).toBe(0)
    expect(narrow.services.databases.app.stats()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it('settles every statement, however the connection goes, and gives its place in the pool back', async () => {
    for (let round = 0; round < 60; round++) {
      steps.set('reset', async (context) => {
        const pid = await backendOf(context)
        await Promise.all([context.tx`select pg_sleep(20)`, world.sql`select pg_terminate_backend(${pid})`])
      })
      await expect(call('write_twice', { label: 'reset' }, { on: narrow })).rejects.toMatchObject({ code: 'unavailable' })
    }
    expect(await effects('reset')).toBe(0)
    expect(narrow.services.databases.app.stats()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it('keeps every call whole while backends are killed all the time', async () => {
    const victims = await open({ DATABASE_POOL: '3' })
    const until = performance.now() + 40_000
    let kills = 0
    const answered: string[] = []
    const failures = new Set<string>()
    const goesOn = () => (kills <= 100 || answered.length <= 10 || failures.size === 0) && performance.now() < until
    const killer = async () => {
      while (goesOn()) {
        const killed = await world.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'fieldloop' and usename = 'fieldloop_app' and datname = current_database() order by random() limit 1`
        kills += killed.length
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const caller = async (name: string) => {
      for (let n = 0; goesOn(); n++) {
        const label = `storm ${name} ${n}`
        // Several statements on their way at once, as a handler sends them.
        steps.set(label, async ({ tx, tenantId }) => {
          await Promise.all(
            [1, 2, 3].map(
              (row) => tx`insert into platform.test_effect (tenant_id, label) values (${tenantId}, ${label}) returning ${row}::int`,
            ),
          )
        })
        await call('write_twice', { label }, { on: victims }).then(
          () => answered.push(label),
          (error: { code: string }) => failures.add(error.code),
        )
        steps.delete(label)
      }
    }
    await Promise.all([killer(), ...['a', 'b', 'c', 'd', 'e'].map(caller)])
    expect(kills).toBeGreaterThan(100)
    expect(answered.length).toBeGreaterThan(10)
    expect([...failures]).toEqual(['unavailable'])
    const kept = await world.sql<{ label: string; rows: number }[]>`
      select label, count(*)::int as rows from platform.test_effect where label like 'storm %' group by label`
    expect(kept.filter(({ rows }) => rows !== 5)).toEqual([])
    const labels = new Set(kept.map(({ label }) => label))
    expect(answered.filter((label) => !labels.has(label))).toEqual([])
    expect(victims.services.databases.app.stats()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it("never writes into another caller's transaction, however long the handler goes on", async () => {
    const { reached, reach, opened, open: letGo } = gate()
    const late: unknown[] = []
    steps.set('ghost', async (context) => {
      await kill(await backendOf(context))
      reach()
      await opened
      // As a handler that did not notice: each of these must be refused before it reaches a connection.
      const write = async () => context.tx`insert into platform.test_effect (tenant_id, label) values (${context.tenantId}, 'ghost')`
      for (let n = 0; n < 3; n++) late.push(await write().catch((error: unknown) => error))
    })
    const ghost = call('write_twice', { label: 'ghost' }, { on: platform }).catch((error: unknown) => error)
    await reached
    const { reached: inside, reach: enter, opened: closing, open: close } = gate()
    steps.set('neighbour', async () => {
      enter()
      await closing
    })
    const neighbours = ['neighbour', 'other1', 'other2'].map((label) => call('write_twice', { label }))
    await inside
    letGo()
    expect(await ghost).toMatchObject({ code: 'unavailable' })
    close()
    await Promise.all(neighbours)
    expect(late).toEqual([1, 2, 3].map(() => expect.objectContaining({ code: 'unavailable' })))
    expect(await effects('ghost')).toBe(0)
    expect(await effects('neighbour')).toBe(2)
    expect(await call('write_twice', { label: 'ghostless' })).toMatchObject({ attempt: 1 })
    expect(await effects('ghost')).toBe(0)
  })

  it('ends a transaction that takes too long, idle or busy, without a crash or a late commit', async () => {
    // Once it runs, the clock of the role's own limit is only changed by stopping it.
    const limit = async ({ tx }: TxContext) => {
      await tx.unsafe('set local transaction_timeout = 0')
      await tx.unsafe(`set local transaction_timeout = '200ms'`)
    }
    steps.set('idle', async (context) => {
      await limit(context)
      const pid = await backendOf(context)
      await expect.poll(async () => (await world.sql`select 1 from pg_stat_activity where pid = ${pid}`).length).toBe(0)
    })
    steps.set('long', async (context) => {
      await limit(context)
      await context.tx`select pg_sleep(20)`
    })
    for (const label of ['idle', 'long']) {
      const error = await call('write_twice', { label }, { on: narrow }).catch((thrown: unknown) => thrown)
      expect(toProblem(error, 'r'), label).toMatchObject({ status: 503 })
      expect(error, label).toMatchObject({ retryAfterSeconds: expect.any(Number) })
      expect(await call('write_twice', { label: `after ${label}` }, { on: narrow })).toMatchObject({ attempt: 1 })
      expect(await effects(label)).toBe(0)
    }
  })

  it('has limits on the roles, so that no call holds back every reader for long', async () => {
    const app = postgres(world.urls.app, connectionOptions('test'))
    try {
      const [limits] = await app`
        select current_setting('transaction_timeout') as transaction, current_setting('idle_in_transaction_session_timeout') as idle,
          current_setting('lock_timeout') as lock`
      expect(limits).toEqual({ transaction: '30s', idle: '15s', lock: '10s' })
    } finally {
      await app.end()
    }
  })
})
