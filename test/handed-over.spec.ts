/** Conversations that an agent hands to a person, and gets back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { conversation } from '#tools/messaging/messaging.schema.ts'

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

interface Person {
  readonly key: string
  readonly tenantUserId: number
}

async function newPerson(): Promise<Person> {
  const { apiKey, tenantUserId } = await call('create_api_key', { name: 'a colleague', roles: ['DataView'] })
  return { key: apiKey, tenantUserId }
}

const inboxOf = ({ key }: Person) => call('list_inbox', {}, { key })
const assign = (conversationId: number, to: Person | null) =>
  call('assign_conversation', { conversationId, tenantUserId: to?.tenantUserId ?? null })
const said = async (phone: string, text: string) => {
  const body = Buffer.from(JSON.stringify({ kind: 'message', from: phone, text }))
  await call('receive_channel_webhook', { channelKey }, { raw: { body, headers: {}, url: '/' } })
}

async function customer(): Promise<Sent & { phone: string }> {
  const phone = newPhone()
  const sent: Sent = await call('send_message', { to: { phone }, channel: 'Trial', text: 'How can we help?' })
  await deliverer.deliver(sent)
  return { ...sent, phone }
}

describe('a conversation that is handed to a person', () => {
  it('is shown as the contract has it, though a step of a run waits in it', async () => {
    const ana = await newPerson()
    const { conversationId } = await customer()
    await world.sql`update platform.conversation set awaited_by = '{"workflowId":"run-1","no":1}'::jsonb where conversation_id = ${conversationId}`
    const { messages, hasMore, ...read } = await call('get_conversation', { conversationId })
    expect([messages.length, hasMore]).toEqual([1, false])
    for (const shown of [await assign(conversationId, ana), read])
      expect(Object.keys(shown).sort()).toEqual(Object.keys(conversation.shape).sort())
  })

  it('is read and answered in their inbox, while the agent hears every reply', async () => {
    const ana = await newPerson()
    const { conversationId, phone } = await customer()
    await said(phone, 'The gate is stuck')
    const shown = await assign(conversationId, ana)
    expect(shown).toMatchObject({ conversationId, assignedTo: ana.tenantUserId, state: 'open' })
    const { messages, unread } = await inboxOf(ana)
    expect(unread).toBe(1)
    expect(messages).toMatchObject([{ text: 'The gate is stuck', from: phone, direction: 'inbound', conversationId, isRead: false }])
    const waiting = call('await_reply', { conversationId, afterSeq: 2, timeoutSeconds: 20 })
    await said(phone, 'And it rains')
    expect(await waiting).toMatchObject({ messages: [{ text: 'And it rains' }], timedOut: false })
    const [newest] = (await inboxOf(ana)).messages
    const answer = await call('answer_inbox_message', { messageId: newest.messageId, text: 'I am coming' }, { key: ana.key })
    await deliverer.deliver({ conversationId, ...answer })
    const whole = await call('get_conversation', { conversationId })
    expect(whole.messages.at(-1)).toMatchObject({
      text: 'I am coming',
      direction: 'outbound',
      to: phone,
      status: 'sent',
      fromTenantUserId: ana.tenantUserId,
    })
    const after = await inboxOf(ana)
    expect(after.unread).toBe(1)
    expect(after.messages[0].answeredDate).toEqual(expect.any(String))
    const found = await call('list_conversations', { assignedTo: ana.tenantUserId })
    expect(found.map((one: Sent) => one.conversationId)).toEqual([conversationId])
  })

  it('leaves the inbox when it is handed on or back, but for what was answered there', async () => {
    const [ana, eva] = [await newPerson(), await newPerson()]
    const { conversationId, phone } = await customer()
    await assign(conversationId, ana)
    await said(phone, 'One')
    const [first] = (await inboxOf(ana)).messages
    await call('answer_inbox_message', { messageId: first.messageId, text: 'Yes?' }, { key: ana.key })
    await said(phone, 'Two')
    await said(phone, 'Three')
    await assign(conversationId, eva)
    expect((await inboxOf(ana)).messages.map((one: { text: string }) => one.text)).toEqual(['One'])
    expect((await inboxOf(eva)).messages.map((one: { text: string }) => one.text)).toEqual(['Three', 'Two'])
    const late = call('answer_inbox_message', { messageId: first.messageId, text: 'And?' }, { key: ana.key })
    await expect(late).rejects.toMatchObject(refused('conflict', /somebody else/))
    expect(await assign(conversationId, null)).toMatchObject({ assignedTo: null })
    expect((await inboxOf(eva)).messages).toEqual([])
    await said(phone, 'Four')
    expect((await inboxOf(eva)).messages).toEqual([])
    expect(await call('poll_replies', { conversationId, afterSeq: 4 })).toMatchObject({ messages: [{ text: 'Three' }, { text: 'Four' }] })
  })

  it('works between two people of the house too', async () => {
    const [ana, eva] = [await newPerson(), await newPerson()]
    const { conversationId, messageId } = await call('send_message', { to: { tenantUserId: ana.tenantUserId }, text: 'Ready?' })
    await assign(conversationId, eva)
    await call('answer_inbox_message', { messageId, text: 'Not yet' }, { key: ana.key })
    const [heard] = (await inboxOf(eva)).messages
    expect(heard).toMatchObject({ text: 'Not yet', direction: 'inbound', fromTenantUserId: ana.tenantUserId })
    await call('answer_inbox_message', { messageId: heard.messageId, text: 'Take your time' }, { key: eva.key })
    expect((await inboxOf(ana)).messages[0]).toMatchObject({ text: 'Take your time', fromTenantUserId: eva.tenantUserId })
  })

  it('opens the files that come in to whoever answers', async () => {
    const ana = await newPerson()
    const { tenantUserId } = world.tenant
    const { conversationId, messageId } = await call('send_message', { to: { tenantUserId }, text: 'A photo?' })
    await assign(conversationId, ana)
    const contentBase64 = Buffer.from('of the gate').toString('base64')
    const { assetKey } = await call('upload_asset', { fileName: 'gate.txt', contentBase64 }, { transport: 'mcp' })
    const isOpened = async () =>
      (await world.sql`select from platform.asset_receiver where asset_key = ${assetKey} and tenant_user_id = ${ana.tenantUserId}`).length
    // As those are that come from people outside.
    await world.sql`update platform.asset set is_private = true where asset_key = ${assetKey}`
    expect(await isOpened()).toBe(0)
    await call('answer_inbox_message', { messageId, assetKeys: [assetKey] })
    expect((await inboxOf(ana)).messages).toMatchObject([{ assetKeys: [assetKey], direction: 'inbound' }])
    expect(await isOpened()).toBe(1)
  })

  it('is seen by whom it was handed to, though they do not see its record', async () => {
    const ana = await newPerson()
    await call('create_entity', { internalName: 'Vault' })
    const { eiRecordId } = await call('save_instance', { entity: 'Vault', key1: 'v', data: {} })
    await call('set_entity_access', { entity: 'Vault', rules: [{ tenantUserId: world.tenant.tenantUserId, read: true, edit: true }] })
    const { conversationId } = await call('send_message', { to: { phone: newPhone() }, channel: 'Trial', text: 'x', eiRecordId })
    const seen = () => call('get_conversation', { conversationId }, { key: ana.key })
    await expect(seen()).rejects.toMatchObject(refused('not_found'))
    await assign(conversationId, ana)
    expect(await seen()).toMatchObject({ conversationId })
    expect(await call('poll_replies', { conversationId }, { key: ana.key })).toMatchObject({ state: 'open' })
  })

  it('is refused for who is nobody, whom it is with, and after its end', async () => {
    const ana = await newPerson()
    const { conversationId } = await call('send_message', { to: { tenantUserId: ana.tenantUserId }, text: 'x' })
    const refusal = (tenantUserId: number) => world.refusal('assign_conversation', { conversationId, tenantUserId })
    expect(pathsOf(await refusal(2_147_483_647))).toEqual(['$.tenantUserId'])
    expect(pathsOf(await refusal(ana.tenantUserId))).toEqual(['$.tenantUserId'])
    const { key, tenantUserId } = await world.newTenant()
    expect(pathsOf(await refusal(tenantUserId))).toEqual(['$.tenantUserId'])
    const foreign = call('assign_conversation', { conversationId, tenantUserId }, { key })
    await expect(foreign).rejects.toMatchObject(refused('not_found'))
    await call('end_conversation', { conversationId })
    await expect(assign(conversationId, null)).rejects.toMatchObject(refused('conflict', /has ended/))
  })
})
