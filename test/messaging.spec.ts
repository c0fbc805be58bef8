/** The loop of send, await, poll and end over the inbox, which needs neither a vendor nor Temporal. Channels are in channels.spec.ts. */
import { beforeAll, describe, expect, it, vi } from 'vitest'

import { flagOf, type RoleName } from '#platform/roles.ts'
import { isTimeZone } from '#tools/messaging/delivery/quiet-hours.rules.ts'
import { conversationTopic } from '#tools/messaging/conversations/waiting.ts'

import { type Waiters, watchWaiters } from './support/waiters.ts'
import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let waiters: Waiters
beforeAll(async () => {
  waiters = watchWaiters(world)
})

/** Resolves once somebody awaits the conversation. */
const awaited = (conversationId: number, waits = 1) => waiters.reached(conversationTopic(conversationId), waits)

interface Caller {
  readonly key: string
  readonly tenantUserId: number
  readonly apiKeyId: number
}

async function newUser(roles: readonly RoleName[] = ['DataView'], by: { key?: string } = {}): Promise<Caller> {
  const made = await call('create_api_key', { name: 'a field user', roles }, by)
  return { key: made.apiKey, tenantUserId: made.tenantUserId, apiKeyId: made.apiKeyId }
}

const gate = {
  title: 'Gate 4',
  choices: [
    { key: 'open', label: 'It is open' },
    { key: 'closed', label: 'It is closed' },
  ],
}

/** Asks a user something; answers with the ids that follow-ups need. */
async function ask(user: Caller, more: object = {}): Promise<{ conversationId: number; messageId: number; seq: number; status: string }> {
  return call('send_message', { to: { tenantUserId: user.tenantUserId }, text: 'Is gate 4 open?', card: gate, ...more })
}

describe('the loop', () => {
  it('sends to the inbox, wakes the await with the answer, shows it again to poll, and ends', async () => {
    const user = await newUser()
    const sent = await ask(user)
    expect(sent).toEqual({ conversationId: expect.any(Number), messageId: expect.any(Number), seq: 1, status: 'delivered' })
    const { conversationId } = sent
    const waiting = call('await_reply', { conversationId, timeoutSeconds: 20 })
    const { messages, unread } = await call('list_inbox', {}, { key: user.key })
    expect(unread).toBe(1)
    expect(messages).toEqual([
      expect.objectContaining({
        messageId: sent.messageId,
        inboxSeq: 1,
        text: 'Is gate 4 open?',
        card: gate,
        isRead: false,
        conversationState: 'open',
      }),
    ])
    const answered = await call(
      'answer_inbox_message',
      { messageId: sent.messageId, choice: 'open', text: 'The lock is new' },
      { key: user.key },
    )
    const replies = await waiting
    expect(replies).toEqual({
      messages: [
        {
          messageId: answered.messageId,
          conversationId,
          seq: 2,
          direction: 'inbound',
          channel: 'inbox',
          from: 'a field user',
          fromTenantUserId: user.tenantUserId,
          text: 'The lock is new',
          choice: 'open',
          assetKeys: [],
          at: expect.stringMatching(/Z$/),
        },
      ],
      cursor: 2,
      state: 'open',
      timedOut: false,
    })
    expect(await call('poll_replies', { conversationId })).toEqual(replies)
    expect(await call('poll_replies', { conversationId, afterSeq: 2 })).toEqual({ messages: [], cursor: 2, state: 'open', timedOut: false })
    expect(await call('end_conversation', { conversationId, text: 'Thank you' })).toEqual({ state: 'ended' })
    const whole = await call('get_conversation', { conversationId })
    expect(whole).toMatchObject({ state: 'ended', lastSeq: 3, hasMore: false, tenantUserId: user.tenantUserId })
    expect(whole.messages.map((one: { seq: number; direction: string; text: string }) => [one.seq, one.direction, one.text])).toEqual([
      [1, 'outbound', 'Is gate 4 open?'],
      [2, 'inbound', 'The lock is new'],
      [3, 'outbound', 'Thank you'],
    ])
  })

  it('needs no workflow: nothing is queued for a vendor', async () => {
    const user = await newUser()
    const { conversationId } = await ask(user)
    const errands = await world.sql`select errand from platform.outbox where subject = ${`conversation:${conversationId}`}`
    expect(errands).toEqual([])
  })

  it('answers an await when the answer comes, and not at the next look', async () => {
    const user = await newUser()
    const took: number[] = []
    for (let round = 0; round < 15; round++) {
      const { conversationId, messageId } = await ask(user)
      const waiting = call('await_reply', { conversationId, timeoutSeconds: 20 }).then(() => performance.now())
      await awaited(conversationId)
      await call('answer_inbox_message', { messageId, text: 'yes' }, { key: user.key })
      const answered = performance.now()
      took.push((await waiting) - answered)
    }
    // Whoever is not woken looks after fifteen seconds.
    expect(took.sort((a, b) => a - b)[7]).toBeLessThan(10_000)
  })

  it('says that the time was up, and goes on from the cursor without losing anything', async () => {
    const user = await newUser()
    const { conversationId, messageId } = await ask(user)
    const first = await call('await_reply', { conversationId, timeoutSeconds: 0.2 })
    expect(first).toEqual({ messages: [], cursor: 1, state: 'open', timedOut: true })
    await call('answer_inbox_message', { messageId, text: 'one' }, { key: user.key })
    await call('answer_inbox_message', { messageId, text: 'two' }, { key: user.key })
    // A second question must not hide the answers to the first from whoever holds the cursor.
    await call('send_message', { conversationId, text: 'And gate 5?' })
    const second = await call('await_reply', { conversationId, afterSeq: first.cursor })
    expect(second.messages.map((one: { text: string }) => one.text)).toEqual(['one', 'two'])
    expect(second.cursor).toBe(3)
    expect(await call('await_reply', { conversationId, timeoutSeconds: 0 })).toMatchObject({ messages: [], cursor: 4, timedOut: true })
  })

  it('is woken by the end of the conversation', async () => {
    const user = await newUser()
    const { conversationId } = await ask(user)
    const waiting = call('await_reply', { conversationId, timeoutSeconds: 20 })
    await awaited(conversationId)
    await call('end_conversation', { conversationId })
    expect(await waiting).toEqual({ messages: [], cursor: 1, state: 'ended', timedOut: false })
    expect(await call('end_conversation', { conversationId })).toEqual({ state: 'ended' })
    await expect(call('end_conversation', { conversationId, text: 'Once more' })).rejects.toMatchObject(refused('conflict', /has ended/))
    await expect(call('send_message', { conversationId, text: 'Once more' })).rejects.toMatchObject(refused('conflict', /has ended/))
  })

  it('keeps an answer that comes after the end, and wakes and starts no one', async () => {
    const user = await newUser()
    const { conversationId, messageId } = await ask(user)
    await call('end_conversation', { conversationId })
    const before = await world.sql`select count(*)::int as n from platform.outbox where subject = ${`conversation:${conversationId}`}`
    expect(await call('answer_inbox_message', { messageId, text: 'too late' }, { key: user.key })).toMatchObject({ seq: 2 })
    expect(await world.sql`select count(*)::int as n from platform.outbox where subject = ${`conversation:${conversationId}`}`).toEqual(
      before,
    )
    expect((await call('get_conversation', { conversationId })).messages.at(-1)).toMatchObject({ text: 'too late' })
  })

  it('takes a cursor that no conversation ever reaches for a mistake of the caller', async () => {
    const { conversationId } = await call('send_message', { to: { tenantUserId: world.tenant.tenantUserId }, text: 'Well?' })
    for (const afterSeq of [2_147_483_648, 9_007_199_254_740_991]) {
      const issues = [expect.objectContaining({ path: '$.afterSeq' })]
      for (const name of ['await_reply', 'poll_replies', 'get_conversation'])
        await expect(call(name, { conversationId, afterSeq })).rejects.toMatchObject({ code: 'invalid_input', issues })
      await expect(call('list_inbox', { afterInboxSeq: afterSeq })).rejects.toMatchObject({ code: 'invalid_input' })
    }
    expect(await call('poll_replies', { conversationId, afterSeq: 2_147_483_647 })).toMatchObject({ messages: [], cursor: 2_147_483_647 })
  })

  it('refuses to wait longer than 55 seconds', async () => {
    const { conversationId } = await ask(await newUser())
    await expect(call('await_reply', { conversationId, timeoutSeconds: 56 })).rejects.toMatchObject(
      refused('invalid_input', /timeoutSeconds/),
    )
  })

  it('answers a foreign tenant as if the conversation did not exist', async () => {
    const { conversationId, messageId } = await ask(await newUser())
    const other = await world.newTenant()
    const by = { key: other.key }
    for (const [name, input] of [
      ['await_reply', { conversationId }],
      ['poll_replies', { conversationId }],
      ['end_conversation', { conversationId }],
      ['get_conversation', { conversationId }],
      ['send_message', { conversationId, text: 'x' }],
    ] as const) {
      await expect(call(name, input, by)).rejects.toMatchObject(refused('not_found', /^No such conversation\.$/))
    }
    await expect(call('get_message_status', { messageId }, by)).rejects.toMatchObject(refused('not_found'))
    await expect(call('answer_inbox_message', { messageId, text: 'x' }, by)).rejects.toMatchObject(refused('not_found'))
    expect(await call('list_conversations', {}, by)).toEqual([])
  })

  it('numbers the messages of a conversation without gaps, however many come at once', async () => {
    const user = await newUser()
    const { conversationId, messageId } = await ask(user)
    await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        n % 2 === 0
          ? call('send_message', { conversationId, text: `q${n}` })
          : call('answer_inbox_message', { messageId, text: `a${n}` }, { key: user.key }),
      ),
    )
    const { messages } = await call('get_conversation', { conversationId })
    expect(messages.map((one: { seq: number }) => one.seq)).toEqual(Array.from({ length: 25 }, (_, n) => n + 1))
    const inbox = await call('list_inbox', { afterInboxSeq: 0 }, { key: user.key })
    expect(inbox.messages.map((one: { inboxSeq: number }) => one.inboxSeq)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1))
  })

  it('repeats nothing when a call is repeated with its idempotency key', async () => {
    const user = await newUser()
    const input = { to: { tenantUserId: user.tenantUserId }, text: 'Once' }
    const first = await call('send_message', input, { idempotencyKey: 'send-once' })
    expect(await call('send_message', input, { idempotencyKey: 'send-once' })).toEqual(first)
    expect((await call('list_inbox', {}, { key: user.key })).messages).toHaveLength(1)
  })
})

describe('whom a message goes to', () => {
  it('needs exactly one recipient, and one that is there', async () => {
    const text = 'x'
    await expect(call('send_message', { text })).rejects.toMatchObject(refused('invalid_input', /recipient/))
    await expect(call('send_message', { to: {}, text })).rejects.toMatchObject(refused('invalid_input', /exactly one/))
    await expect(call('send_message', { to: { tenantUserId: 1, phone: '+34600123456' }, text })).rejects.toMatchObject(
      refused('invalid_input', /exactly one/),
    )
    await expect(call('send_message', { to: { tenantUserId: 2_000_000_000 }, text })).rejects.toMatchObject(
      refused('invalid_input', /no user 2000000000/),
    )
    const other = await world.newTenant()
    await expect(call('send_message', { to: { tenantUserId: other.tenantUserId }, text })).rejects.toMatchObject(
      refused('invalid_input', /no user/),
    )
    await expect(call('send_message', { to: { phone: '600123456' }, text })).rejects.toMatchObject(refused('invalid_input', /phone number/))
    await expect(call('send_message', { to: { email: 'nobody' }, text })).rejects.toMatchObject(refused('invalid_input', /e-mail/))
    await expect(call('send_message', { to: { phone: '+34600123456' }, text })).rejects.toMatchObject(refused('conflict', /create_channel/))
  })

  it('knows nobody whose membership has ended', async () => {
    const { tenantUserId } = await newUser()
    const { tenantUserId: left } = await call('create_user', { email: 'left.before.the.message@example.com' })
    const { conversationId } = await call('send_message', { to: { tenantUserId }, text: 'x' })
    await call('delete_user', { tenantUserId: left })
    const nobody = refused('invalid_input', new RegExp(`no user ${left}`))
    await expect(call('send_message', { to: { tenantUserId: left }, text: 'x' })).rejects.toMatchObject(nobody)
    await expect(call('assign_conversation', { conversationId, tenantUserId: left })).rejects.toMatchObject(nobody)
    await expect(call('get_contact_preferences', { tenantUserId: left })).rejects.toMatchObject(refused('not_found', /user/))
  })

  it('refuses what is not built, and what says nothing', async () => {
    const { tenantUserId } = await newUser()
    const surface = call('send_message', { to: { tenantUserId }, text: 'x', surface: 'y' })
    await expect(surface).rejects.toMatchObject(refused('invalid_input', /no field/))
    for (const said of [{}, { text: ' \n\t' }, { card: {} }])
      await expect(call('send_message', { to: { tenantUserId }, ...said })).rejects.toMatchObject({
        code: 'invalid_input',
        issues: [{ path: '$.text', message: expect.stringMatching(/is empty/) }],
      })
    const twice = {
      choices: [
        { key: 'a', label: 'Yes' },
        { key: 'b', label: 'yes' },
      ],
    }
    const error = await call('send_message', { to: { tenantUserId }, card: twice }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.card.choices' }] })
  })

  it('finds the person behind a record by its e-mail, and names the record in the inbox', async () => {
    const email = `ana.${Date.now()}@example.com`
    const { tenantUserId } = await call('create_user', {
      userName: `ana${Date.now()}`,
      displayName: 'Ana Ruiz',
      email,
      roles: ['DataView'],
    })
    const property = `Mail${Date.now()}`
    await call('create_property', { internalName: property, dataType: 'Text', isIdentityEmail: true })
    const entity = `Worker${Date.now()}`
    await call('create_entity', { internalName: entity, properties: [{ property }] })
    await call('set_entity_identity_bridge', { entity, isTenantUserRole: true, identityEmailProperty: property })
    const { eiRecordId } = await call('save_instance', { entity, key1: 'A', data: { [property]: email } })
    const sent = await call('send_message', { to: { eiRecordId }, text: 'Hello', eiRecordId })
    expect(await call('get_conversation', { conversationId: sent.conversationId })).toMatchObject({
      tenantUserId,
      eiRecordId,
      channel: 'inbox',
    })
    expect(await call('list_conversations', { eiRecordId })).toHaveLength(1)
    await expect(call('send_message', { to: { eiRecordId: 999_999_999_999 }, text: 'x' })).rejects.toMatchObject(
      refused('invalid_input', /no record/),
    )
    await expect(call('send_message', { to: { tenantUserId }, eiRecordId: 999_999_999_999, text: 'x' })).rejects.toMatchObject(
      refused('invalid_input', /no record/),
    )
  })

  it('continues a conversation only with the one whom it is with', async () => {
    const user = await newUser()
    const other = await newUser()
    const { conversationId } = await ask(user)
    expect(await call('send_message', { conversationId, to: { tenantUserId: user.tenantUserId }, text: 'Still there?' })).toMatchObject({
      conversationId,
      seq: 2,
    })
    await expect(call('send_message', { conversationId, to: { tenantUserId: other.tenantUserId }, text: 'x' })).rejects.toMatchObject(
      refused('invalid_input', /another recipient/),
    )
    await expect(call('send_message', { conversationId: 999_999_999, text: 'x' })).rejects.toMatchObject(refused('not_found'))
  })

  it('carries files that exist, and refuses those that do not', async () => {
    const user = await newUser()
    const asset = await call(
      'upload_asset',
      { fileName: 'gate.txt', contentBase64: Buffer.from('a gate').toString('base64') },
      { transport: 'mcp' },
    )
    const sent = await ask(user, { assetKeys: [asset.assetKey] })
    expect((await call('list_inbox', {}, { key: user.key })).messages[0]).toMatchObject({
      messageId: sent.messageId,
      assetKeys: [asset.assetKey],
    })
    const missing = '00000000-0000-4000-8000-000000000000'
    await expect(ask(user, { assetKeys: [missing] })).rejects.toMatchObject(refused('invalid_input', /not there/))
    await expect(ask(user, { card: { title: 'x', imageAssetKey: missing } })).rejects.toMatchObject(refused('invalid_input', /not there/))
    await expect(
      call('answer_inbox_message', { messageId: sent.messageId, assetKeys: [missing] }, { key: user.key }),
    ).rejects.toMatchObject(refused('invalid_input'))
  })
})

describe('the inbox', () => {
  it('lists in order after a cursor, else the newest first, and counts what is unread', async () => {
    const user = await newUser()
    const by = { key: user.key }
    for (const text of ['one', 'two', 'three']) await call('send_message', { to: { tenantUserId: user.tenantUserId }, text })
    const texts = (page: { messages: { text: string }[] }) => page.messages.map((one) => one.text)
    const newest = await call('list_inbox', { pageSize: 2 }, by)
    expect([texts(newest), newest.unread, newest.cursor]).toEqual([['three', 'two'], 3, 3])
    const fromStart = await call('list_inbox', { afterInboxSeq: 0, pageSize: 2 }, by)
    expect([texts(fromStart), fromStart.cursor]).toEqual([['one', 'two'], 2])
    expect(texts(await call('list_inbox', { afterInboxSeq: fromStart.cursor }, by))).toEqual(['three'])
    expect(await call('list_inbox', { afterInboxSeq: 3 }, by)).toEqual({ messages: [], unread: 3, cursor: 3 })
    expect(await call('mark_inbox_read', { inboxSeq: 2 }, by)).toEqual({ unread: 1 })
    expect(await call('mark_inbox_read', { messageId: newest.messages[0].messageId }, by)).toEqual({ unread: 0 })
    expect(await call('get_message_status', { messageId: newest.messages[0].messageId })).toMatchObject({
      status: 'read',
      readDate: expect.any(String),
      attempts: 0,
    })
    await expect(call('mark_inbox_read', {}, by)).rejects.toMatchObject(refused('invalid_input'))
  })

  it('is its owner’s alone, within the tenant too', async () => {
    const user = await newUser()
    const nosy = await newUser(['DataView', 'DataEdit', 'AdminUser'])
    const { messageId } = await ask(user)
    await expect(call('answer_inbox_message', { messageId, text: 'x' }, { key: nosy.key })).rejects.toMatchObject(
      refused('not_found', /^No such message\.$/),
    )
    await expect(call('mark_inbox_read', { messageId }, { key: nosy.key })).rejects.toMatchObject(refused('not_found'))
    expect(await call('list_inbox', {}, { key: nosy.key })).toEqual({ messages: [], unread: 0, cursor: 0 })
  })

  it('takes only a choice that was offered, and names the nearest', async () => {
    const user = await newUser()
    const { messageId } = await ask(user)
    const error = await call('answer_inbox_message', { messageId, choice: 'opn' }, { key: user.key }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.choice', suggestion: 'open', message: expect.stringContaining('open, closed') }],
    })
    for (const said of [{}, { text: '  ' }, { assetKeys: [] }])
      await expect(call('answer_inbox_message', { messageId, ...said }, { key: user.key })).rejects.toMatchObject({
        code: 'invalid_input',
        issues: [{ path: '$.text', message: expect.stringMatching(/is empty/) }],
      })
    const plain = await call('send_message', { to: { tenantUserId: user.tenantUserId }, text: 'No choices here' })
    await expect(call('answer_inbox_message', { messageId: plain.messageId, choice: 'open' }, { key: user.key })).rejects.toMatchObject(
      refused('invalid_input'),
    )
  })
})

describe('lists', () => {
  it('pages conversations by a cursor, newest first, and filters them', async () => {
    const tenant = await world.newTenant()
    const by = { key: tenant.key }
    const user = await newUser(['DataView'], by)
    const ids: number[] = []
    for (let n = 0; n < 5; n++)
      ids.push((await call('send_message', { to: { tenantUserId: user.tenantUserId }, text: `n${n}` }, by)).conversationId)
    await call('end_conversation', { conversationId: ids[0] }, by)
    const idsOf = (rows: { conversationId: number }[]) => rows.map((row) => row.conversationId)
    expect(idsOf(await call('list_conversations', {}, by))).toEqual(ids.toReversed())
    expect(idsOf(await call('list_conversations', { state: 'ended' }, by))).toEqual([ids[0]])
    expect(idsOf(await call('list_conversations', { tenantUserId: tenant.tenantUserId }, by))).toEqual([])
    const first = (await world.run('list_conversations', { pageSize: 2 }, by)) as {
      items: { conversationId: number }[]
      nextCursor: string
      totalCount: number
    }
    expect([idsOf(first.items), first.totalCount]).toEqual([[ids[4], ids[3]], 5])
    const second = (await world.run('list_conversations', { pageSize: 2, cursor: first.nextCursor }, by)) as typeof first
    expect([idsOf(second.items), second.totalCount]).toEqual([[ids[2], ids[1]], undefined])
    const third = (await world.run('list_conversations', { pageSize: 2, cursor: second.nextCursor }, by)) as typeof first
    expect([idsOf(third.items), third.nextCursor]).toEqual([[ids[0]], undefined])
  })
})

describe('open awaits', () => {
  it('end at once when their credential is revoked', async () => {
    const user = await newUser()
    const { conversationId } = await ask(user)
    const agent = await newUser(['DataView'])
    const waiting = call('await_reply', { conversationId, timeoutSeconds: 50 }, { key: agent.key }).catch((thrown: unknown) => thrown)
    await awaited(conversationId)
    await call('revoke_api_key', { apiKeyId: agent.apiKeyId })
    const revoked = performance.now()
    expect(await waiting).toMatchObject(refused('unauthenticated', /while the call was waiting/))
    // At once, and not when it would have looked again by itself.
    expect(performance.now() - revoked).toBeLessThan(12_000)
  })

  it('end at once when their tenant is suspended, with the word that every other call of it answers', async () => {
    const tenant = await world.newTenant()
    const global = await world.newTenant(flagOf(['GlobalAdmin']))
    const by = { key: tenant.key }
    const { conversationId } = await call('send_message', { to: { tenantUserId: tenant.tenantUserId }, text: 'Is gate 4 open?' }, by)
    const waiting = call('await_reply', { conversationId, timeoutSeconds: 50 }, by).catch((thrown: unknown) => thrown)
    await awaited(conversationId)
    await call('suspend_tenant', { tenantId: tenant.tenantId }, { key: global.key })
    expect(await waiting).toMatchObject(refused('tenant_suspended'))
  })

  it('end when the caller goes away, and hold no connection meanwhile', async () => {
    const user = await newUser()
    const { conversationId } = await ask(user)
    const gone = new AbortController()
    const waiting = Array.from({ length: 12 }, () => call('await_reply', { conversationId, timeoutSeconds: 50 }, { signal: gone.signal }))
    await awaited(conversationId, 12)
    expect(world.platform.services.databases.app.stats().busy).toBe(0)
    gone.abort()
    const answers = await Promise.all(waiting)
    expect(answers.every((one) => one.timedOut)).toBe(true)
  })

  it('look again together: a crowd costs a few transactions and not one each', async () => {
    const user = await newUser()
    const { databases, wake } = world.platform.services
    const [crowd, atOnce] = [200, 40]
    const sent: Awaited<ReturnType<typeof ask>>[] = []
    const waiting: Promise<{ messages: { text: string }[] }>[] = []
    // So many at once as find a connection in time on a busy machine.
    while (sent.length < crowd) {
      const some = await Promise.all(Array.from({ length: atOnce }, () => ask(user)))
      waiting.push(...some.map(({ conversationId }) => call('await_reply', { conversationId, timeoutSeconds: 50 })))
      await Promise.all(some.map(({ conversationId }) => awaited(conversationId)))
      sent.push(...some)
    }
    const idle = sent.slice(1).map(({ conversationId }) => conversationTopic(conversationId))
    const transact = vi.spyOn(databases, 'transact')
    // As after a lost line between processes: everyone is told to look.
    for (const topic of idle) wake.poke(topic)
    await Promise.all(idle.map((topic) => waiters.reached(topic, 2)))
    const lookedTogether = transact.mock.calls.length
    transact.mockRestore()
    expect(lookedTogether).toBeGreaterThan(0)
    expect(lookedTogether).toBeLessThan(40)
    for (let from = 0; from < crowd; from += atOnce) {
      const some = sent.slice(from, from + atOnce)
      await Promise.all(
        some.map(({ messageId }, n) => call('answer_inbox_message', { messageId, text: `answer ${from + n}` }, { key: user.key })),
      )
    }
    const answers = await Promise.all(waiting)
    expect(answers.map((one) => one.messages[0]?.text)).toEqual(sent.map((_, n) => `answer ${n}`))
  })
})

describe('preferences', () => {
  const madrid = { start: '21:00', end: '07:00', timeZoneIana: 'Europe/Madrid' }

  it('are set by an administrator, with a zone that exists', async () => {
    const { tenantUserId } = await newUser()
    const saved = await call('set_contact_preferences', { tenantUserId, channelOrder: ['sms', 'inbox', 'sms'], quietHours: madrid })
    expect(saved).toEqual({ tenantUserId, channelOrder: ['sms', 'inbox'], quietHours: madrid, allowsUrgent: true, addresses: [] })
    expect(await call('set_contact_preferences', { tenantUserId, allowsUrgent: false })).toMatchObject({
      channelOrder: ['sms', 'inbox'],
      quietHours: madrid,
      allowsUrgent: false,
    })
    expect(await call('set_contact_preferences', { tenantUserId, quietHours: null })).toMatchObject({
      quietHours: null,
      allowsUrgent: false,
    })
    expect(await call('get_contact_preferences', { tenantUserId })).toMatchObject({ quietHours: null })
    await expect(
      call('set_contact_preferences', { tenantUserId, quietHours: { ...madrid, timeZoneIana: 'Europe/Nowhere' } }),
    ).rejects.toMatchObject(refused('invalid_input', /time zone/))
    expect(['Europe/Madrid', 'UTC', '+02:00', 'Mars/Base'].map(isTimeZone)).toEqual([true, true, false, false])
    await expect(call('get_contact_preferences', { tenantUserId: 2_000_000_000 })).rejects.toMatchObject(refused('not_found'))
  })

  it('keep what each of several calls at once has named', async () => {
    for (let round = 0; round < 5; round++) {
      const { tenantUserId } = await newUser()
      const named = [{ allowsUrgent: false }, { channelOrder: ['sms'] }, { quietHours: madrid }]
      await Promise.all(named.map((one) => call('set_contact_preferences', { tenantUserId, ...one })))
      expect(await call('get_contact_preferences', { tenantUserId })).toMatchObject(Object.assign({}, ...named))
    }
  })
})
