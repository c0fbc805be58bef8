/** The measure of the promise that nothing holds the event loop: what it finds, and what is not counted. */
import { describe, expect, it } from 'vitest'

import { leastMs, longestStep, longestTurn, spentMs, turnLimitMs } from './support/turns.ts'

const compute = (ms: number) => {
  let left = ms
  while (left > 0) left -= spentMs(() => JSON.parse(text))
}
const text = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ n })))
const sleepHere = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 * turnLimitMs)
const aFault = 5 * turnLimitMs

describe('the time that work holds the event loop', () => {
  it('is above the limit for what takes several times as long, however it is done and however busy the machine is', async () => {
    const found = [
      await leastMs(() => spentMs(() => compute(aFault))),
      (await longestTurn(async () => compute(aFault))).ms,
      (await longestTurn(() => new Promise<void>((resolve) => setImmediate(() => resolve(compute(aFault)))))).ms,
      longestStep([1, aFault, 1].values().map(compute)).ms,
    ]
    expect(found.map((ms) => ms > turnLimitMs)).toEqual([true, true, true, true])
  })

  it('counts neither waiting nor what compiles at the first try', async () => {
    expect(await leastMs(() => spentMs(sleepHere))).toBeLessThan(turnLimitMs)
    let tries = 0
    expect(await leastMs(() => spentMs(() => compute(tries++ === 0 ? aFault : 0)))).toBeLessThan(turnLimitMs)
    expect(tries).toBe(2)
  })

  it('is that of the longest turn and not of all', async () => {
    const turn = () => new Promise<void>((resolve) => setImmediate(() => resolve(compute(10))))
    const inTurns = async () => {
      for (let turns = 0; turns < 20; turns++) await turn()
    }
    expect(await leastMs(async () => (await longestTurn(inTurns)).ms)).toBeLessThan(turnLimitMs)
    expect(longestStep(Iterator.from([1, 1, 1])).steps).toBe(4)
  })
})
