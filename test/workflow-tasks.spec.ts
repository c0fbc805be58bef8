/** Tasks of people: who is told of them, how they are done by an answer or a form, and what of a run nobody is shown. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { findFlowVersion } from '#tools/workflows/service.ts'

import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from './support/temporal.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  worker = await startTestWorker(temporal, { act: createFlowActivities({ services, findVersion: findFlowVersion, retryDelayMs: 5 }) })
  relay = startRelay(services, (errand) => carryOut(services, errand))
  for (const internalName of ['Status', 'Note']) await world.call('create_property', { internalName, dataType: 'Text' })
  await world.call('create_property', { internalName: 'Code', dataType: 'Text', isSensitive: true })
  await world.call('create_property', { internalName: 'Email', dataType: 'Text', isIdentityEmail: true })
  const properties = ['Status', 'Note', 'Code'].map((property) => ({ property }))
  await world.call('create_entity', { internalName: 'Person', properties: [{ property: 'Email' }] })
  await world.call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Email' })
  await world.call('create_entity', { internalName: 'Order', properties })
  await world.call('attach_peer_entity', { entity: 'Order', peerEntity: 'Person' })
  await world.call('attach_child_entity', { entity: 'Person', childEntity: 'Order' })
  const fields = [{ property: 'Status', required: true }, { property: 'Note' }]
  const sections = [{ type: 'detail', name: 'all', fields }]
  await world.call('create_form', { entity: 'Order', internalName: 'OrderForm', isShared: true, layoutJson: { sections } })
})
afterAll(async () => {
  await relay?.stop()
  await worker?.stop()
  await world?.close()
  await temporal?.close()
})

let count = 0
async function publish(steps: readonly object[], more: object = {}): Promise<string> {
  const workflow = `Flow${++count}`
  const said = {
    internalName: workflow,
    displays: [{ languageCode: 'en-US', name: workflow }],
    roles: ['DataView', 'DataEdit'],
    triggers: [],
  }
  const { issues } = await world.call('import_workflow', { ...said, entity: 'Order', steps, ...more })
  expect((issues ?? []).filter((one: { severity: string }) => one.severity === 'error')).toEqual([])
  await world.call('publish_workflow', { workflow })
  return workflow
}

interface Person {
  readonly tenantUserId: number
  readonly key: string
  readonly email: string
}
let people = 0
async function newPerson(more: object = {}): Promise<Person> {
  const email = `task${++people}@example.com`
  const { tenantUserId } = await world.call('create_user', { email, displayName: `Person ${people}`, roles: [], ...more })
  const { apiKey } = await world.call('create_api_key', { name: email, roles: ['DataView'], tenantUserId })
  return { tenantUserId, key: apiKey, email }
}
const newOrder = async (data: object = {}, more: object = {}): Promise<number> =>
  (await world.call('save_instance', { entity: 'Order', key1: `O-${++count}`, data: { Status: 'open', ...data }, ...more })).eiRecordId
const start = async (workflow: string, eiRecordId: number): Promise<number> =>
  (await world.call('start_workflow', { workflow, eiRecordId })).workflowInstanceId
const get = (workflowInstanceId: number) => world.call('get_workflow_instance', { workflowInstanceId })
const until = async (workflowInstanceId: number, ...states: string[]) => {
  await expect.poll(async () => states.includes((await get(workflowInstanceId)).state)).toBe(true)
  return get(workflowInstanceId)
}
const inboxOf = async ({ key }: Person): Promise<{ messageId: number; text: string; card?: { choices?: object[] } }[]> =>
  (await world.call('list_inbox', {}, { key })).messages
const told = async (person: Person) => {
  await expect.poll(async () => (await inboxOf(person)).length).toBeGreaterThan(0)
  const [message] = await inboxOf(person)
  if (!message) throw new Error('Nobody was told')
  return message
}
const answer = async (person: Person, said: object) =>
  world.call('answer_inbox_message', { messageId: (await told(person)).messageId, ...said }, { key: person.key })
const check = (more: object = {}) => ({
  internalName: 'check',
  stepType: 'approval',
  config: { question: 'Is [[Order.externalKey]] right?' },
  ...more,
})
const over = { internalName: 'over', stepType: 'end', config: { state: 'completed', output: '[[$steps.check]]' } }

describe('whoever a task is for', () => {
  it('is told of it, and does it by answering', async () => {
    const ana = await newPerson({ language: 'de-DE' })
    const workflow = await publish([check({ assignee: { tenantUserId: ana.tenantUserId } }), over])
    const run = await start(workflow, await newOrder())
    const message = await told(ana)
    expect(message).toMatchObject({
      text: expect.stringMatching(/^Eine Aufgabe wartet auf Sie: Flow\d+, check\.\n\nIs O-\d+ right\?$/),
      card: {
        choices: [
          { key: 'approve', label: 'approve' },
          { key: 'reject', label: 'reject' },
        ],
      },
    })
    await answer(ana, { choice: 'approve' })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { action: 'approve', by: ana.tenantUserId } })
    expect(
      (await world.call('get_workflow_instance_log', { workflowInstanceId: run })).map((line: { event: string }) => line.event),
    ).toContain('acted')
  })

  it('gives the reason that an action requires, and is told where it is missing', async () => {
    const ana = await newPerson()
    const actions = [{ internalName: 'approve' }, { internalName: 'reject', requiresComment: true }]
    const run = await start(await publish([check({ assignee: { tenantUserId: ana.tenantUserId }, actions }), over]), await newOrder())
    await answer(ana, { choice: 'reject' })
    await expect.poll(async () => (await inboxOf(ana)).length).toBe(2)
    expect((await inboxOf(ana))[0]).toMatchObject({ text: expect.stringContaining('needs a reason') })
    await answer(ana, { choice: 'reject', text: 'Two are missing' })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { action: 'reject', comment: 'Two are missing' } })
  })

  it('is each of several, of whom the others hear who was first', async () => {
    const [ana, bea] = [await newPerson(), await newPerson()]
    const order = await newOrder()
    for (const { email } of [ana, bea]) {
      const { eiRecordId } = await world.call('save_instance', { entity: 'Person', key1: email, data: { Email: email } })
      await world.call('link_peer_instances', { entity: 'Order', record: String(order), peerEntity: 'Person', eiRecordIds: [eiRecordId] })
    }
    const run = await start(await publish([check({ assignee: { peer: 'Person' } }), over]), order)
    await told(ana)
    await told(bea)
    expect(await until(run, 'waiting')).toMatchObject({
      currentSteps: [{ assignee: { tenantUserIds: [ana.tenantUserId, bea.tenantUserId] } }],
    })
    await world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'approve' }, { key: ana.key })
    await until(run, 'completed')
    await expect.poll(async () => (await inboxOf(bea)).length).toBe(2)
    expect((await inboxOf(bea))[0]).toMatchObject({ text: expect.stringMatching(/^Person \d+ has answered: approve\./) })
    expect(await inboxOf(ana)).toHaveLength(1)
  })

  it('is the parent where that is of the entity that is meant', async () => {
    const ana = await newPerson()
    const { eiRecordId } = await world.call('save_instance', { entity: 'Person', key1: ana.email, data: { Email: ana.email } })
    const order = await newOrder({}, { parentEIRecordId: eiRecordId })
    const run = await start(await publish([check({ assignee: { parent: 'Person' } }), over]), order)
    expect(await until(run, 'waiting')).toMatchObject({ currentSteps: [{ assignee: { tenantUserId: ana.tenantUserId } }] })
    await answer(ana, { choice: 'approve' })
    await until(run, 'completed')
  })

  it('may not act against what keeps steps apart, by an answer neither', async () => {
    const ana = await newPerson()
    const assignee = { tenantUserId: ana.tenantUserId }
    const second = { ...check({ assignee, notBy: ['check'] }), internalName: 'second' }
    const run = await start(await publish([check({ assignee }), second, over]), await newOrder())
    await answer(ana, { choice: 'approve' })
    await expect.poll(async () => (await inboxOf(ana)).length).toBe(2)
    await answer(ana, { choice: 'approve' })
    await expect.poll(async () => (await inboxOf(ana)).length).toBe(3)
    expect((await inboxOf(ana))[0]).toMatchObject({ text: expect.stringContaining('somebody else') })
    expect(await get(run)).toMatchObject({ state: 'waiting', currentSteps: [{ internalName: 'second' }] })
  })

  it('changes with who it is given to, by hand and when it is overdue', async () => {
    const [ana, bea, cleo] = [await newPerson(), await newPerson(), await newPerson()]
    const onOverdue = { assign: { tenantUserId: cleo.tenantUserId }, notify: { to: { role: 'AdminCSS' }, text: 'It is late' } }
    const watching = await newPerson({ roles: ['AdminCSS'] })
    const run = await start(
      await publish([check({ assignee: { tenantUserId: ana.tenantUserId }, dueIn: 'PT6S', onOverdue }), over]),
      await newOrder(),
    )
    await told(ana)
    await world.call('assign_workflow_instance', { workflowInstanceId: run, tenantUserId: bea.tenantUserId })
    expect((await inboxOf(ana))[0]).toMatchObject({ text: expect.stringContaining('no answer any more') })
    await told(bea)
    await told(cleo)
    expect(await told(watching)).toMatchObject({ text: 'It is late' })
    await expect.poll(async () => (await inboxOf(bea)).length).toBe(2)
    await answer(cleo, { choice: 'approve' })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { by: cleo.tenantUserId } })
  })
})

describe('a task of a role', () => {
  it('is told to each who holds it, is done by whoever is first, and the others hear who that was', async () => {
    const [ana, bea] = [await newPerson({ roles: ['FileEdit'] }), await newPerson({ roles: ['FileEdit'] })]
    const other = await newPerson({ roles: ['DataView'] })
    const run = await start(await publish([check({ assignee: { role: 'FileEdit' } }), over]), await newOrder())
    expect(await told(ana)).toMatchObject({ text: expect.stringContaining('A task waits for you') })
    await answer(bea, { choice: 'reject' })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { action: 'reject', by: bea.tenantUserId } })
    await expect.poll(async () => (await inboxOf(ana)).length).toBe(2)
    expect((await inboxOf(ana))[0]).toMatchObject({ text: expect.stringMatching(/^Person \d+ has answered: reject\./) })
    expect(await inboxOf(other)).toEqual([])
  })

  it('is told to fifty at most, and done by any who holds it', async () => {
    const all: Person[] = []
    for (let n = 0; n < 51; n++) all.push(await newPerson({ roles: ['DataImport'] }))
    const workflow = await publish([check({ assignee: { role: 'DataImport' } }), over])
    const run = await start(workflow, await newOrder())
    await until(run, 'waiting')
    const rows = await world.sql<{ count: number }[]>`
      select count(distinct to_user_id)::int as count from platform.message where text like ${`%waits for you: ${workflow},%`}`
    expect(rows).toEqual([{ count: 50 }])
    const last = all.at(-1)
    expect(await world.call('list_my_tasks', {}, { key: last?.key ?? '' })).toEqual([])
    const { apiKey } = await world.call('create_api_key', { name: 'last', roles: ['DataImport'], tenantUserId: last?.tenantUserId })
    expect(await world.call('list_my_tasks', {}, { key: apiKey })).toMatchObject([{ workflowInstanceId: run }])
    await world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'approve' }, { key: apiKey })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { by: last?.tenantUserId } })
  })

  it('waits without a word where nobody was named', async () => {
    const ana = await newPerson({ roles: ['DataView', 'DataEdit'] })
    const run = await start(await publish([check(), over]), await newOrder())
    await until(run, 'waiting')
    expect(await inboxOf(ana)).toEqual([])
    await world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'approve' })
    await until(run, 'completed')
  })

  it('for which nobody is found is told to a builder, and stands in the log', async () => {
    const person = await newPerson()
    const run = await start(
      await publish([check({ assignee: { property: 'Note' } }), over]),
      await newOrder({ Note: 'nobody@example.com' }),
    )
    await until(run, 'waiting')
    // It was published by the tenant's administrator.
    const [message] = (await world.call('list_inbox')).messages
    expect(message).toMatchObject({ text: expect.stringContaining(`Run ${run} waits until assign_workflow_instance`) })
    const log: { event: string; comment?: string }[] = await world.call('get_workflow_instance_log', { workflowInstanceId: run })
    expect(log.find(({ event }) => event === 'assigned')).toMatchObject({ step: 'check', comment: 'Nobody is found who could do it.' })
    await world.call('assign_workflow_instance', { workflowInstanceId: run, tenantUserId: person.tenantUserId })
    expect((await inboxOf(person))[0]).toMatchObject({ text: expect.stringContaining('A task waits for you') })
  })
})

describe('a tenant that has sent what it may in a day', () => {
  it('has its people told of tasks as ever, and keeps what they answer', async () => {
    const [ana, bea] = [await newPerson({ roles: ['FileEdit'] }), await newPerson({ roles: ['FileEdit'] })]
    const actions = [{ internalName: 'approve' }, { internalName: 'reject', requiresComment: true }]
    const shared = await publish([check({ assignee: { role: 'FileEdit' }, actions }), over])
    const lost = await publish([check({ assignee: { property: 'Note' } }), over])
    const hello = { to: { tenantUserId: (await newPerson()).tenantUserId }, text: 'Hello' }
    const { conversationId } = await world.call('send_message', hello)
    const { key } = await world.newTenant(1023)
    const { tenantId } = world.tenant
    await world.call('set_tenant_limits', { tenantId, messagesPerDay: 1 }, { key })
    try {
      expect((await world.refusal('send_message', hello)).code).toBe('conflict')
      const run = await start(shared, await newOrder())
      expect(await until(run, 'waiting', 'failed')).toMatchObject({ state: 'waiting' })
      await told(bea)
      await answer(ana, { choice: 'reject' })
      await expect.poll(async () => (await inboxOf(ana))[0]?.text).toContain('needs a reason')
      await answer(ana, { choice: 'approve' })
      expect(await until(run, 'completed', 'failed')).toMatchObject({ output: { action: 'approve', by: ana.tenantUserId } })
      expect((await inboxOf(bea))[0]).toMatchObject({ text: expect.stringMatching(/^Person \d+ has answered: approve\./) })
      const acted = await start(shared, await newOrder())
      expect(await until(acted, 'waiting', 'failed')).toMatchObject({ state: 'waiting' })
      const { apiKey } = await world.call('create_api_key', { name: 'files', roles: ['FileEdit'], tenantUserId: bea.tenantUserId })
      await world.call('act_on_workflow_instance', { workflowInstanceId: acted, action: 'approve' }, { key: apiKey })
      expect(await until(acted, 'completed', 'failed')).toMatchObject({ output: { by: bea.tenantUserId } })
      const nobodys = await start(lost, await newOrder({ Note: 'nobody@example.com' }))
      expect(await until(nobodys, 'waiting', 'failed')).toMatchObject({ state: 'waiting' })
      // What somebody says is refused, as their last word in a conversation too.
      expect((await world.refusal('end_conversation', { conversationId, text: 'Bye' })).code).toBe('conflict')
      await world.call('end_conversation', { conversationId })
    } finally {
      await world.call('set_tenant_limits', { tenantId, messagesPerDay: null }, { key })
    }
  })
})

describe('a form of a run', () => {
  it('saves the run’s record with the act on it, by its assignee who may edit nothing else', async () => {
    const ana = await newPerson({ roles: ['DataView'] })
    const order = await newOrder()
    const step = { internalName: 'check', stepType: 'form', config: { form: 'OrderForm' }, assignee: { tenantUserId: ana.tenantUserId } }
    const run = await start(await publish([step, over]), order)
    expect(await told(ana)).not.toHaveProperty('card.choices')
    const act = (values: object, key = ana.key) =>
      world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'submit', values }, { key })
    await expect(act({ Status: null })).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(act({ None: 'x' })).rejects.toMatchObject({ status: 400 })
    expect(await get(run)).toMatchObject({ state: 'waiting' })
    await act({ Status: 'closed', Note: 'done' })
    const result = { eiRecordId: order, values: { Status: 'closed', Note: 'done' }, by: ana.tenantUserId }
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: result })
    expect(await world.call('get_instance', { entity: 'Order', record: String(order) })).toMatchObject({
      data: { Status: 'closed', Note: 'done' },
      modifiedBy: ana.tenantUserId,
    })
    await expect(act({ Status: 'again' })).rejects.toMatchObject({ code: 'conflict' })
    expect((await world.refusal('upsert_instance', { entity: 'Order', record: String(order), data: { Note: 'x' } }, ana.key)).code).toBe(
      'forbidden',
    )
  })

  it('makes a new record where it says so', async () => {
    const order = await newOrder()
    const step = { internalName: 'check', stepType: 'form', config: { form: 'OrderForm', new: true } }
    const run = await start(await publish([step, over]), order)
    await until(run, 'waiting')
    await world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'submit', values: { Status: 'new' } })
    const { output } = await until(run, 'completed', 'failed')
    expect(output.eiRecordId).not.toBe(order)
    expect(await world.call('get_instance', { entity: 'Order', record: String(output.eiRecordId) })).toMatchObject({
      data: { Status: 'new' },
    })
    expect(await world.call('get_instance', { entity: 'Order', record: String(order) })).toMatchObject({ data: { Status: 'open' } })
  })
})

describe('what is sensitive', () => {
  it('is shown in no log and among no variables, wherever a definition takes it', async () => {
    const steps = [
      { internalName: 'take', stepType: 'set', config: { values: { kept: '[[Order.Code]]', plain: 'x' } } },
      { internalName: 'pass', stepType: 'set', config: { values: { other: 'It is [[$vars.kept]]' } } },
      { internalName: 'check', stepType: 'approval', config: { question: 'Is [[$vars.other]] right?' } },
      { internalName: 'read', stepType: 'getRecord', config: { entity: 'Order', eiRecordId: '[[Order.eiRecordId]]' } },
    ]
    const variables = ['kept', 'plain', 'other'].map((name) => ({ name, dataType: 'Text' }))
    const run = await start(await publish(steps, { variables }), await newOrder({ Code: 'hush-4711' }))
    await until(run, 'waiting')
    await world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'approve' })
    const shown = await until(run, 'completed', 'failed')
    expect(shown).toMatchObject({ state: 'completed', variables: { kept: '•••', plain: 'x', other: '•••' } })
    const log = await world.call('get_workflow_instance_log', { workflowInstanceId: run })
    expect(log.length).toBeGreaterThan(8)
    expect(JSON.stringify(log)).toContain('•••')
    expect(JSON.stringify([shown, log])).not.toContain('hush')
    const [row] = await world.sql<{ variables: object }[]>`select variables from platform.workflow_run where run_id = ${run}`
    expect(row?.variables).toMatchObject({ kept: 'hush-4711', other: 'It is hush-4711' })
  })
})

describe('tasks of lanes and loops', () => {
  it('are done and given by the name that shows them', async () => {
    const ana = await newPerson()
    const lanes = [{ internalName: 'office', steps: [check()] }]
    const steps = [{ internalName: 'both', stepType: 'parallel', config: { lanes } }, over]
    const run = await start(await publish(steps), await newOrder())
    const { currentSteps } = await until(run, 'waiting')
    const step = currentSteps.find(({ stepType }: { stepType: string }) => stepType === 'approval').internalName
    expect(step).toBe('both.check')
    await world.call('assign_workflow_instance', { workflowInstanceId: run, tenantUserId: ana.tenantUserId, step })
    expect(await world.call('list_my_tasks', {}, { key: ana.key })).toMatchObject([
      { workflowInstanceId: run, step: { internalName: step } },
    ])
    await world.call('act_on_workflow_instance', { workflowInstanceId: run, action: 'approve', step }, { key: ana.key })
    expect(await until(run, 'completed')).toMatchObject({ output: { action: 'approve', by: ana.tenantUserId } })
  })

  it('say of which element they are, and none is done in place of another', async () => {
    const ana = await newPerson()
    const each = {
      internalName: 'all',
      stepType: 'forEach',
      config: { over: '[[$vars.names]]', maxParallel: 3, steps: [{ ...check(), config: { question: 'Is [[$item]] right?' } }] },
    }
    const done = { internalName: 'over', stepType: 'end', config: { state: 'completed', output: '[[$steps.all.items]]' } }
    const variables = [{ name: 'names', dataType: 'Text', isList: true, value: ['a', 'b', 'c'] }]
    const run = await start(await publish([each, done], { variables }), await newOrder())
    await expect
      .poll(
        async () =>
          (await world.call('list_my_tasks')).filter((one: { workflowInstanceId: number }) => one.workflowInstanceId === run).length,
      )
      .toBe(3)
    const tasks = (await world.call('list_my_tasks')).filter((one: { workflowInstanceId: number }) => one.workflowInstanceId === run)
    const iterationOf = (question: string) => tasks.find((one: { question: string }) => one.question === question).step.iteration
    const act = { workflowInstanceId: run, step: 'all.check' }
    const refused = await world.refusal('act_on_workflow_instance', { ...act, action: 'approve' })
    expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.iteration' }] })
    await world.call('act_on_workflow_instance', { ...act, action: 'reject', iteration: iterationOf('Is b right?') })
    await world.call('assign_workflow_instance', { ...act, tenantUserId: ana.tenantUserId, iteration: iterationOf('Is c right?') })
    // Of those that wait one is hers.
    await world.call('act_on_workflow_instance', { ...act, action: 'reject' }, { key: ana.key })
    await world.call('act_on_workflow_instance', { ...act, action: 'approve' })
    const { output } = await until(run, 'completed')
    expect(output.map(({ action }: { action: string }) => action)).toEqual(['approve', 'reject', 'reject'])
  })
})

describe('a run that failed', () => {
  it('says what a loop could not go over, rather than that a step failed', async () => {
    await world.call('create_report', { internalName: 'Mine', definitionJson: { primaryEntityId: 'Order' } })
    const note = { internalName: 'note', stepType: 'set', config: { values: { last: '[[$item]]' } } }
    const each = { internalName: 'rows', stepType: 'forEach', config: { over: { report: 'Mine' }, steps: [note] } }
    const variables = [{ name: 'last', dataType: 'Text' }]
    const run = await start(await publish([each], { variables }), await newOrder())
    expect(await until(run, 'failed')).toMatchObject({ error: { code: 'not_found', step: 'rows', message: 'No such report.' } })
    const missing = { internalName: 'find', stepType: 'getRecord', config: { entity: 'Order', key1: '[[$item]]' } }
    const over = '[[$vars.names]]'
    const names = [{ name: 'names', dataType: 'Text', isList: true, value: ['none'] }]
    const loop = { internalName: 'all', stepType: 'forEach', config: { over, steps: [missing] } }
    const inner = await start(await publish([loop], { variables: names }), await newOrder())
    expect(await until(inner, 'failed')).toMatchObject({ error: { code: 'not_found', step: 'find' } })
  })
})
