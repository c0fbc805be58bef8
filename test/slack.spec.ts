/** Slack's apps: what they are told, what they tell, and what happens when they are away or silent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { textOfSlack } from '#tools/messaging/providers/slack.ts'

import { type Deliverer, openDeliverer, runActivity, type Sent, type TestChannel } from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { openSlackFake, type SlackFake } from './support/slack-fake.ts'
import { spentMs } from './support/turns.ts'
import { useWorld } from './support/world.ts'

const world = useWorld({ PUBLIC_URL: 'https://ops.example.com' })
const { call } = world
let fake: SlackFake
let app: TestChannel
let deliverer: Deliverer
beforeAll(async () => {
  fake = await openSlackFake()
  app = await call('create_channel', {
    internalName: 'FieldApp',
    channel: 'slack',
    provider: 'slack',
    settings: { apiBaseUrl: fake.baseUrl },
    secrets: { botToken: fake.botToken, signingSecret: fake.signingSecret },
  })
  deliverer = openDeliverer(world)
})
afterAll(async () => {
  await deliverer?.close()
  await fake?.close()
})

let events = 0
let members = 0
interface Person {
  readonly tenantUserId: number
  readonly member: string
  readonly place: string
}
const message = ({ member, place }: Pick<Person, 'member' | 'place'>, more: object = {}) => ({
  type: 'event_callback',
  event_id: `Ev${++events}`,
  event: {
    type: 'message',
    channel_type: 'im',
    user: member,
    channel: place,
    ts: `17000${String(events).padStart(5, '0')}.000100`,
    ...more,
  },
})
const post = (raw: ReturnType<SlackFake['request']>) => world.run('receive_channel_webhook', { channelKey: app.channelKey }, { raw })
const receive = (body: object) => post(fake.request(app.webhookUrl, body))

const newMember = (prefix = 'U0') => {
  const member = `${prefix}${String(++members).padStart(6, 'A')}`
  return { member, place: `D${member.slice(1)}` }
}

/** A user whose account is linked to the app. */
async function newPerson(prefix?: string): Promise<Person> {
  const key = await world.tenant.keyWith(['DataView'])
  const { tenantUserId } = await call('whoami', {}, { key })
  const { code } = await call('register_channel_address', { channel: 'slack' }, { key })
  const account = newMember(prefix)
  await receive(message(account, { text: code }))
  return { tenantUserId, ...account }
}
const sendTo = ({ tenantUserId }: Person, more: object = {}): Promise<Sent> =>
  call('send_message', { to: { tenantUserId }, channel: 'slack', text: 'Is gate 4 open?', ...more })
const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })
const takenBy = ({ place }: Person) => fake.taken.filter((one) => one.channel === place)
const upload = async (fileName: string, text: string) =>
  (await call('upload_asset', { fileName, contentBase64: Buffer.from(text).toString('base64') }, { transport: 'mcp' })).assetKey as string

const card = {
  title: 'Gate 4',
  choices: Array.from({ length: 7 }, (_, n) => ({ key: `key ${n}`, label: n === 6 ? 'Long '.repeat(20) : `Label ${n}` })),
}

describe('a message to an app', () => {
  it('goes out once, in blocks that Slack takes, with what it would read as marks escaped', async () => {
    const person = await newPerson()
    const sent = await sendTo(person, { card, text: 'Is <b> & <@U1> open?' })
    await Promise.allSettled([deliverer.deliver(sent), deliverer.deliver(sent)])
    const [taken, ...others] = takenBy(person)
    expect(others).toEqual([])
    expect(taken?.blocks.map((block) => [block.type, block.text?.text ?? block.elements?.length])).toEqual([
      ['section', 'Gate 4\n\nIs &lt;b&gt; &amp; &lt;@U1&gt; open?'],
      ['actions', 5],
      ['actions', 2],
    ])
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', providerId: `${person.place}/${taken?.ts}`, attempts: 1 })
    const long = await sendTo(person, { text: `${'word & '.repeat(1_700)}end` })
    await deliverer.deliver(long)
    const parts =
      takenBy(person)
        .at(-1)
        ?.blocks.map((block) => block.text?.text ?? '') ?? []
    expect(parts.length).toBeGreaterThan(4)
    expect(parts.filter((part) => /&(?!amp;)/.test(part))).toEqual([])
    expect(parts.at(-1)).toMatch(/end$/)
    await expect(sendTo(person, { text: 'x'.repeat(12_001) })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.text' }],
    })
  })

  it('brings its files after its words, once, also where Slack was busy in between', async () => {
    const person = await newPerson()
    const assetKeys = [await upload('a.txt', 'first'), await upload('b.txt', 'second')]
    fake.planSharing({ error: 'ratelimited' })
    const sent = await sendTo(person, { assetKeys })
    await deliverer.deliver(sent)
    expect(takenBy(person)).toHaveLength(1)
    expect(fake.shared.filter((one) => one.channel === person.place).map(({ title, content }) => [title, content])).toEqual([
      ['a.txt', 'first'],
      ['b.txt', 'second'],
    ])
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 1 })
    fake.planSharing({ error: 'internal_error' })
    const half = await sendTo(person, { assetKeys })
    await deliverer.deliver(half)
    expect(takenBy(person)).toHaveLength(2)
    expect(await statusOf(half)).toMatchObject({ status: 'unknown', attempts: 1 })
    const bare = await sendTo(person, { text: undefined, assetKeys: assetKeys.slice(0, 1) })
    await deliverer.deliver(bare)
    expect(await statusOf(bare)).toMatchObject({ status: 'sent' })
    expect(fake.shared.filter((one) => one.channel === person.place)).toHaveLength(3)
  })

  it('that Slack refuses has failed, with the reason', async () => {
    for (const [error, reason] of [
      ['channel_not_found', 'badAddress'],
      ['token_revoked', 'channelMisconfigured'],
      ['msg_too_long', 'refused'],
    ] as const) {
      const person = await newPerson()
      const sent = await sendTo(person)
      fake.plan({ error })
      expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
      expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason, vendorCode: error, attempts: 1 })
    }
    const gone = await sendTo(await newPerson('UGONE'))
    await deliverer.deliver(gone)
    expect(await statusOf(gone)).toMatchObject({ status: 'failed', reason: 'badAddress', vendorCode: 'user_not_found' })
  })

  it('waits as long as Slack says when there are too many', async () => {
    const person = await newPerson()
    const sent = await sendTo(person)
    fake.plan({ status: 429, retryAfter: 30 })
    await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'vendorAway', nextRetryDelay: 30_000 })
    await deliverer.deliver(sent)
    expect(takenBy(person)).toHaveLength(1)
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  it('whose outcome nobody knows is looked up by its mark: found it is not sent again, missing it is, once', async () => {
    for (const plan of ['takeAndHang', 'takeAnd500'] as const) {
      const person = await newPerson()
      const same = await sendTo(person)
      await deliverer.deliver(same)
      const sent = await sendTo(person)
      fake.plan(plan)
      await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'outcomeUnknown' })
      await deliverer.deliverFully(sent)
      expect(takenBy(person)).toHaveLength(2)
      expect(await statusOf(sent)).toMatchObject({ status: 'sent', providerId: `${person.place}/${takenBy(person)[1]?.ts}`, attempts: 1 })
    }
    const person = await newPerson()
    const lost = await sendTo(person)
    fake.plan({ status: 503 })
    await expect(deliverer.deliver(lost)).rejects.toMatchObject({ type: 'outcomeUnknown' })
    await deliverer.deliverFully(lost)
    expect(takenBy(person)).toHaveLength(1)
    expect(await statusOf(lost)).toMatchObject({ status: 'sent', attempts: 2 })
  })
})

describe('what an app is told', () => {
  it('is refused where the signature is not Slack’s, or is older than five minutes', async () => {
    const account = newMember()
    const body = message(account, { text: 'Hello' })
    const right = fake.request(app.webhookUrl, body)
    for (const raw of [
      { ...right, body: Buffer.from(right.body.toString().replace('Hello', 'Hullo')) },
      { ...right, headers: { ...right.headers, 'x-slack-signature': 'v0=00' } },
      { ...right, headers: {} },
      fake.request(app.webhookUrl, body, Date.now() - 301_000),
      fake.request(app.webhookUrl, body, Date.now() + 320_000),
    ])
      await expect(post(raw)).rejects.toMatchObject(refused('forbidden'))
    const flood = { ...right, body: Buffer.alloc(1024 * 1024 + 1, 'x') }
    await expect(post(flood)).rejects.toMatchObject(refused('invalid_input', /1 MiB/))
    expect(await call('list_conversations', { address: account.member })).toEqual([])
    await post(fake.request(app.webhookUrl, body, Date.now() - 280_000))
    expect(await call('list_conversations', { address: account.member })).toHaveLength(1)
  })

  it('may be whether the address is ours, which is answered in its own words', async () => {
    const answer = await receive({ type: 'url_verification', token: 'x', challenge: '3eZbrw1aBm2rZgRNFdxV' })
    expect(answer).toMatchObject({ body: '3eZbrw1aBm2rZgRNFdxV', mimeType: expect.stringContaining('text/plain') })
  })

  it('is stored once, as the person wrote it, and belongs to the thread that it stands in', async () => {
    const person = await newPerson()
    const [first, second] = [await sendTo(person), await sendTo(person, { text: 'And gate 5?' })]
    for (const one of [first, second]) await deliverer.deliver(one)
    const body = message(person, { text: 'See &lt;plan&gt; <https://example.com/m|the map> &amp; ask <mailto:a@b.example|a@b.example>' })
    await receive(body)
    await receive(body)
    await receive(message(person, { text: 'The first is', thread_ts: takenBy(person)[0]?.ts }))
    const said = async ({ conversationId }: Sent) =>
      (await call('poll_replies', { conversationId, afterSeq: 0 })).messages.map((one: { text: string }) => one.text)
    expect(await said(second)).toEqual(['See <plan> the map & ask a@b.example'])
    expect(await said(first)).toEqual(['The first is'])
  })

  it('is an answer under the question that was tapped, and Slack is answered with nothing', async () => {
    const person = await newPerson()
    const [first, second] = [await sendTo(person, { card }), await sendTo(person, { card })]
    for (const one of [first, second]) await deliverer.deliver(one)
    const [asked] = takenBy(person)
    const button = asked?.blocks[2]?.elements?.[1]
    const payload = {
      type: 'block_actions',
      user: { id: person.member },
      channel: { id: person.place },
      message: { ts: asked?.ts },
      actions: [{ ...button, action_ts: '1700000000.000300' }],
    }
    for (let n = 0; n < 2; n++) expect(await post(fake.tap(app.webhookUrl, payload))).toMatchObject({ body: '' })
    const repliesTo = async ({ conversationId }: Sent) => (await call('poll_replies', { conversationId, afterSeq: 0 })).messages
    expect(await repliesTo(first)).toMatchObject([{ choice: 'key 6', fromTenantUserId: person.tenantUserId }])
    expect(await repliesTo(first)).toHaveLength(1)
    expect(await repliesTo(second)).toEqual([])
  })

  it('brings files, which are fetched with the token', async () => {
    const account = newMember()
    const url = `${new URL(fake.baseUrl).origin}/files-pri/T1-F1/a.txt`
    fake.files.set('/files-pri/T1-F1/a.txt', 'a file')
    await receive(message(account, { subtype: 'file_share', text: 'Look', files: [{ url_private: url, mimetype: 'text/plain' }] }))
    const [{ conversationId }] = await call('list_conversations', { address: account.member })
    await runActivity(deliverer.activities.fetchMedia, { tenantId: world.tenant.tenantId, conversationId })
    const [{ assetKeys }] = (await call('poll_replies', { conversationId, afterSeq: 0 })).messages
    expect(assetKeys).toHaveLength(1)
    expect(await call('get_asset', { assetKey: assetKeys[0] })).toMatchObject({ fileSize: 6 })
  })

  it('and is nothing for us is taken all the same', async () => {
    const account = newMember()
    for (const body of [
      message(account, { subtype: 'message_changed' }),
      message(account, { bot_id: 'B1', text: 'I am a bot' }),
      message(account, { channel_type: 'channel', text: 'to all' }),
      { type: 'event_callback', event_id: 'Ev0', event: { type: 'app_home_opened' } },
      {},
    ])
      expect(await receive(body)).toEqual({ outcome: 'ignored' })
    expect(await post(fake.tap(app.webhookUrl, { type: 'view_submission' }))).toMatchObject({ body: '' })
    expect(await call('list_conversations', { address: account.member })).toEqual([])
  })

  it('is read at once, whatever it holds', () => {
    const ms = spentMs(() => {
      for (const part of ['<', '<a|', '<a', '&lt;', '>']) expect(typeof textOfSlack(part.repeat(100_000))).toBe('string')
    })
    expect(ms).toBeLessThan(3_000)
  })
})
