/** The clock that all who wait share: when it looks, at how many at once, and what it makes of a look that fails. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createLog } from '#platform/log.ts'
import { createRounds, type Waiting } from '#platform/rounds.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000)
const newWaiting = (): Waiting => ({ lookedAt: performance.now() })

function open(look: (some: readonly Waiting[]) => Promise<void> = () => Promise.resolve()) {
  const looks: Waiting[][] = []
  const rounds = createRounds<Waiting>({
    againMs: 15_000,
    log: createLog('silent'),
    complaint: 'nothing was seen',
    async look(some) {
      looks.push([...some])
      await look(some)
    },
  })
  return { rounds, looks }
}

describe('rounds', () => {
  it('look at each who waits once in so long, a thousand in one question', async () => {
    const { rounds, looks } = open()
    for (let count = 0; count < 2_500; count++) rounds.add(newWaiting())
    await seconds(13)
    expect(looks).toEqual([])
    await seconds(2)
    expect(looks.map((some) => some.length)).toEqual([1_000, 1_000, 500])
    expect(new Set(looks.flat()).size).toBe(2_500)
    await seconds(12)
    expect(looks).toHaveLength(3)
    await seconds(3)
    expect(looks).toHaveLength(6)
    rounds.end()
  })

  it('leave out who has just been looked at, and who waits no longer', async () => {
    const { rounds, looks } = open()
    const [stays, seen, gone] = [newWaiting(), newWaiting(), newWaiting()]
    for (const one of [stays, seen, gone]) rounds.add(one)
    await seconds(8)
    seen.lookedAt = performance.now()
    rounds.remove(gone)
    await seconds(7)
    expect(looks).toEqual([[stays]])
    await seconds(8)
    expect(looks).toEqual([[stays], [seen]])
    rounds.end()
  })

  it('look again in a moment where a look failed', async () => {
    const look = vi.fn(() => Promise.resolve()).mockRejectedValueOnce(new Error('away'))
    const { rounds, looks } = open(look)
    rounds.add(newWaiting())
    await seconds(14)
    expect(looks).toHaveLength(1)
    await seconds(1)
    expect(looks).toHaveLength(2)
    await seconds(5)
    expect(looks).toHaveLength(2)
    rounds.end()
  })

  it('look at all at once when they are hurried, and once more where that came in the middle of one', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { rounds, looks } = open(() => promise)
    const waiting = newWaiting()
    rounds.add(waiting)
    for (let times = 0; times < 5; times++) rounds.hurry()
    expect(looks).toEqual([[waiting]])
    resolve()
    await seconds(1)
    expect(looks).toEqual([[waiting], [waiting]])
    rounds.end()
  })

  it('look at whoever is due before the others', async () => {
    const { rounds, looks } = open()
    const [now, later] = [
      { ...newWaiting(), dueAt: 0 },
      { ...newWaiting(), dueAt: performance.now() + 2_500 },
    ]
    for (const one of [now, later, newWaiting()]) rounds.add(one)
    await seconds(1)
    expect(looks).toEqual([[now]])
    now.dueAt = Infinity
    await seconds(1)
    expect(looks).toHaveLength(1)
    await seconds(1)
    expect(looks).toEqual([[now], [later]])
    rounds.end()
  })

  it('ask first who is due, while anybody waits, and not where all are looked at anyway', async () => {
    const waiting: Waiting = newWaiting()
    const before = vi.fn(() => Promise.resolve()).mockImplementationOnce(async () => void (waiting.dueAt = 0))
    const looks: Waiting[][] = []
    const look = (some: readonly Waiting[]) => Promise.resolve(void looks.push([...some]))
    const rounds = createRounds<Waiting>({ againMs: 15_000, tickMs: 900, before, look, log: createLog('silent'), complaint: 'nothing' })
    await seconds(2)
    expect(before).not.toHaveBeenCalled()
    rounds.add(waiting)
    await vi.advanceTimersByTimeAsync(900)
    expect([before.mock.calls, looks]).toEqual([[[rounds.all]], [[waiting]]])
    waiting.dueAt = undefined
    rounds.hurry()
    expect(looks).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(before).toHaveBeenCalledTimes(1)
    before.mockRejectedValueOnce(new Error('away'))
    await vi.advanceTimersByTimeAsync(1_800)
    expect([before.mock.calls.length, looks.length]).toEqual([2, 3])
    rounds.end()
  })

  it('have no clock while nobody waits', () => {
    const { rounds } = open()
    const waiting = newWaiting()
    rounds.hurry()
    expect(vi.getTimerCount()).toBe(0)
    rounds.add(waiting)
    expect(vi.getTimerCount()).toBe(1)
    rounds.remove(waiting)
    expect(vi.getTimerCount()).toBe(0)
  })
})
