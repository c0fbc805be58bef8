/** Deliveries to vendors: what happens when the vendor is away, slow, or silent about what it took. Nothing is sent twice blindly. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { ApplicationFailure } from '@temporalio/activity'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createMessagingActivities } from '#activities/messaging/index.ts'
import { claimDelivery, recordOutcome } from '#tools/messaging/service.ts'

import {
  type Deliverer,
  inboundForm,
  newPhone,
  newTwilioChannel,
  openDeliverer,
  receive,
  runActivity,
  type Sent,
  type TestChannel,
} from './support/messaging.ts'
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
const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })
const takenBy = (phone: string) => fake.taken.filter((one) => one.to === phone || one.to === `whatsapp:${phone}`)

describe('a message to a vendor', () => {
  it('goes out once, as plain text with numbered choices, however often it is asked for', async () => {
    const phone = newPhone()
    const card = {
      title: 'Gate 4',
      choices: [
        { key: 'open', label: 'Open' },
        { key: 'closed', label: 'Closed' },
      ],
      link: { label: 'Map', url: 'https://example.com/m' },
    }
    const sent = await textTo(phone, { card })
    expect(sent.status).toBe('queued')
    const [row] = await world.sql`select lane, errand from platform.outbox where subject = ${`conversation:${sent.conversationId}`}`
    const told = { kind: 'signalWithStart', signal: 'deliver', signalArgs: [{ messageId: sent.messageId, seq: 1 }] }
    expect(row).toMatchObject({ lane: 'people', errand: told })
    await Promise.allSettled([deliverer.deliver(sent), deliverer.deliver(sent), deliverer.deliver(sent)])
    await deliverer.deliverFully(sent)
    expect(takenBy(phone).map((one) => one.body)).toEqual([
      'Gate 4\n\nIs gate 4 open?\n\n1. Open\n2. Closed\n\nMap: https://example.com/m\n\nReply with the number of your answer.',
    ])
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', providerId: takenBy(phone)[0]?.sid, attempts: 1 })
  })

  it('speaks WhatsApp’s addresses, a messaging service, and shows files by signed links', async () => {
    const whatsapp = await newTwilioChannel(world, fake, 'whatsapp', { settings: { messagingServiceSid: `MG${'1'.repeat(32)}` } })
    const phone = newPhone()
    const { assetKey } = await call(
      'upload_asset',
      { fileName: 'gate.txt', contentBase64: Buffer.from('a gate').toString('base64') },
      { transport: 'mcp' },
    )
    const sent: Sent = await call('send_message', { to: { phone }, channel: whatsapp.internalName, text: 'See', assetKeys: [assetKey] })
    await deliverer.deliver(sent)
    const [taken] = takenBy(phone)
    expect(taken).toMatchObject({
      to: `whatsapp:${phone}`,
      from: `MG${'1'.repeat(32)}`,
      mediaUrls: [expect.stringMatching(new RegExp(`^https://ops\\.example\\.com/api/v1/assets/${assetKey}/download\\?sig=`))],
    })
  })

  it('is refused where it would be cut, or where a sensitive file would leave the house', async () => {
    await expect(textTo(newPhone(), { text: 'x'.repeat(1_601) })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ message: expect.stringContaining('1601') }],
    })
    const secret = await call(
      'upload_asset',
      { fileName: 's.txt', contentBase64: Buffer.from('secret').toString('base64'), isSensitive: true },
      { transport: 'mcp' },
    )
    await expect(textTo(newPhone(), { assetKeys: [secret.assetKey] })).rejects.toMatchObject({ code: 'unprocessable' })
  })

  it('fails for good where the vendor says no, with the reason', async () => {
    for (const [plan, status, reason, vendorCode] of [
      [{ status: 400, code: 21_211 }, 'failed', 'badAddress', '21211'],
      [{ status: 400, code: 30_034 }, 'failed', 'refused', '30034'],
      [{ status: 401, code: 20_003 }, 'failed', 'channelMisconfigured', '20003'],
      [{ status: 404 }, 'failed', 'channelMisconfigured', '404'],
      [{ status: 400, code: 21_610 }, 'suppressed', 'optedOut', '21610'],
    ] as const) {
      const phone = newPhone()
      const sent = await textTo(phone)
      fake.plan(plan)
      expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
      expect(await statusOf(sent)).toMatchObject({ status, reason, vendorCode, attempts: 1 })
      expect((await textTo(phone)).status).toBe(vendorCode === '21610' ? 'suppressed' : 'queued')
    }
  })

  it('fails where its channel’s password would go out unencrypted', async () => {
    const channel = await newTwilioChannel(world, fake, 'sms', { settings: { apiBaseUrl: 'http://93.184.216.34' } })
    const sent: Sent = await call('send_message', { to: { phone: newPhone() }, channel: channel.internalName, text: 'Hello?' })
    expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
    expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason: 'channelMisconfigured' })
    await call('delete_channel', { channelId: channel.channelId })
    for (const apiBaseUrl of ['https://me:secret@vendor.example', 'https://vendor.example/?key=secret'])
      await expect(newTwilioChannel(world, fake, 'sms', { settings: { apiBaseUrl } })).rejects.toMatchObject({
        code: 'invalid_input',
        issues: [expect.objectContaining({ path: '$.settings.apiBaseUrl' })],
      })
  })

  it('tells that it failed with its channel, and wakes whoever waits for it', async () => {
    const channel = await newTwilioChannel(world, fake)
    await call('create_entity', { internalName: 'Depot' })
    const { eiRecordId } = await call('save_instance', { entity: 'Depot', key1: 'd', data: {} })
    const about = await textTo(newPhone(), { channel: channel.internalName, eiRecordId })
    const other = await textTo(newPhone(), { channel: channel.internalName })
    const poke = vi.spyOn(world.platform.services.wake, 'poke')
    await call('delete_channel', { channelId: channel.channelId })
    const poked = poke.mock.calls.map(([topic]) => topic)
    poke.mockRestore()
    expect(poked).toEqual(expect.arrayContaining([about, other].map(({ messageId }) => `message:${messageId}`)))
    const events = await call('list_events', { kinds: ['message.failed'], pageSize: 100 })
    const told = events.filter(({ data }: { data: { messageId: number } }) =>
      [about, other].some((one) => one.messageId === data.messageId),
    )
    expect(told).toHaveLength(2)
    for (const { data } of told) expect(data).toMatchObject({ status: 'failed', reason: 'channelDeleted' })
  })

  it('fails where its channel or its file is gone by the time', async () => {
    const channel = await newTwilioChannel(world, fake)
    const orphan: Sent = await call('send_message', { to: { phone: newPhone() }, channel: channel.internalName, text: 'x' })
    await call('delete_channel', { channelId: channel.channelId })
    // At once, though quiet hours may hold back whoever delivers it.
    expect(await statusOf(orphan)).toMatchObject({ status: 'failed', reason: 'channelDeleted', attempts: 0 })
    await deliverer.deliver(orphan)
    expect(await statusOf(orphan)).toMatchObject({ status: 'failed', reason: 'channelDeleted', attempts: 0 })
    const { assetKey } = await call(
      'upload_asset',
      { fileName: 'g.txt', contentBase64: Buffer.from('g').toString('base64') },
      { transport: 'mcp' },
    )
    const bare = await textTo(newPhone(), { assetKeys: [assetKey] })
    await call('delete_asset', { assetKey })
    await deliverer.deliver(bare)
    expect(await statusOf(bare)).toMatchObject({ status: 'failed', reason: 'assetGone', attempts: 0 })
  })
})

describe('a vendor that is away', () => {
  it('is tried again where the message certainly did not go out', async () => {
    const sent = await textTo(newPhone())
    fake.plan({ status: 429, code: 20_429 })
    await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'vendorAway' })
    expect(await statusOf(sent)).toMatchObject({ status: 'queued', attempts: 1 })
    await deliverer.deliver(sent)
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 2 })
    const away = await newTwilioChannel(world, fake, 'sms', { settings: { apiBaseUrl: 'http://127.0.0.1:1' } })
    const waiting: Sent = await call('send_message', { to: { phone: newPhone() }, channel: away.internalName, text: 'x' })
    await expect(deliverer.deliver(waiting)).rejects.toMatchObject({ type: 'vendorAway' })
    await call('update_channel', {
      channelId: away.channelId,
      settings: { accountSid: fake.accountSid, from: '+15005550006', apiBaseUrl: fake.baseUrl },
      secrets: { authToken: fake.authToken },
    })
    await deliverer.deliver(waiting)
    expect(await statusOf(waiting)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  it('ends in failed when nothing ever went out, and in unknown when something may have', async () => {
    const never = await textTo(newPhone())
    fake.plan({ status: 429 })
    await expect(deliverer.deliver(never)).rejects.toThrow()
    const perhaps = await textTo(newPhone())
    fake.plan('hang')
    await expect(deliverer.deliver(perhaps)).rejects.toMatchObject({ type: 'outcomeUnknown' })
    const give = (one: Sent) => runActivity(deliverer.activities.giveUpOnMessage, { tenantId: world.tenant.tenantId, ...one })
    await give(never)
    await give(perhaps)
    expect(await statusOf(never)).toMatchObject({ status: 'failed', reason: 'unreachable' })
    expect(await statusOf(perhaps)).toMatchObject({ status: 'unknown', reason: 'outcomeUnknown' })
    await give(perhaps)
    await deliverer.deliver(perhaps)
    expect(await statusOf(perhaps)).toMatchObject({ status: 'unknown', attempts: 1 })
  })
})

describe('an outcome that nobody knows', () => {
  it('is looked up first: what the vendor took is found and not sent again', async () => {
    for (const plan of ['takeAndHang', 'takeAndReset', 'takeAnd500'] as const) {
      const phone = newPhone()
      const sent = await textTo(phone)
      fake.plan(plan)
      await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'outcomeUnknown' })
      expect((await statusOf(sent)).status).toBe('queued')
      await deliverer.deliverFully(sent)
      expect(takenBy(phone)).toHaveLength(1)
      expect(await statusOf(sent)).toMatchObject({ status: 'sent', providerId: takenBy(phone)[0]?.sid, attempts: 1 })
    }
  })

  it('is looked up first: what the vendor did not take is sent then', async () => {
    for (const plan of ['hang', 'reset', { status: 503 }] as const) {
      const phone = newPhone()
      const sent = await textTo(phone)
      fake.plan(plan)
      await deliverer.deliverFully(sent)
      expect(takenBy(phone)).toHaveLength(1)
      expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 2 })
    }
  })

  it('is looked up at the pace of the tries, so that a vendor that fails for an hour does not use them up in minutes', async () => {
    const { tenantId } = world.tenant
    const activities = createMessagingActivities(world.platform.services, { callMs: 1_000 })
    const waitAfter = async (attempt: number) => {
      const sent = await textTo(newPhone())
      fake.plan({ status: 503 })
      return runActivity(activities.deliverMessage, { tenantId, ...sent }, attempt).catch(
        (error: ApplicationFailure) => error.nextRetryDelay,
      )
    }
    const waits: unknown[] = []
    for (const attempt of [1, 3, 4, 6, 9]) waits.push(await waitAfter(attempt))
    expect(waits).toEqual([20_000, 20_000, 40_000, 160_000, 600_000])
    await activities.close()
  })

  it('is not looked up before the call must be over', async () => {
    const sent = await textTo(newPhone())
    const claim = await claimDelivery(world.platform.services, world.tenant.tenantId, sent.messageId)
    expect(claim.kind).toBe('send')
    const before = fake.methods.length
    // Its calls may take longer than this test does.
    const activities = createMessagingActivities(world.platform.services)
    const looked = runActivity(activities.deliverMessage, { tenantId: world.tenant.tenantId, ...sent })
    await expect(looked).rejects.toMatchObject({ type: 'settling' })
    await activities.close()
    expect(fake.methods.length).toBe(before)
  })

  it('of a process that was killed between its claim and its word is looked up too', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    const { tenantId } = world.tenant
    // The claim is committed, the call is made, and the process ends before it can say so.
    const claim = await claimDelivery(world.platform.services, tenantId, sent.messageId)
    expect(claim.kind).toBe('send')
    const other = openDeliverer(world)
    const twin = await textTo(phone, { text: 'Another text' })
    await other.deliver(twin)
    const killed = fake.taken.at(-1)
    if (killed) fake.taken.push({ ...killed, sid: `SM${'f'.repeat(32)}`, body: 'Is gate 4 open?' })
    await deliverer.deliverFully(sent)
    expect(takenBy(phone)).toHaveLength(2)
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', providerId: `SM${'f'.repeat(32)}`, attempts: 1 })
    const unsent = await textTo(phone, { text: 'A third' })
    await claimDelivery(world.platform.services, tenantId, unsent.messageId)
    await deliverer.deliverFully(unsent)
    expect(takenBy(phone)).toHaveLength(3)
    expect(await statusOf(unsent)).toMatchObject({ status: 'sent', attempts: 2 })
    await other.close()
  })

  it('stays unknown where two of the same words to the same number are in doubt and the list shows one', async () => {
    const phone = newPhone()
    const first = await textTo(phone)
    const second = await textTo(phone)
    fake.plan('takeAndHang', 'hang')
    await expect(deliverer.deliver(first)).rejects.toMatchObject({ type: 'outcomeUnknown' })
    await expect(deliverer.deliver(second)).rejects.toMatchObject({ type: 'outcomeUnknown' })
    await deliverer.deliverFully(second)
    expect(await statusOf(second)).toMatchObject({ status: 'unknown', reason: 'outcomeUnknown' })
    await deliverer.deliverFully(first)
    expect(takenBy(phone)).toHaveLength(1)
  })

  it('is told apart from an earlier message of the same words, whose id is known', async () => {
    const phone = newPhone()
    const first = await textTo(phone)
    await deliverer.deliver(first)
    const second = await textTo(phone)
    fake.plan('hang')
    await deliverer.deliverFully(second)
    expect(takenBy(phone)).toHaveLength(2)
    expect((await statusOf(second)).providerId).toBe(takenBy(phone)[1]?.sid)
  })

  it('stays unknown where a clock has jumped in between: what was made an hour before the claim may be it', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    fake.plan('takeAndHang')
    await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'outcomeUnknown' })
    const [taken] = takenBy(phone)
    Object.assign(taken ?? {}, { dateCreated: new Date(Date.now() - 3_600_000) })
    await deliverer.deliverFully(sent)
    expect(takenBy(phone)).toHaveLength(1)
    expect(await statusOf(sent)).toMatchObject({ status: 'unknown', reason: 'outcomeUnknown', attempts: 1 })
  })

  it('is one where the answer never ends: no more of it is kept than any vendor says', async () => {
    let bytes = 0
    const endless = createServer((_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' })
      const chunk = Buffer.alloc(256 * 1024, ' ')
      const write = () => {
        do bytes += chunk.length
        while (!response.destroyed && response.write(chunk))
      }
      response.on('drain', write)
      write()
    }).listen(0, '127.0.0.1')
    await once(endless, 'listening')
    const { port } = endless.address() as AddressInfo
    const channel = await newTwilioChannel(world, fake, 'sms', { settings: { apiBaseUrl: `http://127.0.0.1:${port}` } })
    const sent: Sent = await call('send_message', { to: { phone: newPhone() }, channel: channel.internalName, text: 'Hello?' })
    await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'outcomeUnknown' })
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(32 * 1024 * 1024)
    await call('delete_channel', { channelId: channel.channelId })
    endless.closeAllConnections()
    endless.close()
  })

  it('is settled by the vendor’s callback, which carries our id', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    fake.plan('takeAndHang')
    await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'outcomeUnknown' })
    const [taken] = takenBy(phone)
    await receive(world, fake, taken?.statusCallback ?? '', { MessageSid: taken?.sid ?? '', MessageStatus: 'delivered' })
    expect(await statusOf(sent)).toMatchObject({ status: 'delivered', providerId: taken?.sid })
    const before = fake.methods.length
    expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
    expect(fake.methods.length).toBe(before)
    // The word of the call that hung comes last and takes nothing back.
    await recordOutcome(
      world.platform.services,
      { tenantId: world.tenant.tenantId, messageId: sent.messageId, attemptNo: 1, to: phone },
      { kind: 'unknown', detail: 'late' },
    )
    expect(await statusOf(sent)).toMatchObject({ status: 'delivered' })
    const attempts = await world.sql`select outcome from platform.message_attempt where message_id = ${sent.messageId}`
    expect(attempts).toEqual([{ outcome: 'sent' }])
  })
})

describe('quiet hours', () => {
  const zone = 'UTC'
  const clock = (shiftMinutes: number) => new Date(Date.now() + shiftMinutes * 60_000).toISOString().slice(11, 16)

  it('hold a message until they end; an urgent one goes, where the person allows it', async () => {
    const phone = newPhone()
    const { tenantUserId } = await call('create_user', {
      userName: `quiet${Date.now()}`,
      displayName: 'Quiet',
      email: `quiet${Date.now()}@example.com`,
      roles: ['DataView'],
      phone,
    })
    await call('set_contact_preferences', {
      tenantUserId,
      channelOrder: ['sms'],
      quietHours: { start: clock(-60), end: clock(60), timeZoneIana: zone },
    })
    const held: Sent = await call('send_message', { to: { tenantUserId }, text: 'Later is fine' })
    const step = await deliverer.deliver(held)
    expect(step).toEqual({ kind: 'held', forMs: expect.any(Number) })
    expect(step.kind === 'held' && step.forMs > 58 * 60_000 && step.forMs <= 61 * 60_000).toBe(true)
    // However wrong this process' clock is: the database's has read the hours.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
    const again = await deliverer.deliver(held).finally(() => void vi.useRealTimers())
    expect(again.kind === 'held' && again.forMs > 57 * 60_000 && again.forMs <= 61 * 60_000).toBe(true)
    expect(await statusOf(held)).toMatchObject({ status: 'queued', attempts: 0 })
    const urgent: Sent = await call('send_message', { to: { phone }, text: 'Fire', urgent: true })
    await deliverer.deliver(urgent)
    expect(takenBy(phone).map((one) => one.body)).toEqual(['Fire'])
    await call('set_contact_preferences', { tenantUserId, allowsUrgent: false })
    expect(await deliverer.deliver(await call('send_message', { to: { tenantUserId }, text: 'Fire again', urgent: true }))).toMatchObject({
      kind: 'held',
    })
    await call('set_contact_preferences', { tenantUserId, quietHours: null })
    await deliverer.deliver(held)
    expect(takenBy(phone).map((one) => one.body)).toEqual(['Fire', 'Later is fine'])
  })
})

describe('files that came with a message', () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==', 'base64')
  const fetchAll = (conversationId: number) =>
    runActivity(deliverer.activities.fetchMedia, { tenantId: world.tenant.tenantId, conversationId })

  it('are fetched into assets, with the password for the vendor alone, and once', async () => {
    const phone = newPhone()
    const { conversationId } = await textTo(phone)
    const seen: (string | undefined)[] = []
    fake.files.set('/media/1', (request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(200, { 'content-type': 'image/png', 'content-length': String(png.length) }).end(png)
    })
    fake.files.set(
      '/media/2',
      (_request, response) =>
        void response.writeHead(307, { location: `${fake.baseUrl.replace('127.0.0.1', '127.0.0.2')}/elsewhere` }).end(),
    )
    fake.files.set('/media/3', (_request, response) => void response.writeHead(404).end())
    const media = {
      NumMedia: '3',
      MediaUrl0: `${fake.baseUrl}/media/1`,
      MediaContentType0: 'image/png',
      MediaUrl1: `${fake.baseUrl}/media/2`,
      MediaContentType1: 'image/png',
      MediaUrl2: `${fake.baseUrl}/media/3`,
    }
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'Look', media))
    const read = async () => (await call('poll_replies', { conversationId, afterSeq: 0 })).messages[0]
    expect(await read()).toMatchObject({ assetKeys: [], pendingMedia: 3 })
    const [row] =
      await world.sql`select errand from platform.outbox where subject = ${`conversation:${conversationId}`} order by outbox_id desc limit 1`
    expect(row?.['errand']).toMatchObject({ kind: 'signalWithStart', signal: 'received', signalArgs: [{ hasMedia: true }] })
    expect(await fetchAll(conversationId)).toEqual({ isOpen: true })
    const message = await read()
    expect(message.assetKeys).toHaveLength(1)
    expect(message.pendingMedia).toBeUndefined()
    expect(await call('get_asset', { assetKey: message.assetKeys[0] })).toMatchObject({ mimeType: 'image/png', fileSize: png.length })
    expect(seen).toEqual([`Basic ${Buffer.from(`${fake.accountSid}:${fake.authToken}`).toString('base64')}`])
    await fetchAll(conversationId)
    expect(seen).toHaveLength(1)
  })

  it('are tried again while the vendor is away, and given up in the end', async () => {
    const phone = newPhone()
    const { conversationId } = await textTo(phone)
    const answer = vi.fn((_request: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(503).end())
    fake.files.set('/media/away', answer)
    await receive(
      world,
      fake,
      sms.webhookUrl,
      inboundForm(phone, 'Look', { NumMedia: '1', MediaUrl0: `${fake.baseUrl}/media/away`, MediaContentType0: 'image/png' }),
    )
    await expect(fetchAll(conversationId)).rejects.toMatchObject({ type: 'media' })
    await expect(fetchAll(conversationId)).rejects.toMatchObject({ type: 'media' })
    expect(answer).toHaveBeenCalledTimes(2)
    await runActivity(deliverer.activities.giveUpOnMedia, { tenantId: world.tenant.tenantId, conversationId })
    expect(await fetchAll(conversationId)).toEqual({ isOpen: true })
    expect(answer).toHaveBeenCalledTimes(2)
  })
})
