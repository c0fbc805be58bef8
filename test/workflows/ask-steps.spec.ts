/** Steps that ask people: over their channels, in their words, the first answer counts, and nobody waits for nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { fallBack } from '#tools/messaging/fallback/falling-back.ts'
import { receiveMail } from '#tools/messaging/service.ts'
import { cancelRun } from '#tools/workflows/service.ts'

import { type FlowWorld, openFlowWorld } from '../support/flow-runs.ts'
import { keepHistory } from '../support/histories.ts'
import { type Deliverer, inboundForm, newPhone, newTwilioChannel, openDeliverer, receive, type TestChannel } from '../support/messaging.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { openTwilioFake, type TwilioFake } from '../support/twilio-fake.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let temporal: TestTemporal
let flow: FlowWorld
let fake: TwilioFake
let sms: TestChannel
let deliverer: Deliverer
/** Steps whose first try is committed and never told of, as where a worker dies. */
const lost = new Set<string>()

interface Person {
  readonly tenantUserId: number
  readonly key: string
  readonly phone: string
  readonly email: string
}

let people = 0
async function newPerson(more: object = {}): Promise<Person> {
  const phone = newPhone()
  const email = `asked${++people}@example.com`
  const { tenantUserId } = await world.call('create_user', { email, displayName: `Person ${people}`, phone, roles: [], ...more })
  const { apiKey } = await world.call('create_api_key', { name: email, roles: ['DataView'], tenantUserId })
  return { tenantUserId, key: apiKey, phone, email }
}

beforeAll(async () => {
  ;[world, temporal, fake] = await Promise.all([openWorld({ PUBLIC_URL: 'https://ops.example.com' }), openTemporal(), openTwilioFake()])
  sms = await newTwilioChannel(world, fake)
  deliverer = openDeliverer(world)
  flow = await openFlowWorld(world, temporal, ({ path, phase }) => lost.delete(`${phase} ${path.step}`))
})
afterAll(async () => {
  await flow?.close()
  await deliverer?.close()
  await world?.close()
  await temporal?.close()
  await fake?.close()
})

/** Its history, which flow-run.spec.ts replays. */
const keep = async (runId: number, name: string) => {
  await flow.worker.client.workflow.getHandle(flow.idOf(runId)).result()
  await keepHistory(flow.worker.client, flow.idOf(runId), `flow-local-${name}`)
}
const choices = [
  { key: 'yes', label: 'Yes' },
  { key: 'no', label: 'No' },
]
const asks = (config: object, more: object = {}) => ({
  internalName: 'asked',
  stepType: 'ask',
  config: { text: 'Is it done?', ...config },
  ...more,
})
const inboxOf = async ({ key }: Person): Promise<{ messageId: number; conversationId: number; text: string; card?: object }[]> =>
  (await world.call('list_inbox', {}, { key })).messages
const asked = async (person: Person) => {
  await expect.poll(async () => (await inboxOf(person)).length).toBeGreaterThan(0)
  const [message] = await inboxOf(person)
  if (!message) throw new Error('Nobody was asked')
  return message
}
const answer = async (person: Person, said: object) =>
  world.call('answer_inbox_message', { messageId: (await asked(person)).messageId, ...said }, { key: person.key })
const resultOf = async (runId: number) => {
  expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed' })
  return (await flow.steps(runId)).find(({ step }) => step === 'asked')?.result
}
/** What was said to a phone, in order. */
const saidTo = async (phone: string) => {
  const rows = await world.sql<{ text: string; card: { choices?: object[] } | null; conversationId: string; messageId: string }[]>`
    select text, card, conversation_id, message_id from platform.message where to_address = ${phone} and direction = 'outbound' order by message_id`
  // The database's own client reads ids as texts.
  return rows.map((row) => ({ ...row, conversationId: Number(row.conversationId), messageId: Number(row.messageId) }))
}
const askedBySms = async (phone: string, count = 1) => {
  await expect.poll(async () => (await saidTo(phone)).length).toBe(count)
  return saidTo(phone)
}

let mails = 0
const lookAll = async () => {
  while ((await fallBack(world.platform.services)) > 0);
}
/** As if the bounds of all messages had passed. */
const bounds = () => world.sql`update platform.message_fallback set next_look = now() - interval '1 second' where next_look is not null`

describe('a question', () => {
  it('goes on with the choice that was made, and tells who made it', async () => {
    const ana = await newPerson()
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId }, choices })])
    expect(await asked(ana)).toMatchObject({ text: 'Is it done?', card: { choices } })
    expect(await flow.until(runId, 'waiting')).toMatchObject({ state: 'waiting' })
    await answer(ana, { choice: 'no', text: 'Tomorrow' })
    expect(await resultOf(runId)).toEqual({ text: 'Tomorrow', choice: 'no', assetKeys: [], by: ana.tenantUserId, at: expect.any(String) })
    expect(await flow.log(runId)).toEqual(['started', 'asked started', 'asked waiting', 'asked acted', 'asked done'])
  })

  it('takes any words, and files, where it offers no choices', async () => {
    const ana = await newPerson()
    const { assetKey } = await world.call('upload_asset', { fileName: 'a.txt', contentBase64: 'R2F0ZSA0' }, { transport: 'mcp' })
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId } })])
    await answer(ana, { text: 'Gate 4', assetKeys: [assetKey] })
    expect(await resultOf(runId)).toMatchObject({ text: 'Gate 4', choice: null, assetKeys: [assetKey] })
  })

  it('counts the first answer of many, tells the others, and keeps what comes late', async () => {
    const all = await Promise.all(Array.from({ length: 3 }, () => newPerson({ roles: ['FileEdit'] })))
    const [first, second, third] = all as [Person, Person, Person]
    const runId = await flow.start([asks({ to: { role: 'FileEdit' }, choices })])
    for (const one of all) await asked(one)
    const late = await asked(second)
    await answer(first, { choice: 'yes' })
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes', by: first.tenantUserId })
    for (const one of [second, third])
      expect((await inboxOf(one)).map(({ text }) => text)).toEqual([
        expect.stringMatching(/^Person \d+ has answered: Yes\./),
        'Is it done?',
      ])
    expect(await inboxOf(first)).toHaveLength(1)
    await world.call('answer_inbox_message', { messageId: late.messageId, choice: 'no' }, { key: second.key })
    const kept = await world.call('get_conversation', { conversationId: late.conversationId })
    expect(kept).toMatchObject({ state: 'ended', messages: expect.arrayContaining([expect.objectContaining({ choice: 'no' })]) })
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes' })
  })

  it('is understood by SMS in the person’s own words, and asked again once where it is not', async () => {
    const ana = await newPerson({ language: 'es-ES' })
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId }, channel: 'sms', choices })])
    await askedBySms(ana.phone)
    await receive(world, fake, sms.webhookUrl, inboundForm(ana.phone, 'quizás mañana'))
    const said = await askedBySms(ana.phone, 2)
    expect(said[1]).toMatchObject({ text: expect.stringContaining('No se ha entendido'), card: { choices } })
    await receive(world, fake, sms.webhookUrl, inboundForm(ana.phone, 'hmm'))
    await receive(world, fake, sms.webhookUrl, inboundForm(ana.phone, 'Sí, cerrado'))
    expect(await resultOf(runId)).toMatchObject({ text: 'Sí, cerrado', choice: 'yes', by: ana.tenantUserId })
    expect(await saidTo(ana.phone)).toHaveLength(2)
  })

  it('is put in the words of a template, with the choices of the step', async () => {
    const ana = await newPerson({ language: 'de-DE' })
    const texts = { 'en-US': 'Is [[$param.what]] done?', 'de-DE': 'Ist [[$param.what]] fertig?' }
    for (const [languageCode, text] of Object.entries(texts))
      await world.call('save_message_template', { internalName: 'IsDone', languageCode, text })
    const config = { to: { tenantUserId: ana.tenantUserId }, template: 'IsDone', params: { what: '[[$input.what]]' }, choices }
    const runId = await flow.start([{ internalName: 'asked', stepType: 'ask', config }], { input: { what: 'O-7' } })
    expect(await asked(ana)).toMatchObject({ text: 'Ist O-7 fertig?', card: { choices } })
    await answer(ana, { choice: 'yes' })
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes' })
  })

  it('takes no STOP for an answer', async () => {
    const phone = newPhone()
    const runId = await flow.start([asks({ to: { phone }, channel: 'sms' })])
    await askedBySms(phone)
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'STOP'))
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'START'))
    await receive(world, fake, sms.webhookUrl, inboundForm(phone, 'It is'))
    expect(await resultOf(runId)).toMatchObject({ text: 'It is', by: phone })
  })

  it('reminds, each time once, and takes the answer to any of them', async () => {
    const ana = await newPerson()
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId }, choices, reminders: ['PT1S', 'PT1S'] })])
    await expect.poll(async () => (await inboxOf(ana)).length).toBe(3)
    expect(new Set((await inboxOf(ana)).map(({ conversationId }) => conversationId)).size).toBe(1)
    await answer(ana, { choice: 'yes' })
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes' })
    expect(await inboxOf(ana)).toHaveLength(3)
    await keep(runId, 'asked')
  })

  it('goes over another channel where the first does not reach', async () => {
    const ana = await newPerson()
    const runId = await flow.start([
      asks({ to: { tenantUserId: ana.tenantUserId }, channel: 'sms', fallback: ['whatsapp', 'inbox'], choices }),
    ])
    const [sent] = await askedBySms(ana.phone)
    if (!sent) throw new Error('Nothing was sent')
    await lookAll()
    expect(await inboxOf(ana)).toEqual([])
    fake.plan({ status: 400, code: 21_211 })
    await deliverer.deliverFully(sent)
    expect(await world.call('get_message_status', { messageId: sent.messageId })).toMatchObject({ status: 'failed' })
    await lookAll()
    const { conversationId } = await asked(ana)
    expect(conversationId).toBe(sent.conversationId)
    await answer(ana, { choice: 'yes' })
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes' })
    // Where it is known before that nothing gets through, and where the first is none at all.
    const bea = await newPerson()
    await world.sql`insert into platform.opt_out (tenant_id, channel, address, is_out, source, at) values (${world.tenant.tenantId}, 'sms', ${bea.phone}, true, 'person', now())`
    const next = await flow.start([asks({ to: { tenantUserId: bea.tenantUserId }, channel: 'sms', fallback: ['inbox'], choices })])
    await flow.until(next, 'waiting')
    await lookAll()
    await answer(bea, { choice: 'no' })
    expect(await resultOf(next)).toMatchObject({ choice: 'no' })
    const cleo = await newPerson()
    const over = await flow.start([
      asks({ to: { tenantUserId: cleo.tenantUserId }, channel: 'slack', fallback: ['whatsapp', 'inbox'], choices }),
    ])
    await answer(cleo, { choice: 'yes' })
    expect(await resultOf(over)).toMatchObject({ choice: 'yes' })
  })

  it('goes over another channel where nobody reads it, and takes the answer that comes on the first', async () => {
    const ana = await newPerson()
    const ways = { channel: 'inbox', fallback: ['sms'], fallbackAfter: 'PT5M' }
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId }, choices, ...ways })])
    await flow.until(runId, 'waiting')
    const [row] = await world.sql<{ afterSeconds: number }[]>`
      select after_seconds from platform.message_fallback where message_id = ${(await asked(ana)).messageId}`
    expect(row).toEqual({ afterSeconds: 300 })
    await bounds()
    await lookAll()
    expect(await askedBySms(ana.phone)).toMatchObject([{ text: 'Is it done?', card: { choices } }])
    await answer(ana, { choice: 'no' })
    expect(await resultOf(runId)).toMatchObject({ choice: 'no', by: ana.tenantUserId })
  })

  it('goes over another channel once, though it was said again by a reminder', async () => {
    const ana = await newPerson()
    const ways = { channel: 'inbox', fallback: ['sms'], reminders: ['PT1S'] }
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId }, choices, ...ways })])
    await expect.poll(async () => (await inboxOf(ana)).length).toBe(2)
    await bounds()
    await lookAll()
    expect(await askedBySms(ana.phone)).toHaveLength(1)
    await receive(world, fake, sms.webhookUrl, inboundForm(ana.phone, 'Yes'))
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes', by: ana.tenantUserId })
  })

  it('goes over another channel where the person said STOP, or the channel was deleted, before it went out', async () => {
    const ana = await newPerson()
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId }, channel: 'sms', fallback: ['inbox'], choices })])
    const [sent] = await askedBySms(ana.phone)
    if (!sent) throw new Error('Nothing was sent')
    expect(await flow.until(runId, 'waiting')).toMatchObject({ state: 'waiting' })
    await world.sql`insert into platform.opt_out (tenant_id, channel, address, is_out, source, at) values (${world.tenant.tenantId}, 'sms', ${ana.phone}, true, 'person', now())`
    await deliverer.deliverFully(sent)
    expect(await world.call('get_message_status', { messageId: sent.messageId })).toMatchObject({ status: 'suppressed' })
    await lookAll()
    await answer(ana, { choice: 'yes' })
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes' })
    const bea = await newPerson()
    const { channelId } = await newTwilioChannel(world, fake, 'whatsapp')
    const next = await flow.start([asks({ to: { tenantUserId: bea.tenantUserId }, channel: 'whatsapp', fallback: ['inbox'], choices })])
    await askedBySms(bea.phone)
    expect(await flow.until(next, 'waiting')).toMatchObject({ state: 'waiting' })
    await world.call('delete_channel', { channelId })
    await lookAll()
    await answer(bea, { choice: 'no' })
    expect(await resultOf(next)).toMatchObject({ choice: 'no' })
  })

  it('by e-mail is answered by whoever was asked alone, and keeps what others write into the thread', async () => {
    const { tenantId } = world.tenant
    await world.call('create_channel', { internalName: 'Mails', channel: 'email', provider: 'sandbox', settings: {} })
    const ana = await newPerson()
    const guest = 'guest@customer.example'
    const mail = (conversationId: number, from: string, text: string, dmarc = 'none') =>
      receiveMail(
        world.platform.services,
        { tenantId, conversationId },
        { from, to: 'x@ops.example.com', subject: 'Re', text, messageId: `<${++mails}@x>`, attachments: [], authentication: { dmarc } },
      )
    for (const [to, own] of [
      [{ tenantUserId: ana.tenantUserId }, ana.email],
      [{ email: guest }, guest],
    ] as const) {
      const runId = await flow.start([asks({ to, channel: 'email', choices })])
      const [{ conversationId } = { conversationId: 0 }] = await askedBySms(own)
      await flow.until(runId, 'waiting')
      await mail(conversationId, 'stranger@elsewhere.example', 'no')
      await mail(conversationId, own, 'no', 'fail')
      await mail(conversationId, own, 'yes')
      expect(await resultOf(runId)).toMatchObject({ choice: 'yes', by: own === guest ? guest : ana.tenantUserId })
      const { messages } = await world.call('get_conversation', { conversationId })
      const inbound = messages.filter((one: { direction: string }) => one.direction === 'inbound')
      expect(inbound.map((one: { text: string }) => one.text)).toEqual(['no', 'no', 'yes'])
    }
  })

  it('is withdrawn with its lane, and says so', async () => {
    const ana = await newPerson()
    const lanes = [
      { internalName: 'left', steps: [asks({ to: { tenantUserId: ana.tenantUserId } })] },
      { internalName: 'right', steps: [{ internalName: 'go', stepType: 'waitForEvent', config: { event: 'go', timeout: 'PT2S' } }] },
    ]
    const runId = await flow.start([{ internalName: 'both', stepType: 'parallel', config: { lanes, join: 'any' } }])
    const { conversationId } = await asked(ana)
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed' })
    expect(await world.call('get_conversation', { conversationId })).toMatchObject({ state: 'ended' })
    expect((await inboxOf(ana))[0]).toMatchObject({ text: expect.stringContaining('no answer any more') })
    expect((await flow.steps(runId)).find(({ step }) => step === 'asked')).toMatchObject({ state: 'withdrawn' })
    await keep(runId, 'asked-withdrawn')
  })

  it('ends with a run that is cancelled, and where it is overdue', async () => {
    const [ana, bea] = [await newPerson(), await newPerson()]
    const cancelled = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId } })])
    const { conversationId } = await asked(ana)
    await flow.act(cancelled, (context, run) => cancelRun(context, run))
    await flow.until(cancelled, 'cancelled')
    expect(await world.call('get_conversation', { conversationId })).toMatchObject({ state: 'ended' })
    const late = { internalName: 'late', stepType: 'end', config: { state: 'completed', output: 'late' } }
    const over = await flow.start([asks({ to: { tenantUserId: bea.tenantUserId } }, { dueIn: 'PT1S', onOverdue: { goTo: 'late' } }), late])
    expect(await flow.until(over, 'completed', 'failed')).toMatchObject({ state: 'completed', output: 'late' })
    expect((await inboxOf(bea))[0]).toMatchObject({ text: expect.stringContaining('no answer any more') })
  })

  it('is asked once, and answered once, though the worker dies behind each commit', async () => {
    const ana = await newPerson()
    lost.add('begin asked')
    lost.add('resume asked')
    const runId = await flow.start([asks({ to: { tenantUserId: ana.tenantUserId }, choices })])
    await answer(ana, { choice: 'yes' })
    expect(await resultOf(runId)).toMatchObject({ choice: 'yes' })
    expect(lost.size).toBe(0)
    expect(await inboxOf(ana)).toHaveLength(1)
    expect((await flow.log(runId)).filter((line) => line === 'asked acted')).toHaveLength(1)
  })

  it('to nobody fails, and says why', async () => {
    const runId = await flow.start([asks({ to: { people: { entity: 'Nobody' } } }, { retry: { attempts: 1 } })])
    expect(await flow.until(runId, 'failed')).toMatchObject({ error: { step: 'asked' } })
    const closed = await flow.start([asks({ to: { email: 'x@example.com' }, channel: 'inbox' }, { retry: { attempts: 1 } })])
    expect(await flow.until(closed, 'failed')).toMatchObject({ error: { code: 'invalid_input' } })
  })
})
