/** Telegram's bots: what they are told, what they tell, and what happens when they are away or silent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Deliverer, openDeliverer, runActivity, type Sent, type TestChannel } from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { openTelegramFake, type TelegramFake } from './support/telegram-fake.ts'
import { useWorld } from './support/world.ts'

const world = useWorld({ PUBLIC_URL: 'https://ops.example.com' })
const { call } = world
let fake: TelegramFake
let bot: TestChannel
let deliverer: Deliverer

const settingsOf = (more: object = {}) => ({ botUserName: 'FieldloopBot', apiBaseUrl: fake.baseUrl, ...more })
const newBot = (internalName: string, more: object = {}): Promise<TestChannel> =>
  call('create_channel', {
    internalName,
    channel: 'telegram',
    provider: 'telegram',
    settings: settingsOf(more),
    secrets: { botToken: fake.botToken, webhookSecret: fake.webhookSecret },
  })

beforeAll(async () => {
  fake = await openTelegramFake()
  bot = await newBot('FieldBot')
  deliverer = openDeliverer(world)
})
afterAll(async () => {
  await deliverer?.close()
  await fake?.close()
})

let updates = 0
let accounts = 0
const newAccount = () => 800_000_000 + ++accounts
const chatOf = (id: number) => ({ id, type: 'private' })
const message = (from: number, more: object) => ({
  update_id: ++updates,
  message: { message_id: 10_000 + updates, from: { id: from, is_bot: false }, chat: chatOf(from), date: 1_700_000_000, ...more },
})
const receive = (update: object) =>
  world.run('receive_channel_webhook', { channelKey: bot.channelKey }, { raw: fake.request(bot.webhookUrl, update) })

/** A user whose account is linked to the bot. */
async function newPerson(): Promise<{ tenantUserId: number; account: number }> {
  const key = await world.tenant.keyWith(['DataView'])
  const { tenantUserId } = await call('whoami', {}, { key })
  const { url } = await call('register_channel_address', { channel: 'telegram' }, { key })
  const account = newAccount()
  await receive(message(account, { text: `/start ${new URL(url).searchParams.get('start')}` }))
  return { tenantUserId, account }
}
const sendTo = ({ tenantUserId }: { tenantUserId: number }, more: object = {}): Promise<Sent> =>
  call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'Is gate 4 open?', ...more })
const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })
const takenBy = ({ account }: { account: number }) => fake.taken.filter((one) => one.fields['chat_id'] === String(account))
const upload = async (fileName: string, bytes: Buffer) =>
  (await call('upload_asset', { fileName, contentBase64: bytes.toString('base64') }, { transport: 'mcp' })).assetKey as string

const card = {
  title: 'Gate 4',
  choices: [
    { key: 'open', label: 'Open' },
    { key: 'ü'.repeat(40), label: 'Shut' },
  ],
  link: { label: 'Map', url: 'https://example.com/m' },
}
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==', 'base64')

describe('a message to a bot', () => {
  it('goes out once, with its choices as buttons that Telegram takes, and no preview opens its links', async () => {
    const person = await newPerson()
    const sent = await sendTo(person, { card })
    await Promise.allSettled([deliverer.deliver(sent), deliverer.deliver(sent)])
    const [taken, ...others] = takenBy(person)
    expect(others).toEqual([])
    expect(taken).toMatchObject({
      method: 'sendMessage',
      fields: {
        text: 'Gate 4\n\nIs gate 4 open?\n\nMap: https://example.com/m',
        link_preview_options: { is_disabled: true },
        reply_markup: { inline_keyboard: [[{ text: 'Open', callback_data: 'open' }], [{ text: 'Shut', callback_data: '#2' }]] },
      },
    })
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', providerId: `7000000001/${person.account}/${taken?.messageId}` })
  })

  it('with choices alone has words over them, and is as long as Telegram takes', async () => {
    const person = await newPerson()
    const bare = await sendTo(person, { text: undefined, card: { choices: card.choices } })
    await deliverer.deliver(bare)
    const long = await sendTo(person, { text: 'x'.repeat(4_096) })
    await deliverer.deliver(long)
    expect(takenBy(person).map((one) => String(one.fields['text']).length)).toEqual(['Please choose:'.length, 4_096])
    await expect(sendTo(person, { text: 'x'.repeat(4_097) })).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: '$.text' }] })
  })

  it('brings its files: one with the words under it, more as albums before them', async () => {
    const person = await newPerson()
    const keys = [await upload('gate.png', png), await upload('plan.txt', Buffer.from('a plan')), await upload('gate2.png', png)]
    const one = await sendTo(person, { assetKeys: keys.slice(0, 1), card })
    await deliverer.deliver(one)
    const several = await sendTo(person, { assetKeys: keys, card })
    await deliverer.deliver(several)
    const shown = takenBy(person).map(({ method, files, fields }) => [method, files.map((file) => file.fileName), 'reply_markup' in fields])
    expect(shown).toEqual([
      ['sendPhoto', ['gate.png'], true],
      ['sendMediaGroup', ['gate.png', 'gate2.png'], false],
      ['sendDocument', ['plan.txt'], false],
      ['sendMessage', [], true],
    ])
    expect(await statusOf(several)).toMatchObject({
      status: 'sent',
      providerId: expect.stringMatching(`/${takenBy(person).at(-1)?.messageId}$`),
    })
  })

  it('that Telegram refuses has failed, with the reason, and whoever locked the bot out has said STOP', async () => {
    for (const [code, description, status, reason] of [
      [400, 'Bad Request: chat not found', 'failed', 'badAddress'],
      [403, 'Forbidden: user is deactivated', 'failed', 'badAddress'],
      [400, 'Bad Request: something else', 'failed', 'refused'],
      [401, 'Unauthorized', 'failed', 'channelMisconfigured'],
      [403, 'Forbidden: bot was blocked by the user', 'suppressed', 'optedOut'],
    ] as const) {
      const person = await newPerson()
      const sent = await sendTo(person)
      fake.plan({ code, description })
      expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
      expect(await statusOf(sent)).toMatchObject({ status, reason, vendorCode: String(code), attempts: 1 })
      expect((await sendTo(person)).status).toBe(reason === 'optedOut' ? 'suppressed' : 'queued')
    }
  })

  it('waits as long as Telegram says when there are too many', async () => {
    const person = await newPerson()
    const sent = await sendTo(person)
    fake.plan({ code: 429, description: 'Too Many Requests: retry after 35', retryAfter: 35 })
    await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'vendorAway', nextRetryDelay: 35_000 })
    await deliverer.deliver(sent)
    expect(takenBy(person)).toHaveLength(1)
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  it('is never sent twice where no answer came: it stays unknown', async () => {
    for (const plan of ['takeAndHang', 'takeAnd500'] as const) {
      const person = await newPerson()
      const sent = await sendTo(person)
      fake.plan(plan)
      await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'outcomeUnknown' })
      await deliverer.deliverFully(sent)
      expect(takenBy(person)).toHaveLength(1)
      expect(await statusOf(sent)).toMatchObject({ status: 'unknown', reason: 'outcomeUnknown' })
    }
  })

  it('of which a part went out is finished, or stays unknown, and brings no file twice', async () => {
    const files = [await upload('a.txt', Buffer.from('a')), await upload('b.txt', Buffer.from('b'))]
    const person = await newPerson()
    const sent = await sendTo(person, { assetKeys: files })
    fake.plan('ok', { code: 429, description: 'Too Many Requests', retryAfter: 1 })
    await deliverer.deliver(sent)
    expect(takenBy(person).map(({ method }) => method)).toEqual(['sendMediaGroup', 'sendMessage'])
    expect(await statusOf(sent)).toMatchObject({ status: 'sent', attempts: 1 })
    const other = await newPerson()
    const half = await sendTo(other, { assetKeys: files })
    fake.plan('ok', { code: 429, description: 'Too Many Requests', retryAfter: 600 })
    await deliverer.deliver(half)
    expect(takenBy(other)).toHaveLength(1)
    expect(await statusOf(half)).toMatchObject({ status: 'unknown', attempts: 1 })
  })
})

describe('what a bot is told', () => {
  it('is refused without the secret of its webhook', async () => {
    const account = newAccount()
    const raw = fake.request(bot.webhookUrl, message(account, { text: 'Hello' }))
    for (const headers of [{}, { ...raw.headers, 'x-telegram-bot-api-secret-token': 'another-secret-of-mine' }])
      await expect(call('receive_channel_webhook', { channelKey: bot.channelKey }, { raw: { ...raw, headers } })).rejects.toMatchObject(
        refused('forbidden'),
      )
    expect(await call('list_conversations', { address: String(account) })).toEqual([])
  })

  it('is stored once, however often it comes', async () => {
    const account = newAccount()
    const update = message(account, { text: 'It is open' })
    await receive(update)
    await receive(update)
    const [{ conversationId }] = await call('list_conversations', { address: String(account) })
    expect((await call('get_conversation', { conversationId })).messages).toMatchObject([{ text: 'It is open', from: String(account) }])
  })

  it('is an answer under the question that was tapped, whatever was asked since, and the tap is acknowledged', async () => {
    const person = await newPerson()
    const [first, second] = [await sendTo(person, { card }), await sendTo(person, { card })]
    for (const one of [first, second]) await deliverer.deliver(one)
    const [asked] = takenBy(person)
    const tap = {
      update_id: ++updates,
      callback_query: {
        id: '4382bfdwdsb323b2d9',
        from: { id: person.account },
        data: '#2',
        message: { message_id: asked?.messageId, chat: chatOf(person.account), reply_markup: asked?.fields['reply_markup'] },
      },
    }
    const answer = (await receive(tap)) as { body: string; mimeType: string }
    expect(JSON.parse(answer.body)).toEqual({ method: 'answerCallbackQuery', callback_query_id: '4382bfdwdsb323b2d9' })
    const repliesTo = async ({ conversationId }: Sent) => (await call('poll_replies', { conversationId, afterSeq: 0 })).messages
    expect(await repliesTo(first)).toMatchObject([{ choice: 'ü'.repeat(40), text: 'Shut', fromTenantUserId: person.tenantUserId }])
    expect(await repliesTo(second)).toEqual([])
    await receive(message(person.account, { text: 'That one', reply_to_message: { message_id: asked?.messageId } }))
    expect((await repliesTo(first)).map((one: { text: string }) => one.text)).toEqual(['Shut', 'That one'])
  })

  it('belongs to the question under which it was tapped, though the conversation asked another since', async () => {
    const person = await newPerson()
    const first = await sendTo(person, { card })
    const again = {
      conversationId: first.conversationId,
      text: 'And gate 5?',
      card: {
        choices: [
          { key: 'a', label: 'A' },
          { key: 'b', label: 'B' },
        ],
      },
    }
    for (const one of [first, await call('send_message', again)]) await deliverer.deliver(one)
    const [asked] = takenBy(person)
    const tapped = { message_id: asked?.messageId, chat: chatOf(person.account) }
    await receive({ update_id: ++updates, callback_query: { id: '1', from: { id: person.account }, data: '#2', message: tapped } })
    const { messages } = await call('poll_replies', { conversationId: first.conversationId, afterSeq: 0 })
    expect(messages).toMatchObject([{ choice: 'ü'.repeat(40) }])
  })

  it('brings files, which are fetched by their id with the token kept here, and places as text', async () => {
    const account = newAccount()
    fake.files.set('BQACAgIAAxk', 'a file')
    const photo = [{ file_id: 'small' }, { file_id: 'gone' }]
    await receive(message(account, { caption: 'Look', document: { file_id: 'BQACAgIAAxk', mime_type: 'text/plain', file_name: 'a.txt' } }))
    await receive(message(account, { photo }))
    await receive(message(account, { location: { latitude: 52.5, longitude: 13.25 }, venue: { title: 'Gate 4', address: 'Hafen 1' } }))
    const [{ conversationId }] = await call('list_conversations', { address: String(account) })
    const [row] = await world.sql`select string_agg(url, ' ') as urls from platform.message_media`
    expect(row?.['urls']).toContain('BQACAgIAAxk')
    expect(row?.['urls']).not.toContain(fake.botToken)
    await runActivity(deliverer.activities.fetchMedia, { tenantId: world.tenant.tenantId, conversationId })
    const { messages } = await call('poll_replies', { conversationId, afterSeq: 0 })
    expect(messages.map((one: { text: string }) => one.text)).toEqual(['Look', '', 'Gate 4\nHafen 1\n52.5, 13.25'])
    expect(messages[0].assetKeys).toHaveLength(1)
    expect(await call('get_asset', { assetKey: messages[0].assetKeys[0] })).toMatchObject({ mimeType: 'text/plain', fileSize: 6 })
    expect(messages[1]).toMatchObject({ assetKeys: [] })
    expect(messages[1].pendingMedia).toBeUndefined()
  })

  it('and is nothing for us is taken all the same, since it would come again for ever', async () => {
    const account = newAccount()
    for (const update of [
      { update_id: ++updates, edited_message: { message_id: 1, chat: chatOf(account), text: 'changed' } },
      { ...message(account, { text: 'to all' }), message: { message_id: 5, chat: { id: -100, type: 'group' }, text: 'to all' } },
      message(account, { dice: { value: 4 } }),
      { update_id: 'none' },
      {},
    ])
      expect(await receive(update)).toEqual({ outcome: 'ignored' })
    await receive(message(account, { text: 'Half a \ud800 pair and \u0000' }))
    const [{ conversationId }] = await call('list_conversations', { address: String(account) })
    expect((await call('get_conversation', { conversationId })).messages).toMatchObject([{ text: 'Half a \ufffd pair and ' }])
  })

  it('that a person locked the bot out means STOP, and that they start it again means START', async () => {
    const person = await newPerson()
    const left = { update_id: ++updates, my_chat_member: { chat: chatOf(person.account), new_chat_member: { status: 'kicked' } } }
    expect(await receive(left)).toEqual({ outcome: 'updated' })
    expect(await receive(left)).toEqual({ outcome: 'duplicate' })
    expect(await sendTo(person)).toMatchObject({ status: 'suppressed' })
    await receive(message(person.account, { text: '/start' }))
    expect(await sendTo(person)).toMatchObject({ status: 'queued' })
  })

  it('is helped in the chat itself', async () => {
    const person = await newPerson()
    const { conversationId } = await sendTo(person)
    await receive(message(person.account, { text: '/help' }))
    const { messages } = await call('get_conversation', { conversationId })
    expect(messages.at(-1)).toMatchObject({ direction: 'outbound', text: expect.stringContaining('STOP'), status: 'queued' })
  })
})

describe('the set-up of a bot', () => {
  it('names what is wrong with it, takes its token to no other host, and tells what it carries', async () => {
    const wrong = {
      internalName: 'Wrong',
      channel: 'telegram',
      provider: 'telegram',
      settings: { botUserName: '@Bot' },
      secrets: { botToken: 'x', webhookSecret: 'y' },
    }
    const error = await world.refusal('create_channel', wrong)
    expect(error.issues?.map(({ path }) => path).sort()).toEqual([
      '$.secrets.botToken',
      '$.secrets.webhookSecret',
      '$.settings.botUserName',
    ])
    const elsewhere = { channelId: bot.channelId, settings: settingsOf({ apiBaseUrl: 'https://elsewhere.example' }) }
    await expect(call('update_channel', elsewhere)).rejects.toMatchObject({ issues: [{ path: '$.secrets.botToken' }] })
    const { channels } = await call('get_schema')
    expect(channels.find((one: { internalName: string }) => one.internalName === 'telegram')).toMatchObject({
      channelId: 5,
      providers: [{ internalName: 'telegram', secrets: [{ name: 'botToken' }, { name: 'webhookSecret' }] }, { internalName: 'sandbox' }],
    })
    const carried = (await call('list_channels')).find((one: { channelId: number }) => one.channelId === bot.channelId)
    expect(carried.carries).toEqual({ maxTextLength: 4_096, choices: 'buttons', attachments: true, receipts: 'none' })
  })
})
