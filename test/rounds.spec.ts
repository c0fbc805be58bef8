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
