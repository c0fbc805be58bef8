/** What open awaits cost while nothing happens to them, and that a wake-up which is lost is found again. */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { credentialsTopic } from '#platform/authenticate.ts'
import { flushCalls } from '#platform/call-counts.ts'
import { listReplies } from '#tools/messaging/conversations/messages.store.ts'
import { conversationTopic } from '#tools/messaging/conversations/waiting.ts'
import { findInboxMessage } from '#tools/messaging/inbox/inbox.store.ts'

import { allAnswered } from './support/all-answered.ts'
import { refused } from './support/refused.ts'
import { type Waiters, watchWaiters } from './support/waiters.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let waiters: Waiters
beforeAll(() => {
  waiters = watchWaiters(world)
})

const gone = new Set<AbortController>()
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  waiters = watchWaiters(world)
  for (const caller of gone) caller.abort()
  gone.clear()
})

interface Answer {
  readonly messages: readonly { readonly text: string }[]
  readonly timedOut: boolean
}

interface Await {
  readonly conversationId: number
  readonly messageId: number
  readonly answer: Promise<Answer>
}

const ask = (tenant: TestTenant) =>
  world.call('send_message', { to: { tenantUserId: tenant.tenantUserId }, text: 'Is the gate open?' }, { key: tenant.key })

/** Calls that wait, each for a conversation of its own. They end with the test. */
async function openAwaits(count: number, tenant: TestTenant = world.tenant, key = tenant.key): Promise<Await[]> {
  const caller = new AbortController()
  gone.add(caller)
  const open: Await[] = []
  for (let number = 0; number < count; number++) {
    const { conversationId, messageId } = await ask(tenant)
    const answer = world.call('await_reply', { conversationId, timeoutSeconds: 50 }, { key, signal: caller.signal })
    answer.catch(() => {})
    open.push({ conversationId, messageId, answer })
  }
  for (const { conversationId } of open) await waiters.reached(conversationTopic(conversationId))
  return open
}

/** From here on rounds come when the test says so. */
const holdClock = () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })

const secondsOfRound = 15

/** Everybody's next look is due, and has been had. */
async function letRoundPass(): Promise<{ readonly transactions: number; readonly lookUps: number }> {
  const { databases } = world.platform.services
  const [transact, lookUp] = [vi.spyOn(databases, 'transact'), vi.spyOn(databases, 'lookUp')]
  for (let second = 0; second < secondsOfRound; second++) {
    vi.advanceTimersByTime(1_000)
    await allAnswered(lookUp)
  }
  const counts = { transactions: transact.mock.calls.length, lookUps: lookUp.mock.calls.length }
  transact.mockRestore()
  lookUp.mockRestore()
  return counts
}

describe('awaits that nothing happens to', () => {
  it('are looked at together, whosever they are: a statement a second, and a few more for all that wait in a process', async () => {
    holdClock()
    const [one, another] = [await world.newTenant(), await world.newTenant()]
    const open = [...(await openAwaits(20, one)), ...(await openAwaits(20, another))]
    await flushCalls(world.platform.services)
    // One a second for what has changed, one for the credentials; one for the conversations, and another a second later for those that came a moment later.
    const { transactions, lookUps } = await letRoundPass()
    expect([transactions, [secondsOfRound + 2, secondsOfRound + 3].includes(lookUps)], String(lookUps)).toEqual([0, true])
    for (const { conversationId } of open) expect(waiters.waits(conversationTopic(conversationId))).toBe(1)
    expect(open).toHaveLength(40)
  })

  it('are not woken by the change of a credential that is not theirs', async () => {
    holdClock()
    const { databases, wake } = world.platform.services
    const open = await openAwaits(20)
    const [transact, lookUp] = [vi.spyOn(databases, 'transact'), vi.spyOn(databases, 'lookUp')]
    wake.poke(credentialsTopic)
    await expect.poll(() => lookUp.mock.settledResults.filter(({ type }) => type === 'fulfilled').length).toBe(1)
    expect([transact.mock.calls.length, lookUp.mock.calls.length]).toEqual([0, 1])
    for (const { conversationId } of open) expect(waiters.waits(conversationTopic(conversationId))).toBe(1)
    expect(open).toHaveLength(20)
  })
})

describe('a lost wake-up', () => {
  it('is found again: of an answer, of an end, of nothing else', async () => {
    holdClock()
    const tenant = await world.newTenant()
    const [answered, ended, left] = await openAwaits(3, tenant)
    vi.spyOn(world.platform.services.wake, 'poke').mockImplementation(() => {})
    await world.call('answer_inbox_message', { messageId: answered?.messageId, text: 'It is' }, { key: tenant.key })
    await world.call('end_conversation', { conversationId: ended?.conversationId }, { key: tenant.key })
    await letRoundPass()
    expect(await answered?.answer).toMatchObject({ messages: [{ text: 'It is' }], timedOut: false })
    expect(await ended?.answer).toMatchObject({ messages: [], state: 'ended', timedOut: false })
    expect(waiters.waits(conversationTopic(left?.conversationId ?? 0))).toBe(1)
  })

  it('is found again: of the end of a credential, which ends all that wait with it and nobody else', async () => {
    holdClock()
    const tenant = await world.newTenant()
    const { apiKey, apiKeyId } = await world.call('create_api_key', { name: 'an agent', roles: ['DataView'] }, { key: tenant.key })
    const ending = await openAwaits(3, tenant, apiKey)
    const [staying] = await openAwaits(1, tenant)
    await world.sql`update platform.api_key set revoked_at = now() where api_key_id = ${apiKeyId}`
    await letRoundPass()
    for (const { answer } of ending) await expect(answer).rejects.toMatchObject(refused('unauthenticated', /while the call was waiting/))
    expect(waiters.waits(conversationTopic(staying?.conversationId ?? 0))).toBe(1)
    expect(ending).toHaveLength(3)
  })
})

describe('a reply', () => {
  it('wakes its own await alone, with one transaction of one round trip', async () => {
    const tenant = await world.newTenant()
    const [answered, ...others] = await openAwaits(10, tenant)
    const { databases, wake } = world.platform.services
    await world.sql`
      with told as (
        update platform.conversation set last_seq = 2, last_inbound_seq = 2 where conversation_id = ${answered?.conversationId ?? 0}
        returning tenant_id, conversation_id
      )
      insert into platform.message (tenant_id, conversation_id, seq, direction, channel, from_user_id, text, asset_keys, status, status_rank, is_urgent, at)
      select tenant_id, conversation_id, 2, 'inbound', 'inbox', ${tenant.tenantUserId}, 'It is', '{}', 'delivered', 3, false, now() from told`
    const transact = vi.spyOn(databases, 'transact')
    wake.poke(conversationTopic(answered?.conversationId ?? 0))
    expect(await answered?.answer).toMatchObject({ messages: [{ text: 'It is' }], timedOut: false })
    expect(transact).toHaveBeenCalledTimes(1)
    for (const { conversationId } of others) expect(waiters.waits(conversationTopic(conversationId))).toBe(1)
    expect(others).toHaveLength(9)
  })

  it('reads its own conversation and message alone, however many there are, also before PostgreSQL has counted them', async () => {
    const tenant = await world.newTenant()
    const { tenantId, tenantUserId } = tenant
    await world.sql`
      with asked as (
        insert into platform.conversation (tenant_id, channel, tenant_user_id, last_seq, last_outbound_seq, created_date, last_message_date)
        select ${tenantId}, 'inbox', ${tenantUserId}, 1, 1, now(), now() from generate_series(1, 3000) returning conversation_id
      )
      insert into platform.message (tenant_id, conversation_id, seq, direction, channel, to_user_id, inbox_seq, text, asset_keys, status, status_rank, is_urgent, at)
      select ${tenantId}, conversation_id, 1, 'outbound', 'inbox', ${tenantUserId}, row_number() over (), 'Is the gate open?', '{}', 'delivered', 3, false, now()
      from asked`
    const [one] = await world.sql<{ conversationId: number; messageId: number }[]>`
      select conversation_id, message_id from platform.message where tenant_id = ${tenantId} and inbox_seq = 1500`
    const [conversationId, messageId] = [Number(one?.conversationId), Number(one?.messageId)]
    const timesAsked = 8
    const read = await world.platform.services.databases.transact({ tenantId, isReadOnly: true }, async ({ tx }) => {
      const blocks = async () => {
        const [row] = await tx<{ n: number }[]>`
          select (pg_stat_get_xact_blocks_fetched('platform.conversation'::regclass) + pg_stat_get_xact_blocks_fetched('platform.message'::regclass))::int as n`
        return row?.n ?? Infinity
      }
      // What the connection did before may be counted too.
      const counts = [await blocks()]
      // From the sixth time on the plan may be one for all parameters.
      for (let times = 0; times < timesAsked; times++) {
        await listReplies(tx, tenantId, [{ conversationId, afterSeq: null }], { limit: 100, bytes: 100_000 })
        counts.push(await blocks())
        const found = await findInboxMessage(tx, tenantId, tenantUserId, messageId)
        expect(found?.messageId).toBe(messageId)
        counts.push(await blocks())
      }
      return counts
    })
    expect(read).toHaveLength(2 * timesAsked + 1)
    expect((read.at(-1) ?? Infinity) - (read[0] ?? 0), JSON.stringify(read)).toBeLessThan(10 * timesAsked)
  })
})
