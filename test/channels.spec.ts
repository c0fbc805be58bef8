/** Channels, and the webhooks by which their vendors reach us. Deliveries are in deliveries.spec.ts, replies in sms-replies.spec.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openWire } from './contract/wire.ts'
import { type Deliverer, inboundForm, newPhone, newTwilioChannel, openDeliverer, receive, type TestChannel } from './support/messaging.ts'
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

describe('a channel', () => {
  it('shows its settings to administrators of integrations alone, and its secrets to nobody', async () => {
    const dataView = await world.tenant.keyWith(['DataView'])
    const mine = (await call('list_channels')).find((one: { channelId: number }) => one.channelId === sms.channelId)
    expect(mine).toMatchObject({
      channel: 'sms',
      provider: 'twilio',
      secrets: ['authToken'],
      webhookUrl: `https://ops.example.com/api/v1/messaging/webhooks/${sms.channelKey}`,
    })
    expect(JSON.stringify(await call('list_channels'))).not.toContain(fake.authToken)
    const [inbox, theirs] = await call('list_channels', {}, { key: dataView })
    expect(inbox).toMatchObject({ channelId: null, channel: 'inbox', provider: 'builtIn' })
    expect(Object.keys(theirs).sort()).toEqual(['carries', 'channel', 'channelId', 'internalName', 'provider'])
    const [row] = await world.sql`select sealed_secrets, settings::text from platform.channel where channel_id = ${sms.channelId}`
    expect(row?.['sealedSecrets'].includes(Buffer.from(fake.authToken))).toBe(false)
    const audit = await world.sql`select facts::text from platform.audit_event where operation = 'create_channel'`
    expect(audit.length).toBeGreaterThan(0)
    expect(JSON.stringify(audit)).not.toContain(fake.authToken)
  })

  it('has secrets that open in its own row alone, and works again once they were given anew', async () => {
    const other = await newTwilioChannel(world, fake)
    await world.sql`update platform.channel c set sealed_secrets = o.sealed_secrets from platform.channel o where o.channel_id = ${sms.channelId} and c.channel_id = ${other.channelId}`
    await expect(receive(world, fake, other.webhookUrl, inboundForm(newPhone(), 'x'))).rejects.toMatchObject(refused('forbidden'))
    const sent = await call('send_message', { to: { phone: newPhone() }, channel: other.internalName, text: 'x' })
    await deliverer.deliver(sent)
    expect(await call('get_message_status', { messageId: sent.messageId })).toMatchObject({
      status: 'failed',
      reason: 'channelMisconfigured',
      attempts: 0,
    })
    expect(await call('list_channels')).toContainEqual(expect.objectContaining({ channelId: other.channelId, secrets: ['authToken'] }))
    await expect(call('update_channel', { channelId: other.channelId, internalName: 'Renamed' })).rejects.toMatchObject(
      refused('conflict', /authToken/),
    )
    await call('update_channel', { channelId: other.channelId, secrets: { authToken: fake.authToken } })
    await receive(world, fake, other.webhookUrl, inboundForm(newPhone(), 'x'))
    await call('delete_channel', { channelId: other.channelId })
  })

  it('is refused with every finding at once, each with its place', async () => {
    const wrong = {
      internalName: 'Wrong',
      channel: 'email',
      provider: 'twilio',
      settings: { acountSid: 'AC1', from: '+15005550006' },
      secrets: { authToken: 'short' },
    }
    const error = await call('create_channel', wrong).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_input' })
    const { issues } = error as { issues: { path: string; suggestion?: string }[] }
    expect(issues.map((issue) => issue.path).sort()).toEqual(['$.provider', '$.secrets.authToken', '$.settings.acountSid'])
    expect(issues.find((issue) => issue.path === '$.settings.acountSid')?.suggestion).toBe('accountSid')
    const settings = { accountSid: fake.accountSid, from: '+15005550006' }
    const toPrivate = {
      internalName: 'Private',
      channel: 'sms',
      provider: 'twilio',
      settings: { ...settings, apiBaseUrl: 'http://169.254.169.254/latest' },
      secrets: { authToken: 'long-enough' },
    }
    await expect(call('create_channel', toPrivate)).rejects.toMatchObject(refused('unprocessable', /OUTBOUND_ALLOW/))
    await expect(call('create_channel', { ...toPrivate, settings, internalName: sms.internalName.toUpperCase() })).rejects.toMatchObject(
      refused('already_exists'),
    )
  })

  it('has no name that is a kind of channel, and a sender that the vendor can know', async () => {
    const make = (more: object, settings: object = {}) =>
      call('create_channel', {
        internalName: 'Sender',
        channel: 'sms',
        provider: 'twilio',
        settings: { accountSid: fake.accountSid, from: '+15005550006', ...settings },
        secrets: { authToken: 'long-enough' },
        ...more,
      })
    const wrong = (path: string) => ({ code: 'invalid_input', issues: [{ path }] })
    for (const internalName of ['inbox', 'Email', 'WHATSAPP', 'webPush'])
      await expect(make({ internalName }), internalName).rejects.toMatchObject(wrong('$.internalName'))
    await expect(call('update_channel', { channelId: sms.channelId, internalName: 'Inbox' })).rejects.toMatchObject(wrong('$.internalName'))
    for (const from of ['5005550006', '600 123 456', '12', 'whatsapp:+15005550006'])
      await expect(make({}, { from }), from).rejects.toMatchObject(wrong('$.settings.from'))
    for (const from of ['Fieldloop', '12345'])
      await expect(make({ channel: 'whatsapp' }, { from }), from).rejects.toMatchObject(wrong('$.settings.from'))
    for (const [n, from] of ['Fieldloop', '12345', 'Crew 7'].entries())
      expect(await make({ internalName: `Sender${n}` }, { from })).toMatchObject({ settings: { from } })
  })

  it('keeps the secrets that an update does not name', async () => {
    const made = await newTwilioChannel(world, fake)
    const { channelId } = made
    const changed = await call('update_channel', { channelId, internalName: `${made.internalName}b` })
    expect(changed).toMatchObject({ channelId, internalName: `${made.internalName}b`, secrets: ['authToken'], channelKey: made.channelKey })
    const from = newPhone()
    await receive(world, fake, made.webhookUrl, inboundForm(from, 'still me'))
    await call('update_channel', { channelId, secrets: { authToken: 'a-rotated-token' } })
    await expect(receive(world, fake, made.webhookUrl, inboundForm(from, 'no more'))).rejects.toMatchObject(refused('forbidden'))
    await expect(call('update_channel', { channelId, secrets: { authToken: null } })).rejects.toMatchObject(refused('invalid_input'))
    expect(await call('delete_channel', { channelId })).toEqual({ channelId })
    await expect(call('delete_channel', { channelId })).rejects.toMatchObject(refused('not_found'))
    await expect(receive(world, fake, made.webhookUrl, inboundForm(from, 'gone'))).rejects.toMatchObject(refused('not_found'))
    expect(await call('list_conversations', { address: from })).toHaveLength(1)
  })

  it('takes no secret along to another host, where whoever changes it could read what is never shown', async () => {
    const made = await newTwilioChannel(world, fake)
    const { channelId } = made
    const { settings } = (await call('list_channels', {})).find((one: { channelId: number }) => one.channelId === channelId)
    const { apiBaseUrl: _apiBaseUrl, ...atVendor } = settings
    for (const elsewhere of [{ ...settings, apiBaseUrl: 'https://elsewhere.example' }, atVendor])
      await expect(call('update_channel', { channelId, settings: elsewhere })).rejects.toMatchObject({
        code: 'invalid_input',
        issues: [{ path: '$.secrets.authToken', message: expect.stringMatching(/another host/) }],
      })
    expect(await call('update_channel', { channelId, settings: { ...settings, helpText: 'Call 112.' } })).toMatchObject({ channelId })
    expect(await call('update_channel', { channelId, settings: atVendor, secrets: { authToken: 'given-again' } })).toMatchObject({
      settings: atVendor,
    })
    const mail = await call('create_channel', {
      internalName: 'ToMove',
      channel: 'email',
      provider: 'smtp',
      settings: { host: 'mail.example.com', port: 587, secure: false, from: 'ops@example.com' },
      secrets: { user: 'ops', password: 'secret', webhookSecret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' },
    })
    const moved = { channelId: mail.channelId, settings: { ...mail.settings, host: 'mail.elsewhere.example' } }
    await expect(call('update_channel', moved)).rejects.toMatchObject({
      issues: [{ path: '$.secrets.password' }, { path: '$.secrets.user' }],
    })
    expect(await call('update_channel', { ...moved, secrets: { user: null, password: null } })).toMatchObject({
      secrets: ['webhookSecret'],
    })
    await call('delete_channel', { channelId: mail.channelId })
  })

  it('is invisible to another tenant', async () => {
    const { key } = await world.newTenant()
    await expect(call('update_channel', { channelId: sms.channelId, internalName: 'Mine' }, { key })).rejects.toMatchObject(
      refused('not_found', /^No such channel\.$/),
    )
    await expect(call('test_channel', { channelId: sms.channelId, to: newPhone() }, { key })).rejects.toMatchObject(refused('not_found'))
    await expect(call('send_message', { to: { phone: newPhone() }, channel: sms.internalName, text: 'x' }, { key })).rejects.toMatchObject(
      refused('invalid_input'),
    )
  })

  it('is tested by one message, whose fate the test tells', async () => {
    const to = newPhone()
    const testing = call('test_channel', { channelId: sms.channelId, to, timeoutSeconds: 20 })
    await expect.poll(() => world.sql`select message_id, conversation_id from platform.message where to_address = ${to}`).toHaveLength(1)
    const [row] = await world.sql<
      { messageId: string; conversationId: string }[]
    >`select message_id, conversation_id from platform.message where to_address = ${to}`
    await deliverer.deliver({ messageId: Number(row?.messageId), conversationId: Number(row?.conversationId) })
    expect(await testing).toMatchObject({ status: 'sent', attempts: 1, channel: 'sms' })
    expect(fake.taken.at(-1)).toMatchObject({ to, body: `This is a test of ${sms.internalName}.` })
    await expect(call('test_channel', { channelId: sms.channelId, to: 'ana@example.com' })).rejects.toMatchObject(
      refused('invalid_input', /phone/),
    )
    expect(await call('test_channel', { channelId: sms.channelId, to: newPhone(), timeoutSeconds: 0 })).toMatchObject({ status: 'queued' })
  })
})

describe('the signature of a webhook', () => {
  it('is refused where it is wrong, stores nothing, and an unknown key is not found', async () => {
    const from = newPhone()
    const raw = fake.request(sms.webhookUrl, inboundForm(from, 'Hello'))
    const channelKey = sms.channelKey
    const forgeries = [
      { ...raw, body: Buffer.from(raw.body.toString().replace('Hello', 'Hullo')) },
      { ...raw, headers: {} },
      { ...raw, url: `${raw.url}?messageId=1` },
    ]
    for (const forged of forgeries)
      await expect(call('receive_channel_webhook', { channelKey }, { raw: forged })).rejects.toMatchObject(refused('forbidden'))
    await expect(call('receive_channel_webhook', { channelKey: 'x'.repeat(32) }, { raw })).rejects.toMatchObject(refused('not_found'))
    expect(await call('list_conversations', { address: from })).toEqual([])
  })
})

describe('a webhook on the wire', () => {
  it('is taken whatever idempotency key a stranger has put before it', async () => {
    const [url, from] = [sms.webhookUrl, newPhone()]
    for (const body of ['first', 'second']) {
      const raw = fake.request(url, inboundForm(from, body))
      await world.run('receive_channel_webhook', { channelKey: sms.channelKey }, { raw, idempotencyKey: 'everybodys' })
    }
    const [{ conversationId }] = await call('list_conversations', { address: from })
    const { messages } = await call('poll_replies', { conversationId, afterSeq: 0 })
    expect(messages.map((one: { text: string }) => one.text)).toEqual(['first', 'second'])
  })

  it('is taken with the body and address that the vendor signed, and answered in TwiML', async () => {
    const wire = await openWire(world)
    try {
      const phone = newPhone()
      const { body, headers, url } = fake.request(sms.webhookUrl, inboundForm(phone, 'Grüße & ñ'))
      const post = (path: string) => fetch(`${wire.url}${path}`, { method: 'POST', body, headers: headers as Record<string, string> })
      const answer = await post(url)
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        200,
        'text/xml; charset=utf-8',
        expect.stringContaining('<Response></Response>'),
      ])
      const [{ conversationId }] = await call('list_conversations', { address: phone })
      expect((await call('get_conversation', { conversationId })).messages).toMatchObject([{ text: 'Grüße & ñ' }])
      const status = fake.request(`${sms.webhookUrl}?messageId=1`, { MessageSid: 'SMx', MessageStatus: 'sent' })
      expect(
        (await fetch(`${wire.url}${status.url}`, { method: 'POST', body: status.body, headers: status.headers as Record<string, string> }))
          .status,
      ).toBe(200)
      const forged = await post(`${url}?messageId=7`)
      expect([forged.status, await forged.json()]).toEqual([403, expect.objectContaining({ code: 'forbidden' })])
    } finally {
      await wire.close()
    }
  })
})
