/** Conversations carried out on a real Temporal: in order, once, through failures and quiet hours, to their end. */
import { ApplicationFailure } from '@temporalio/common'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { createMessagingActivities } from '#activities/messaging/index.ts'
import {
  type ConversationInput,
  conversationSignals,
  conversationWorkflowId,
  type MessagingActivities,
} from '#platform/shapes/messaging.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'

import { keepHistory, replayHistories } from '../support/histories.ts'
import { inboundForm, newPhone, newTwilioChannel, receive, type Sent, type TestChannel } from '../support/messaging.ts'
import { patience } from '../support/patience.ts'
import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from '../support/temporal.ts'
import { openTwilioFake, type TwilioFake } from '../support/twilio-fake.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let call: World['call']
let temporal: TestTemporal
let fake: TwilioFake
let sms: TestChannel
let real: ReturnType<typeof createMessagingActivities>
let worker: TestWorker
let relay: Relay

/** Of the tenant 0, which is nobody: what a test wants to see of the workflow alone. */
const staged: Partial<MessagingActivities> = {}

function startWorker(): Promise<TestWorker> {
  const choose = <K extends keyof MessagingActivities>(name: K) =>
    // Both have the type of the activity of this name; a union of functions is what the compiler makes of them.
    ((input: { tenantId: number }) =>
      input.tenantId === 0
        ? (staged[name] as (input: unknown) => unknown)(input)
        : (real[name] as (input: unknown) => unknown)(input)) as MessagingActivities[K]
  return startTestWorker(temporal, {
    msg: {
      deliverMessage: choose('deliverMessage'),
      giveUpOnMessage: choose('giveUpOnMessage'),
      fetchMedia: choose('fetchMedia'),
      giveUpOnMedia: choose('giveUpOnMedia'),
      endIdleConversation: choose('endIdleConversation'),
    },
  })
}

beforeAll(async () => {
  ;[world, temporal, fake] = await Promise.all([openWorld({ PUBLIC_URL: 'https://ops.example.com' }), openTemporal(), openTwilioFake()])
  call = world.call
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  sms = await newTwilioChannel(world, fake)
  real = createMessagingActivities(services, { callMs: 2_000, settleMs: 2_100, retryDelayMs: 20 })
  worker = await startWorker()
  relay = startRelay(services, (errand) => carryOut(services, errand))
})
afterAll(async () => {
  await relay?.stop()
  await worker?.stop()
  await real?.close()
  await fake?.close()
  await world?.close()
  await temporal?.close()
})

const textTo = (phone: string, text = 'Is gate 4 open?'): Promise<Sent> => call('send_message', { to: { phone }, text })
const takenBy = (phone: string) => fake.taken.filter((one) => one.to === phone).map((one) => one.body)
const statusIs = (sent: Sent, status: string) =>
  vi.waitFor(async () => expect((await call('get_message_status', { messageId: sent.messageId })).status).toBe(status), patience)
const idOf = (conversationId: number) => conversationWorkflowId({ tenantId: world.tenant.tenantId, conversationId })
const closed = (workflowId: string) => worker.client.workflow.getHandle(workflowId).result()

describe('a conversation', () => {
  it('sends, is answered, and is over when it was ended', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    await statusIs(sent, 'sent')
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'yes'))
    expect((await call('await_reply', { conversationId: sent.conversationId })).messages).toMatchObject([{ text: 'yes' }])
    await call('end_conversation', { conversationId: sent.conversationId, text: 'Thank you' })
    await closed(idOf(sent.conversationId))
    expect(takenBy(phone)).toEqual(['Is gate 4 open?', 'Thank you'])
    await keepHistory(worker.client, idOf(sent.conversationId), 'conversation-done')
  })

  it('carries its messages out in their order, each once, also when the relay tells of them twice', async () => {
    const phone = newPhone()
    const first = await textTo(phone, 'n1')
    const texts = ['n2', 'n3', 'n4', 'n5', 'n6']
    for (const text of texts) await call('send_message', { conversationId: first.conversationId, text })
    await vi.waitFor(() => expect(takenBy(phone)).toHaveLength(6), patience)
    await world.sql`update platform.outbox set sent_at = null where subject = ${`conversation:${first.conversationId}`}`
    await vi.waitFor(
      async () =>
        expect(
          await world.sql`select 1 from platform.outbox where sent_at is null and subject = ${`conversation:${first.conversationId}`}`,
        ).toHaveLength(0),
      patience,
    )
    await call('end_conversation', { conversationId: first.conversationId })
    await closed(idOf(first.conversationId))
    // Told again after the end, it starts once more, finds nothing to do, and is told of the end too.
    await world.sql`update platform.outbox set sent_at = null where subject = ${`conversation:${first.conversationId}`}`
    await vi.waitFor(
      async () =>
        expect(
          await world.sql`select 1 from platform.outbox where sent_at is null and subject = ${`conversation:${first.conversationId}`}`,
        ).toHaveLength(0),
      patience,
    )
    await closed(idOf(first.conversationId))
    expect(takenBy(phone)).toEqual(['n1', ...texts])
  })

  it('waits for a vendor that is away, and looks an unknown outcome up before it sends again', async () => {
    const [away, silent] = [newPhone(), newPhone()]
    fake.plan({ status: 429 }, { status: 429 })
    const first = await textTo(away)
    await statusIs(first, 'sent')
    fake.plan('takeAndHang')
    const second = await textTo(silent)
    await statusIs(second, 'sent')
    expect([takenBy(away).length, takenBy(silent).length]).toEqual([1, 1])
    expect(await call('get_message_status', { messageId: first.messageId })).toMatchObject({ attempts: 3 })
    expect(await call('get_message_status', { messageId: second.messageId })).toMatchObject({ attempts: 1 })
    await call('end_conversation', { conversationId: second.conversationId })
    await closed(idOf(second.conversationId))
    await keepHistory(worker.client, idOf(second.conversationId), 'conversation-looked-up')
  })

  it('loses nothing while no worker runs', async () => {
    const phone = newPhone()
    await worker.stop()
    const sent = await textTo(phone)
    await call('end_conversation', { conversationId: sent.conversationId, text: 'Never mind' })
    worker = await startWorker()
    await closed(idOf(sent.conversationId))
    expect(takenBy(phone)).toEqual(['Is gate 4 open?', 'Never mind'])
  })

  it('fetches the files of a message that nobody awaited, and starts nothing for one without', async () => {
    const [withFile, without] = [newPhone(), newPhone()]
    fake.files.set(
      '/media/file',
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '5' }).end('hello'),
    )
    await receive(world, fake, sms.webhookUrl, inboundForm(without, 'Hi'))
    await receive(
      world,
      fake,
      sms.webhookUrl,
      inboundForm(withFile, 'Look', { NumMedia: '1', MediaUrl0: `${fake.baseUrl}/media/file`, MediaContentType0: 'text/plain' }),
    )
    const [found] = await call('list_conversations', { address: withFile })
    await vi.waitFor(
      async () => expect((await call('get_conversation', { conversationId: found.conversationId })).messages[0].assetKeys).toHaveLength(1),
      patience,
    )
    await call('end_conversation', { conversationId: found.conversationId })
    await closed(idOf(found.conversationId))
    const [quiet] = await call('list_conversations', { address: without })
    await expect(worker.client.workflow.getHandle(idOf(quiet.conversationId)).describe()).rejects.toMatchObject({
      name: 'WorkflowNotFoundError',
    })
    await keepHistory(worker.client, idOf(found.conversationId), 'conversation-media')
  })

  it('ends of itself after a long silence, and wakes whoever awaits it', async () => {
    const phone = newPhone()
    const sent = await textTo(phone)
    await statusIs(sent, 'sent')
    // The running one knows only of thirty days; it makes way for one that knows of a second.
    await worker.client.workflow.getHandle(idOf(sent.conversationId)).terminate()
    const input: ConversationInput = { tenantId: world.tenant.tenantId, conversationId: sent.conversationId, idleSeconds: 1 }
    const waiting = call('await_reply', { conversationId: sent.conversationId, timeoutSeconds: 20 })
    const handle = await worker.client.workflow.start('conversation', {
      taskQueue: 'wf',
      workflowId: idOf(sent.conversationId),
      args: [input],
    })
    await handle.result()
    expect(await waiting).toMatchObject({ state: 'ended', messages: [], timedOut: false })
    await keepHistory(worker.client, idOf(sent.conversationId), 'conversation-idle')
  })
})

describe('the workflow', () => {
  it('lets what may go pass by what quiet hours hold, and comes back to that', async () => {
    const asked: number[] = []
    staged.deliverMessage = async ({ messageId }) => {
      asked.push(messageId)
      return messageId === 1 && asked.filter((id) => id === 1).length === 1 ? { kind: 'held', forMs: 5_000 } : { kind: 'done' }
    }
    const workflowId = conversationWorkflowId({ tenantId: 0, conversationId: 1 })
    const input: ConversationInput = { tenantId: 0, conversationId: 1, queued: [{ messageId: 1, seq: 1 }] }
    const handle = await worker.client.workflow.start('conversation', { taskQueue: 'wf', workflowId, args: [input] })
    await handle.signal(conversationSignals.deliver, { messageId: 2, seq: 2 })
    await handle.signal(conversationSignals.deliver, { messageId: 2, seq: 2 })
    // The end waits for what is held.
    await handle.signal(conversationSignals.ended)
    await handle.result()
    expect(asked).toEqual([1, 2, 1])
    await keepHistory(worker.client, workflowId, 'conversation-held')
  })

  it('keeps the order where quiet hours were lifted: what comes next does not overtake what they held', async () => {
    const asked: number[] = []
    let isQuiet = true
    staged.deliverMessage = async ({ messageId }) => {
      asked.push(messageId)
      return isQuiet && messageId !== 3 ? { kind: 'held', forMs: 3_600_000 } : { kind: 'done' }
    }
    const workflowId = conversationWorkflowId({ tenantId: 0, conversationId: 4 })
    const queued = [
      { messageId: 1, seq: 1 },
      { messageId: 2, seq: 2 },
    ]
    const handle = await worker.client.workflow.start('conversation', {
      taskQueue: 'wf',
      workflowId,
      args: [{ tenantId: 0, conversationId: 4, queued } satisfies ConversationInput],
    })
    await vi.waitFor(() => expect(asked).toEqual([1, 2]), patience)
    // An urgent one passes by, after the first was asked about again.
    await handle.signal(conversationSignals.deliver, { messageId: 3, seq: 3 })
    await vi.waitFor(() => expect(asked.slice(2, 4)).toEqual([1, 3]), patience)
    isQuiet = false
    await handle.signal(conversationSignals.deliver, { messageId: 4, seq: 4 })
    await handle.signal(conversationSignals.ended)
    await handle.result()
    expect(asked.slice(-3)).toEqual([1, 2, 4])
    await keepHistory(worker.client, workflowId, 'conversation-lifted')
  })

  it('gives a message up whose tries are over, and goes on with the next', async () => {
    const givenUp: number[] = []
    const carried: number[] = []
    staged.deliverMessage = async ({ messageId }) => {
      if (messageId === 1) throw ApplicationFailure.nonRetryable('The tries are over')
      carried.push(messageId)
      return { kind: 'done' }
    }
    staged.giveUpOnMessage = async ({ messageId }) => void givenUp.push(messageId)
    const workflowId = conversationWorkflowId({ tenantId: 0, conversationId: 3 })
    const queued = [
      { messageId: 2, seq: 2 },
      { messageId: 1, seq: 1 },
    ]
    const handle = await worker.client.workflow.start('conversation', {
      taskQueue: 'wf',
      workflowId,
      args: [{ tenantId: 0, conversationId: 3, queued, isEnded: true } satisfies ConversationInput],
    })
    await handle.result()
    expect([givenUp, carried]).toEqual([[1], [2]])
    await keepHistory(worker.client, workflowId, 'conversation-gave-up')
  })

  it('asks before it ends a silent conversation, and stays where somebody has spoken meanwhile', async () => {
    const answers = [false, false, true]
    const endIdle = vi.fn(async () => ({ isEnded: answers.shift() ?? true }))
    staged.endIdleConversation = endIdle
    const workflowId = conversationWorkflowId({ tenantId: 0, conversationId: 2 })
    const handle = await worker.client.workflow.start('conversation', {
      taskQueue: 'wf',
      workflowId,
      args: [{ tenantId: 0, conversationId: 2, idleSeconds: 1 } satisfies ConversationInput],
    })
    await handle.result()
    expect(endIdle).toHaveBeenCalledTimes(3)
  })

  it('replays what earlier versions of it have begun', async () => {
    const outcomes = await replayHistories('conversation-')
    expect(Object.keys(outcomes).sort()).toEqual([
      'conversation-done',
      'conversation-gave-up',
      'conversation-held',
      'conversation-idle',
      'conversation-lifted',
      'conversation-looked-up',
      'conversation-media',
    ])
    expect(Object.values(outcomes)).toEqual(Object.values(outcomes).map(() => 'replayed'))
  })
})
