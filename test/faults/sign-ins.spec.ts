/** A flood of sign-ins at a whole server, in a size for every day. FLOOD_ATTEMPTS=10000 FLOOD_SECONDS=60 plays the ten thousand in a minute, and prints what came of it. */
import { afterAll, beforeAll, expect, it } from 'vitest'

import { eventually } from '../support/patience.ts'
import { freePort } from '../support/ports.ts'
import { watchServer, type WatchedServer } from '../support/watched-server.ts'
import { floodSettings, playSignIns } from './sign-ins.ts'

const told = process.env['FLOOD_ATTEMPTS'] !== undefined
const attempts = Number(process.env['FLOOD_ATTEMPTS'] ?? 1_000)
const seconds = Number(process.env['FLOOD_SECONDS'] ?? 5)

let server: WatchedServer
let portalUrl: string

beforeAll(async () => {
  const portalPort = String(await freePort())
  portalUrl = `http://localhost:${portalPort}`
  server = await watchServer({ env: { ...floodSettings, PORTAL_PORT: portalPort } })
  // It opens once its application is built.
  await eventually(async () => (await fetch(`${portalUrl}/robots.txt`).catch(() => undefined))?.status === 200, 'the portal answers')
})

afterAll(() => server?.stop())

it(
  'of many addresses at once, right and wrong, keeps nobody else waiting, and lets in afterwards whom it must',
  { timeout: 580_000 },
  async () => {
    const flood = await playSignIns(server, portalUrl, { attempts, seconds })
    if (told) process.stdout.write(`${JSON.stringify(flood, null, 2)}\n`)
    const { 200: right = 0, 401: wrong = 0, 429: tooOften = 0, 503: tooMany = 0 } = flood.statuses
    // Each was answered, and by nothing else.
    expect(right + wrong + tooOften + tooMany, JSON.stringify(flood.statuses)).toBe(attempts)
    expect(right).toBeGreaterThan(0)
    expect(wrong).toBeGreaterThan(0)
    expect(flood.withoutRetryAfter).toBe(0)
    // Who has to wait for strangers waits four seconds and more here. What a hash takes of the processors is waited for by everybody.
    expect(flood.others).toMatchObject({ refusals: 0 })
    expect(flood.others.answers).toBeGreaterThan(0)
    expect(flood.others.medianMs).toBeLessThan(1_000)
    expect(flood.others.worstMs).toBeLessThan(3_500)
    // Four hashes of 19 MiB at once, and 204 who wait.
    expect(flood.peakMiB).toBeLessThan(1_024)
    expect(flood.afterwards).toMatchObject({ knownBrowser: true, somebodyElse: 200 })
  },
)
