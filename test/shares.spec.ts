/** Nobody takes more than its share: of connections, of bytes, of whatever callers wait for. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { createShares, type Share, type SharesOptions } from '#platform/shares.ts'

import { gate, openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { refused } from './support/refused.ts'
import { steps } from './support/test-operations.ts'

const sharesOf = (options: Partial<SharesOptions> = {}) =>
  createShares({ capacity: 4, reserve: 1, waitMs: 10_000, waitingOfCaller: 100, waitingInAll: 200, what: 'thing', ...options })

describe('a share', () => {
  afterEach(() => void vi.useRealTimers())

  /** Takes one, and keeps in `order` who got it when. */
  function takers(shares: ReturnType<typeof createShares>) {
    const order: string[] = []
    const held: Share[] = []
    const take = (caller: string, amount = 1) =>
      shares.take(caller, amount).then((share) => {
        order.push(caller)
        held.push(share)
      })
    return { order, held, take }
  }

  it('is everything for whoever is alone, and a lone caller waits for itself', async () => {
    const shares = sharesOf()
    const { order, held, take } = takers(shares)
    const flood = Array.from({ length: 6 }, () => take('flood'))
    await Promise.all(flood.slice(0, 4))
    expect(shares.stats()).toEqual({ taken: 4, waiting: 2 })
    held[0]?.release()
    held[0]?.release()
    await flood[4]
    expect(order.length).toBe(5)
    expect(shares.stats()).toEqual({ taken: 4, waiting: 1 })
    held[1]?.release()
    await flood[5]
  })

  it('is there at once for one that holds nothing, while another has all and a line behind it', async () => {
    const shares = sharesOf()
    const { order, take } = takers(shares)
    const flood = Array.from({ length: 50 }, () => take('flood'))
    await take('quiet')
    expect(order).toEqual(['flood', 'flood', 'flood', 'flood', 'quiet'])
    shares.close(new AppError('unavailable', 'The end of the test.'))
    await Promise.allSettled(flood)
  })

  it('that comes free goes to whoever holds least, not to whoever came first', async () => {
    const shares = sharesOf({ reserve: 0 })
    const { order, held, take } = takers(shares)
    const flood = Array.from({ length: 20 }, () => take('flood'))
    const quiet = [take('quiet'), take('quiet'), take('quiet')]
    await Promise.all(flood.slice(0, 4))
    for (const share of held.slice(0, 2)) share.release()
    await Promise.all(quiet.slice(0, 2))
    expect(order.slice(4)).toEqual(['quiet', 'quiet'])
    // Both hold two now, so what one gives back is its own again.
    held[2]?.release()
    await flood[4]
    held[4]?.release()
    await quiet[2]
    expect(order.slice(6)).toEqual(['flood', 'quiet'])
    shares.close(new AppError('unavailable', 'The end of the test.'))
    await Promise.allSettled([...flood, ...quiet])
  })

  it('is a part of it where one caller may not have all, and less while others come', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const shares = sharesOf({ ofCaller: { alone: 3, amongOthers: 2 } })
    const { order, held, take } = takers(shares)
    const flood = Array.from({ length: 9 }, () => take('flood'))
    await Promise.all(flood.slice(0, 3))
    expect(shares.stats()).toEqual({ taken: 3, waiting: 6 })
    await take('quiet')
    held[3]?.release()
    // Others were there just now: what comes back is not lent to the flood again until it has less than two.
    held[0]?.release()
    expect(shares.stats()).toEqual({ taken: 2, waiting: 6 })
    held[1]?.release()
    await flood[3]
    expect(shares.stats()).toEqual({ taken: 2, waiting: 5 })
    // Long alone again.
    vi.advanceTimersByTime(60_000)
    held[2]?.release()
    await Promise.all(flood.slice(4, 6))
    expect(shares.stats()).toEqual({ taken: 3, waiting: 3 })
    expect(order).toEqual(['flood', 'flood', 'flood', 'quiet', 'flood', 'flood', 'flood'])
    shares.close(new AppError('unavailable', 'The end of the test.'))
    await Promise.allSettled(flood)
  })

  it('that is large is not overtaken for ever by small ones, and one larger than everything is had alone', async () => {
    const shares = sharesOf({ reserve: 0 })
    const { order, held, take } = takers(shares)
    await take('one', 3)
    const large = take('large', 9)
    const small = take('small', 1)
    expect(shares.stats()).toEqual({ taken: 3, waiting: 2 })
    held[0]?.release()
    await large
    held[1]?.release()
    await small
    expect(order).toEqual(['one', 'large', 'small'])
  })

  it('that shrinks frees the rest for others', async () => {
    const shares = sharesOf({ reserve: 0 })
    const first = await shares.take('a', 4)
    const second = shares.take('b', 3)
    first.resize(1)
    expect(shares.stats()).toEqual({ taken: 4, waiting: 0 })
    ;(await second).release()
    first.release()
    first.resize(4)
    expect(shares.stats()).toEqual({ taken: 0, waiting: 0 })
  })

  it('is refused with a time to come back where the line is too long or the wait too great', async () => {
    const shares = sharesOf({ capacity: 1, reserve: 0, waitMs: 30, waitingOfCaller: 2, waitingInAll: 3 })
    const first = await shares.take('a')
    const waits = [shares.take('a'), shares.take('a')]
    await expect(shares.take('a')).rejects.toMatchObject({ ...refused('rate_limited', /2 calls/), retryAfterSeconds: 1 })
    waits.push(shares.take('b'))
    await expect(shares.take('c')).rejects.toMatchObject(refused('unavailable'))
    const outcomes = await Promise.allSettled(waits)
    expect(outcomes.map((one) => one.status === 'rejected' && one.reason)).toEqual(
      waits.map(() => expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 })),
    )
    first.release()
    expect(shares.stats()).toEqual({ taken: 0, waiting: 0 })
  })

  it('is no longer waited for by one who has left, nor after the end', async () => {
    const shares = sharesOf({ capacity: 1, reserve: 0 })
    const first = await shares.take('a')
    const gone = new AbortController()
    const left = shares.take('b', 1, gone.signal)
    gone.abort()
    await expect(left).rejects.toMatchObject({ code: 'unavailable' })
    const last = shares.take('c')
    shares.close(new AppError('unavailable', 'The end.'))
    await expect(last).rejects.toThrow('The end.')
    await expect(shares.take('d')).rejects.toThrow('The end.')
    first.release()
    expect(shares.stats()).toEqual({ taken: 0, waiting: 0 })
  })
})

describe('connections', () => {
  let opened: PipelineWorld
  beforeAll(async () => {
    opened = await openPipelineWorld()
  })
  afterAll(() => opened?.close())
  afterEach(() => steps.clear())

  it("answer one tenant while others' slow calls have all of them and a line of fifty behind, and no tenant has them alone", async () => {
    const { call, world, open } = opened
    const platform = await open({ DATABASE_POOL: '3' })
    const { stats } = platform.services.databases.app
    const [second, quiet] = [await world.newTenant(), await world.newTenant()]
    const { opened: released, open: release } = gate()
    let slow = 0
    steps.set('flood', async () => {
      slow++
      await released
    })
    const flood = Array.from({ length: 27 }, () => call('write_twice', { label: 'flood' }, { on: platform }))
    await expect.poll(() => stats()).toMatchObject({ busy: 2, waiting: 25 })
    flood.push(...Array.from({ length: 26 }, () => call('write_twice', { label: 'flood' }, { on: platform, key: second.key })))
    await expect.poll(() => stats()).toMatchObject({ busy: 3, waiting: 50 })
    for (let n = 0; n < 5; n++) await call('write_twice', { label: 'quiet' }, { on: platform, key: quiet.key })
    expect(await opened.effects('quiet')).toBe(10)
    // Not one of the others' has ended meanwhile.
    expect([slow, stats()]).toEqual([3, expect.objectContaining({ busy: 3, waiting: 50 })])
    release()
    expect((await Promise.all(flood)).length).toBe(53)
    expect(stats()).toMatchObject({ busy: 0, waiting: 0 })
  })

  it('are open before they are needed, one more than are in use', async () => {
    const { call, world, open } = opened
    const platform = await open({ DATABASE_POOL: '3' })
    const connections = async () => {
      const [row] = await world.sql<{ count: number }[]>`
        select count(*)::int as count from pg_stat_activity where application_name = 'fieldloop' and datname = current_database()`
      return row?.count ?? 0
    }
    const before = await connections()
    const { opened: released, open: release, reached, reach } = gate()
    steps.set('spare', async () => {
      reach()
      await released
    })
    const held = call('write_twice', { label: 'spare' }, { on: platform })
    await reached
    await expect.poll(connections).toBe(before + 2)
    expect(platform.services.databases.app.stats()).toMatchObject({ busy: 1, waiting: 0 })
    release()
    await held
    // There is one to spare, so none is opened.
    await call('write_twice', { label: 'spare again' }, { on: platform })
    expect(await connections()).toBe(before + 2)
  })

  it('are not even asked for while answers that nobody takes fill the memory, but by another tenant', async () => {
    const { world, open } = opened
    const { pipeline, services } = await open({ MAX_BYTES_IN_FLIGHT: String(16 * 1024 * 1024) })
    const quiet = await world.newTenant()
    const operation = pipeline.registry.byName.get('list_users')
    expect(operation).toBeDefined()
    const transact = vi.spyOn(services.databases, 'transact')
    const list = async (key: string) => {
      const { signal } = new AbortController()
      const passage = pipeline.room.open('rest', signal)
      if (operation)
        await pipeline.run({
          operation,
          transport: 'rest',
          credential: { kind: 'bearer', token: key },
          input: {},
          requestId: 'r',
          signal,
          passage,
        })
      return passage
    }
    const unread = await Promise.all(Array.from({ length: 4 }, () => list(world.tenant.key)))
    const next = list(world.tenant.key)
    await expect.poll(() => pipeline.room.stats().waiting).toBe(1)
    const asked = transact.mock.calls.length
    const theirs = await list(quiet.key)
    expect([asked, transact.mock.calls.length, pipeline.room.stats().waiting]).toEqual([4, 5, 1])
    theirs.leave()
    // The answer is there, and empty: what was kept for it is free.
    unread[0]?.holdAnswer(0)
    ;(await next).leave()
    for (const passage of unread) passage.leave()
    expect(pipeline.room.stats()).toEqual({ taken: 0, waiting: 0 })
  })

  it('are not asked for by a bulk while the rows of others under way fill the memory, but by another tenant', async () => {
    const { call, world, open } = opened
    const platform = await open({ MAX_BYTES_IN_FLIGHT: String(8 * 1024 * 1024) })
    const { pipeline, services } = platform
    const quiet = await world.newTenant()
    await call('import_catalog', { entities: [{ internalName: 'RoomRow', properties: [] }] })
    await call('import_catalog', { entities: [{ internalName: 'RoomRow', properties: [] }] }, { key: quiet.key })
    const transact = vi.spyOn(services.databases, 'transact')
    const rows = Array.from({ length: 200 }, (_, row) => ({ key1: `R${row}` }))
    const save = (key: string) => call('save_instances_bulk', { entity: 'RoomRow', rows }, { on: platform, key })
    const { signal } = new AbortController()
    const underWay = await pipeline.room.takeForRows(String(world.tenant.tenantId), 1_000, signal)
    const next = save(world.tenant.key)
    await expect.poll(() => pipeline.room.stats().waiting).toBe(1)
    expect(transact).not.toHaveBeenCalled()
    expect(await save(quiet.key)).toMatchObject({ inserted: 200 })
    expect([transact.mock.calls.length > 0, pipeline.room.stats().waiting]).toEqual([true, 1])
    underWay.release()
    expect(await next).toMatchObject({ inserted: 200 })
    expect(pipeline.room.stats()).toEqual({ taken: 0, waiting: 0 })
  })
})
