/** Channels without a vendor: what is sent through them is in a handset or a mailbox, where it is answered, tapped, failed and delayed. */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'

import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createHttpServer, type HttpServer } from '#server/http/server.ts'
import { createHandsetCalls, createLinkCalls, createPages } from '#server/pages/index.ts'
import { provisionFirstTenant } from '#tools/tenants/service.ts'

import { noBacklog } from './support/backlog.ts'
import { openBrowser } from './support/browser.ts'
import { type Deliverer, newPhone, newTwilioChannel, openDeliverer, type Sent } from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { openTwilioFake } from './support/twilio-fake.ts'
import { openWorld, useWorld } from './support/world.ts'

const axe = readFileSync(resolve(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')
const world = useWorld()
const { call } = world

let deliverer: Deliverer
let server: HttpServer
let browser: Browser
let url = ''
const keys = { sms: '', email: '' }
const failures: unknown[] = []

beforeAll(async () => {
  deliverer = openDeliverer(world)
  for (const channel of ['sms', 'email'] as const) {
    const made = await call('create_channel', { internalName: `Box${channel}`, channel, provider: 'sandbox', settings: {} })
    keys[channel] = made.channelKey
  }
  const { pipeline, services } = world.platform
  server = await createHttpServer({
    pipeline,
    config: { ...world.config, port: 0 },
    log: services.log,
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    backlog: async () => noBacklog,
    pages: createPages({
      calls: createLinkCalls(pipeline),
      handsets: createHandsetCalls(pipeline),
      onFailure: (error) => failures.push(error),
    }),
    docs: { texts: new Map() },
  })
  await server.listen()
  // A listening TCP server has an AddressInfo.
  url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await deliverer?.close()
  await server?.close()
})

const card = {
  title: 'Gate 4',
  choices: [
    { key: 'open', label: 'Open' },
    { key: 'shut', label: 'Shut <b>' },
  ],
}

async function textTo(phone: string, more: object = {}): Promise<Sent> {
  return call('send_message', { to: { phone }, text: 'Is gate 4 open?', ...more })
}

const look = (address: string, key = keys.sms) => call('list_handset_messages', { channelKey: key, address })
const act = (done: object, key = keys.sms) =>
  call('receive_channel_webhook', { channelKey: key }, { raw: { body: Buffer.from(JSON.stringify(done)), headers: {}, url: '/' } })
const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })

describe('a channel without a vendor', () => {
  it('shows a message as the channel carries it, and takes a tap and a reply as the person’s', async () => {
    const phone = newPhone()
    const sent = await textTo(phone, { card })
    await deliverer.deliver(sent)
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 1 })
    const { handsets, messages } = await look(phone)
    expect(handsets.map((one: { address: string }) => one.address)).toContain(phone)
    expect(messages).toMatchObject([
      {
        messageId: sent.messageId,
        text: 'Gate 4\n\nIs gate 4 open?\n\n1. Open\n2. Shut <b>\n\nReply with the number of your answer.',
        choices: card.choices,
        status: 'sent',
      },
    ])
    await act({ kind: 'message', from: phone, choice: 'shut' })
    await act({ kind: 'message', from: phone, text: 'It is chained', id: 'one' })
    expect(await act({ kind: 'message', from: phone, text: 'It is chained', id: 'one' })).toEqual({ outcome: 'duplicate' })
    const replies = await call('poll_replies', { conversationId: sent.conversationId })
    expect(replies.messages).toMatchObject([{ choice: 'shut' }, { text: 'It is chained', from: phone }])
    expect(replies.messages).toHaveLength(2)
  })

  it('says what an address is there to whoever gives another', async () => {
    const { channelKey } = await call('create_channel', { internalName: 'BoxBot', channel: 'telegram', provider: 'sandbox', settings: {} })
    await expect(act({ kind: 'message', from: 'Ana', text: 'Hello' }, channelKey)).rejects.toThrow(
      '"Ana" is no address here: give the number of a private chat, such as 812345678.',
    )
    await expect(act({ kind: 'fail', to: '555' })).rejects.toThrow('give a phone number with its country')
    expect(await act({ kind: 'message', from: '812345678', text: 'Hello' }, channelKey)).toEqual({ outcome: 'stored' })
  })

  it('reports what is done with a message, and never takes a report back', async () => {
    const sent = await textTo(newPhone())
    await deliverer.deliver(sent)
    const { messageId } = sent
    expect(await act({ kind: 'status', messageId, status: 'read' })).toEqual({ outcome: 'updated' })
    expect(await act({ kind: 'status', messageId, status: 'delivered' })).toEqual({ outcome: 'ignored' })
    expect(await statusOf(sent)).toMatchObject({ status: 'read' })
    const other = await textTo(newPhone())
    await deliverer.deliver(other)
    await act({ kind: 'status', messageId: other.messageId, status: 'failed', reason: 'badAddress' })
    expect(await statusOf(other)).toMatchObject({ status: 'failed', reason: 'badAddress' })
  })

  it('fails or delays the next message alone, where it is told to', async () => {
    const phone = newPhone()
    await act({ kind: 'fail', to: phone, reason: 'badAddress' })
    const failed = await textTo(phone)
    await deliverer.deliver(failed)
    expect(await statusOf(failed)).toMatchObject({ status: 'failed', reason: 'badAddress' })
    await act({ kind: 'delay', to: phone, seconds: 7 })
    const late = await textTo(phone)
    await expect(deliverer.deliver(late)).rejects.toMatchObject({ nextRetryDelay: 7_000 })
    expect(await statusOf(late)).toMatchObject({ status: 'queued' })
    await deliverer.deliver(late)
    expect(await statusOf(late)).toMatchObject({ status: 'sent' })
  })

  it('tells two conversations with one person apart by the question that a reply answers', async () => {
    const phone = newPhone()
    const asked = await textTo(phone, { card })
    const { conversationId } = await textTo(phone, { text: 'The crew arrives at ten.' })
    const said = async (id: number) =>
      (await call('poll_replies', { conversationId: id, afterSeq: 0 })).messages.map((one: { text: string }) => one.text)
    await act({ kind: 'message', from: phone, text: 'Who comes?' })
    await act({ kind: 'message', from: phone, text: '2' })
    // The question has been answered, so that the same word once more is no answer to it.
    await act({ kind: 'message', from: phone, text: 'open' })
    expect(await said(asked.conversationId)).toEqual(['2'])
    expect(await said(conversationId)).toEqual(['Who comes?', 'open'])
    const other = await textTo(phone, { card: { choices: [{ key: 'yes', label: 'Yes' }] } })
    const again = await call('send_message', { conversationId: asked.conversationId, text: 'Really?', card })
    await act({ kind: 'message', from: phone, choice: 'yes' })
    await act({ kind: 'message', from: phone, choice: 'open' })
    expect(await said(other.conversationId)).toEqual(['yes'])
    expect(await said(again.conversationId)).toEqual(['2', 'open'])
  })

  it('takes a tap under a question as the answer to that one, whatever else was asked since', async () => {
    const phone = newPhone()
    const first = await textTo(phone, { card })
    const second = await textTo(phone, { card })
    for (const one of [first, second]) await deliverer.deliver(one)
    expect(second.conversationId).not.toBe(first.conversationId)
    await act({ kind: 'message', from: phone, choice: 'open', messageId: first.messageId })
    const repliesTo = async ({ conversationId }: Sent) => (await call('poll_replies', { conversationId, afterSeq: 0 })).messages
    expect(await repliesTo(first)).toMatchObject([{ choice: 'open' }])
    expect(await repliesTo(second)).toEqual([])
  })

  it('obeys STOP and answers HELP as a vendor’s channel does', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    await deliverer.deliver(sent)
    await act({ kind: 'message', from: phone, text: 'HELP' })
    const { messages } = await look(phone)
    expect(messages.at(-1)).toMatchObject({ direction: 'outbound', text: expect.stringContaining('STOP') })
    await act({ kind: 'message', from: phone, text: 'stop' })
    expect(await textTo(phone)).toMatchObject({ status: 'suppressed' })
  })

  it('answers HELP where the messages of the tenant’s day are used up', async () => {
    const phone = newPhone()
    await deliverer.deliver(await textTo(phone))
    const { key } = await world.newTenant(1023)
    const { tenantId } = world.tenant
    await world.call('set_tenant_limits', { tenantId, messagesPerDay: 1 }, { key })
    try {
      await expect(textTo(phone)).rejects.toMatchObject(refused('conflict'))
      await act({ kind: 'message', from: phone, text: 'HELP' })
      expect((await look(phone)).messages.at(-1)).toMatchObject({ direction: 'outbound', text: expect.stringContaining('STOP') })
    } finally {
      await world.call('set_tenant_limits', { tenantId, messagesPerDay: null }, { key })
    }
  })

  it('sends what was claimed by a process that died, since nothing can have left', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    await world.sql`insert into platform.message_attempt (tenant_id, message_id, attempt_no, claimed_at)
      values (${world.tenant.tenantId}, ${sent.messageId}, 1, now() - interval '1 minute')`
    await deliverer.deliver(sent)
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  it('gives way to a vendor for its kind, and says what its webhook takes', async () => {
    const fake = await openTwilioFake()
    try {
      const vendor = await newTwilioChannel(world, fake)
      const { conversationId } = await textTo(newPhone(), { channel: 'sms' })
      expect(await call('get_conversation', { conversationId })).toMatchObject({ channelId: vendor.channelId })
      await expect(call('list_handset_messages', { channelKey: vendor.channelKey })).rejects.toMatchObject(refused('not_found'))
      await call('delete_channel', { channelId: vendor.channelId })
    } finally {
      await fake.close()
    }
    await expect(act({ kind: 'message', from: 'nobody' })).rejects.toMatchObject(refused('invalid_input', /"kind": "delay"/))
    await expect(act({ kind: 'delay', to: newPhone(), seconds: 4_000 })).rejects.toMatchObject(refused('invalid_input'))
    await expect(call('list_handset_messages', { channelKey: 'made-up' })).rejects.toMatchObject(refused('not_found'))
  })

  it('leaves a STOP in force that somebody said to a vendor, and mutes no vendor by what is tried out', async () => {
    const fake = await openTwilioFake()
    const vendor = await newTwilioChannel(world, fake)
    try {
      const [phone, other] = [newPhone(), newPhone()]
      await call('set_contact_preferences', {
        tenantUserId: (await call('create_user', { email: 'stopped@example.com', phone, roles: [] })).tenantUserId,
        optOut: ['sms'],
      })
      await act({ kind: 'message', from: phone, text: 'START' })
      expect(await textTo(phone, { channel: vendor.internalName })).toMatchObject({ status: 'suppressed' })
      await act({ kind: 'message', from: other, text: 'STOP' })
      expect(await textTo(other, { channel: vendor.internalName })).toMatchObject({ status: 'queued' })
    } finally {
      await call('delete_channel', { channelId: vendor.channelId })
      await fake.close()
    }
  })

  it('gives way to a vendor of another kind too, for a number and for a user who would rather have its kind', async () => {
    const fake = await openTwilioFake()
    const vendor = await newTwilioChannel(world, fake, 'whatsapp')
    try {
      const phone = newPhone()
      const { conversationId } = await textTo(phone)
      expect(await call('get_conversation', { conversationId })).toMatchObject({ channelId: vendor.channelId })
      const { tenantUserId } = await call('create_user', { email: 'rather-sms@example.com', phone: newPhone(), roles: [] })
      await call('set_contact_preferences', { tenantUserId, channelOrder: ['sms', 'whatsapp'] })
      const sent = await call('send_message', { to: { tenantUserId }, text: 'Is gate 4 open?' })
      expect(await call('get_conversation', { conversationId: sent.conversationId })).toMatchObject({ channelId: vendor.channelId })
    } finally {
      await call('delete_channel', { channelId: vendor.channelId })
      await fake.close()
    }
  })

  it('is there in a first start, for every kind that it carries, under a name that says what it is', async () => {
    const fresh = await openWorld()
    try {
      await fresh.sql`truncate platform.tenant cascade`
      await provisionFirstTenant(fresh.platform.services)
      const rows = await fresh.sql`select internal_name, channel, provider from platform.channel order by channel_id`
      expect(rows.map((row) => ({ ...row }))).toEqual([
        { internalName: 'SandboxSms', channel: 'sms', provider: 'sandbox' },
        { internalName: 'SandboxWhatsapp', channel: 'whatsapp', provider: 'sandbox' },
        { internalName: 'SandboxEmail', channel: 'email', provider: 'sandbox' },
        { internalName: 'SandboxTelegram', channel: 'telegram', provider: 'sandbox' },
        { internalName: 'SandboxSlack', channel: 'slack', provider: 'sandbox' },
        { internalName: 'SandboxTeams', channel: 'teams', provider: 'sandbox' },
        { internalName: 'SandboxWebPush', channel: 'webPush', provider: 'sandbox' },
      ])
    } finally {
      await fresh.close()
    }
  })
})

describe('the page of handsets', () => {
  it('is named to administrators of integrations, and to nobody else', async () => {
    const named = (rows: { channelKey?: string; pageUrl?: string }[]) => rows.flatMap((row) => row.pageUrl ?? [])
    expect(named(await call('list_channels'))).toContain(`${world.config.publicUrl}/handsets/${keys.sms}`)
    const key = await world.tenant.keyWith(['DataView'])
    expect(named(await call('list_channels', {}, { key }))).toEqual([])
    expect((await fetch(`${url}/handsets/made-up`)).status).toBe(404)
  })

  it('works without script: a tap, a reply and a report reach the conversation, and what is written is shown as text', async () => {
    const phone = newPhone()
    const sent = await textTo(phone, { card })
    await deliverer.deliver(sent)
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${url}/handsets/${keys.sms}`)
    await page.getByRole('link', { name: phone }).click()
    await page.getByRole('button', { name: 'Shut <b>' }).click()
    await page.getByLabel(`Write as ${phone}`).fill('It is <script>chained</script>')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Mark as read' }).click()
    await page.getByRole('button', { name: 'Fails' }).click()
    await expect.poll(() => page.locator('.mine .text').allTextContents()).toEqual(['shut', 'It is <script>chained</script>'])
    expect(await statusOf(sent)).toMatchObject({ status: 'read' })
    const replies = await call('poll_replies', { conversationId: sent.conversationId })
    expect(replies.messages).toMatchObject([{ choice: 'shut' }, { text: 'It is <script>chained</script>' }])
    const next = await textTo(phone)
    await deliverer.deliver(next)
    expect(await statusOf(next)).toMatchObject({ status: 'failed' })
    await context.close()
    expect(failures).toEqual([])
  })

  it('has nothing that axe finds, in light and dark, on a telephone and a desk, and shows by itself what arrives', async () => {
    const email = 'ana@example.com'
    const first = await call('send_message', { to: { email }, text: 'See the plan', card })
    await deliverer.deliver(first)
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [1440, 'light'],
    ] as const) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(`${url}/handsets/${keys.email}/${encodeURIComponent(email)}`)
      await page.evaluate(axe)
      const { violations, passes } = await page.evaluate<AxeResults>('axe.run()')
      expect(passes.length).toBeGreaterThan(10)
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
      const before = await page.locator('.said').count()
      await deliverer.deliver(await call('send_message', { conversationId: first.conversationId, text: `At ${width}` }))
      await page.getByText(`At ${width}`).waitFor()
      await expect.poll(() => page.locator('.said').count()).toBe(before + 1)
      expect(complaints).toEqual([])
      await context.close()
    }
  })
})
