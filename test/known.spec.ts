/** What was looked up a moment ago: once for all who ask, and never longer than a second. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createKnown } from '#platform/known.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => void vi.advanceTimersByTime(ms)

interface Told {
  readonly said: string
}

/** Look-ups that end when the test says so. */
function open() {
  const known = createKnown<Told>({ max: 10 })
  const lookUps: PromiseWithResolvers<Told | undefined>[] = []
  const ask = (name = 'a') =>
    known.find(name, () => {
      const lookUp = Promise.withResolvers<Told | undefined>()
      lookUps.push(lookUp)
      return lookUp.promise
    })
  const answer = (place: number, said: string | undefined) => lookUps[place]?.resolve(said === undefined ? undefined : { said })
  return { known, lookUps, ask, answer }
}

describe('what is known', () => {
  it('is looked up once for a thousand who ask at once, and for each name by itself', async () => {
    const { lookUps, ask, answer } = open()
    const asked = Array.from({ length: 1_000 }, () => ask())
    const other = ask('b')
    expect(lookUps).toHaveLength(2)
    answer(0, 'one')
    answer(1, 'two')
    expect(new Set((await Promise.all(asked)).map((told) => told?.said))).toEqual(new Set(['one']))
    expect(await other).toEqual({ said: 'two' })
    expect(await ask()).toEqual({ said: 'one' })
    expect(lookUps).toHaveLength(2)
  })

  it('is looked up again after half a second, while calls go on with it', async () => {
    const { lookUps, ask, answer } = open()
    const first = ask()
    answer(0, 'one')
    await first
    pass(600)
    expect([await ask(), await ask()]).toEqual([{ said: 'one' }, { said: 'one' }])
    expect(lookUps).toHaveLength(2)
    answer(1, 'two')
    await vi.waitFor(async () => expect(await ask()).toEqual({ said: 'two' }))
    expect(lookUps).toHaveLength(2)
  })

  it('is believed for no longer than a second, also where looking it up again fails', async () => {
    const { lookUps, ask, answer } = open()
    const first = ask()
    answer(0, 'one')
    await first
    pass(600)
    expect(await ask()).toEqual({ said: 'one' })
    lookUps[1]?.reject(new Error('away'))
    await new Promise((done) => setImmediate(done))
    pass(500)
    const late = ask()
    expect(lookUps).toHaveLength(3)
    lookUps[2]?.reject(new Error('still away'))
    await expect(late).rejects.toThrow('still away')
  })

  it('is neither what a look-up found that began before a change, nor kept where nothing was found', async () => {
    const { known, lookUps, ask, answer } = open()
    const before = ask()
    known.clear()
    const after = ask()
    expect(lookUps).toHaveLength(2)
    answer(1, 'new')
    expect(await after).toEqual({ said: 'new' })
    answer(0, 'old')
    expect(await before).toEqual({ said: 'old' })
    expect(await ask()).toEqual({ said: 'new' })
    known.forget('a')
    const gone = ask()
    answer(2, undefined)
    expect(await gone).toBeUndefined()
    const again = ask()
    expect(lookUps).toHaveLength(4)
    answer(3, 'back')
    expect(await again).toEqual({ said: 'back' })
  })
})
