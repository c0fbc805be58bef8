/** What a turn of the relay costs against what waits: the same claim on one PostgreSQL, in databases that differ in nothing else. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'

import { migrate } from '#platform/db/migrate.ts'
import { createPool, type Pool } from '#platform/db/pool.ts'
import { transact } from '#platform/db/transaction.ts'
import { createLog } from '#platform/log.ts'
import { startEmbeddedPostgres } from '#server/boot/postgres.ts'
import { leaseErrands, markSent, pickErrands, type WaitingTurn } from '#server/worker/outbox.store.ts'

import { onDatabase } from './ground.ts'
import { median } from './statistics.ts'

export interface ClaimResult {
  readonly name: string
  /** Milliseconds to pick, lease and end a batch. */
  readonly ms: number
  /** To the same with a thousand waiting. */
  readonly ratio: number
  readonly aim: number | undefined
}

interface Backlog {
  readonly name: string
  readonly waiting: number
  readonly tenants: number
  /** So many were carried out before, and a transaction that is still open keeps them in the index. */
  readonly behind?: number
  readonly aim?: number
}

const backlogs: readonly Backlog[] = [
  { name: '1,000 waiting, of one tenant', waiting: 1_000, tenants: 1 },
  { name: '20,000 waiting, of one tenant', waiting: 20_000, tenants: 1, aim: 1.5 },
  { name: '100,000 waiting, of one tenant', waiting: 100_000, tenants: 1, aim: 1.5 },
  { name: '100,000 waiting, of 1,000 tenants', waiting: 100_000, tenants: 1_000, aim: 1.5 },
  { name: '1,000 waiting, behind 100,000 that a transaction keeps in the index', waiting: 1_000, tenants: 1, behind: 100_000, aim: 1.5 },
]

const lane = 'bulk'
const batch = 16
const rounds = 50

interface Prepared {
  readonly backlog: Backlog
  readonly pool: Pool
  turns: WaitingTurn[]
}

/** Takes a batch as the relay does, and goes on behind it the next time. */
async function claim(one: Prepared): Promise<number> {
  const from = performance.now()
  const picked = await transact(one.pool, { tenantId: null }, async ({ tx }) => {
    const found = await pickErrands(tx, lane, one.turns, batch / one.turns.length)
    const leased = await leaseErrands(
      tx,
      'bench',
      found.map(({ outboxId }) => outboxId),
    )
    if (leased.length !== batch) throw new Error(`A claim took ${leased.length} errands`)
    return found
  })
  await transact(one.pool, { tenantId: null }, ({ tx }) =>
    markSent(
      tx,
      'bench',
      picked.map(({ outboxId }) => outboxId),
    ),
  )
  const took = performance.now() - from
  const ends = new Map(picked.map(({ tenantId, outboxId }) => [tenantId, outboxId + 1]))
  one.turns = one.turns.map((turn) => ({ ...turn, fromId: ends.get(turn.tenantId) ?? turn.fromId }))
  return took
}

export async function measureClaims(): Promise<ClaimResult[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fieldloop-bench-outbox-'))
  const undo: (() => Promise<unknown>)[] = [() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 })]
  try {
    const log = createLog('error')
    const database = await startEmbeddedPostgres({ dataDir, log })
    undo.push(() => database.stop())
    const urls = await migrate({ ownerUrl: database.url, secretsKey: randomBytes(32), log })
    const admin = postgres(database.superuserUrl, { max: 1, onnotice: () => {} })
    undo.push(() => admin.end({ timeout: 1 }))
    const prepared: Prepared[] = []
    for (const [place, backlog] of backlogs.entries()) {
      const name = `outbox_${place}`
      await admin.unsafe(`create database ${name} template fieldloop`)
      const owner = postgres(onDatabase(database.superuserUrl, name), { max: 2, onnotice: () => {} })
      undo.push(() => owner.end({ timeout: 1 }))
      const firstId = await fill(owner, backlog)
      const pool = createPool({ url: onDatabase(urls.lookup, name), name, size: 1, log })
      undo.push(() => pool.end(1))
      const tenants = Math.min(backlog.tenants, batch)
      prepared.push({
        backlog,
        pool,
        turns: Array.from({ length: tenants }, (_, index) => ({ lane, tenantId: index + 1, fromId: firstId })),
      })
    }
    const times = new Map<Prepared, number[]>(prepared.map((one) => [one, []]))
    for (let round = -5; round < rounds; round++)
      for (const one of prepared) {
        const took = await claim(one)
        if (round >= 0) times.get(one)?.push(took)
      }
    const found = prepared.map((one) => ({ ...one.backlog, ms: median(times.get(one) ?? []) }))
    const least = found[0]?.ms ?? Number.NaN
    return found.map(({ name, ms, aim }) => ({ name, ms, ratio: ms / least, aim }))
  } finally {
    for (const step of undo.toReversed()) await step().catch(() => {})
  }
}

/** Fills the outbox; answers the first id that waits. */
async function fill(owner: postgres.Sql, { waiting, tenants, behind = 0 }: Backlog): Promise<number> {
  const add = (count: number) => owner`
    insert into platform.outbox (tenant_id, lane, subject, errand)
    select 1 + place % ${tenants}::int, ${lane}, 'job:' || place, '{"kind": "start", "workflow": "job", "args": []}'
    from generate_series(1, ${count}::int) place`
  if (behind > 0) {
    const holder = await owner.reserve()
    await holder`begin isolation level repeatable read`
    await holder`select 1 from pg_class limit 1`
    await add(behind)
    await owner`update platform.outbox set next_at = now()`
    await owner`update platform.outbox set next_at = null, sent_at = now()`
  }
  await add(waiting)
  const [row] = await owner<{ id: number }[]>`select min(outbox_id)::int as id from platform.outbox where sent_at is null`
  return row?.id ?? 0
}
