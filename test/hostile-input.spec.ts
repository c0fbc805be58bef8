/**
 * No input holds the event loop: while each of these is sent, everybody else is answered. The figures are printed; the bounds leave room for slow machines,
 * and where others are at work too, the time of the processor tells more than the time of the answer.
 */
import { setTimeout as wait } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { answers, arrangeAnswers } from './hostile/answers.ts'
import { arrangeBodies, bodies } from './hostile/bodies.ts'
import { arrangeFlood, flood } from './hostile/flood.ts'
import { arrangeForms, forms } from './hostile/forms.ts'
import { watchServer, type WatchedServer } from './support/watched-server.ts'

const longestAllowedMs = 250
const worstAllowedMs = 10_000
// Twenty bulks of ten thousand rows at once take 1.0 to 1.5 GiB, the most of all, since three are worked on at a time. As much again is room for machines
// that collect later.
const memoryAllowedMiB = 3_000

const floodMedianAllowedMs = 500
const floodWorstAllowedMs = 10_000

let server: WatchedServer
let idleMs: number

beforeAll(async () => {
  server = await watchServer()
  await arrangeBodies(server)
  await arrangeAnswers(server)
  await arrangeForms(server)
  const idle = await server.watch(() => wait(1_000))
  process.stdout.write(`  idle: held ${idle.longestMs} ms, answers within ${idle.worstMs} ms\n`)
  expect(idle.answers).toBeGreaterThan(20)
  idleMs = Math.max(1, idle.worstMs)
})

afterAll(() => server?.stop())

describe('a server answers others while it is sent', () => {
  it.each([...bodies, ...answers, ...forms])('$name', async ({ name, send, status, says = /(?:)/ }) => {
    const { result, longestMs, worstMs, answers, peakMiB } = await server.watch(() => send(server))
    process.stdout
      .write(`  held ${longestMs} ms, answers within ${worstMs} ms (${Math.round(worstMs / idleMs)} times idle), ${peakMiB} MiB: ${name}
`)
    expect([result.status, result.text.slice(0, 2_000)]).toEqual([status, expect.stringMatching(says)])
    expect(answers).toBeGreaterThan(0)
    expect(longestMs).toBeLessThan(longestAllowedMs)
    expect(worstMs).toBeLessThan(worstAllowedMs)
    expect(peakMiB).toBeLessThan(memoryAllowedMiB)
  })
})

describe('a tenant that floods the server', () => {
  it('with large sorted lists keeps short calls of another one short', { timeout: 180_000 }, async () => {
    await arrangeFlood(server)
    const other = server.probeAs((await server.world.newTenant()).key)
    await wait(2_000)
    const quiet = await other.take()
    const { lists, statuses, during } = await flood(server, { loops: 50, forMs: 8_000, probe: other })
    await other.stop()
    const times = (figure: number) => `${Math.round(figure)} ms (${Math.round(figure / quiet.medianMs)} times quiet)`
    process.stdout.write(
      `  whoami of another tenant: ${times(quiet.medianMs)} quiet; in the flood ${times(during.medianMs)}, at worst ${times(during.worstMs)}; ${lists} lists\n`,
    )
    expect(quiet.answers).toBeGreaterThan(20)
    // The flood waits for itself, where the machine is slow for too long.
    expect([200, 503]).toEqual(expect.arrayContaining([...statuses]))
    expect(lists).toBeGreaterThan(5)
    expect(during.answers).toBeGreaterThan(20)
    expect(during.refusals).toBe(0)
    expect(during.medianMs).toBeLessThan(floodMedianAllowedMs)
    expect(during.worstMs).toBeLessThan(floodWorstAllowedMs)
  })
})
