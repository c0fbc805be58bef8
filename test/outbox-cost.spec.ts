/** What a claim of the relay costs: pages that PostgreSQL looks at, which the load of the machine does not change. */
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { createPool, type OnStatement, type Pool, type Tx } from '#platform/db/pool.ts'
import { transact } from '#platform/db/transaction.ts'
import { createLog } from '#platform/log.ts'
import { createOutlook } from '#server/worker/outlook.ts'
import { leaseErrands, listTurns, markSent, pickErrands, reviveErrands, type WaitingTurn } from '#server/worker/outbox.store.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

/** A connection of the look-up role, which keeps what it was asked. */
let pool: Pool
let asked: { text: string; parameters: readonly unknown[] }[] = []
beforeAll(() => {
  const onStatement: OnStatement = (text, parameters) => void asked.push({ text, parameters })
  pool = createPool({ url: world.urls.lookup, name: 'cost', size: 1, log: createLog('silent'), onStatement })
})
beforeEach(() => world.sql`truncate platform.outbox`)
afterAll(() => pool?.end())

const lookUp = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => transact(pool, { tenantId: null }, ({ tx }) => work(tx))

interface Plan {
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
}

/** The pages of the statements of `work` that read the outbox, each planned for any values, as a prepared statement comes to be. */
async function pagesOf(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  asked = []
  await lookUp(work)
  const statements = asked.filter(({ text }) => text.includes('platform.outbox'))
  expect(statements.length).toBeGreaterThan(0)
  let pages = 0
  // All of them in one transaction that is rolled back, each after those before it.
  const tx = await world.sql.reserve()
  try {
    await tx`begin`
    await tx`set local plan_cache_mode = force_generic_plan`
    for (const { text, parameters } of statements) {
      // Numbers, lanes and intervals of the test itself.
      const values = parameters.map((value) => `'${String(value)}'`).join(', ')
      await tx.unsafe(`prepare costly as ${text}`)
      const [row] = await tx.unsafe<Record<string, [{ Plan: Plan }] | undefined>[]>(
        `explain (analyze, buffers, format json) execute costly${values === '' ? '' : `(${values})`}`,
      )
      await tx.unsafe('deallocate costly')
      const [answer] = Object.values(row ?? {})
      if (!answer) throw new Error('A plan was asked for and not answered')
      pages += answer[0].Plan['Shared Hit Blocks'] + answer[0].Plan['Shared Read Blocks']
    }
  } finally {
    await tx`rollback`
    tx.release()
  }
  return pages
}

const errand = { kind: 'start', workflow: 'job', args: [] }

async function fill(count: number, tenants: number, subject: string | null = null): Promise<void> {
  await world.sql`
    insert into platform.outbox (tenant_id, lane, subject, errand)
    select 1 + place % ${tenants}::int, 'bulk', ${subject}::text || place, ${world.sql.json(errand)} from generate_series(1, ${count}::int) place`
}

/** Has every row carried out, as relays do it: a lease, then an end. */
async function carryAll(): Promise<void> {
  await world.sql`update platform.outbox set next_at = now(), lease_owner = 'x' where sent_at is null`
  await world.sql`update platform.outbox set next_at = null, lease_owner = null, sent_at = now() where sent_at is null`
}

const turn = (tenantId: number, fromId = 0): WaitingTurn => ({ lane: 'bulk', tenantId, fromId })

/** Picks, leases and ends 16 errands, as one turn of a lane does. */
async function claim(tx: Tx, turns: readonly WaitingTurn[]): Promise<void> {
  const picked = await pickErrands(tx, 'bulk', turns, Math.floor(16 / turns.length))
  expect(picked).not.toEqual([])
  const ids = picked.map(({ outboxId }) => outboxId)
  await leaseErrands(tx, 'me', ids)
  await markSent(tx, 'me', ids)
}

/** Longer than any of the claims: what is dead stays in the indexes. */
async function behindALongTransaction(work: () => Promise<void>): Promise<void> {
  const holder = postgres(world.urls.owner, { max: 1, onnotice: () => {} })
  try {
    await holder.begin('isolation level repeatable read', async (tx) => {
      await tx`select 1 from pg_class limit 1`
      await work()
    })
  } finally {
    await holder.end()
  }
}

describe('a claim', () => {
  it.each([
    ['one tenant', 1, [turn(1)]],
    ['a thousand tenants', 1_000, Array.from({ length: 16 }, (_, index) => turn(index + 1))],
  ] as const)('costs the same however much waits, of %s', async (_, tenants, turns) => {
    const costs: number[] = []
    for (const count of [1_000, 20_000, 100_000]) {
      await world.sql`truncate platform.outbox`
      await fill(count, tenants, 'subject ')
      costs.push(await pagesOf((tx) => claim(tx, turns)))
    }
    const [few = 0, , many = Infinity] = costs
    // The indexes are a level deeper, and each is entered some times.
    expect(many).toBeLessThan(few * 1.5 + 100)
  })

  it('costs no more behind 100,000 errands that were put off', async () => {
    await world.sql`
      insert into platform.outbox (tenant_id, lane, errand, next_at)
      select 1, 'bulk', ${world.sql.json(errand)}, now() + interval '1 minute' from generate_series(1, 100000)`
    await fill(32, 1)
    expect(await pagesOf((tx) => claim(tx, [turn(1)]))).toBeLessThan(300)
  })

  it('costs no more behind 100,000 that were carried out while a long transaction keeps them in the index', async () => {
    await behindALongTransaction(async () => {
      await fill(100_000, 1)
      await carryAll()
      const [last] = await world.sql<{ id: number }[]>`select max(outbox_id)::int as id from platform.outbox`
      await fill(16, 1)
      const fromId = (last?.id ?? 0) + 1
      const pick = (from: number) => pagesOf((tx) => pickErrands(tx, 'bulk', [turn(1, from)], 16))
      // They are there: whoever begins at the first one pays for them.
      expect(await pick(0)).toBeGreaterThan(1_000)
      expect(await pick(fromId)).toBeLessThan(100)
      const list = (from: number) => pagesOf((tx) => listTurns(tx, 'bulk', { fromId: from, afterTenantId: 0 }))
      expect(await list(0)).toBeGreaterThan(1_000)
      expect(await list(fromId)).toBeLessThan(100)
    })
  })
})

describe('an outlook', () => {
  it('begins each look where the last one ended, so that what was carried out costs nothing more', async () => {
    const noted: WaitingTurn[] = []
    const outlook = createOutlook({ lookUp }, (turns) => void noted.push(...turns))
    await behindALongTransaction(async () => {
      await fill(100_000, 1)
      await outlook.look()
      expect(noted).toMatchObject([{ lane: 'bulk', tenantId: 1 }])
      await carryAll()
      await outlook.look()
      const [last] = await world.sql<{ id: number }[]>`select max(outbox_id)::int as id from platform.outbox`
      expect(outlook.floor()).toBe((last?.id ?? 0) + 1)
      await fill(1, 2)
      noted.length = 0
      expect(await pagesOf((tx) => listTurns(tx, 'bulk', { fromId: outlook.floor(), afterTenantId: 0 }))).toBeLessThan(100)
      await outlook.look()
      expect(noted).toMatchObject([{ lane: 'bulk', tenantId: 2 }])
    })
  })

  it('does not go past what a transaction has written that is still open', async () => {
    const noted: WaitingTurn[] = []
    const outlook = createOutlook({ lookUp }, (turns) => void noted.push(...turns))
    const slow = postgres(world.urls.owner, { max: 1, onnotice: () => {} })
    try {
      const open = await slow.reserve()
      await open`begin`
      const [early] = await open<{ id: number }[]>`
        insert into platform.outbox (tenant_id, lane, errand) values (5, 'people', ${world.sql.json(errand)}) returning outbox_id::int as id`
      await fill(10, 1)
      for (let look = 0; look < 3; look++) await outlook.look()
      expect(outlook.floor()).toBeLessThanOrEqual(early?.id ?? 0)
      expect(noted.map(({ tenantId }) => tenantId)).not.toContain(5)
      await open`commit`
      open.release()
      await outlook.look()
      expect(noted).toContainEqual({ lane: 'people', tenantId: 5, fromId: early?.id })
    } finally {
      await slow.end()
    }
  })

  it('lets go what is due at a price that does not grow with what was', async () => {
    await behindALongTransaction(async () => {
      await fill(100_000, 1)
      await world.sql`update platform.outbox set next_at = now() - interval '1 hour'`
      await world.sql`update platform.outbox set next_at = null, sent_at = now()`
      await fill(1, 1)
      await world.sql`update platform.outbox set next_at = now() where sent_at is null`
      const since = new Date(Date.now() - 5_000).toISOString()
      expect(await pagesOf((tx) => reviveErrands(tx, undefined))).toBeGreaterThan(1_000)
      await world.sql`update platform.outbox set next_at = now() where sent_at is null`
      expect(await pagesOf((tx) => reviveErrands(tx, since))).toBeLessThan(100)
    })
  })
})

// Last: what PostgreSQL was made to believe stays.
describe('a claim of a flood that statistics know nothing of', () => {
  it.each([
    ['nearly everything was carried out', carryAll],
    [
      'hardly anything is there',
      async () => {
        await world.sql`truncate platform.outbox`
      },
    ],
  ])('goes through what waits a few times at most where PostgreSQL last saw that %s', async (_, before) => {
    await fill(20_000, 1, 'subject ')
    await before()
    await world.sql`analyze platform.outbox`
    await fill(100_000, 1_000, 'subject ')
    const [first] = await world.sql<{ id: number }[]>`select min(outbox_id)::int as id from platform.outbox where sent_at is null`
    const turns = Array.from({ length: 16 }, (_turn, index) => turn(index + 1, first?.id))
    const [size] = await world.sql<{ pages: number }[]>`
      select (pg_relation_size('platform.outbox') / current_setting('block_size')::int)::int as pages`
    expect(await pagesOf((tx) => claim(tx, turns))).toBeLessThan((size?.pages ?? 0) * 4)
  })
})
