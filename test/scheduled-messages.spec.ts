/** Messages that go out later: at a moment or by the recipient's wall, once, with the rights of the day. */
import { randomUUID } from 'node:crypto'

import { describe, expect, it, vi } from 'vitest'

import { startTicker } from '#server/worker/ticker.ts'
import { sendScheduled } from '#tools/messaging/scheduled/sending.ts'
import { readSendAt } from '#tools/messaging/scheduled/times.rules.ts'

import { newPhone } from './support/messaging.ts'
import { pathsOf, refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

const text = 'Gate 4 opens at nine.'
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

interface Scheduled {
  readonly scheduledMessageId: number
  readonly conversationId: number
  readonly sendAt: string
}

async function plan(more: object = {}, key?: string): Promise<Scheduled> {
  const said = { to: { tenantUserId: world.tenant.tenantUserId }, text, at: inAnHour(), ...more }
  return call('schedule_message', said, key === undefined ? {} : { key })
}

/** As if its time had come. */
async function comesDue({ scheduledMessageId }: Pick<Scheduled, 'scheduledMessageId'>) {
  await world.sql`
    update platform.scheduled_message set next_look = now() - interval '1 second', send_at = now() - interval '1 second'
    where scheduled_message_id = ${scheduledMessageId}`
}

const sendAll = async () => {
  while ((await sendScheduled(world.platform.services)) > 0);
}

async function stateOf({ conversationId, scheduledMessageId }: Scheduled) {
  const { scheduled, messages, ...conversation } = await call('get_conversation', { conversationId })
  const own = scheduled.find((one: Scheduled) => one.scheduledMessageId === scheduledMessageId)
  return { own, messages, conversation }
}

describe('when a message goes out', () => {
  const now = Date.parse('2026-03-28T12:00:00Z')
  const at = (localTime: string, zone = 'Europe/Madrid') => {
    const read = readSendAt({ localTime }, zone, now)
    return 'ms' in read ? new Date(read.ms).toISOString() : read.finding.message
  }

  it('is the next time that the wall shows, the day’s, or as long after a gap as it lay in it', () => {
    expect(at('13:01')).toBe('2026-03-28T12:01:00.000Z')
    expect(at('13:00')).toBe('2026-03-29T11:00:00.000Z')
    expect(at('07:30', 'Pacific/Auckland')).toBe('2026-03-28T18:30:00.000Z')
    // Clocks go from two to three in the night of the 29th.
    expect(at('2026-03-29T02:30')).toBe('2026-03-29T01:30:00.000Z')
    // And are set back in the night of 25 October: the first of the two.
    expect(at('2026-10-25T02:30')).toBe('2026-10-25T00:30:00.000Z')
  })

  it('is refused where it is over, too far, no day, or not told once', () => {
    expect(at('2026-03-28T12:59')).toMatch(/is over/)
    expect(at('2026-02-30T10:00')).toMatch(/no such day/)
    expect(at('2027-04-30T10:00')).toMatch(/At most 366 days/)
    expect(readSendAt({}, 'UTC', now)).toMatchObject({ finding: { path: '$.at' } })
    expect(readSendAt({ at: '2026-03-29T10:00:00Z', localTime: '10:00' }, 'UTC', now)).toMatchObject({ finding: { path: '$.at' } })
  })

  it('is read by the recipient’s wall, by the zone that is named for a bare number, else by the sender’s', async () => {
    const email = `${randomUUID()}@clock.test`
    const ana = await call('create_user', { userName: email, email, roles: ['DataView'], timezone: 'Asia/Tokyo' })
    const [year] = new Date(Date.now() + 40 * 86_400_000).toISOString().split('T')
    const localTime = `${year}T07:30`
    const tokyo = await plan({ to: { tenantUserId: ana.tenantUserId }, at: undefined, localTime })
    expect(tokyo).toMatchObject({ timeZoneIana: 'Asia/Tokyo', sendAt: new Date(`${localTime}:00+09:00`).toISOString() })
    await call('create_channel', { internalName: 'Clock', channel: 'sms', provider: 'sandbox', settings: {} })
    const bare = { to: { phone: newPhone() }, channel: 'Clock', at: undefined, localTime }
    expect(await plan({ ...bare, timeZoneIana: 'Asia/Kolkata' })).toMatchObject({ sendAt: new Date(`${localTime}:00+05:30`).toISOString() })
    const zone = await world.refusal('schedule_message', { ...bare, text, timeZoneIana: 'Asia/Tokio' })
    expect(pathsOf(zone)).toEqual(['$.timeZoneIana'])
    // What a zone would say in vain is refused: a user has a wall, and a moment needs none.
    const hers = { to: { tenantUserId: ana.tenantUserId }, localTime, text }
    expect(await call('schedule_message', { ...hers, timeZoneIana: 'Asia/Tokyo' })).toMatchObject({ timeZoneIana: 'Asia/Tokyo' })
    const elsewhere = await world.refusal('schedule_message', { ...hers, timeZoneIana: 'Europe/Madrid' })
    expect(elsewhere).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.timeZoneIana', message: expect.stringContaining('Asia/Tokyo') }],
    })
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const moment = await world.refusal('schedule_message', { to: bare.to, at, text, timeZoneIana: 'Asia/Tokyo' })
    expect(moment).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.timeZoneIana' }] })
  })
})

describe('a scheduled message', () => {
  it('waits in its conversation, goes out when it is due, once, and is found until then', async () => {
    const one = await plan({ template: undefined })
    const before = await stateOf(one)
    expect(before.own).toMatchObject({ state: 'scheduled', text, tenantUserId: world.tenant.tenantUserId })
    expect(before.messages).toEqual([])
    expect(before.conversation).toMatchObject({ state: 'open', lastSeq: 0, nextScheduledDate: one.sendAt })
    const found = await call('list_conversations', { isScheduled: true })
    expect(found.map(({ conversationId }: Scheduled) => conversationId)).toContain(one.conversationId)
    await sendAll()
    expect((await stateOf(one)).messages).toEqual([])
    await comesDue(one)
    const { services } = world.platform
    await Promise.all([sendScheduled(services), sendScheduled(services), sendScheduled(services)])
    const after = await stateOf(one)
    expect(after.messages).toMatchObject([{ text, direction: 'outbound', fromTenantUserId: world.tenant.tenantUserId }])
    expect(after.own).toMatchObject({ state: 'sent', messageId: after.messages[0].messageId })
    expect(after.conversation.nextScheduledDate).toBeNull()
    const left = await call('list_conversations', { isScheduled: true })
    expect(left.map(({ conversationId }: Scheduled) => conversationId)).not.toContain(one.conversationId)
  })

  it('is found by the ticker of the product', async () => {
    const one = await plan()
    await comesDue(one)
    const ticker = startTicker(world.platform.services, {})
    try {
      await expect.poll(async () => (await stateOf(one)).own.state).toBe('sent')
    } finally {
      await ticker.stop()
    }
  })

  it('goes out once, though whoever sent it died before or after the commit', async () => {
    const one = await plan()
    await comesDue(one)
    const { services } = world.platform
    const run = vi.spyOn(services.pipeline, 'run').mockRejectedValueOnce(new Error('killed before'))
    await sendScheduled(services)
    expect((await stateOf(one)).own.state).toBe('scheduled')
    await comesDue(one)
    const whole = services.pipeline.run.bind(services.pipeline)
    run.mockRestore()
    const after = vi.spyOn(services.pipeline, 'run').mockImplementationOnce(async (...args) => {
      await whole(...args)
      throw new Error('killed after')
    })
    await sendScheduled(services)
    after.mockRestore()
    await comesDue(one).catch(() => {})
    await sendAll()
    const { messages, own } = await stateOf(one)
    expect(messages).toHaveLength(1)
    expect(own.state).toBe('sent')
  })

  it('is given up with its reason where a day was not enough to send it', async () => {
    const one = await plan()
    const { services } = world.platform
    const failOnce = async () => {
      const run = vi.spyOn(services.pipeline, 'run').mockRejectedValueOnce(new Error('something of ours'))
      await sendScheduled(services)
      run.mockRestore()
    }
    await comesDue(one)
    await failOnce()
    expect((await stateOf(one)).own.state).toBe('scheduled')
    await world.sql`
      update platform.scheduled_message set next_look = now() - interval '1 second', send_at = now() - interval '25 hours'
      where scheduled_message_id = ${one.scheduledMessageId}`
    await failOnce()
    expect((await stateOf(one)).own).toMatchObject({ state: 'failed', reason: expect.stringContaining('within a day') })
  })

  it('is not sent with rights that its maker lost, and says so', async () => {
    const made = await call('create_api_key', { name: 'planner', roles: ['DataEdit', 'DataView'] })
    const one = await plan({}, made.apiKey)
    const suspended = await plan()
    await call('revoke_api_key', { apiKeyId: made.apiKeyId })
    await comesDue(one)
    await sendAll()
    const { own, messages } = await stateOf(one)
    expect(own).toMatchObject({ state: 'failed', reason: expect.stringMatching(/./) })
    expect(messages).toEqual([])
    expect((await stateOf(suspended)).own.state).toBe('scheduled')
  })

  it('is refused now for what would be refused now', async () => {
    const to = { tenantUserId: world.tenant.tenantUserId }
    expect(pathsOf(await world.refusal('schedule_message', { to, text: ' ', at: inAnHour() }))).toEqual(['$.text'])
    expect(pathsOf(await world.refusal('schedule_message', { to, text, at: '2020-01-01T00:00:00Z' }))).toEqual(['$.at'])
    expect(pathsOf(await world.refusal('schedule_message', { to, template: 'None', at: inAnHour() }))).toEqual(['$.template'])
    expect(pathsOf(await world.refusal('schedule_message', { text, at: inAnHour() }))).toEqual(['$.to'])
  })

  it('goes to the address of the day, and no reply is taken for its answer before', async () => {
    const first = newPhone()
    const email = `${randomUUID()}@moves.test`
    const ana = await call('create_user', { userName: email, email, roles: ['DataView'] })
    const { contactId } = await call('add_user_contact', { tenantUserId: ana.tenantUserId, kind: 'phone', value: first })
    const channel = await call('create_channel', { internalName: 'Moving', channel: 'sms', provider: 'sandbox', settings: {} })
    const one = await plan({ to: { tenantUserId: ana.tenantUserId }, channel: 'Moving' })
    const body = Buffer.from(JSON.stringify({ kind: 'message', from: first, text: 'Hello?' }))
    await call('receive_channel_webhook', { channelKey: channel.channelKey }, { raw: { body, headers: {}, url: '/' } })
    expect((await stateOf(one)).messages).toEqual([])
    await call('remove_user_contact', { tenantUserId: ana.tenantUserId, contactId })
    const second = newPhone()
    await call('add_user_contact', { tenantUserId: ana.tenantUserId, kind: 'phone', value: second })
    await comesDue(one)
    await sendAll()
    expect((await stateOf(one)).messages).toMatchObject([{ to: second, status: 'queued' }])
  })

  it('is filled in from its template when it goes out', async () => {
    const said = (words: string) => call('save_message_template', { internalName: 'Later', languageCode: 'en-US', text: words })
    await said('Old [[$param.n]]')
    const one = await plan({ text: undefined, template: 'Later', params: { n: 1 } })
    await said('New [[$param.n]]')
    await comesDue(one)
    await sendAll()
    expect((await stateOf(one)).messages).toMatchObject([{ text: 'New 1' }])
  })
})

describe('cancelling', () => {
  const cancel = ({ scheduledMessageId }: Scheduled) => call('cancel_scheduled_message', { scheduledMessageId })

  it('withdraws it for good, ends a conversation that was opened for it alone, and is refused a second time', async () => {
    const one = await plan()
    expect(await cancel(one)).toEqual({ scheduledMessageId: one.scheduledMessageId, state: 'cancelled' })
    await sendAll()
    const { own, messages, conversation } = await stateOf(one)
    expect([own.state, messages, conversation.state]).toEqual(['cancelled', [], 'ended'])
    await expect(cancel(one)).rejects.toMatchObject(refused('conflict', /cancelled already/))
  })

  it('leaves a conversation open in which something was said, and what was sent as it is', async () => {
    const { conversationId } = await call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text: 'First' })
    const one = await plan({ to: undefined, conversationId })
    await cancel(one)
    expect((await stateOf(one)).conversation.state).toBe('open')
    const two = await plan({ to: undefined, conversationId })
    await comesDue(two)
    await sendAll()
    await expect(cancel(two)).rejects.toMatchObject(refused('conflict', /sent as message \d+/))
  })

  it('wins or loses against the sending, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const one = await plan()
      await comesDue(one)
      const [said] = await Promise.allSettled([cancel(one), sendScheduled(world.platform.services)])
      await sendAll()
      const { own, messages } = await stateOf(one)
      expect([own.state, messages.length]).toEqual(said.status === 'fulfilled' ? ['cancelled', 0] : ['sent', 1])
    }
  })

  it('is not for another tenant', async () => {
    const one = await plan()
    const { key } = await world.newTenant()
    const { scheduledMessageId } = one
    await expect(call('cancel_scheduled_message', { scheduledMessageId }, { key })).rejects.toMatchObject(refused('not_found'))
  })
})
