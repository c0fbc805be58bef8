/** A clock that is set forward or back by an hour while the process runs: what waits, expires or is counted. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { startRelay } from '#server/worker/relay.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import type { World } from './support/world.ts'

let opened: PipelineWorld
let world: World
beforeAll(async () => {
  opened = await openPipelineWorld()
  ;({ world } = opened)
})
afterEach(() => void vi.useRealTimers())
afterAll(() => opened?.close())

const hourMs = 3_600_000

/** Only the wall clock: what a step by NTP changes. Timers and the monotonic clock go on. */
function setClock(byMs: number): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + byMs)
}

const steps = [
  ['forward', hourMs],
  ['back', -hourMs],
] as const

describe('a clock that jumps', () => {
  it.each(steps)('%s by an hour holds back no wake-up of another process', async (_, byMs) => {
    const [mine, theirs] = [opened.platform.services.wake, opened.other.services.wake]
    mine.poke('warm')
    setClock(byMs)
    const line = theirs.listen('clock')
    const started = performance.now()
    // The second comes within the pause after the first, which is where the time since is looked at.
    mine.poke('another')
    mine.poke('clock')
    await line.next(25_000)
    line.close()
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it.each(steps)('%s by an hour neither ends an await early nor keeps it', async (_, byMs) => {
    const { conversationId } = await world.call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text: 'Well?' })
    const started = performance.now()
    const waiting = world.call('await_reply', { conversationId, timeoutSeconds: 1 })
    setClock(byMs)
    expect(await waiting).toMatchObject({ timedOut: true })
    const took = performance.now() - started
    expect(took).toBeGreaterThan(900)
    expect(took).toBeLessThan(60_000)
  })

  it.each(steps)('%s by an hour gives nobody more calls a minute, and takes none away', async (_, byMs) => {
    const limited = await opened.open({ CALLS_PER_MINUTE: '3' })
    const key = await world.tenant.keyWith(['DataView'])
    const whoami = () => opened.call('whoami', {}, { on: limited, key })
    await whoami()
    await whoami()
    setClock(byMs)
    await whoami()
    await expect(whoami()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) })
  })

  it('moves a signed URL with the wall clock alone: forward it has expired, back it is good again', async () => {
    const { assetKey } = await world.call('upload_asset', { fileName: 'a.txt', contentBase64: 'R2F0ZSA0' }, { transport: 'mcp' })
    const { url } = await world.call('sign_asset_url', { assetKey })
    const { pathname: path, searchParams: query } = new URL(url)
    const [sig, exp, u] = ['sig', 'exp', 'u'].map((name) => query.get(name) ?? '')
    const credential = { kind: 'signed', method: 'GET', path, sig: sig ?? '', exp: exp ?? '', u: u ?? '' } as const
    const identify = () => opened.platform.pipeline.identify(credential)
    expect(await identify()).toMatchObject({ kind: 'signed' })
    setClock(hourMs)
    await expect(identify()).rejects.toMatchObject({ code: 'forbidden' })
    setClock(-hourMs)
    expect(await identify()).toMatchObject({ kind: 'signed' })
  })

  it.each(steps)('%s by an hour loses no key and doubles nothing under one: those times are the database’s', async (_, byMs) => {
    const idempotencyKey = `clock ${byMs}`
    const first = await opened.call('write_twice', { label: idempotencyKey }, { idempotencyKey })
    setClock(byMs)
    expect(await opened.call('write_twice', { label: idempotencyKey }, { idempotencyKey })).toEqual(first)
    expect(await opened.effects(idempotencyKey)).toBe(2)
  })

  it('back by an hour, under the database, holds no errand for as long: a time that far ahead counts as past', async () => {
    const { services } = world.platform
    await world.call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text: 'Still there?' })
    const { conversationId } = await world.call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text: 'And now?' })
    await world.call('end_conversation', { conversationId })
    const { count } = await world.sql`
      update platform.outbox set next_at = now() + interval '1 hour', lease_owner = 'another'
      where sent_at is null`
    const carried: string[] = []
    const relay = startRelay(services, async ({ errand }) => void carried.push('signal' in errand ? errand.signal : errand.workflow))
    try {
      await expect.poll(() => carried.length).toBe(count)
    } finally {
      await relay.stop()
    }
    expect(carried).toContain('ended')
  })
})
