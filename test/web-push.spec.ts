/** Notifications of browsers: what they are shown, what they answer, and what becomes of those that are gone. */
import { Agent } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { webPush } from '#activities/messaging/providers/web-push.ts'

import { type Deliverer, openDeliverer, type Sent, type TestChannel } from './support/messaging.ts'
import { type FakeBrowser, openPushFake, type PushFake } from './support/push-fake.ts'
import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld({ PUBLIC_URL: 'https://ops.example.com' })
const { call } = world
let fake: PushFake
let pushes: TestChannel
let deliverer: Deliverer
beforeAll(async () => {
  fake = await openPushFake()
  const { publicKey, privateKey } = fake.vapid
  pushes = await call('create_channel', {
    internalName: 'Pushes',
    channel: 'webPush',
    provider: 'webPush',
    settings: { publicKey, subject: 'mailto:ops@example.com' },
    secrets: { privateKey },
  })
  deliverer = openDeliverer(world)
})
afterAll(async () => {
  await deliverer?.close()
  await fake?.close()
})

/** A user with that many browsers. */
async function newPerson(count = 1): Promise<{ tenantUserId: number; browsers: FakeBrowser[] }> {
  const key = await world.tenant.keyWith(['DataView'])
  const { tenantUserId } = await call('whoami', {}, { key })
  const browsers = Array.from({ length: count }, () => fake.newBrowser())
  for (const { subscription } of browsers) await call('register_channel_address', { channel: 'webPush', subscription }, { key })
  return { tenantUserId, browsers }
}
const pushTo = ({ tenantUserId }: { tenantUserId: number }, more: object = {}): Promise<Sent> =>
  call('send_message', { to: { tenantUserId }, channel: 'webPush', text: 'Is gate 4 open?', ...more })
const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })
const countBrowsers = async (tenantUserId: number) =>
  (await world.sql`select 1 from platform.channel_address where tenant_user_id = ${tenantUserId}`).length
const answer = (body: object) =>
  call(
    'receive_channel_webhook',
    { channelKey: pushes.channelKey },
    { raw: { body: Buffer.from(JSON.stringify(body)), headers: {}, url: '/' } },
  )

const card = {
  title: 'Gate 4',
  choices: [
    { key: 'open', label: 'Open' },
    { key: 'shut', label: 'Shut' },
  ],
  link: { label: 'Map', url: 'https://example.com/m' },
}

describe('a push', () => {
  it('is signed and encrypted for every browser of a person, and shown once in each', async () => {
    const person = await newPerson(2)
    const sent = await pushTo(person, { card })
    await Promise.allSettled([deliverer.deliver(sent), deliverer.deliver(sent)])
    for (const { shown } of person.browsers) {
      expect(shown).toMatchObject([
        {
          topic: `push-${sent.messageId}`,
          payload: {
            title: 'Gate 4',
            body: 'Is gate 4 open?\n\nMap: https://example.com/m',
            tag: `push-${sent.messageId}`,
            actions: [
              { action: '#1', title: 'Open' },
              { action: '#2', title: 'Shut' },
            ],
            url: 'https://example.com/m',
            reply: { url: pushes.webhookUrl },
          },
        },
      ])
    }
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', providerId: `push-${sent.messageId}`, attempts: 1 })
  })

  it('is as long as push services take, whatever it is written in', async () => {
    const person = await newPerson()
    for (const letter of ['x', '門', '"']) await deliverer.deliver(await pushTo(person, { text: letter.repeat(800) }))
    const choices = Array.from({ length: 20 }, (_, n) => ({ key: `key-${n}-`.padEnd(64, 'x'), label: `${n} ${'門'.repeat(36)}` }))
    await deliverer.deliver(await pushTo(person, { text: '門', card: { choices } }))
    expect(person.browsers[0]?.shown).toHaveLength(4)
    await expect(pushTo(person, { text: '門'.repeat(200), card: { choices } })).rejects.toMatchObject({ issues: [{ path: '$.text' }] })
  })

  it('ends a browser that is gone, and has failed where none is left', async () => {
    for (const status of [404, 410]) {
      const person = await newPerson(2)
      person.browsers[0]?.plan({ status })
      const sent = await pushTo(person)
      await deliverer.deliver(sent)
      expect(await statusOf(sent)).toMatchObject({ status: 'sent' })
      expect(await countBrowsers(person.tenantUserId)).toBe(1)
      person.browsers[1]?.plan({ status })
      const last = await pushTo(person)
      await deliverer.deliver(last)
      expect(await statusOf(last)).toMatchObject({ status: 'failed', reason: 'badAddress' })
      await expect(pushTo(person)).rejects.toMatchObject(refused('invalid_input', /linked nothing/))
    }
  })

  it('waits as long as a push service says, and is made again where it had no answer, since a second takes the place of the first', async () => {
    const person = await newPerson()
    const busy = await pushTo(person)
    person.browsers[0]?.plan({ status: 429, retryAfter: 40 })
    await expect(deliverer.deliver(busy)).rejects.toMatchObject({ type: 'vendorAway', nextRetryDelay: 40_000 })
    await deliverer.deliver(busy)
    const silent = await pushTo(person)
    person.browsers[0]?.plan('takeAndHang')
    await deliverer.deliverFully(silent)
    const shown = person.browsers[0]?.shown.map(({ payload }) => payload.tag)
    expect(shown).toEqual([busy, silent, silent].map(({ messageId }) => `push-${messageId}`))
    expect(await statusOf(silent)).toMatchObject({ status: 'sent' })
  })

  it('that its service refuses has failed, with the reason', async () => {
    for (const [status, reason] of [
      [401, 'channelMisconfigured'],
      [400, 'refused'],
    ] as const) {
      const person = await newPerson()
      person.browsers[0]?.plan({ status })
      const sent = await pushTo(person)
      await deliverer.deliver(sent)
      expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason, vendorCode: String(status) })
      expect(await countBrowsers(person.tenantUserId)).toBe(1)
    }
  })
})

describe('a fault that is not the browser’s', () => {
  const pushed = async (channel: string, subscription: FakeBrowser['subscription']) => {
    const key = await world.tenant.keyWith(['DataView'])
    const { tenantUserId } = await call('whoami', {}, { key })
    await call('register_channel_address', { channel, subscription }, { key })
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel, text: 'Is gate 4 open?' })
    await deliverer.deliver(sent)
    return { status: await statusOf(sent), browsers: await countBrowsers(tenantUserId) }
  }

  it('of our own name leaves the browser linked, and says that the channel is set up wrongly', async () => {
    const { tenantUserId, browsers } = await newPerson()
    const [linked] = await world.sql<
      { device: string }[]
    >`select device from platform.channel_address where tenant_user_id = ${tenantUserId}`
    const { endpoint, keys } = browsers[0]?.subscription ?? fake.newBrowser().subscription
    const { services } = world.platform
    const dispatcher = new Agent()
    const outcome = await webPush.send(
      { services, dispatcher, callMs: 1_000 },
      {
        tenantId: world.tenant.tenantId,
        messageId: 1,
        conversationId: 1,
        attemptNo: 1,
        claimedAt: new Date().toISOString(),
        fromUserId: null,
        to: `user-${tenantUserId}`,
        text: 'Is gate 4 open?',
        card: null,
        assetKeys: [],
        via: {
          provider: 'webPush',
          channelId: pushes.channelId,
          vapid: { ...fake.vapid, subject: 'https://[ops' },
          providerId: 'push-1',
          reply: { url: pushes.webhookUrl, token: '' },
          browsers: [{ device: linked?.device ?? '', endpoint, ...keys }],
        },
      },
    )
    await dispatcher.close()
    expect(outcome).toEqual({ kind: 'refused', reason: 'channelMisconfigured' })
    expect(await countBrowsers(tenantUserId)).toBe(1)
  })

  it('of a guard of ours leaves the browser linked as well', async () => {
    const { keys } = fake.newBrowser().subscription
    const { status, browsers } = await pushed('Pushes', { endpoint: 'http://8.8.8.8/push', keys })
    expect(status).toMatchObject({ status: 'failed', reason: 'refused' })
    expect(browsers).toBe(1)
  })
})

describe('what a browser answers', () => {
  it('is the tapped choice of that push, once, in its own conversation', async () => {
    const person = await newPerson()
    const [first, second] = [await pushTo(person, { card }), await pushTo(person, { card })]
    for (const one of [first, second]) await deliverer.deliver(one)
    const { token } = person.browsers[0]?.shown[0]?.payload.reply ?? { token: '' }
    expect(await answer({ token, choice: '#2' })).toEqual({ outcome: 'stored' })
    expect(await answer({ token, choice: '#2' })).toEqual({ outcome: 'duplicate' })
    expect(await answer({ token, text: 'The lock is new' })).toEqual({ outcome: 'stored' })
    const repliesTo = async ({ conversationId }: Sent) => (await call('poll_replies', { conversationId, afterSeq: 0 })).messages
    expect(await repliesTo(first)).toMatchObject([
      { choice: 'shut', fromTenantUserId: person.tenantUserId, channel: 'webPush' },
      { text: 'The lock is new' },
    ])
    expect(await repliesTo(second)).toEqual([])
  })

  it('is refused with a token that is not of a push, or of another message', async () => {
    const person = await newPerson()
    const sent = await pushTo(person, { card })
    await deliverer.deliver(sent)
    const { token } = person.browsers[0]?.shown[0]?.payload.reply ?? { token: '' }
    expect(token).toContain(`${sent.messageId}.user-`)
    const forgeries = [
      token.replace(`${sent.messageId}.`, `${sent.messageId + 1}.`),
      token.replace(/user-\d+/, 'user-1'),
      token.slice(0, -1),
      '',
      'x',
    ]
    for (const forged of forgeries) await expect(answer({ token: forged, choice: 'open' })).rejects.toMatchObject(refused('forbidden'))
    await expect(answer({ token })).rejects.toMatchObject(refused('invalid_input', /choice or text/))
    expect((await call('poll_replies', { conversationId: sent.conversationId, afterSeq: 0 })).messages).toEqual([])
  })
})

describe('a person', () => {
  it('has the browser that they use now, and whoever used it before has it no more', async () => {
    const before = await newPerson()
    const [browser] = before.browsers
    const key = await world.tenant.keyWith(['DataView'])
    const { tenantUserId } = await call('whoami', {}, { key })
    await call('register_channel_address', { channel: 'webPush', subscription: browser?.subscription }, { key })
    await expect(pushTo(before)).rejects.toMatchObject(refused('invalid_input', /linked nothing/))
    await deliverer.deliver(await pushTo({ tenantUserId }))
    expect(browser?.shown).toHaveLength(1)
  })

  it('is never written to in the name of a subject that cannot be read', async () => {
    const { publicKey, privateKey } = fake.vapid
    const settings = { publicKey, subject: 'https://[ops' }
    const made = { internalName: 'Unread', channel: 'webPush', provider: 'webPush', settings, secrets: { privateKey } }
    const error = await world.refusal('create_channel', made)
    expect(error.issues?.map(({ path }) => path)).toEqual(['$.settings.subject'])
  })

  it('learns the key to subscribe with, and is held back by a wrong set-up of the channel before that', async () => {
    const key = await world.tenant.keyWith(['DataView'])
    expect(await call('register_channel_address', { channel: 'webPush' }, { key })).toMatchObject({
      channelId: pushes.channelId,
      state: 'pending',
      publicKey: fake.vapid.publicKey,
    })
    const wrong = {
      internalName: 'Wrong',
      channel: 'webPush',
      provider: 'webPush',
      settings: { publicKey: 'x', subject: 'me' },
      secrets: { privateKey: 'y' },
    }
    const error = await world.refusal('create_channel', wrong)
    expect(error.issues?.map(({ path }) => path).sort()).toEqual(['$.secrets.privateKey', '$.settings.publicKey', '$.settings.subject'])
  })
})
