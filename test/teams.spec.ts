/** Bots of Teams: what they are told, what they tell, and what happens when they are away or silent. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Deliverer, openDeliverer, runActivity, type Sent, type TestChannel } from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { type FileCard, openTeamsFake, type TeamsFake } from './support/teams-fake.ts'
import { useWorld } from './support/world.ts'

const world = useWorld({ PUBLIC_URL: 'https://ops.example.com' })
const { call } = world
let fake: TeamsFake
let bot: TestChannel
let deliverer: Deliverer
beforeAll(async () => {
  fake = await openTeamsFake()
  const { appId, directoryId, appPassword, baseUrl } = fake
  bot = await call('create_channel', {
    internalName: 'FieldTeams',
    channel: 'teams',
    provider: 'teams',
    settings: { appId, directoryId, apiBaseUrl: baseUrl },
    secrets: { appPassword },
  })
  deliverer = openDeliverer(world)
})
afterAll(async () => {
  await deliverer?.close()
  await fake?.close()
})

interface Account {
  readonly id: string
  readonly place: string
}
type Person = Account & { readonly tenantUserId: number }
let counted = 0
const newAccount = (): Account => ({ id: `29:1account-${++counted}`, place: `a:1place-${counted}` })
const activity = ({ id, place }: Account, more: object) => ({
  type: 'message',
  id: String(1_800_000_000_000 + ++counted),
  from: { id },
  conversation: { id: place, conversationType: 'personal' },
  ...more,
})
const post = (raw: Awaited<ReturnType<TeamsFake['request']>>) =>
  world.run('receive_channel_webhook', { channelKey: bot.channelKey }, { raw })
const receive = async (body: object) => post(await fake.request(bot.webhookUrl, body))

/** A user whose account is linked to the bot. */
async function newPerson(): Promise<Person> {
  const key = await world.tenant.keyWith(['DataView'])
  const { tenantUserId } = await call('whoami', {}, { key })
  const { code } = await call('register_channel_address', { channel: 'teams' }, { key })
  const account = newAccount()
  await receive(activity(account, { text: ` ${code} ` }))
  return { tenantUserId, ...account }
}
const sendTo = ({ tenantUserId }: Person, more: object = {}): Promise<Sent> =>
  call('send_message', { to: { tenantUserId }, channel: 'teams', text: 'Is gate 4 open?', ...more })
const statusOf = ({ messageId }: Sent) => call('get_message_status', { messageId })
const takenBy = ({ place }: Account) => fake.taken.filter((one) => one.conversationId === place)
const card = { title: 'Gate 4', choices: Array.from({ length: 8 }, (_, n) => ({ key: `key-${n}`, label: `Label ${n}` })) }

describe('a message to a bot of Teams', () => {
  it('goes where the person wrote from, once: as plain text, or as a card where there is something to tap', async () => {
    const person = await newPerson()
    const plain = await sendTo(person, { text: '*Not bold*\nat all' })
    await Promise.allSettled([deliverer.deliver(plain), deliverer.deliver(plain)])
    const asked = await sendTo(person, { card })
    await deliverer.deliver(asked)
    const [text, question, ...others] = takenBy(person)
    expect(others).toEqual([])
    expect(text).toMatchObject({ text: '*Not bold*\nat all', textFormat: 'plain' })
    const body = question?.attachments?.[0]?.content.body ?? []
    expect(body.flatMap(({ inlines = [] }) => inlines.map((run) => run.text))).toEqual(['Gate 4', ' ', 'Is gate 4 open?'])
    expect(body.flatMap(({ actions }) => (actions ? [actions.length] : []))).toEqual([6, 2])
    expect(await statusOf(asked)).toMatchObject({ status: 'sent', providerId: expect.stringMatching(`/${question?.id}$`), attempts: 1 })
    const longest = await sendTo(person, { text: 'x'.repeat(12_000) })
    await deliverer.deliver(longest)
    expect(await statusOf(longest)).toMatchObject({ status: 'sent' })
  })

  it('that Teams refuses has failed, with the reason, and whoever removed the bot has said STOP', async () => {
    for (const [plan, status, reason] of [
      [{ status: 404, code: 'ConversationNotFound' }, 'failed', 'badAddress'],
      [{ status: 401, code: 'Unauthorized' }, 'failed', 'channelMisconfigured'],
      [{ status: 400, code: 'BadArgument' }, 'failed', 'refused'],
      [{ status: 403, code: 'BotNotInConversationRoster' }, 'suppressed', 'optedOut'],
    ] as const) {
      const person = await newPerson()
      const sent = await sendTo(person)
      fake.plan(plan)
      expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
      expect(await statusOf(sent)).toMatchObject({ status, reason, vendorCode: plan.code, attempts: 1 })
    }
  })

  it('waits as long as Teams says, and is never sent twice where no answer came', async () => {
    const person = await newPerson()
    const busy = await sendTo(person)
    fake.plan({ status: 429, retryAfter: 20 })
    await expect(deliverer.deliver(busy)).rejects.toMatchObject({ type: 'vendorAway', nextRetryDelay: 20_000 })
    await deliverer.deliver(busy)
    for (const plan of ['takeAndHang', 'takeAnd502'] as const) {
      const sent = await sendTo(person)
      fake.plan(plan)
      await expect(deliverer.deliver(sent)).rejects.toMatchObject({ type: 'outcomeUnknown' })
      await deliverer.deliverFully(sent)
      expect(await statusOf(sent)).toMatchObject({ status: 'unknown', reason: 'outcomeUnknown' })
    }
    expect(takenBy(person)).toHaveLength(3)
  })

  it('fails where the password of the bot is wrong, before anything is said', async () => {
    const person = await newPerson()
    const { channelId } = bot
    await call('update_channel', { channelId, secrets: { appPassword: 'another-password' } })
    const sent = await sendTo(person)
    await deliverer.deliver(sent)
    await call('update_channel', { channelId, secrets: { appPassword: fake.appPassword } })
    expect(await statusOf(sent)).toMatchObject({ status: 'failed', reason: 'channelMisconfigured', vendorCode: '401' })
    expect(takenBy(person)).toEqual([])
  })
})

describe('a file to a person of Teams', () => {
  const upload = async (fileName: string, text: string): Promise<string> =>
    (await call('upload_asset', { fileName, contentBase64: Buffer.from(text).toString('base64') }, { transport: 'mcp' })).assetKey
  // A card of files is one of these.
  const cardsOf = (account: Account) =>
    takenBy(account)
      .flatMap(({ attachments = [] }) => attachments.map((one) => one as unknown as FileCard))
      .filter(({ name }) => name !== undefined)
  const answer = (account: Account, action: 'accept' | 'decline', context: object | undefined, session: string) =>
    receive(
      activity(account, {
        type: 'invoke',
        name: 'fileConsent/invoke',
        value: {
          type: 'fileUpload',
          action,
          context,
          ...(action === 'decline'
            ? {}
            : {
                uploadInfo: {
                  uploadUrl: `${fake.baseUrl}/sessions/${session}`,
                  contentUrl: `https://onedrive.example/${session}`,
                  name: 'gate.txt',
                  uniqueId: `id-${session}`,
                  fileType: 'txt',
                },
              }),
        },
      }),
    )
  const carryOn = async ({ conversationId }: Sent, attempt = 1) =>
    runActivity(deliverer.activities.fetchMedia, { tenantId: world.tenant.tenantId, conversationId }, attempt)

  it('is offered on a card, goes to their OneDrive once they agree, once, and is shown there', async () => {
    const [person, other] = [await newPerson(), await newPerson()]
    const assetKey = await upload('gate.txt', 'The gate is open')
    const sent = await sendTo(person, { assetKeys: [assetKey] })
    expect(await deliverer.deliver(sent)).toEqual({ kind: 'done' })
    expect(await statusOf(sent)).toMatchObject({ status: 'sent' })
    expect(takenBy(person)[0]).toMatchObject({ text: 'Is gate 4 open?' })
    const [card, ...more] = cardsOf(person)
    expect(more).toEqual([])
    expect(card).toMatchObject({ name: 'gate.txt', content: { sizeInBytes: 16 } })
    const accept = card?.content.acceptContext
    // Only whom it was offered to takes it, and nothing else than what was offered.
    expect(await answer(other, 'accept', accept, 's0')).toEqual({ outcome: 'ignored' })
    expect(await answer(person, 'accept', { ...accept, assetKey: await upload('b.txt', 'b') }, 's0')).toEqual({ outcome: 'ignored' })
    expect(await answer(person, 'accept', accept, 's1')).toEqual({ outcome: 'updated' })
    expect(await answer(person, 'accept', accept, 's2')).toEqual({ outcome: 'duplicate' })
    fake.planUpload(503)
    await expect(carryOn(sent)).rejects.toMatchObject({ type: 'media' })
    fake.plan({ status: 429, retryAfter: 1 })
    await expect(carryOn(sent)).rejects.toMatchObject({ type: 'media' })
    await carryOn(sent)
    await carryOn(sent)
    expect([...fake.files]).toEqual([['s1', { bytes: Buffer.from('The gate is open'), range: 'bytes 0-15/16', authorization: undefined }]])
    expect(cardsOf(person).slice(1)).toEqual([
      {
        contentType: 'application/vnd.microsoft.teams.card.file.info',
        contentUrl: 'https://onedrive.example/s1',
        name: 'gate.txt',
        content: { uniqueId: 'id-s1', fileType: 'txt' },
      },
    ])
  })

  it('is brought nowhere where they decline, and given up where its place is gone', async () => {
    const person = await newPerson()
    const sent = await sendTo(person, { text: undefined, assetKeys: [await upload('a.txt', 'a'), await upload('c.txt', 'c')] })
    await deliverer.deliver(sent)
    const [first, second] = cardsOf(person)
    expect(takenBy(person)).toHaveLength(2)
    expect(await answer(person, 'decline', first?.content.declineContext, 's3')).toEqual({ outcome: 'ignored' })
    expect(await answer(person, 'accept', second?.content.acceptContext, 's4')).toEqual({ outcome: 'updated' })
    fake.planUpload(404)
    await carryOn(sent)
    await carryOn(sent)
    expect([...fake.files.keys()]).toEqual(['s1'])
    expect(cardsOf(person)).toHaveLength(2)
  })

  it('keeps no other waiting where its place is away, and is given up after a few tries', async () => {
    const person = await newPerson()
    const sent = await sendTo(person, { text: undefined, assetKeys: [await upload('d.txt', 'd'), await upload('e.txt', 'e')] })
    await deliverer.deliver(sent)
    const [first, second] = cardsOf(person)
    await answer(person, 'accept', first?.content.acceptContext, 's5')
    await answer(person, 'accept', second?.content.acceptContext, 's6')
    fake.planUpload(503)
    await expect(carryOn(sent)).rejects.toMatchObject({ type: 'media' })
    expect(['s5', 's6'].filter((session) => fake.files.has(session))).toHaveLength(1)
    fake.planUpload(503)
    await carryOn(sent, 4)
    await carryOn(sent)
    expect(['s5', 's6'].filter((session) => fake.files.has(session))).toHaveLength(1)
  })
})

describe('what a bot of Teams is told', () => {
  it('is refused where its token is not Microsoft’s, not for this bot, over, or for another service', async () => {
    const account = newAccount()
    const body = activity(account, { text: 'Hello' })
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600
    for (const raw of [
      await fake.request(bot.webhookUrl, body, {}, true),
      await fake.request(bot.webhookUrl, body, { aud: '33333333-3333-4333-8333-333333333333' }),
      await fake.request(bot.webhookUrl, body, { iss: 'https://elsewhere.example' }),
      await fake.request(bot.webhookUrl, body, { nbf: Math.floor(Date.now() / 1_000) + 3_600 }),
      await fake.request(bot.webhookUrl, body, { nbf: hourAgo, serviceurl: 'https://elsewhere.example' }),
      { ...(await fake.request(bot.webhookUrl, body)), headers: {} },
      { ...(await fake.request(bot.webhookUrl, body)), headers: { authorization: 'Bearer x.y.z' } },
    ])
      await expect(post(raw)).rejects.toMatchObject(refused('forbidden'))
    expect(await call('list_conversations', { address: account.id })).toEqual([])
    await receive(body)
    expect(await call('list_conversations', { address: account.id })).toHaveLength(1)
    expect(fake.fetches()).toBe(1)
  })

  it('is to be told again where the keys of Microsoft cannot be had', async () => {
    const { appId, directoryId, appPassword } = fake
    const away = await call('create_channel', {
      internalName: 'AwayTeams',
      channel: 'teams',
      provider: 'teams',
      settings: { appId, directoryId, apiBaseUrl: 'http://127.0.0.1:1' },
      secrets: { appPassword },
    })
    const raw = await fake.request(away.webhookUrl, activity(newAccount(), { text: 'Hello' }))
    await expect(world.run('receive_channel_webhook', { channelKey: away.channelKey }, { raw })).rejects.toMatchObject({
      code: 'unavailable',
      retryAfterSeconds: 30,
    })
  })

  it('is stored once, is an answer under the question that was tapped, and is answered where it came from', async () => {
    const person = await newPerson()
    const [first, second] = [await sendTo(person, { card }), await sendTo(person, { card })]
    for (const one of [first, second]) await deliverer.deliver(one)
    const [asked] = takenBy(person)
    const action = asked?.attachments?.[0]?.content.body.at(-1)?.actions?.[1]
    const tap = activity(person, { replyToId: asked?.id, value: action?.data })
    await receive(tap)
    await receive(tap)
    const repliesTo = async ({ conversationId }: Sent) => (await call('poll_replies', { conversationId, afterSeq: 0 })).messages
    expect(await repliesTo(first)).toMatchObject([{ choice: 'key-7', text: 'Label 7', fromTenantUserId: person.tenantUserId }])
    expect(await repliesTo(first)).toHaveLength(1)
    expect(await repliesTo(second)).toEqual([])
    const stranger = newAccount()
    await receive(activity(stranger, { text: 'Who are you?' }))
    const [{ conversationId }] = await call('list_conversations', { address: stranger.id })
    await deliverer.deliver(await call('send_message', { conversationId, text: 'Dispatch' }))
    expect(takenBy(stranger)).toMatchObject([{ text: 'Dispatch' }])
  })

  it('means STOP where the bot was removed, and nothing for us is taken all the same', async () => {
    const person = await newPerson()
    expect(await receive(activity(person, { type: 'installationUpdate', action: 'remove' }))).toEqual({ outcome: 'updated' })
    expect(await sendTo(person)).toMatchObject({ status: 'suppressed' })
    for (const body of [
      activity(person, { type: 'conversationUpdate' }),
      activity(person, { conversation: { id: '19:team', conversationType: 'channel' }, text: 'to all' }),
      activity(person, { text: '' }),
    ])
      expect(await receive(body)).toEqual({ outcome: 'ignored' })
  })
})
