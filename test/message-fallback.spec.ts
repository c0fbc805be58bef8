/** Messages that do not arrive go out on the next channel that their sender named: in the same conversation, each channel once. */
import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { fallBack } from '#tools/messaging/fallback/falling-back.ts'
import { verdictOf } from '#tools/messaging/fallback/fallback.rules.ts'

import { type Deliverer, newPhone, openDeliverer, type Sent } from './support/messaging.ts'
import { pathsOf } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let deliverer: Deliverer
const keys = new Map<string, string>()
beforeAll(async () => {
  deliverer = openDeliverer(world)
  for (const [internalName, channel] of [
    ['Texts', 'sms'],
    ['Chats', 'whatsapp'],
    ['Mails', 'email'],
  ] as const)
    keys.set(internalName, (await call('create_channel', { internalName, channel, provider: 'sandbox', settings: {} })).channelKey)
})
afterAll(() => deliverer?.close())

interface Person {
  readonly key: string
  readonly tenantUserId: number
  readonly phone: string
  readonly email: string
}

async function newPerson(): Promise<Person> {
  const email = `${randomUUID()}@people.test`
  const { tenantUserId } = await call('create_user', { userName: email, email, roles: ['DataView'] })
  const phone = newPhone()
  await call('add_user_contact', { tenantUserId, kind: 'phone', value: phone })
  const { apiKey } = await call('create_api_key', { name: 'theirs', roles: ['DataView'], tenantUserId })
  return { key: apiKey, tenantUserId, phone, email }
}

const ask = ({ tenantUserId }: Pick<Person, 'tenantUserId'>, more: object = {}): Promise<Sent> =>
  call('send_message', { to: { tenantUserId }, channel: 'Texts', text: 'Is gate 4 open?', fallback: ['whatsapp', 'Mails'], ...more })

async function hook(channel: string, said: object): Promise<void> {
  const body = Buffer.from(JSON.stringify(said))
  await call('receive_channel_webhook', { channelKey: keys.get(channel) }, { raw: { body, headers: {}, url: '/' } })
}
const reported = (channel: string, { messageId }: Sent, status: string) => hook(channel, { kind: 'status', messageId, status })

/** As if the bound had passed. */
async function bound({ messageId }: Pick<Sent, 'messageId'>) {
  await world.sql`
    update platform.message_fallback set next_look = now() - interval '1 second' where message_id = ${messageId} and next_look is not null`
}
const lookAll = async () => {
  while ((await fallBack(world.platform.services)) > 0);
}
const read = ({ conversationId }: Pick<Sent, 'conversationId'>) => call('get_conversation', { conversationId })
const ways = async (sent: Sent) => (await read(sent)).messages.map((one: { channel: string }) => one.channel)

describe('a message with a fallback', () => {
  it('that failed goes out on the next channel at once, and tells as what', async () => {
    const person = await newPerson()
    const sent = await ask(person)
    await lookAll()
    expect(await ways(sent)).toEqual(['sms'])
    await reported('Texts', sent, 'failed')
    await lookAll()
    const { messages, channel, address } = await read(sent)
    expect(messages).toMatchObject([
      { channel: 'sms', status: 'failed' },
      { channel: 'whatsapp', status: 'queued', to: person.phone, text: 'Is gate 4 open?', fromTenantUserId: world.tenant.tenantUserId },
    ])
    expect([channel, address]).toEqual(['whatsapp', person.phone])
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({ fellBackTo: messages[1].messageId })
    await lookAll()
    expect(await ways(sent)).toHaveLength(2)
    await reported('Chats', messages[1], 'failed')
    await lookAll()
    const all = await read(sent)
    expect(all.messages[2]).toMatchObject({ channel: 'email', to: person.email })
    await reported('Mails', all.messages[2], 'failed')
    await lookAll()
    expect(await ways(sent)).toEqual(['sms', 'whatsapp', 'email'])
  })

  it('goes on where an earlier one of its conversation went on to the same channel', async () => {
    const person = await newPerson()
    const first = await ask(person, { fallback: ['email'] })
    const second: Sent = await call('send_message', { conversationId: first.conversationId, text: 'And gate 5?', fallback: ['email'] })
    for (const one of [first, second]) await reported('Texts', one, 'failed')
    await lookAll()
    const { messages } = await read(first)
    expect(messages.map(({ channel, text }: { channel: string; text: string }) => [channel, text])).toEqual([
      ['sms', 'Is gate 4 open?'],
      ['sms', 'And gate 5?'],
      ['email', 'Is gate 4 open?'],
      ['email', 'And gate 5?'],
    ])
    expect(messages[3]).toMatchObject({ to: person.email })
  })

  it('to many goes on for each whom it did not reach, behind what others wait for and at the pace of its channel', async () => {
    const { channelId } = await call('create_channel', {
      internalName: 'Paced',
      channel: 'whatsapp',
      provider: 'sandbox',
      settings: { messagesPerSecond: 0.5 },
    })
    const [one, two, three] = [await newPerson(), await newPerson(), await newPerson()]
    const people = [one, two, three]
    const ways = { channel: 'Texts', fallback: ['Paced', 'Mails'], fallbackAfter: 'PT5M' }
    const { results } = await call('send_message_bulk', {
      recipients: people.map(({ tenantUserId }) => ({ to: { tenantUserId } })),
      text: 'Gate 4 is closed.',
      ...ways,
    })
    const [first, second, third] = results as [Sent, Sent, Sent]
    for (const lost of [first, second]) await reported('Texts', lost, 'failed')
    await deliverer.deliver(third)
    await reported('Texts', third, 'delivered')
    await lookAll()
    for (const [n, lost] of [first, second].entries())
      expect((await read(lost)).messages).toMatchObject([
        { channel: 'sms', status: 'failed' },
        { channel: 'whatsapp', to: people[n]?.phone, text: 'Gate 4 is closed.' },
      ])
    await bound(third)
    await lookAll()
    expect((await read(third)).messages).toHaveLength(1)
    const rows = await world.sql<{ apart: number; lane: string }[]>`
      select extract(epoch from m.not_before - lag(m.not_before) over (order by m.not_before))::float8 as apart,
        (select o.lane from platform.outbox o where o.subject = 'conversation:' || m.conversation_id order by o.outbox_id desc limit 1) as lane
      from platform.message m where m.channel_id = ${channelId} order by m.not_before`
    expect(rows).toEqual([
      { apart: null, lane: 'bulk' },
      { apart: 2, lane: 'bulk' },
    ])
    await call('delete_channel', { channelId })
    expect(
      await world.refusal('send_message_bulk', { recipients: [{ to: { phone: newPhone() } }], text: 'x', fallback: ['Chat'] }),
    ).toMatchObject({
      issues: [{ path: '$.fallback[0]', suggestion: 'Chats' }],
    })
  })

  it('hears what is answered on either channel, and goes on where the person answers', async () => {
    const person = await newPerson()
    const sent = await ask(person)
    await reported('Texts', sent, 'failed')
    await lookAll()
    const waiting = call('await_reply', { conversationId: sent.conversationId, timeoutSeconds: 20 })
    await hook('Chats', { kind: 'message', from: person.phone, text: 'On WhatsApp' })
    expect(await waiting).toMatchObject({ messages: [{ text: 'On WhatsApp', channel: 'whatsapp', fromTenantUserId: person.tenantUserId }] })
    await hook('Texts', { kind: 'message', from: person.phone, text: 'By SMS after all' })
    const { messages, channel } = await read(sent)
    expect(messages.at(-1)).toMatchObject({ text: 'By SMS after all', channel: 'sms', direction: 'inbound' })
    expect(channel).toBe('sms')
    await call('send_message', { conversationId: sent.conversationId, text: 'Thanks' })
    expect((await read(sent)).messages.at(-1)).toMatchObject({ channel: 'sms', to: person.phone })
  })

  it('stays where it arrived, was answered or ended, as far as its channel tells', async () => {
    const person = await newPerson()
    const delivered = await ask(person)
    await deliverer.deliver(delivered)
    await reported('Texts', delivered, 'delivered')
    const seen = await ask(person, { channel: 'inbox', fallback: ['sms'] })
    await call('mark_inbox_read', { messageId: seen.messageId }, { key: person.key })
    const unread = await ask(person, { channel: 'inbox', fallback: ['sms'] })
    const answered = await ask(person, { channel: 'inbox', fallback: ['sms'] })
    const ended = await ask(person, { channel: 'inbox', fallback: ['sms'] })
    await call('answer_inbox_message', { messageId: answered.messageId, text: 'Yes' }, { key: person.key })
    await call('end_conversation', { conversationId: ended.conversationId })
    const mailed = await ask(person, { channel: 'Mails', fallback: ['sms'] })
    await deliverer.deliver(mailed)
    for (const one of [delivered, unread, seen, answered, ended, mailed]) await bound(one)
    await lookAll()
    expect(await ways(delivered)).toEqual(['sms'])
    expect(await ways(unread)).toEqual(['inbox', 'sms'])
    expect(await ways(seen)).toEqual(['inbox'])
    expect(await ways(answered)).toEqual(['inbox', 'inbox'])
    expect(await ways(ended)).toEqual(['inbox'])
    expect(await ways(mailed)).toEqual(['email'])
  })

  it('is not answered by a stranger who writes into its thread, and is by the person', async () => {
    const [person, stranger] = [await newPerson(), await newPerson()]
    const mailed = async (from: string) => {
      const sent = await ask(person, { channel: 'Mails', fallback: ['Texts'] })
      await deliverer.deliver(sent)
      await hook('Mails', { kind: 'message', from, text: 'At four', messageId: sent.messageId })
      expect((await read(sent)).messages.at(-1)).toMatchObject({ direction: 'inbound', from })
      await reported('Mails', sent, 'failed')
      await lookAll()
      return ways(sent)
    }
    for (const from of ['stranger@elsewhere.test', stranger.email]) expect(await mailed(from)).toEqual(['email', 'email', 'sms'])
    expect(await mailed(person.email)).toEqual(['email', 'email'])
  })

  it('that is unread in the inbox is answered there all the same', async () => {
    const person = await newPerson()
    const sent = await ask(person, { channel: 'inbox', fallback: ['sms'] })
    await bound(sent)
    await lookAll()
    await call('answer_inbox_message', { messageId: sent.messageId, text: 'Here' }, { key: person.key })
    const { messages, channel } = await read(sent)
    expect(messages.at(-1)).toMatchObject({ text: 'Here', channel: 'inbox', direction: 'inbound' })
    expect(channel).toBe('inbox')
  })

  it('is not sent any more once another went in its place', async () => {
    const person = await newPerson()
    const sent = await ask(person)
    await bound(sent)
    await lookAll()
    expect((await read(sent)).messages).toMatchObject([
      { channel: 'sms', status: 'failed', reason: 'unreachable' },
      { channel: 'whatsapp', status: 'queued' },
    ])
    expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({ status: 'failed', attempts: 0 })
  })

  it('waits while quiet hours hold it, and while its call may be under way', async () => {
    const person = await newPerson()
    const { tenantUserId } = person
    const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
    const quietHours = { start: clock(-6), end: clock(6), timeZoneIana: 'UTC' }
    await call('set_contact_preferences', { tenantUserId, quietHours })
    const held = await ask(person)
    await bound(held)
    const other = await newPerson()
    const claimed = await ask(other)
    await world.sql`insert into platform.message_attempt (tenant_id, message_id, attempt_no) values (${world.tenant.tenantId}, ${claimed.messageId}, 1)`
    await bound(claimed)
    await lookAll()
    expect(await ways(held)).toEqual(['sms'])
    expect(await ways(claimed)).toEqual(['sms'])
    const rows =
      await world.sql`select next_look > now() as later from platform.message_fallback where message_id = any(${[held.messageId, claimed.messageId]})`
    expect(rows).toEqual([{ later: true }, { later: true }])
  })

  it('takes each channel once, whoever looks at the same moment, whatever dies, and however receipts come', async () => {
    const person = await newPerson()
    const sent = await ask(person)
    await reported('Texts', sent, 'failed')
    const { services } = world.platform
    const whole = services.databases.transact.bind(services.databases)
    let calls = 0
    // The first takes the row, the second does the work.
    const dying = vi
      .spyOn(services.databases, 'transact')
      .mockImplementation((of, work) => (++calls === 2 ? Promise.reject(new Error('killed')) : whole(of, work)))
    await fallBack(services)
    dying.mockRestore()
    expect(calls).toBe(2)
    expect(await ways(sent)).toEqual(['sms'])
    await bound(sent)
    await Promise.all([fallBack(services), fallBack(services), fallBack(services)])
    expect(await ways(sent)).toEqual(['sms', 'whatsapp'])
    await reported('Texts', sent, 'delivered')
    await lookAll()
    expect((await read(sent)).messages).toMatchObject([{ status: 'delivered' }, { channel: 'whatsapp' }])
  })

  it('passes by channels that do not reach the person, that they refused, or that cannot carry it', async () => {
    const person = await newPerson()
    await hook('Chats', { kind: 'message', from: person.phone, text: 'STOP' })
    const sent = await ask(person, { channel: 'inbox', text: 'x'.repeat(2_000), fallback: ['sms', 'whatsapp', 'email'] })
    await bound(sent)
    await lookAll()
    expect(await ways(sent)).toEqual(['inbox', 'email'])
    const bare: Sent = await call('send_message', { to: { phone: newPhone() }, channel: 'Texts', text: 'x', fallback: ['inbox', 'email'] })
    await reported('Texts', bare, 'failed')
    await lookAll()
    expect(await ways(bare)).toEqual(['sms'])
  })

  it('says its words as the template has them there', async () => {
    const person = await newPerson()
    const said = (more: object) => call('save_message_template', { internalName: 'Falling', languageCode: 'en-US', ...more })
    await said({ channel: 'sms', text: 'Short' })
    await said({ text: 'Long [[$param.n]]' })
    const sent = await ask(person, { text: undefined, template: 'Falling', params: { n: 4 } })
    await reported('Texts', sent, 'failed')
    await lookAll()
    expect((await read(sent)).messages.map((one: { text: string }) => one.text)).toEqual(['Short', 'Long 4'])
  })

  it('goes no further with rights that its sender lost', async () => {
    const person = await newPerson()
    const sender = await call('create_api_key', { name: 'sender', roles: ['DataEdit', 'DataView'] })
    const sent: Sent = await call(
      'send_message',
      { to: { tenantUserId: person.tenantUserId }, channel: 'Texts', text: 'x', fallback: ['whatsapp'] },
      { key: sender.apiKey },
    )
    await call('revoke_api_key', { apiKeyId: sender.apiKeyId })
    await reported('Texts', sent, 'failed')
    await lookAll()
    expect(await ways(sent)).toEqual(['sms'])
  })

  it('is refused for channels that nobody has and bounds that are none', async () => {
    const person = await newPerson()
    const refusal = (more: object) => world.refusal('send_message', { to: { tenantUserId: person.tenantUserId }, text: 'x', ...more })
    expect((await refusal({ fallback: ['sms', 'Text'] })).issues).toMatchObject([{ path: '$.fallback[1]', suggestion: 'Texts' }])
    for (const fallbackAfter of ['PT10S', 'P8D', 'P1M', 'soon'])
      expect(pathsOf(await refusal({ fallback: ['sms'], fallbackAfter }))).toEqual(['$.fallbackAfter'])
  })
})

it('an unread inbox, a failure and silence are missed; what is delivered, or sent where no receipt comes, is not', () => {
  const of = (kind: 'inbox' | 'sms' | 'email', status: 'sent' | 'delivered' | 'read' | 'failed' | 'unknown' | 'suppressed' | 'queued') =>
    verdictOf({ kind, status, isAnswered: false, isEnded: false })
  expect([of('inbox', 'delivered'), of('sms', 'sent'), of('sms', 'failed'), of('sms', 'unknown'), of('sms', 'suppressed')]).toEqual(
    Array(5).fill('missed'),
  )
  expect([of('inbox', 'read'), of('sms', 'delivered'), of('email', 'sent')]).toEqual(Array(3).fill('over'))
  expect(of('sms', 'queued')).toBe('queued')
  expect(verdictOf({ kind: 'sms', status: 'failed', isAnswered: true, isEnded: false })).toBe('over')
})
