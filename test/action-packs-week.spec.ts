/** A week of each pack that ships with the product: the clock moves, and everything else is as it will be for people. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { clocksGoBack, dayMs, hourMs, openWeek, type Week } from './support/week.ts'
import type { World } from './support/world.ts'

let week: Week
let world: World

interface Person {
  readonly tenantUserId: number
  readonly key: string
}

async function person(userName: string, more: object = {}): Promise<Person> {
  const { tenantUserId } = await world.call('create_user', { userName, email: `${userName}@week.test`, roles: ['DataView'], ...more })
  const { apiKey } = await world.call('create_api_key', { name: userName, roles: ['DataView'], tenantUserId })
  return { tenantUserId, key: apiKey }
}

beforeAll(async () => {
  week = await openWeek((now) => new Date(clocksGoBack(now).getTime() - 3 * dayMs))
  ;({ world } = week)
  for (const [internalName, dataType] of [
    ['Status', 'Text'],
    ['Due', 'DateTime'],
    ['Owner', 'Number'],
    ['Answer', 'Text'],
    ['AnsweredBy', 'Number'],
    ['AnsweredAt', 'DateTime'],
    ['Photo', 'Attachment'],
    ['Kind', 'Text'],
    ['Note', 'Text'],
  ] as const)
    await world.call('create_property', { internalName, dataType })
  const entities = {
    Job: ['Status', 'Due'],
    Order: ['Status', 'Due', 'Owner'],
    Visit: ['Photo', 'Kind', 'Note'],
    Parcel: ['Status', 'Answer', 'AnsweredBy', 'AnsweredAt'],
    Item: ['Status', 'Note'],
  }
  for (const [internalName, properties] of Object.entries(entities))
    await world.call('create_entity', { internalName, properties: properties.map((property) => ({ property })) })
})
afterAll(() => week?.close())

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows.
type Any = any

const inbox = async ({ key }: Person): Promise<string[]> =>
  (await world.call('list_inbox', { pageSize: 200 }, { key })).messages.map(({ text }: Any) => text)
const runsOf = (installId: number): Promise<Any[]> => world.call('list_action_runs', { installId, pageSize: 500 })
const statesOf = async (installId: number) => (await runsOf(installId)).map(({ state }) => String(state)).toSorted()
const ago = (hours: number) => new Date(week.clock.now().getTime() - hours * hourMs).toISOString()
const install = async (actionPack: string, settings: object) => {
  const installed = await world.call('install_action_pack', { actionPack, settings })
  expect(installed.issues).toEqual([])
  return installed
}
const uninstall = (installId: number) => world.call('uninstall_action_pack', { installId })

describe('a week of dailyDigest', () => {
  it('reaches each person at seven of theirs, over a change of the clock, none twice, and once after a day away', async () => {
    const people = new Map<string, Person>()
    const zones = { madrid: 'Europe/Madrid', newyork: 'America/New_York', kathmandu: 'Asia/Kathmandu' }
    for (const [name, timezone] of Object.entries(zones)) people.set(timezone, await person(name, { timezone, language: 'es-ES' }))
    await world.call('create_report', {
      internalName: 'OpenJobs',
      isShared: true,
      definitionJson: {
        primaryEntityId: 'Job',
        columns: [
          { property: 'externalKey', alias: 'Job' },
          { property: 'Due', alias: 'Due' },
        ],
        filters: { logic: 'AND', rules: [{ property: 'Status', op: 'eq', value: 'open' }] },
        sort: [{ property: 'Job' }],
      },
    })
    const { installId } = await install('dailyDigest', {
      report: 'OpenJobs',
      to: [...people.values()].map(({ tenantUserId }) => ({ tenantUserId })),
    })
    const job = (Status: string) =>
      world.call('save_instance', { entity: 'Job', key1: 'J-1', data: { Status, Due: '2030-07-01T10:00:00Z' } })
    // The first day there is nothing to tell of.
    await week.pass(24, 4)
    await job('open')
    await week.pass(72, 4)
    await week.isAway(49)
    await week.pass(23, 4)
    const runs = (await runsOf(installId)).toReversed()
    expect(runs.filter(({ state }) => state !== 'succeeded')).toEqual([])
    for (const [timeZone, { tenantUserId, key }] of people) {
      const own = runs.filter(({ trigger }) => trigger.payload.tenantUserId === tenantUserId)
      const clock = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'short' })
      const times = own.map(({ trigger }) => clock.format(new Date(trigger.payload.scheduledFor)))
      expect(times.map((time) => time.slice(-5))).toEqual(times.map(() => '07:00'))
      expect(new Set(times).size).toBe(times.length)
      // Of the two mornings that passed meanwhile, one is caught up with.
      expect(times).toHaveLength(6)
      const told = (await world.call('list_inbox', {}, { key })).messages
      expect(told).toHaveLength(5)
      const due = { 'Europe/Madrid': '12:00', 'America/New_York': '6:00', 'Asia/Kathmandu': '15:45' }[timeZone]
      expect(told[0].text).toBe(`OpenJobs: 1\n\nJ-1 · 1 jul 2030, ${due}`)
    }
    // Seven in the morning is another hour of the world once the clocks have gone back.
    const madrid = people.get('Europe/Madrid')?.tenantUserId
    const hours = runs.flatMap(({ trigger }) =>
      trigger.payload.tenantUserId === madrid ? [trigger.payload.scheduledFor.slice(11, 16)] : [],
    )
    expect(new Set(hours)).toEqual(new Set(['05:00', '06:00']))
    await uninstall(installId)
  })
})

describe('a week of overdueEscalation', () => {
  it('reminds once and escalates once for each record and date, and lets go of what was done in time', async () => {
    const [owner, next] = [await person('owner'), await person('next')]
    const order = (key1: string, data: object) =>
      world.call('save_instance', { entity: 'Order', key1, data: { Owner: owner.tenantUserId, ...data } })
    const { installId } = await install('overdueEscalation', {
      entity: 'Order',
      dueProperty: 'Due',
      filter: [{ property: 'Status', op: 'ne', value: 'done' }],
      remindTo: { property: 'Owner' },
      escalateTo: { tenantUserId: next.tenantUserId },
      escalateAfter: 'P2D',
      text: '[[Order.externalKey]]',
    })
    await order('late', { Due: ago(-5), Status: 'open' })
    await order('mended', { Due: ago(-30), Status: 'open' })
    await order('soon', { Due: ago(-24 * 30), Status: 'open' })
    await week.pass(4, 2)
    expect(await inbox(owner)).toEqual([])
    // It looks each hour by itself.
    await week.pass(4, 2)
    expect(await inbox(owner)).toEqual(['late'])
    await week.pass(36, 6)
    expect([await inbox(owner), await inbox(next)]).toEqual([['mended', 'late'], []])
    await order('mended', { Status: 'done' })
    await week.pass(18, 3)
    expect(await inbox(next)).toEqual(['late'])
    await week.pass(48, 6)
    expect([await inbox(owner), await inbox(next)]).toEqual([['mended', 'late'], ['late']])
    // Another date is another deadline.
    await order('late', { Due: ago(1) })
    await week.pass(60, 6)
    expect([await inbox(owner), await inbox(next)]).toEqual([
      ['late', 'mended', 'late'],
      ['late', 'late'],
    ])
    expect(new Set(await statesOf(installId))).toEqual(new Set(['succeeded']))
    await uninstall(installId)
  })
})

describe('a week of photoTriage', () => {
  const photo = async (file: string) => {
    const contentBase64 = (await readFile(join(import.meta.dirname, 'fixtures/recognition', file))).toString('base64')
    return (await world.call('upload_asset', { fileName: file, contentBase64 }, { transport: 'mcp' })).assetKey as string
  }
  const visit = (key1: string, data: object) => world.call('save_instance', { entity: 'Visit', key1, data })
  const kindOf = async (key1: string) => (await world.call('get_instance_by_key', { entity: 'Visit', key1 })).data.Kind

  it('decides by text and label, asks a person where nothing is sure, and looks at no photograph twice', async () => {
    const ana = await person('triage')
    const { installId } = await install('photoTriage', {
      entity: 'Visit',
      photoProperty: 'Photo',
      rules: [
        { textContains: 'harbour gate', property: 'Kind', value: 'gate' },
        { label: 'espresso', property: 'Kind', value: 'coffee' },
      ],
      askBelow: 0.5,
      askTo: { tenantUserId: ana.tenantUserId },
      question: 'What is at [[Visit.externalKey]]?',
    })
    await visit('V-1', { Photo: await photo('sign.jpg') })
    await week.pass(24, 12)
    await visit('V-2', { Photo: await photo('espresso.jpg') })
    await week.pass(24, 12)
    await visit('V-3', { Photo: await photo('german.png') })
    await week.pass(24, 12)
    expect([await kindOf('V-1'), await kindOf('V-2'), await kindOf('V-3')]).toEqual(['gate', 'coffee', null])
    const [asked, ...more] = (await world.call('list_inbox', {}, { key: ana.key })).messages
    expect(more).toEqual([])
    expect(asked).toMatchObject({ text: expect.stringContaining('What is at V-3?') })
    expect(asked.card.choices.map(({ label }: Any) => label)).toEqual(['gate', 'coffee', 'None of these'])
    await visit('V-1', { Note: 'Seen again' })
    await week.pass(48, 12)
    await world.call('answer_inbox_message', { messageId: asked.messageId, choice: asked.card.choices[1].key }, { key: ana.key })
    await week.pass(48, 12)
    await expect.poll(() => kindOf('V-3')).toBe('coffee')
    expect(await statesOf(installId)).toEqual(['succeeded', 'succeeded', 'succeeded'])
    expect(await inbox(ana)).toHaveLength(1)
    await uninstall(installId)
  })
})

describe('a week of acknowledge', () => {
  it('asks over the person’s channel, waits for days, and asks no more once it is answered', async () => {
    const phone = '+34600000077'
    const { channelKey } = await world.call('create_channel', { internalName: 'Box', channel: 'sms', provider: 'sandbox', settings: {} })
    const { tenantUserId } = await world.call('create_user', { userName: 'driver', phone, roles: ['DataView'] })
    await world.call('set_contact_preferences', { tenantUserId, channelOrder: ['sms'] })
    const said = async (): Promise<Any[]> => (await world.call('list_handset_messages', { channelKey, address: phone })).messages
    const { installId } = await install('acknowledge', {
      entity: 'Parcel',
      whenFilter: [{ property: 'Status', op: 'eq', value: 'sent' }],
      to: { tenantUserId },
      question: 'Has [[Parcel.externalKey]] arrived?',
      choices: [
        { key: 'arrived', label: 'Yes' },
        { key: 'missing', label: 'No' },
      ],
      answerProperty: 'Answer',
      byProperty: 'AnsweredBy',
      atProperty: 'AnsweredAt',
    })
    const parcel = (data: object) => world.call('save_instance', { entity: 'Parcel', key1: 'P-1', data })
    await parcel({ Status: 'packed' })
    await week.pass(24, 12)
    expect(await said()).toHaveLength(0)
    await parcel({ Status: 'sent' })
    await week.pass(72, 24)
    expect(await said()).toHaveLength(1)
    const at = week.clock.now()
    const body = Buffer.from(JSON.stringify({ kind: 'message', from: phone, text: 'yes' }))
    await world.call('receive_channel_webhook', { channelKey }, { raw: { body, headers: {}, url: '/' } })
    const answered = async () => (await world.call('get_instance_by_key', { entity: 'Parcel', key1: 'P-1' })).data
    await expect.poll(async () => (await answered()).Answer).toBe('arrived')
    const data = await answered()
    expect(data).toMatchObject({ Answer: 'arrived', AnsweredBy: tenantUserId })
    expect(Date.parse(data.AnsweredAt)).toBeGreaterThanOrEqual(at.getTime() - 1_000)
    const before = (await said()).length
    await parcel({ Status: 'stored' })
    await parcel({ Status: 'sent' })
    await week.pass(72, 24)
    expect(await said()).toHaveLength(before)
    expect(new Set(await statesOf(installId))).toEqual(new Set(['succeeded']))
    await uninstall(installId)
  })
})

describe('a week of webhookToRecord', () => {
  it('takes each delivery once, however often it is sent, and keeps what a body leaves out', async () => {
    const { installId, triggers } = await install('webhookToRecord', {
      entity: 'Item',
      mapping: { key1: 'id', Status: 'state', Note: 'note' },
    })
    const [{ triggerKey, secret }] = triggers
    const deliver = async (id: string, body: object): Promise<Any> => {
      const text = JSON.stringify(body)
      const at = week.clock.now()
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(id, at, text),
      }
      return world.run('receive_action_webhook', { triggerKey }, { raw: { body: Buffer.from(text), headers, url: '/' } })
    }
    const item = async () => (await world.call('get_instance_by_key', { entity: 'Item', key1: 'I-1' })).data
    for (let day = 1; day <= 7; day++) {
      const body = { id: 'I-1', state: `day ${day}`, ...(day === 1 ? { note: 'first' } : {}) }
      const { actionRunId } = await deliver(`msg_${day}`, body)
      // The sender hears nothing and tries again, for most of a day.
      for (const hours of [1, 3, 12]) {
        await week.pass(hours, hours)
        expect(await deliver(`msg_${day}`, body)).toMatchObject({ actionRunId })
      }
      expect(await item()).toMatchObject({ Status: `day ${day}`, Note: 'first' })
      await week.pass(8, 8)
    }
    expect(await statesOf(installId)).toEqual(Array.from({ length: 7 }, () => 'succeeded'))
    await deliver('msg_8', { id: 'I-1', note: null })
    await week.settled()
    expect(await item()).toMatchObject({ Status: 'day 7', Note: null })
    await uninstall(installId)
  })
})
