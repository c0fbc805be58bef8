/** Messages before they go, to many at once, and once more after they failed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { smsParts } from '#tools/messaging/messaging.rules.ts'

import { type Deliverer, newPhone, openDeliverer, type Sent } from './support/messaging.ts'
import { pathsOf, refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let deliverer: Deliverer
let channelKey = ''
beforeAll(async () => {
  deliverer = openDeliverer(world)
  channelKey = (await call('create_channel', { internalName: 'Trial', channel: 'sms', provider: 'sandbox', settings: {} })).channelKey
})
afterAll(() => deliverer?.close())

const choices = [
  { key: 'open', label: 'Open' },
  { key: 'shut', label: 'Shut' },
]
const countMessages = async () => (await world.sql<{ n: number }[]>`select count(*)::int as n from platform.message`)[0]?.n

describe('a preview', () => {
  it('shows what each channel carries, with buttons where it has them, and sends nothing', async () => {
    const before = await countMessages()
    const { previews } = await call('preview_message', { text: 'Gate 4?', card: { choices } })
    expect(previews.map((one: { channel: string }) => one.channel)).toEqual([
      'inbox',
      'sms',
      'whatsapp',
      'email',
      'telegram',
      'slack',
      'teams',
      'webPush',
    ])
    expect(previews[0]).toMatchObject({ buttons: choices, fits: true, issues: [] })
    expect(previews[0]).not.toHaveProperty('smsParts')
    const text = 'Gate 4?\n\n1. Open\n2. Shut\n\nReply with the number of your answer.'
    expect(previews[1]).toMatchObject({ text, buttons: [], length: text.length, maxTextLength: 1600, smsParts: 1, fits: true })
    expect(await countMessages()).toBe(before)
  })

  it('says what send_message would refuse, on the channel that refuses it alone', async () => {
    const secret = await call(
      'upload_asset',
      { fileName: 's.txt', contentBase64: Buffer.from('secret').toString('base64'), isSensitive: true },
      { transport: 'mcp' },
    )
    const input = { text: 'x'.repeat(1_601), assetKeys: [secret.assetKey], channels: ['inbox', 'sms'] }
    const { previews } = await call('preview_message', input)
    expect(previews[0]).toMatchObject({ channel: 'inbox', fits: true })
    expect(previews[1]).toMatchObject({ channel: 'sms', fits: false })
    expect(previews[1].issues.map((one: { path: string }) => one.path)).toEqual(['$.text', '$.assetKeys'])
    const sms = call('send_message', { to: { phone: newPhone() }, channel: 'sms', text: input.text })
    await expect(sms).rejects.toMatchObject({ issues: [{ message: previews[1].issues[0].message }] })
  })

  it('counts the parts of an SMS as telephones do', () => {
    for (const [text, parts] of [
      ['x'.repeat(160), 1],
      ['x'.repeat(161), 2],
      ['x'.repeat(306), 2],
      ['x'.repeat(307), 3],
      ['€'.repeat(80), 1],
      ['€'.repeat(81), 2],
      ['ñ'.repeat(160), 1],
      ['ł'.repeat(70), 1],
      ['ł'.repeat(71), 2],
      ['🚪'.repeat(35), 1],
      ['🚪'.repeat(36), 2],
    ] as const)
      expect(smsParts(text), text.slice(0, 3)).toBe(parts)
  })
})

describe('a message that failed', () => {
  async function failed(): Promise<Sent> {
    const sent: Sent = await call('send_message', {
      to: { phone: newPhone() },
      channel: 'sms',
      text: 'Gate 4?',
      card: { choices },
      urgent: true,
    })
    const body = Buffer.from(JSON.stringify({ kind: 'status', messageId: sent.messageId, status: 'failed' }))
    await call('receive_channel_webhook', { channelKey }, { raw: { body, headers: {}, url: '/' } })
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({ status: 'failed' })
    return sent
  }
  const resend = ({ messageId }: Sent) => call('resend_message', { messageId })

  it('goes out again as it was, as a new message of the conversation', async () => {
    const first = await failed()
    const again = await resend(first)
    expect(again).toMatchObject({ conversationId: first.conversationId, seq: first.seq + 1, status: 'queued' })
    await deliverer.deliver(again)
    const { messages } = await call('get_conversation', { conversationId: first.conversationId })
    expect(messages).toMatchObject([
      { messageId: first.messageId, status: 'failed' },
      { messageId: again.messageId, status: 'sent', text: 'Gate 4?', card: { choices } },
    ])
  })

  it('goes out again once, whoever else asks at the same moment', async () => {
    const first = await failed()
    const tries = await Promise.allSettled([resend(first), resend(first), resend(first)])
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(resend(first)).rejects.toMatchObject(refused('conflict', /sent again as message \d+/))
    const { messages } = await call('get_conversation', { conversationId: first.conversationId })
    expect(messages).toHaveLength(2)
  })

  it('is the only one that does: what may have arrived, has ended or is another tenant’s is refused', async () => {
    const queued: Sent = await call('send_message', { to: { phone: newPhone() }, channel: 'sms', text: 'x' })
    await expect(resend(queued)).rejects.toMatchObject(refused('conflict', /this one is queued/))
    await world.sql`update platform.message set status = 'unknown' where message_id = ${queued.messageId}`
    await expect(resend(queued)).rejects.toMatchObject(refused('conflict', /this one is unknown/))
    const ended = await failed()
    await call('end_conversation', { conversationId: ended.conversationId })
    await expect(resend(ended)).rejects.toMatchObject(refused('conflict', /has ended/))
    const { key } = await world.newTenant()
    await expect(call('resend_message', { messageId: ended.messageId }, { key })).rejects.toMatchObject(refused('not_found'))
  })
})

describe('one message to many', () => {
  it('reaches each in a conversation of its own, and one that fails keeps none of the others back', async () => {
    const [ana, ben, stopped] = [newPhone(), newPhone(), newPhone()]
    const stop = Buffer.from(JSON.stringify({ kind: 'message', from: stopped, text: 'STOP' }))
    await call('receive_channel_webhook', { channelKey }, { raw: { body: stop, headers: {}, url: '/' } })
    const before = await countMessages()
    const answer = await call('send_message_bulk', {
      recipients: [
        { to: { phone: ana } },
        { to: { phone: '600' } },
        { to: { phone: ana.replace('+34', '+34 ') } },
        { to: { tenantUserId: world.tenant.tenantUserId } },
        { to: { phone: stopped } },
        { to: { phone: ben }, eiRecordId: 4_711 },
        { to: { phone: ben } },
      ],
      text: 'Gate 4 is closed today.',
    })
    expect(answer).toMatchObject({ sent: 3, suppressed: 1, failed: 3 })
    expect(answer.results.map((one: { index: number; outcome: string }) => [one.index, one.outcome])).toEqual([
      [0, 'sent'],
      [1, 'failed'],
      [2, 'failed'],
      [3, 'sent'],
      [4, 'suppressed'],
      [5, 'failed'],
      [6, 'sent'],
    ])
    expect(answer.results[1].errors).toMatchObject([{ path: '$.to.phone' }])
    expect(answer.results[2].errors).toMatchObject([{ message: expect.stringContaining('of 0 too') }])
    const conversations = answer.results.flatMap((one: { conversationId?: number }) => one.conversationId ?? [])
    expect(new Set(conversations).size).toBe(4)
    expect(await countMessages()).toBe((before ?? 0) + 4)
    await deliverer.deliver(answer.results[6])
    expect(await call('get_message_status', { messageId: answer.results[6].messageId })).toMatchObject({ status: 'sent' })
  })

  it('leaves no conversation behind where the message cannot go out on a channel', async () => {
    const address = newPhone()
    const answer = await call('send_message_bulk', { recipients: [{ to: { phone: address } }], text: 'x'.repeat(1_601) })
    expect(answer).toMatchObject({ sent: 0, failed: 1, results: [{ errors: [{ path: '$.text' }] }] })
    expect(await call('list_conversations', { address })).toEqual([])
    const many = Array.from({ length: 101 }, () => ({ to: { phone: address } }))
    await expect(call('send_message_bulk', { recipients: many, text: 'x' })).rejects.toMatchObject(refused('invalid_input'))
  })
})

describe('a message to many', () => {
  it('goes out at the pace of its channel, each in its turn, and single ones go between', async () => {
    const settings = { messagesPerSecond: 0.5 }
    const { internalName } = await call('create_channel', { internalName: 'Slow', channel: 'sms', provider: 'sandbox', settings })
    const recipients = Array.from({ length: 3 }, () => ({ to: { phone: newPhone() } }))
    const { results } = await call('send_message_bulk', { recipients, channel: internalName, text: 'Gate 4 is closed.' })
    const [first, second, third] = results as [Sent, Sent, Sent]
    const lanes = await world.sql`select lane from platform.outbox where subject = ${`conversation:${first.conversationId}`}`
    expect(lanes).toEqual([{ lane: 'bulk' }])
    expect(await deliverer.deliver(first)).toEqual({ kind: 'done' })
    const held = [await deliverer.deliver(second), await deliverer.deliver(third)]
    expect(held).toMatchObject([{ kind: 'held' }, { kind: 'held' }])
    const turns = await world.sql<{ apart: number }[]>`
      select extract(epoch from not_before - lag(not_before) over (order by not_before))::float8 as apart
      from platform.message where message_id = any(${results.map(({ messageId }: Sent) => messageId)}) order by not_before`
    expect(turns.slice(1)).toEqual([{ apart: 2 }, { apart: 2 }])
    const single: Sent = await call('send_message', { to: { phone: newPhone() }, channel: internalName, text: 'x' })
    expect(await deliverer.deliver(single)).toEqual({ kind: 'done' })
    await world.sql`update platform.message set not_before = now() where message_id = ${second.messageId}`
    expect(await deliverer.deliver(second)).toEqual({ kind: 'done' })
  })

  it('is refused a pace that is none', async () => {
    const refusal = await world.refusal('create_channel', {
      internalName: 'Hasty',
      channel: 'sms',
      provider: 'sandbox',
      settings: { messagesPerSecond: 0 },
    })
    expect(pathsOf(refusal)).toEqual(['$.settings.messagesPerSecond'])
  })
})
