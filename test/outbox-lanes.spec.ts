/** How the relay takes turns: between lanes, between tenants, and within a subject. Counted in errands, not in time. */
import { setImmediate as tick, setTimeout as pause } from 'node:timers/promises'

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { type Errand, type Lane, lanes } from '#platform/shapes/errands.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { batches, type CarryOut, type Relay, startRelay, type WaitingErrand } from '#server/worker/relay.ts'

import { gate, openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import type { World } from './support/world.ts'

let opened: PipelineWorld
let world: World
const relays: Relay[] = []
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ world } = opened)
})
beforeEach(() => world.sql`truncate platform.outbox`)
afterEach(() => Promise.all(relays.splice(0).map((relay) => relay.stop())))
afterAll(() => opened?.close())

const within = { timeout: 20_000, interval: 20 }

const startOf = (lane: Lane, tenantId: number, subject?: string): Errand => ({
  kind: 'start',
  lane,
  workflow: 'job',
  args: [{ tenantId, jobId: 1, attempt: 1 }],
  ...(subject === undefined ? {} : { subject }),
})

const emit = (errands: readonly Errand[], tenantId: number) =>
  inSystemTransaction(opened.platform.services, tenantId, ({ emitMany }) => emitMany(errands))

/** Puts errands of a tenant into a lane, as many as no test has the time to emit. */
async function flood(lane: Lane, tenantId: number, count: number): Promise<void> {
  const errand = { kind: 'start', workflow: 'job', args: [] }
  await world.sql`
    insert into platform.outbox (tenant_id, lane, errand) select ${tenantId}::int, ${lane}, ${world.sql.json(errand)} from generate_series(1, ${count}::int)`
}

/** A relay that notes what it carries, by lane; `carryOut` does more with it. */
function relay(carryOut: CarryOut = async () => {}): Record<Lane, WaitingErrand[]> {
  const carried: Record<Lane, WaitingErrand[]> = { people: [], triggers: [], bulk: [] }
  relays.push(
    startRelay(opened.platform.services, async (errand) => {
      carried[errand.lane].push(errand)
      await carryOut(errand)
    }),
  )
  return carried
}

const placeOf = (carried: readonly WaitingErrand[], tenantId: number) => carried.findIndex((one) => one.tenantId === tenantId)

describe('a flood of one tenant', () => {
  it.each(lanes)('of 10,000 in %s lets another tenant’s errand of any lane go with the first ones', async (flooded) => {
    await flood(flooded, 1, 10_000)
    for (const lane of lanes) await flood(lane, 2, 1)
    const carried = relay()
    for (const lane of lanes) await expect.poll(() => placeOf(carried[lane], 2), within).toBeGreaterThanOrEqual(0)
    for (const lane of lanes) expect(placeOf(carried[lane], 2)).toBeLessThan(2 * batches[lane])
    await expect.poll(() => placeOf(carried[flooded], 1), within).toBeGreaterThanOrEqual(0)
  })

  it('that is under way lets what another commits meanwhile go next', async () => {
    const { tenantId } = world.tenant
    await flood('bulk', 999, 10_000)
    const [deep, held] = [3 * batches.bulk, gate()]
    const carried = relay(async () => {
      if (carried.bulk.length !== deep) return
      held.reach()
      await held.opened
    })
    await held.reached
    const before = carried.bulk.length
    await emit([startOf('bulk', tenantId)], tenantId)
    held.open()
    await expect.poll(() => placeOf(carried.bulk, tenantId), within).toBeGreaterThanOrEqual(before)
    expect(placeOf(carried.bulk, tenantId)).toBeLessThan(before + 2 * batches.bulk)
  })

  it('and of a thousand others gives each a turn before anybody has a third one', async () => {
    await flood('triggers', 1, 5_000)
    await world.sql`
      insert into platform.outbox (tenant_id, lane, errand)
      select 2 + place % 999, 'triggers', '{"kind": "start", "workflow": "job", "args": []}' from generate_series(1, 2997) place`
    const carried = relay()
    await expect.poll(() => new Set(carried.triggers.map(({ tenantId }) => tenantId)).size, within).toBe(1_000)
    const turns = new Map<number, number>()
    for (const { tenantId } of carried.triggers) {
      turns.set(tenantId, (turns.get(tenantId) ?? 0) + 1)
      if (turns.size === 1_000) break
    }
    expect(Math.max(...turns.values())).toBeLessThanOrEqual(2)
  })
})

describe('a subject', () => {
  it('goes in its order and one at a time, whatever number of relays carries it', async () => {
    const { tenantId } = world.tenant
    const subjects = Array.from({ length: 12 }, (_, index) => `subject:${index}`)
    const perSubject = 8
    const errands = Array.from({ length: perSubject }, () => subjects.map((subject) => startOf('people', tenantId, subject))).flat()
    await emit(errands, tenantId)
    const rows = await world.sql<{ outboxId: number; subject: string }[]>`select outbox_id::int, subject from platform.outbox order by 1`
    const subjectOf = new Map(rows.map(({ outboxId, subject }) => [outboxId, subject]))
    const onTheirWay = new Set<string>()
    const broken: string[] = []
    const done = new Map<string, number[]>(subjects.map((subject) => [subject, []]))
    const carry: CarryOut = async ({ outboxId }) => {
      const subject = subjectOf.get(outboxId) ?? ''
      if (onTheirWay.has(subject)) broken.push(subject)
      onTheirWay.add(subject)
      for (let turn = 0; turn <= outboxId % 5; turn++) await tick()
      onTheirWay.delete(subject)
      done.get(subject)?.push(outboxId)
    }
    relay(carry)
    relay(carry)
    await expect.poll(() => [...done.values()].flat().length, within).toBe(errands.length)
    expect(broken).toEqual([])
    for (const ids of done.values()) expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })

  it('whose oldest is refused waits for it, others of its tenant do not, and the next goes once it is given up', async () => {
    const { tenantId } = world.tenant
    await emit([startOf('people', tenantId, 'stuck'), startOf('people', tenantId, 'stuck'), startOf('people', tenantId, 'free')], tenantId)
    const [stuck, behind, free] = await world.sql<{ outboxId: number }[]>`select outbox_id::int from platform.outbox order by 1`
    let tries = 0
    const carried = relay(async ({ outboxId }) => {
      if (outboxId !== stuck?.outboxId) return
      // The next try is the last one.
      if (++tries === 2) await world.sql`update platform.outbox set attempts = 49 where outbox_id = ${outboxId}`
      throw new Error('No')
    })
    const ids = () => carried.people.map(({ outboxId }) => outboxId)
    await expect.poll(ids, within).toContain(free?.outboxId)
    expect(ids()).not.toContain(behind?.outboxId)
    await expect.poll(ids, within).toContain(behind?.outboxId)
    expect(tries).toBe(3)
    const [dead] =
      await world.sql`select dead_at is not null as is_dead, last_error from platform.outbox where outbox_id = ${stuck?.outboxId ?? 0}`
    expect(dead).toEqual({ isDead: true, lastError: 'Refused' })
  })
})

describe('a relay', () => {
  it('gives Temporal as much time for what it started in masses as the start took', async () => {
    await flood('triggers', 1, 3 * batches.triggers)
    const slowMs = 100
    const begun: number[] = []
    const carried = relay(async () => {
      begun.push(performance.now())
      // A Temporal that takes so long to answer.
      await pause(slowMs)
    })
    await expect.poll(() => carried.triggers.length, within).toBe(3 * batches.triggers)
    const starts = [0, 1, 2].map((batch) => begun[batch * batches.triggers] ?? 0)
    for (const batch of [1, 2]) expect((starts[batch] ?? 0) - (starts[batch - 1] ?? 0)).toBeGreaterThan(1.9 * slowMs)
  })

  it('carries out what another had leased when it was killed', async () => {
    await flood('triggers', 1, 3)
    await world.sql`update platform.outbox set lease_owner = 'gone', attempts = 1, next_at = now() + interval '300 milliseconds'`
    const carried = relay()
    await expect.poll(() => carried.triggers.length, within).toBe(3)
    expect(carried.triggers.map(({ attempts }) => attempts)).toEqual([2, 2, 2])
  })

  it('leaves what waits alone while Temporal is away, and goes on where it was', async () => {
    await flood('bulk', 1, 200)
    let isAway = true
    const tried = gate()
    const carried = relay(async () => {
      tried.reach()
      if (isAway) throw new AppError('unavailable', 'Not yet.')
    })
    await tried.reached
    await expect
      .poll(async () => (await world.sql`select from platform.outbox where next_at is not null`).length, within)
      .toBe(batches.bulk)
    isAway = false
    await expect.poll(async () => (await world.sql`select from platform.outbox where sent_at is null`).length, within).toBe(0)
    const tries = new Map<number, number>()
    for (const { outboxId } of carried.bulk) tries.set(outboxId, (tries.get(outboxId) ?? 0) + 1)
    expect(tries.size).toBe(200)
  })

  it('finds what a commit has left whose wake-up was lost', async () => {
    const carried = relay()
    await flood('people', 1, 1)
    await expect.poll(() => carried.people.length, within).toBe(1)
    await flood('people', 1, 1)
    await expect.poll(() => carried.people.length, within).toBe(2)
  })
})
