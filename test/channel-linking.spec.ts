/** Accounts and browsers that people link to themselves, on channels without a vendor. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Deliverer, openDeliverer, type Sent } from './support/messaging.ts'
import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let deliverer: Deliverer
const keys = { telegram: '', slack: '', webPush: '' }
const ids = { telegram: 0, slack: 0, webPush: 0 }
beforeAll(async () => {
  deliverer = openDeliverer(world)
  for (const channel of ['telegram', 'slack', 'webPush'] as const) {
    const made = await call('create_channel', { internalName: `Trial${channel}`, channel, provider: 'sandbox', settings: {} })
    keys[channel] = made.channelKey
    ids[channel] = made.channelId
  }
})
afterAll(() => deliverer?.close())

const act = (done: object, key = keys.telegram) =>
  call('receive_channel_webhook', { channelKey: key }, { raw: { body: Buffer.from(JSON.stringify(done)), headers: {}, url: '/' } })
const write = (from: string, text: string, key?: string) => act({ kind: 'message', from, text }, key)
const look = async (address: string, key = keys.telegram) => (await call('list_handset_messages', { channelKey: key, address })).messages

/** A user with a key of their own. */
async function newPerson(): Promise<{ key: string; tenantUserId: number }> {
  const key = await world.tenant.keyWith(['DataView', 'DataEdit'])
  return { key, tenantUserId: (await call('whoami', {}, { key })).tenantUserId }
}

let accounts = 0
const newAccount = () => String(700_000_000 + ++accounts)

async function linked(channel: 'telegram' | 'slack' = 'telegram', account: string = newAccount()) {
  const person = await newPerson()
  const { code } = await call('register_channel_address', { channel }, { key: person.key })
  await write(account, code, keys[channel])
  return { ...person, account }
}

const browser = (n: number) => ({
  endpoint: `https://push.example.com/send/${n}`,
  keys: { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) },
})

describe('an account', () => {
  it('is linked by the code that its owner writes from it, whatever stands before the code, and told so there', async () => {
    const { key, tenantUserId } = await newPerson()
    const answer = await call('register_channel_address', { channel: 'telegram' }, { key })
    expect(answer).toMatchObject({ channelId: ids.telegram, channel: 'telegram', internalName: 'Trialtelegram', state: 'pending' })
    expect(answer.code).toMatch(/^link-[a-z2-7]{16}$/)
    expect(Date.parse(answer.expiresAt)).toBeGreaterThan(Date.now())
    const before = call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'Hello' })
    await expect(before).rejects.toMatchObject(refused('invalid_input', /register_channel_address/))
    const account = newAccount()
    expect(await write(account, `/start ${answer.code}`)).toEqual({ outcome: 'stored' })
    expect(await look(account)).toMatchObject([{ direction: 'outbound', text: expect.stringContaining('linked') }])
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'Is gate 4 open?' })
    await deliverer.deliver(sent)
    await write(account, 'Yes')
    const { messages } = await call('await_reply', { conversationId: sent.conversationId, timeoutSeconds: 5 })
    expect(messages).toMatchObject([{ text: 'Yes', from: account, fromTenantUserId: tenantUserId, channel: 'telegram' }])
    const { addresses } = await call('get_contact_preferences', { tenantUserId })
    expect(addresses).toContainEqual({ channel: 'telegram', address: account, isOptedOut: false })
  })

  it('is not linked by a code that was used, is over, is another channel’s, or was followed by another', async () => {
    const { key, tenantUserId } = await newPerson()
    const codeOf = async (channel: string) => (await call('register_channel_address', { channel }, { key })).code
    const first = await codeOf('telegram')
    const [used, elsewhere] = [await codeOf('telegram'), await codeOf('slack')]
    for (const code of [first, elsewhere, 'link-aaaaaaaaaaaaaaaa']) {
      const account = newAccount()
      await write(account, code)
      expect(await look(account)).toMatchObject([{ text: expect.stringContaining('no longer') }])
    }
    const mine = newAccount()
    await write(mine, used)
    const thief = newAccount()
    await write(thief, used)
    expect(await look(thief)).toMatchObject([{ text: expect.stringContaining('no longer') }])
    const late = await codeOf('telegram')
    await world.sql`update platform.channel_link_code set expires_at = now() - interval '1 second' where tenant_user_id = ${tenantUserId}`
    await write(thief, late)
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'For whom?' })
    expect(await call('get_conversation', { conversationId: sent.conversationId })).toMatchObject({ address: mine })
  })

  it('is whose it was linked to last, and no longer anybody’s once it was removed', async () => {
    const { account, tenantUserId: earlier, key } = await linked()
    const { tenantUserId } = await linked('telegram', account)
    await expect(call('send_message', { to: { tenantUserId: earlier }, channel: 'telegram', text: 'x' })).rejects.toMatchObject(
      refused('invalid_input'),
    )
    const { conversationId } = await call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'x' })
    await write(account, 'It is mine')
    expect((await call('poll_replies', { conversationId, afterSeq: 0 })).messages).toMatchObject([{ fromTenantUserId: tenantUserId }])
    expect(await call('register_channel_address', { channel: 'telegram', remove: true }, { key })).toMatchObject({ state: 'removed' })
    const { key: theirs, tenantUserId: other, account: gone } = await linked()
    await call('register_channel_address', { channel: 'Trialtelegram', remove: true }, { key: theirs })
    await expect(call('send_message', { to: { tenantUserId: other }, channel: 'telegram', text: 'x' })).rejects.toMatchObject(
      refused('invalid_input'),
    )
    await write(gone, 'Am I anybody?')
    const [{ conversationId: strangers }] = await call('list_conversations', { address: gone, state: 'open' })
    expect((await call('poll_replies', { conversationId: strangers, afterSeq: 0 })).messages).toMatchObject([{ fromTenantUserId: null }])
  })

  it('of nobody is answered in its conversation, which its channel names', async () => {
    const account = newAccount()
    await write(account, 'Who are you?')
    const [{ conversationId }] = await call('list_conversations', { address: account })
    for (const channel of ['telegram', 'trialTELEGRAM'])
      expect(await call('send_message', { conversationId, channel, text: 'Dispatch' })).toMatchObject({ conversationId })
    await expect(call('send_message', { conversationId, channel: 'slack', text: 'x' })).rejects.toMatchObject({
      code: expect.stringMatching(/conflict|invalid_input/),
    })
  })

  it('says STOP by a bot’s word too, and takes it back by linking itself once more', async () => {
    const { account, tenantUserId, key } = await linked()
    await write(account, '/stop')
    expect(await call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'x' })).toMatchObject({ status: 'suppressed' })
    const { code } = await call('register_channel_address', { channel: 'telegram' }, { key })
    await write(account, code)
    expect(await call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'x' })).toMatchObject({ status: 'queued' })
  })

  it('is chosen by what its user prefers, as phones and e-mails are', async () => {
    const { tenantUserId } = await linked('slack', 'U024BE7LH')
    await call('set_contact_preferences', { tenantUserId, channelOrder: ['teams', 'slack', 'inbox'] })
    const { conversationId } = await call('send_message', { to: { tenantUserId }, text: 'x' })
    expect(await call('get_conversation', { conversationId })).toMatchObject({ channel: 'slack', address: 'U024BE7LH' })
  })

  it('cannot be linked where there is nothing to link, and says where there is', async () => {
    await call('create_channel', { internalName: 'PlainSms', channel: 'sms', provider: 'sandbox', settings: {} })
    await expect(call('register_channel_address', { channel: 'PlainSms' })).rejects.toMatchObject(refused('invalid_input', /contacts/))
    await expect(call('register_channel_address', { channel: 'TrialTelegran' })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.channel', suggestion: 'Trialtelegram' }],
    })
    await expect(call('register_channel_address', { channel: 'teams' })).rejects.toMatchObject(refused('invalid_input', /Allowed: /))
    await expect(call('register_channel_address', { channel: 'telegram', subscription: browser(1) })).rejects.toMatchObject(
      refused('invalid_input', /not browsers/),
    )
  })

  it('is another tenant’s affair in another tenant', async () => {
    const other = await world.newTenant()
    const made = await call(
      'create_channel',
      { internalName: 'Theirs', channel: 'telegram', provider: 'sandbox', settings: {} },
      { key: other.key },
    )
    const { key, tenantUserId } = await newPerson()
    const { code } = await call('register_channel_address', { channel: 'telegram' }, { key })
    await write(newAccount(), code, made.channelKey)
    await expect(call('send_message', { to: { tenantUserId }, channel: 'telegram', text: 'x' })).rejects.toMatchObject(
      refused('invalid_input'),
    )
    expect(await world.sql`select 1 from platform.channel_address where tenant_id = ${other.tenantId}`).toEqual([])
  })
})

describe('a browser', () => {
  it('is linked by its subscription, which is sealed, once however often it comes, and ten at most', async () => {
    const { key, tenantUserId } = await newPerson()
    expect(await call('register_channel_address', { channel: 'webPush' }, { key })).toMatchObject({ state: 'pending' })
    for (const n of [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      const answer = await call('register_channel_address', { channel: 'webPush', subscription: browser(n) }, { key })
      expect(answer).toMatchObject({ state: 'linked', address: `user-${tenantUserId}` })
    }
    const rows = await world.sql<{ sealedDetails: Buffer }[]>`
      select sealed_details from platform.channel_address where channel_id = ${ids.webPush} and tenant_user_id = ${tenantUserId}`
    expect(rows).toHaveLength(10)
    expect(rows.filter((row) => row.sealedDetails.includes('push.example.com'))).toEqual([])
    const { addresses } = await call('get_contact_preferences', { tenantUserId })
    expect(addresses).toEqual([{ channel: 'webPush', address: `user-${tenantUserId}`, isOptedOut: false }])
    const sent: Sent = await call('send_message', { to: { tenantUserId }, channel: 'webPush', text: 'Gate 4' })
    await deliverer.deliver(sent)
    expect(await look(`user-${tenantUserId}`, keys.webPush)).toMatchObject([{ text: 'Gate 4', status: 'sent' }])
  })

  it('of no public host, or that is none, is refused', async () => {
    const at = (endpoint: string) => call('register_channel_address', { channel: 'webPush', subscription: { ...browser(1), endpoint } })
    await expect(at('https://10.0.0.5/push')).rejects.toMatchObject(refused('unprocessable', /OUTBOUND_ALLOW/))
    await expect(at('ftp://push.example.com')).rejects.toMatchObject(refused('invalid_input'))
    const short = { ...browser(1), keys: { p256dh: 'B', auth: 'a' } }
    await expect(call('register_channel_address', { channel: 'webPush', subscription: short })).rejects.toMatchObject(
      refused('invalid_input'),
    )
  })

  it('carries no files and no long text, and a preview says so', async () => {
    const file = { fileName: 'a.txt', contentBase64: Buffer.from('a').toString('base64') }
    const { assetKey } = await call('upload_asset', file, { transport: 'mcp' })
    const { previews } = await call('preview_message', { text: 'x'.repeat(801), assetKeys: [assetKey], channels: ['webPush', 'telegram'] })
    expect(previews).toMatchObject([
      { fits: false, issues: [{ path: '$.assetKeys' }, { path: '$.text' }] },
      { fits: true, buttons: [] },
    ])
  })
})
