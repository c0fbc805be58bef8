/** The packs that ship with the product, each doing what it promises on real records. */
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { shippedPacks } from '#tools/action-packs/shipped/index.ts'
import { findFlowVersion } from '#tools/workflows/service.ts'

import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from './support/temporal.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay

interface Person {
  readonly tenantUserId: number
  readonly key: string
}
let ana: Person
let ben: Person

async function person(name: string): Promise<Person> {
  const { tenantUserId } = await world.call('create_user', { userName: name, email: `${name}@packs.test`, roles: ['DataView'] })
  const { apiKey } = await world.call('create_api_key', { name, roles: ['DataView'], tenantUserId })
  return { tenantUserId, key: apiKey }
}

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  worker = await startTestWorker(temporal, { act: createFlowActivities({ services, findVersion: findFlowVersion, retryDelayMs: 5 }) })
  relay = startRelay(services, (errand) => carryOut(services, errand))
  ana = await person('ana')
  ben = await person('ben')
  for (const [internalName, dataType] of [
    ['Status', 'Text'],
    ['Due', 'DateTime'],
    ['Owner', 'Number'],
    ['Answer', 'Text'],
    ['AnsweredBy', 'Number'],
    ['AnsweredAt', 'DateTime'],
  ] as const)
    await world.call('create_property', { internalName, dataType })
  await world.call('create_property', { internalName: 'State', dataType: 'Choice', propertyOptions: [{ internalName: 'good' }] })
  const properties = ['State', 'Status', 'Due', 'Owner', 'Answer', 'AnsweredBy', 'AnsweredAt'].map((property) => ({ property }))
  await world.call('create_entity', { internalName: 'Order', properties })
})
afterAll(async () => {
  await relay?.stop()
  await worker?.stop()
  await world?.close()
  await temporal?.close()
})

const inbox = async ({ key }: Person): Promise<string[]> =>
  (await world.call('list_inbox', {}, { key })).messages.map(({ text }: { text: string }) => text).toSorted()
const until = async (actionRunId: number, state: string) =>
  expect.poll(async () => (await world.call('get_action_run', { actionRunId })).state).toBe(state)
const fire = async (installId: number, more: object = {}) =>
  (await world.call('fire_action_pack_install', { installId, ...more })).actionRunId as number
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

describe('every shipped pack', () => {
  it('is listed and described, read-only, and of a number of its own', async () => {
    expect(shippedPacks.length).toBeGreaterThan(0)
    expect(new Set(shippedPacks.map(({ packId }) => packId)).size).toBe(shippedPacks.length)
    const listed = await world.call('list_action_packs')
    for (const { packId, manifest } of shippedPacks) {
      const { internalName, version } = manifest
      expect(packId).toBeLessThan(1_000)
      expect(listed).toContainEqual(expect.objectContaining({ actionPackId: packId, internalName, isSystem: true }))
      expect(await world.call('describe_action_pack', { actionPack: internalName })).toMatchObject({ version, versions: [version] })
      const { displays = [] } = manifest
      expect(displays.map((one) => one.languageCode?.slice(0, 2))).toEqual(['en', 'de', 'fr', 'es'])
      expect(await world.call('validate_action_pack', { ...manifest, internalName: 'copy' })).toMatchObject({ valid: true, issues: [] })
      for (const name of ['delete_action_pack', 'update_action_pack']) {
        const input = name === 'delete_action_pack' ? {} : { ...manifest, internalName: undefined, version: '9.0.0' }
        expect(await world.refusal(name, { ...input, actionPack: internalName })).toMatchObject({ code: 'forbidden' })
      }
    }
  })
})

describe('overdueEscalation', () => {
  it('reminds the owner of each record that is overdue, tells the next where it still is, once each', async () => {
    const order = (key1: string, data: object) =>
      world.call('save_instance', { entity: 'Order', key1, data: { Owner: ana.tenantUserId, ...data } })
    await order('late', { Due: hoursFromNow(-2), Status: 'open' })
    await order('mended', { Due: hoursFromNow(-3), Status: 'open' })
    await order('done', { Due: hoursFromNow(-2), Status: 'done' })
    await order('soon', { Due: hoursFromNow(2), Status: 'open' })
    const { installId, issues } = await world.call('install_action_pack', {
      actionPack: 'overdueEscalation',
      settings: {
        entity: 'Order',
        dueProperty: 'Due',
        filter: [{ property: 'Status', op: 'ne', value: 'done' }],
        remindTo: { property: 'Owner' },
        escalateTo: { tenantUserId: ben.tenantUserId },
        escalateAfter: 'PT8S',
        text: '[[Order.externalKey]] is overdue.',
      },
    })
    expect(issues).toEqual([])
    await until(await fire(installId), 'succeeded')
    await expect.poll(() => inbox(ana)).toEqual(['late is overdue.', 'mended is overdue.'])
    await world.call('save_instance', { entity: 'Order', key1: 'mended', data: { Status: 'done' } })
    await expect.poll(() => inbox(ben)).toEqual(['late is overdue.'])
    await expect
      .poll(async () => (await world.call('list_action_runs', { installId, states: ['waiting', 'running', 'queued'] })).length)
      .toBe(0)
    // Another look begins nothing anew, until the date is another one.
    await until(await fire(installId), 'succeeded')
    expect(await world.call('list_action_runs', { installId })).toHaveLength(4)
    await world.call('save_instance', { entity: 'Order', key1: 'late', data: { Due: hoursFromNow(-1) } })
    await until(await fire(installId), 'succeeded')
    await expect.poll(() => inbox(ana)).toEqual(['late is overdue.', 'late is overdue.', 'mended is overdue.'])
  })
})

describe('acknowledge', () => {
  it('asks about a record over the inbox, writes the answer to it, and asks no more', async () => {
    const { installId, issues } = await world.call('install_action_pack', {
      actionPack: 'acknowledge',
      settings: {
        entity: 'Order',
        whenFilter: [{ property: 'Status', op: 'eq', value: 'sent' }],
        to: { tenantUserId: ben.tenantUserId },
        question: 'Has [[Order.externalKey]] arrived?',
        choices: [
          { key: 'arrived', label: 'Yes' },
          { key: 'missing', label: 'No' },
        ],
        answerProperty: 'Answer',
        byProperty: 'AnsweredBy',
        atProperty: 'AnsweredAt',
      },
    })
    expect(issues).toEqual([])
    const { eiRecordId } = await world.call('save_instance', { entity: 'Order', key1: 'A-1', data: { Status: 'sent' } })
    const actionRunId = await fire(installId, { eiRecordId })
    const asked = async () =>
      (await world.call('list_inbox', {}, { key: ben.key })).messages.find(({ text }: { text: string }) =>
        text.includes('Has A-1 arrived?'),
      )
    await expect.poll(asked).toBeTruthy()
    expect(await world.refusal('fire_action_pack_install', { installId, eiRecordId })).toMatchObject({ code: 'conflict' })
    const { messageId } = await asked()
    await world.call('answer_inbox_message', { messageId, choice: 'arrived' }, { key: ben.key })
    await until(actionRunId, 'succeeded')
    expect(await world.call('get_instance', { entity: 'Order', record: String(eiRecordId) })).toMatchObject({
      data: { Answer: 'arrived', AnsweredBy: ben.tenantUserId, AnsweredAt: expect.any(String) },
    })
    await until(await fire(installId, { eiRecordId }), 'succeeded')
    const all = (await world.call('list_inbox', {}, { key: ben.key })).messages
    expect(all.filter(({ text }: { text: string }) => text.includes('Has A-1'))).toHaveLength(1)
  })
})

describe('settings of shipped packs', () => {
  const photos = { entity: 'Order', photoProperty: 'Photo' }
  const rule = { property: 'Status', value: 'x' }
  const tells = { entity: 'Order', remindTo: { role: 'DataView' }, escalateTo: { role: 'DataView' } }
  const asks = {
    entity: 'Order',
    whenFilter: [],
    to: { role: 'DataView' },
    question: 'Q?',
    choices: [{ key: 'a', label: 'A' }],
    answerProperty: 'Answer',
  }
  it.each([
    ['dailyDigest', { report: 'Late', to: { role: 'DataView' } }, '$.settings.to'],
    ['dailyDigest', { report: 'Late', to: [] }, '$.settings.to'],
    ['photoTriage', { ...photos, rules: {} }, '$.settings.rules'],
    ['photoTriage', { ...photos, rules: [{ ...rule, label: 'crane', textContains: 'crane' }] }, '$.settings.rules[0]'],
    ['photoTriage', { ...photos, rules: [{ ...rule, label: 'crane', minScore: 80 }] }, '$.settings.rules[0].minScore'],
    ['photoTriage', { ...photos, rules: [{ ...rule, label: 'crane' }], askBelow: 0.5 }, '$.settings.askTo'],
    ['photoTriage', { ...photos, rules: [{ ...rule, label: 'crane' }], askBelow: 50, askTo: { role: 'DataView' } }, '$.settings.askBelow'],
    ['webhookToRecord', { entity: 'Order', mapping: {} }, '$.settings.mapping'],
    ['webhookToRecord', { entity: 'Order', mapping: { key1: 7 } }, '$.settings.mapping.key1'],
    ['webhookToRecord', { entity: 'Order', mapping: { key1: 'id' }, importMode: 'merge' }, '$.settings.importMode'],
    ['webhookToRecord', { entity: 'Order', mapping: { key1: 'order number' } }, '$.settings.mapping.key1'],
    ['webhookToRecord', { entity: 'Order', mapping: { key1: 'id]] [[$run.id' } }, '$.settings.mapping.key1'],
    ['webhookToRecord', { entity: 'Order', mapping: { key1: 'id' }, itemsAt: 'all of them' }, '$.settings.itemsAt'],
    ['overdueEscalation', { ...tells, dueProperty: 'Due', remindTo: { role: 'Anybody' } }, '$.settings.remindTo.role'],
    ['overdueEscalation', { ...tells, dueProperty: 'Due', escalateTo: {} }, '$.settings.escalateTo'],
    ['overdueEscalation', { ...tells, dueProperty: 'Due', escalateAfter: '1 day' }, '$.settings.escalateAfter'],
    ['overdueEscalation', { ...tells, dueProperty: 'Due', every: 'hourly' }, '$.settings.every'],
    ['dailyDigest', { report: 'Late', to: [{ role: 'Anybody' }] }, '$.settings.to[0].role'],
    ['acknowledge', { ...asks, choices: [] }, '$.settings.choices'],
    ['acknowledge', { ...asks, choices: [{ label: 'A' }] }, '$.settings.choices[0].key'],
    ['acknowledge', { ...asks, choices: [...asks.choices, { key: 'A', label: 'B' }] }, '$.settings.choices'],
    ['photoTriage', { ...photos, rules: [{ ...rule, label: 'crane' }], askTo: {} }, '$.settings.askTo'],
  ])('of %s that nothing can be done with are refused where they stand: %j', async (actionPack, settings, path) => {
    expect(await world.refusal('install_action_pack', { actionPack, settings })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path }],
    })
  })

  const read = { ...rule, textContains: 'gate' }
  const taken = { entity: 'Order', photoProperty: 'Status' }
  it.each([
    ['overdueEscalation', { ...tells, dueProperty: 'Status' }, '$.settings.dueProperty', /Status is a Text.+Name one of Due/],
    ['overdueEscalation', { ...tells, dueProperty: 'Deu' }, '$.settings.dueProperty', /no property "Deu"/],
    ['acknowledge', { ...asks, answerProperty: 'Owner' }, '$.settings.answerProperty', /Owner is a Number/],
    ['acknowledge', { ...asks, byProperty: 'Status' }, '$.settings.byProperty', /Status is a Text/],
    ['acknowledge', { ...asks, atProperty: 'Owner' }, '$.settings.atProperty', /Owner is a Number/],
    ['photoTriage', { ...taken, rules: [read] }, '$.settings.photoProperty', /Order has none: attach_property adds one/],
    ['photoTriage', { ...photos, rules: [{ ...read, property: 'Statsu' }] }, '$.settings.rules[0].property', /no property "Statsu"/],
    ['photoTriage', { ...photos, rules: [{ ...read, property: 'Owner' }] }, '$.settings.rules[0].property', /as a number/],
    ['webhookToRecord', { entity: 'Order', mapping: { key1: 'id', Statsu: 'state' } }, '$.settings.mapping.Statsu', /no property "Statsu"/],
    ['acknowledge', { ...asks, answerProperty: 'State' }, '$.settings.choices[0].key', /"a" is no option. Allowed: good/],
    ['photoTriage', { ...photos, rules: [{ ...read, property: 'State' }] }, '$.settings.rules[0].value', /"x" is no option. Allowed: good/],
  ])('of %s name properties that are there, of a kind that it works with: %j', async (actionPack, settings, path, message) => {
    const refused = await world.refusal('install_action_pack', { actionPack, settings })
    expect(refused).toMatchObject({ code: 'invalid_input' })
    const told = refused.issues?.find((one) => one.path === path)
    expect(told?.message).toMatch(message)
  })

  it('are told of by their names alone, whichever steps are made for them', async () => {
    const settings = { report: 'Absent', to: [{ tenantUserId: 99_999_999 }] }
    const { issues } = await world.refusal('install_action_pack', { actionPack: 'dailyDigest', settings })
    expect(issues?.map((one) => one.path).toSorted()).toEqual(['$.settings.report', '$.settings.to[0].tenantUserId'])
    const rules = [{ ...read, value: '[[Order.Nothing]]' }]
    await world.call('create_property', { internalName: 'Picture', dataType: 'Attachment' })
    await world.call('create_entity', { internalName: 'Shot', properties: [{ property: 'Picture' }, { property: 'Status' }] })
    const shots = { entity: 'Shot', photoProperty: 'Picture', rules }
    const refused = await world.refusal('install_action_pack', { actionPack: 'photoTriage', settings: shots })
    expect(refused.issues?.map((one) => one.path)).toEqual(['$.settings'])
  })

  it.each([
    ['a list of rules', (rule: object) => [rule], '$.settings.filter[0].property'],
    ['a group', (rule: object) => ({ rules: [rule] }), '$.settings.filter.rules[0].property'],
  ])('name the place in a filter that is wrong: %s', async (_what, filterOf, path) => {
    const filter = filterOf({ property: 'Statsu', op: 'eq', value: 'open' })
    const settings = { ...tells, dueProperty: 'Due', filter }
    const { issues } = await world.refusal('install_action_pack', { actionPack: 'overdueEscalation', settings })
    expect(issues?.map((one) => [one.path, one.suggestion])).toContainEqual([path, 'Status'])
    expect(issues?.every((one) => one.path.startsWith('$.settings.'))).toBe(true)
  })
})

describe('dailyDigest', () => {
  it('goes to everybody at once where it is fired by hand, also without rows where that is wanted', async () => {
    const columns = [{ property: 'externalKey' }, { property: 'Status' }]
    const filters = { logic: 'AND', rules: [{ property: 'Status', op: 'eq', value: 'nowhere' }] }
    await world.call('create_report', {
      internalName: 'Lost',
      isShared: true,
      definitionJson: { primaryEntityId: 'Order', columns, filters },
    })
    const cy = await person('cy')
    const settings = { report: 'Lost', to: [{ tenantUserId: cy.tenantUserId }] }
    const { installId, issues } = await world.call('install_action_pack', { actionPack: 'dailyDigest', settings })
    expect(issues).toEqual([])
    await until(await fire(installId), 'succeeded')
    expect(await inbox(cy)).toEqual([])
    await world.call('update_action_pack_install', { installId, settings: { onlyWhenRows: false } })
    await until(await fire(installId), 'succeeded')
    expect(await inbox(cy)).toEqual(['Lost: 0\n\n–'])
    for (let count = 1; count <= 21; count++)
      await world.call('save_instance', { entity: 'Order', key1: `L-${count}`, data: { Status: 'nowhere' } })
    await until(await fire(installId), 'succeeded')
    const text = (await inbox(cy)).find((one) => one.includes('21')) ?? ''
    expect(text.split('\n')).toHaveLength(23)
    expect(text).toMatch(/^Lost: 21\n\nL-\d+ · nowhere\n[\s\S]*\n\+ 1$/)
  })

  it('means the day of whoever reads it by today, and not that of its own user', async () => {
    // It is never the same day in both.
    const [east, west] = ['Pacific/Kiritimati', 'Pacific/Niue']
    const dayIn = (timeZone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())
    await world.call('create_property', { internalName: 'Day', dataType: 'DateOnly' })
    await world.call('attach_property', { entity: 'Order', property: 'Day' })
    for (const zone of [east, west]) await world.call('save_instance', { entity: 'Order', key1: zone, data: { Day: dayIn(zone) } })
    const today = {
      logic: 'AND',
      rules: [{ property: 'Day', op: 'eq', value: 'today' }],
      groups: [{ rules: [{ property: 'Day', op: 'eq', value: '[[$today]]' }] }],
    }
    const definitionJson = { primaryEntityId: 'Order', columns: [{ property: 'externalKey', alias: 'Key' }], filters: today }
    await world.call('create_report', { internalName: 'Todays', isShared: true, definitionJson })
    const settings = { report: 'Todays', to: [{ tenantUserId: ben.tenantUserId }] }
    const { installId } = await world.call('install_action_pack', { actionPack: 'dailyDigest', settings })
    for (const timeZone of [east, west]) {
      const payload = { tenantUserId: ben.tenantUserId, timeZone, languageCode: 'en-US' }
      const { trace } = await world.call('test_action_pack_install', { installId, payload })
      expect(trace[0]).toMatchObject({ step: 'rows', output: { totalCount: 1, text: timeZone } })
    }
    const rows = (timeZone: string, internalName: string) => ({
      internalName,
      stepType: 'runReport',
      config: { report: 'Todays', asText: { timeZone } },
    })
    const kept = { internalName: 'kept', stepType: 'set', config: { values: { told: '[[$steps.east.text]] [[$steps.west.text]]' } } }
    await world.call('import_workflow', {
      internalName: 'Days',
      roles: ['DataView'],
      variables: [{ name: 'told', dataType: 'Text' }],
      steps: [rows(east, 'east'), rows(west, 'west'), kept],
      triggers: [],
    })
    await world.call('publish_workflow', { workflow: 'Days' })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow: 'Days' })
    const run = () => world.call('get_workflow_instance', { workflowInstanceId })
    await expect.poll(async () => (await run()).state).toBe('completed')
    expect((await run()).variables).toEqual({ told: `${east} ${west}` })
  })

  it('warns whoever installs it of a report that is not shared', async () => {
    await world.call('create_report', {
      internalName: 'Mine',
      definitionJson: { primaryEntityId: 'Order', columns: [{ property: 'Status' }] },
    })
    const { issues } = await world.call('install_action_pack', {
      actionPack: 'dailyDigest',
      settings: { report: 'Mine', to: [{ tenantUserId: ben.tenantUserId }] },
    })
    expect(issues).toMatchObject([{ severity: 'warning', path: '$.settings.report', message: expect.stringContaining('not shared') }])
  })
})

describe('webhookToRecord', () => {
  it.each([
    ['one record', {}, { id: 7, state: 'open' }, { eiRecordId: expect.any(Number) }, ['7']],
    [
      'a record for each item, past those that do not fit',
      { itemsAt: 'orders' },
      {
        orders: [
          { id: 'W-1', state: 'open' },
          { id: 'W-2', state: { no: 'text' } },
          { id: 'W-3', state: 'done' },
        ],
      },
      {
        failed: 1,
        items: [{ eiRecordId: expect.any(Number) }, null, { eiRecordId: expect.any(Number) }],
        errors: [{ index: 1, step: 'save', code: 'invalid_input', message: expect.stringContaining('Status') }],
      },
      ['W-1', 'W-3'],
    ],
    [
      'no record of what names none',
      { itemsAt: 'orders' },
      {
        orders: [{ state: 'stray' }, { id: '', state: 'stray' }, { id: 'W-9', state: 'open' }],
      },
      { failed: 2, items: [null, null, { eiRecordId: expect.any(Number) }], errors: [{ index: 0 }, { index: 1 }] },
      ['W-9'],
    ],
    [
      'what is told shortly, since its values are long',
      { itemsAt: 'orders' },
      { orders: [{ id: 'W-11', state: 'long '.repeat(400) }] },
      { failed: 0, items: [{ eiRecordId: expect.any(Number), outcome: 'inserted', isShortened: true }], errors: [] },
      ['W-11'],
    ],
  ])('saves %s, and answers what became of it', async (_what, more, body, result, keys) => {
    const { triggers } = await world.call('install_action_pack', {
      actionPack: 'webhookToRecord',
      settings: { entity: 'Order', mapping: { key1: 'id', Status: 'state' }, ...more },
    })
    const [{ triggerKey, secret }] = triggers
    const text = JSON.stringify(body)
    const at = new Date()
    const headers = {
      'content-type': 'application/json',
      'webhook-id': `msg_${keys.length}`,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(`msg_${keys.length}`, at, text),
    }
    const answer = await world.run('receive_action_webhook', { triggerKey }, { raw: { body: Buffer.from(text), headers, url: '/' } })
    expect(answer).toMatchObject({ actionRunId: expect.any(Number), result })
    for (const value of keys)
      expect(await world.call('list_instances', { entity: 'Order', filterRules: [{ property: 'key1', op: 'eq', value }] })).toHaveLength(1)
    const strays = { entity: 'Order', filterRules: [{ property: 'Status', op: 'eq', value: 'stray' }] }
    expect(await world.call('list_instances', strays)).toEqual([])
  })
})
