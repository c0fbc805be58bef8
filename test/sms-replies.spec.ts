/** What comes back by SMS: replies, taps, statuses, and STOP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  type Deliverer,
  inboundForm,
  newPhone,
  newTwilioChannel,
  openDeliverer,
  receive,
  type Sent,
  type TestChannel,
} from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { openTwilioFake, type TwilioFake } from './support/twilio-fake.ts'
import { useWorld } from './support/world.ts'

const world = useWorld({ PUBLIC_URL: 'https://ops.example.com' })
const { call } = world
let fake: TwilioFake
let sms: TestChannel
let deliverer: Deliverer
beforeAll(async () => {
  fake = await openTwilioFake()
  sms = await newTwilioChannel(world, fake)
  deliverer = openDeliverer(world)
})
afterAll(async () => {
  await deliverer?.close()
  await fake?.close()
})

const textTo = (phone: string, more: object = {}): Promise<Sent> =>
  call('send_message', { to: { phone }, channel: sms.internalName, text: 'Is gate 4 open?', ...more })
const card = {
  choices: [
    { key: 'open', label: 'Open' },
    { key: 'closed', label: 'Closed' },
  ],
}

describe('a reply by SMS', () => {
  it('is understood by its number, wakes the await, and is stored once however often it is delivered', async () => {
    const phone = newPhone()
    const { conversationId } = await textTo(phone, { card })
    const waiting = call('await_reply', { conversationId, timeoutSeconds: 20 })
    const form = inboundForm(phone, ' 2. ')
    const answers = await Promise.all(Array.from({ length: 4 }, () => receive(world, fake, sms.webhookUrl, form)))
    expect(answers).toEqual(answers.map(() => '<?xml version="1.0" encoding="UTF-8"?><Response></Response>'))
    const replies = await waiting
    expect(replies.messages).toEqual([
      expect.objectContaining({ text: ' 2. ', choice: 'closed', channel: 'sms', from: phone, direction: 'inbound', conversationId }),
    ])
    await receive(world, fake, sms.webhookUrl, form)
    expect((await call('poll_replies', { conversationId })).messages).toHaveLength(1)
  })

  it('is understood by the button that was tapped', async () => {
    const whatsapp = await newTwilioChannel(world, fake, 'whatsapp')
    const phone = newPhone()
    const { conversationId } = await call('send_message', { to: { phone }, channel: whatsapp.internalName, text: 'Open?', card })
    await receive(
      world,
      fake,
      whatsapp.webhookUrl,
      inboundForm(`whatsapp:${phone}`, 'Abierta', { To: 'whatsapp:+15005550006', ButtonPayload: 'open', ButtonText: 'Abierta' }),
    )
    expect((await call('poll_replies', { conversationId })).messages).toMatchObject([
      { choice: 'open', from: phone, text: 'Abierta', channel: 'whatsapp' },
    ])
  })

  it('holds the place that was shared', async () => {
    const whatsapp = await newTwilioChannel(world, fake, 'whatsapp')
    const phone = newPhone()
    const { conversationId } = await call('send_message', { to: { phone }, channel: whatsapp.internalName, text: 'Where are you?' })
    const places = [
      { Latitude: '53.5436', Longitude: '9.9661', Label: 'Gate 27', Address: 'Harbour Road 1, Hamburg' },
      { Latitude: '0', Longitude: '-0.5' },
    ]
    for (const place of places)
      await receive(world, fake, whatsapp.webhookUrl, inboundForm(`whatsapp:${phone}`, '', { To: 'whatsapp:+15005550006', ...place }))
    expect((await call('poll_replies', { conversationId })).messages).toMatchObject([
      { text: 'Gate 27\nHarbour Road 1, Hamburg\n53.5436, 9.9661' },
      { text: '0, -0.5' },
    ])
  })

  it('belongs to the latest open conversation with its sender on that channel', async () => {
    const phone = newPhone()
    const other = await newTwilioChannel(world, fake)
    const first = await textTo(phone)
    const second = await textTo(phone)
    const elsewhere = await call('send_message', { to: { phone }, channel: other.internalName, text: 'x' })
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'to the second'))
    await call('end_conversation', { conversationId: second.conversationId })
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'to the first'))
    const textsOf = async (conversationId: number) =>
      (await call('poll_replies', { conversationId, afterSeq: 0 })).messages.map((one: { text: string }) => one.text)
    expect(await Promise.all([first, second, elsewhere].map((one) => textsOf(one.conversationId)))).toEqual([
      ['to the first'],
      ['to the second'],
      [],
    ])
  })

  it('opens a conversation that nobody awaits where none is open, once for all that follows', async () => {
    const phone = newPhone()
    await Promise.all(['one', 'two', 'three'].map((text) => receive(world, fake, sms.webhookUrl, inboundForm(phone, text))))
    const [found, ...others] = await call('list_conversations', { address: phone })
    expect(others).toEqual([])
    expect(found).toMatchObject({ state: 'open', channel: 'sms', address: phone, lastSeq: 3, channelId: sms.channelId })
    expect(await call('send_message', { conversationId: found.conversationId, text: 'How can we help?' })).toMatchObject({
      seq: 4,
      status: 'queued',
    })
  })

  it('is kept whatever its sender’s address, its files and its id hold', async () => {
    const form = inboundForm('+34\u0000600', 'a\u0000b', {
      NumMedia: '1',
      MediaUrl0: 'https://files.example.com/\u0000a',
      MediaContentType0: 'image/\u0000png',
    })
    const sid = `${form['MessageSid']}\u0000`
    const taken = { ...form, MessageSid: sid, To: '+1500\u00005550006' }
    expect(await receive(world, fake, sms.webhookUrl, taken)).toContain('<Response>')
    const rows =
      await world.sql`select text, from_address, provider_id from platform.message where provider_id = ${form['MessageSid'] ?? ''}`
    expect(rows).toEqual([{ text: 'ab', fromAddress: '+34600', providerId: form['MessageSid'] }])
  })

  it('is kept whatever characters it holds', async () => {
    const phone = newPhone()
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'a\u0000b 👍'))
    const [{ conversationId }] = await call('list_conversations', { address: phone })
    expect((await call('get_conversation', { conversationId })).messages[0].text).toBe('ab 👍')
  })
})

describe('STOP, START and HELP', () => {
  it('STOP from a known or unknown address suppresses what is sent after it, on that channel alone, until START', async () => {
    const whatsapp = await newTwilioChannel(world, fake, 'whatsapp')
    const phone = newPhone()
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'Stop.'))
    const before = fake.taken.length
    const suppressed = await textTo(phone)
    expect(suppressed.status).toBe('suppressed')
    expect(await call('get_message_status', { messageId: suppressed.messageId })).toMatchObject({
      status: 'suppressed',
      reason: 'optedOut',
      attempts: 0,
    })
    expect(
      await world.sql`select 1 from platform.outbox where subject = ${`conversation:${suppressed.conversationId}`} and errand ->> 'signal' = 'deliver'`,
    ).toHaveLength(0)
    expect(await call('send_message', { to: { phone }, channel: whatsapp.internalName, text: 'x' })).toMatchObject({ status: 'queued' })
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'START'))
    expect((await textTo(phone)).status).toBe('queued')
    expect(fake.taken.length).toBe(before)
    const other = await world.newTenant()
    const theirs = await newTwilioChannel(world, fake, 'sms', { key: other.key })
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'STOP'))
    expect(await call('send_message', { to: { phone }, channel: theirs.internalName, text: 'x' }, { key: other.key })).toMatchObject({
      status: 'queued',
    })
  })

  it('reach whoever awaits the conversation, and what was queued before STOP does not go out', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    const waiting = call('await_reply', { conversationId: sent.conversationId, timeoutSeconds: 20 })
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'UNSUBSCRIBE'))
    expect((await waiting).messages).toMatchObject([{ text: 'UNSUBSCRIBE', keyword: 'stop' }])
    const before = fake.taken.length
    await deliverer.deliverFully(sent)
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({ status: 'suppressed', reason: 'optedOut' })
    expect(fake.taken.length).toBe(before)
  })

  it('are known by the vendor’s word too, for words of its customer’s own, and START also by a YES after STOP', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    const say = (text: string, more = {}) => receive(world, fake, sms.webhookUrl, inboundForm(phone, text, more))
    expect(await say('Basta', { OptOutType: 'STOP' })).toContain('<Response></Response>')
    expect((await textTo(phone)).status).toBe('suppressed')
    await say('Otra vez', { OptOutType: 'START' })
    expect((await textTo(phone)).status).toBe('queued')
    await say('yes')
    await say('STOP')
    expect((await textTo(phone)).status).toBe('suppressed')
    await say('Yes.')
    expect((await textTo(phone)).status).toBe('queued')
    const { messages } = await call('poll_replies', { conversationId: sent.conversationId, afterSeq: 0 })
    expect(messages).toMatchObject([{ text: 'Basta', keyword: 'stop' }])
  })

  it('HELP is answered with the channel’s text, unless the vendor has answered it', async () => {
    const own = await newTwilioChannel(world, fake, 'sms', { settings: { helpText: 'Call <b>1234</b> & ask' } })
    expect(await receive(world, fake, own.webhookUrl, inboundForm(newPhone(), 'help'))).toContain(
      '<Message>Call &lt;b&gt;1234&lt;/b&gt; &amp; ask</Message>',
    )
    expect(await receive(world, fake, own.webhookUrl, inboundForm(newPhone(), 'help', { OptOutType: 'HELP' }))).toContain(
      '<Response></Response>',
    )
    expect(await receive(world, fake, sms.webhookUrl, inboundForm(newPhone(), 'INFO'))).toContain('Reply STOP')
  })

  it('are answers where the question offers them and the vendor does not act on them itself; STOP never is', async () => {
    const whatsapp = await newTwilioChannel(world, fake, 'whatsapp')
    const choices = [
      { key: 'go', label: 'Info' },
      { key: 'no', label: 'Cancel' },
      { key: 'stop', label: 'Stop' },
    ]
    const ask = async (channel: TestChannel, phone: string): Promise<Sent> =>
      call('send_message', { to: { phone }, channel: channel.internalName, text: 'Go on?', card: { choices } })
    const replied = async (channel: TestChannel, phone: string, word: string) => {
      const { conversationId } = await ask(channel, phone)
      const from = channel === whatsapp ? `whatsapp:${phone}` : phone
      const twiml = await receive(world, fake, channel.webhookUrl, inboundForm(from, word))
      const { messages } = await call('poll_replies', { conversationId })
      return {
        choice: messages[0]?.choice,
        keyword: messages[0]?.keyword,
        helped: twiml.includes('<Message>'),
        next: (await ask(channel, phone)).status,
      }
    }
    expect(await replied(whatsapp, newPhone(), 'Cancel')).toEqual({ choice: 'no', keyword: undefined, helped: false, next: 'queued' })
    expect(await replied(whatsapp, newPhone(), 'info')).toEqual({ choice: 'go', keyword: undefined, helped: false, next: 'queued' })
    expect(await replied(whatsapp, newPhone(), 'STOP')).toMatchObject({ keyword: 'stop', next: 'suppressed' })
    expect(await replied(whatsapp, newPhone(), 'Quit')).toMatchObject({ keyword: 'stop', next: 'suppressed' })
    expect(await replied(sms, newPhone(), 'Cancel')).toMatchObject({ keyword: 'stop', next: 'suppressed' })
  })

  it('show in the preferences of the user whose number it is, beside what an administrator recorded', async () => {
    const phone = newPhone()
    const { tenantUserId } = await call('create_user', {
      userName: `stop${Date.now()}`,
      displayName: 'Stop',
      email: `stop${Date.now()}@example.com`,
      roles: ['DataView'],
      phone,
    })
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'QUIT'))
    await call('set_contact_preferences', { tenantUserId, optOut: ['whatsapp'] })
    const { addresses } = await call('get_contact_preferences', { tenantUserId })
    expect(addresses).toMatchObject([
      { channel: 'sms', address: phone, isOptedOut: true, source: 'person' },
      { channel: 'whatsapp', address: phone, isOptedOut: true, source: 'administrator' },
      { channel: 'email', isOptedOut: false },
    ])
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'UNSTOP'))
    expect((await call('get_contact_preferences', { tenantUserId })).addresses[0]).toEqual({
      channel: 'sms',
      address: phone,
      isOptedOut: false,
    })
  })

  it('make a preference pass over the channel that was refused', async () => {
    const phone = newPhone()
    const { tenantUserId } = await call('create_user', {
      userName: `pref${Date.now()}`,
      displayName: 'Pref',
      email: `pref${Date.now()}@example.com`,
      roles: ['DataView'],
      phone,
    })
    await call('set_contact_preferences', { tenantUserId, channelOrder: ['email', 'sms', 'inbox'] })
    const channelOf = async () =>
      (await call('get_conversation', { conversationId: (await call('send_message', { to: { tenantUserId }, text: 'x' })).conversationId }))
        .channel
    expect(await channelOf()).toBe('sms')
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'STOP'))
    await call('set_contact_preferences', { tenantUserId, channelOrder: ['sms', 'inbox'] })
    expect(await channelOf()).toBe('inbox')
  })
})

describe('the status of a delivery', () => {
  it('never goes back, whatever the order and number of its callbacks', async () => {
    const sent = await textTo(newPhone())
    await deliverer.deliver(sent)
    const { sid, statusCallback } = fake.taken.at(-1) ?? { sid: '', statusCallback: '' }
    expect(statusCallback).toBe(`${sms.webhookUrl}?messageId=${sent.messageId}`)
    const statusOf = async () => (await call('get_message_status', { messageId: sent.messageId })).status
    const seen: string[] = [await statusOf()]
    for (const status of ['delivered', 'sent', 'delivered', 'queued', 'sending', 'sent']) {
      await receive(world, fake, statusCallback, { MessageSid: sid, MessageStatus: status, SmsSid: sid })
      seen.push(await statusOf())
    }
    expect(seen).toEqual(['sent', 'delivered', 'delivered', 'delivered', 'delivered', 'delivered', 'delivered'])
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({
      providerId: sid,
      sentDate: expect.any(String),
      deliveredDate: expect.any(String),
    })
  })

  it('says why a message failed; the vendor’s word that somebody said STOP counts as STOP', async () => {
    const phone = newPhone()
    const failed = await textTo(phone)
    await deliverer.deliver(failed)
    const first = fake.taken.at(-1) ?? { sid: '', statusCallback: '' }
    await receive(world, fake, first.statusCallback, { MessageSid: first.sid, MessageStatus: 'undelivered', ErrorCode: '30005' })
    expect(await call('get_message_status', { messageId: failed.messageId })).toMatchObject({
      status: 'failed',
      reason: 'badAddress',
      vendorCode: '30005',
    })
    const stopped = await textTo(phone)
    await deliverer.deliver(stopped)
    const second = fake.taken.at(-1) ?? { sid: '', statusCallback: '' }
    await receive(world, fake, second.statusCallback, { MessageSid: second.sid, MessageStatus: 'failed', ErrorCode: '21610' })
    expect(await call('get_message_status', { messageId: stopped.messageId })).toMatchObject({ status: 'suppressed', reason: 'optedOut' })
    expect((await textTo(phone)).status).toBe('suppressed')
  })

  it('tells that WhatsApp takes no free text more than a day after the person’s last message', async () => {
    const whatsapp = await newTwilioChannel(world, fake, 'whatsapp')
    const sent: Sent = await call('send_message', { to: { phone: newPhone() }, channel: whatsapp.internalName, text: 'Hello?' })
    await deliverer.deliver(sent)
    const taken = fake.taken.at(-1)
    await receive(world, fake, taken?.statusCallback ?? '', {
      MessageSid: taken?.sid ?? '',
      MessageStatus: 'undelivered',
      ErrorCode: '63016',
    })
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({
      status: 'failed',
      reason: 'windowClosed',
      vendorCode: '63016',
    })
    fake.plan({ status: 400, code: 63_016 })
    const next: Sent = await call('send_message', { conversationId: sent.conversationId, text: 'Hello again?' })
    await deliverer.deliver(next)
    expect(await call('get_message_status', { messageId: next.messageId })).toMatchObject({ status: 'failed', reason: 'windowClosed' })
  })

  it('of a message that is not ours changes nothing', async () => {
    const sent = await textTo(newPhone())
    await deliverer.deliver(sent)
    const other = await newTwilioChannel(world, fake)
    await receive(world, fake, `${other.webhookUrl}?messageId=${sent.messageId}`, { MessageSid: 'SMstranger', MessageStatus: 'failed' })
    await receive(world, fake, `${sms.webhookUrl}?messageId=${sent.messageId}`, { MessageSid: 'SMstranger', MessageStatus: 'failed' })
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({ status: 'sent' })
    await expect(receive(world, fake, sms.webhookUrl, { Nothing: 'here' })).rejects.toMatchObject(refused('invalid_input'))
  })
})
