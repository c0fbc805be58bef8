/** Runs by their operations: started, seen, acted on, and refused, on a real Temporal with the product's own activities. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import type { StepOrder } from '#platform/shapes/flow-runs.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { findFlowVersion } from '#tools/workflows/service.ts'

import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from './support/temporal.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay
/** How often a step was turned away because the tenant is suspended. */
let held = 0

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  const act = createFlowActivities({ services, findVersion: findFlowVersion, retryDelayMs: 5 })
  worker = await startTestWorker(temporal, {
    act: {
      ...act,
      performStep: (order: StepOrder) =>
        act.performStep(order).catch((error: unknown) => {
          if (error instanceof Error && error.message.includes('suspended')) held++
          throw error
        }),
    },
  })
  relay = startRelay(services, (errand) => carryOut(services, errand))
  for (const internalName of ['Status', 'Note']) await world.call('create_property', { internalName, dataType: 'Text' })
  await world.call('create_entity', { internalName: 'Order', properties: [{ property: 'Status' }, { property: 'Note' }] })
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
  const displays = [{ languageCode: 'en-US', name: workflow }]
  const answer = await world.call('import_workflow', {
    internalName: workflow,
    displays,
    roles: ['DataView', 'DataEdit'],
    steps,
    triggers: [],
    ...more,
  })
  expect((answer.issues ?? []).filter((one: { severity: string }) => one.severity === 'error')).toEqual([])
  await world.call('publish_workflow', { workflow })
  return workflow
}

const get = (workflowInstanceId: number) => world.call('get_workflow_instance', { workflowInstanceId })
const until = async (workflowInstanceId: number, state: string) => {
  await expect.poll(async () => (await get(workflowInstanceId)).state).toBe(state)
  return get(workflowInstanceId)
}
const check = { internalName: 'check', stepType: 'approval', config: { question: 'Is [[Order.externalKey]] complete?' } }

describe('a run', () => {
  it('says when it is started whether it begins at once, or waits for its engine or its turn', async () => {
    const workflow = await publish([{ ...check, config: { question: 'Go?' } }], { concurrency: 'queue' })
    const start = () => world.call('start_workflow', { workflow })
    const { services } = world.platform
    // Whoever watches the engine finds it silent.
    services.temporal.connectTo(temporal.address, () => false)
    const away = await start()
    services.temporal.connectTo(temporal.address)
    expect(away.state).toBe('queued')
    await until(away.workflowInstanceId, 'waiting')
    const behind = await start()
    expect(behind.state).toBe('queued')
    expect(await get(behind.workflowInstanceId)).toMatchObject({ state: 'queued' })
    await world.call('cancel_workflow_instance', { workflowInstanceId: away.workflowInstanceId })
    await until(away.workflowInstanceId, 'cancelled')
    await world.call('cancel_workflow_instance', { workflowInstanceId: behind.workflowInstanceId })
    const now = await start()
    expect(now.state).toBe('running')
    expect(['running', 'waiting']).toContain((await get(now.workflowInstanceId)).state)
    await until(now.workflowInstanceId, 'waiting')
    await world.call('cancel_workflow_instance', { workflowInstanceId: now.workflowInstanceId })
    await until(now.workflowInstanceId, 'cancelled')
  })

  it('is started about a record, waits for a person, and closes the record by what they said', async () => {
    const close = {
      internalName: 'close',
      stepType: 'saveRecord',
      config: {
        entity: 'Order',
        eiRecordId: '[[Order.eiRecordId]]',
        values: { Status: '[[$steps.check.action]]', Note: '[[$input.why]]' },
      },
    }
    const workflow = await publish([check, close], { entity: 'Order', input: [{ name: 'why', dataType: 'Text', isRequired: true }] })
    const { eiRecordId } = await world.call('save_instance', { entity: 'Order', key1: 'O-1', data: {} })
    expect(await world.refusal('start_workflow', { workflow, eiRecordId })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.input.why' }],
    })
    expect(await world.refusal('start_workflow', { workflow, input: { why: 'x' } })).toMatchObject({ code: 'invalid_input' })
    expect(await world.refusal('start_workflow', { workflow, eiRecordId: 1, input: { why: 'x' } })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.eiRecordId' }],
    })
    expect(await world.refusal('start_workflow', { workflow, key1: 'none', input: { why: 'x' } })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.key1' }],
    })
    expect(await world.refusal('start_workflow', { workflow, eiRecordId, key1: 'O-1', input: { why: 'x' } })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.key1' }],
    })
    const { workflowInstanceId, state } = await world.call('start_workflow', { workflow, key1: 'O-1', input: { why: 'spring' } })
    // It begins at once.
    expect(state).toBe('running')
    expect(await until(workflowInstanceId, 'waiting')).toMatchObject({
      eiRecordId,
      startedBy: world.tenant.tenantUserId,
      currentSteps: [
        { internalName: 'check', stepType: 'approval', assignee: { role: 'DataEdit' }, actions: ['approve', 'reject'], isOverdue: false },
      ],
    })
    expect(await world.call('list_my_tasks')).toMatchObject([{ workflowInstanceId, question: 'Is O-1 complete?' }])
    expect(await world.refusal('act_on_workflow_instance', { workflowInstanceId, action: 'aprove' })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.action', suggestion: 'approve' }],
    })
    await world.call('act_on_workflow_instance', { workflowInstanceId, action: 'approve', comment: 'fine' })
    await until(workflowInstanceId, 'completed')
    expect(await world.call('get_instance', { entity: 'Order', record: String(eiRecordId) })).toMatchObject({
      data: { Status: 'approve', Note: 'spring' },
    })
    expect((await world.call('get_workflow_instance_log', { workflowInstanceId })).map((line: { event: string }) => line.event)).toEqual([
      'started',
      'started',
      'waiting',
      'acted',
      'done',
      'started',
      'done',
    ])
    expect(await world.call('list_workflow_instances', { workflow, states: ['completed'] })).toMatchObject([{ workflowInstanceId }])
    expect(await world.call('list_my_tasks')).toEqual([])
  })

  it('pauses where it stands while its tenant is suspended, and goes on once it is active', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Order', key1: 'Held', data: { Status: 'open' } })
    const workflow = await publish([
      { internalName: 'pause', stepType: 'wait', config: { for: 'PT2S' } },
      { internalName: 'close', stepType: 'saveRecord', config: { entity: 'Order', eiRecordId, values: { Status: 'closed' } } },
    ])
    const { workflowInstanceId } = await world.call('start_workflow', { workflow })
    const global = await world.newTenant(1023)
    const { tenantId } = world.tenant
    await world.call('suspend_tenant', { tenantId }, { key: global.key })
    await expect.poll(() => held).toBeGreaterThan(2)
    await world.call('activate_tenant', { tenantId }, { key: global.key })
    await until(workflowInstanceId, 'completed')
    expect((await world.call('get_instance', { entity: 'Order', record: String(eiRecordId) })).data).toMatchObject({ Status: 'closed' })
  })

  it.each([
    ['Number', 'two', 2],
    ['Boolean', 'yes', true],
    ['Text', 5, 'five'],
    ['DateTime', 'yesterday', '2026-03-01T08:30:00.000Z'],
    ['DateOnly', '2026-02-30', '2026-02-28'],
    ['TimeOnly', '25:00', '07:30:00'],
    ['Attachment', 'photo.jpg', '0b9e4d4e-6d5d-4a4e-9a52-0d2f3c1f7a11'],
  ] as const)('begins with input of the type that it asks for: a %s', async (dataType, wrong, right) => {
    const input = [
      { name: 'one', dataType },
      { name: 'many', dataType, isList: true },
    ]
    const steps = [{ internalName: 'fin', stepType: 'end', config: { state: 'completed', output: ['[[$input.one]]', '[[$input.many]]'] } }]
    const workflow = await publish(steps, { input })
    for (const [name, value] of [
      ['one', wrong],
      ['one', [right]],
      ['many', right],
      ['many', [right, wrong]],
    ] as const)
      expect(await world.refusal('start_workflow', { workflow, input: { [name]: value } })).toMatchObject({
        code: 'invalid_input',
        issues: [{ path: `$.input.${name}` }],
      })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow, input: { one: right, many: [] } })
    expect(await until(workflowInstanceId, 'completed')).toMatchObject({ output: [right, []] })
  })

  it('is drawn as the version that it follows, with how far each step is', async () => {
    const each = {
      internalName: 'each',
      stepType: 'forEach',
      config: { over: '[[$input.names]]', steps: [{ internalName: 'note', stepType: 'set', config: { values: { last: '[[$item]]' } } }] },
    }
    const late = { internalName: 'late', stepType: 'set', config: { values: {} } }
    const more = { input: [{ name: 'names', dataType: 'Text', isList: true }], variables: [{ name: 'last', dataType: 'Text' }] }
    const workflow = await publish([each, { ...check, config: { question: 'Go?' } }, late], more)
    const { workflowInstanceId } = await world.call('start_workflow', { workflow, input: { names: ['a', 'b'] } })
    await until(workflowInstanceId, 'waiting')
    const { steps } = await world.call('get_workflow', { workflow })
    await world.call('update_workflow_step', { workflow, stepId: steps[2].stepId, internalName: 'later' })
    const { mermaid, svg } = await world.call('get_workflow_diagram', { workflow, workflowInstanceId })
    const lines = mermaid.split('\n')
    for (const line of ['each: forEach · done', 'note: set · done, 2 times', 'check: approval · waiting', 'late: set'])
      expect(lines.filter((one: string) => one.includes(`"${line}"`))).toHaveLength(1)
    // Who prints it in black and white reads the same.
    for (const word of ['waiting', 'done, 2 times']) expect(svg).toContain(word)
    expect((await world.call('get_workflow_diagram', { workflow })).mermaid).toContain('"later: set"')
    const elsewhere = await publish([late])
    expect(await world.refusal('get_workflow_diagram', { workflow: elsewhere, workflowInstanceId })).toMatchObject({ code: 'not_found' })
    const nobody = await world.tenant.keyWith(['AdminUser', 'BuilderAdmin'])
    expect(await world.refusal('get_workflow_diagram', { workflow, workflowInstanceId }, nobody)).toMatchObject({ code: 'forbidden' })
    await world.call('cancel_workflow_instance', { workflowInstanceId })
  })

  it('goes on with the records that it has read when their properties and options get other names', async () => {
    await world.call('create_property', { internalName: 'Hue', dataType: 'Text' })
    await world.call('create_property', { internalName: 'Size', dataType: 'Choice', propertyOptions: [{ internalName: 'big' }] })
    await world.call('create_entity', { internalName: 'Tile', properties: [{ property: 'Hue' }, { property: 'Size' }] })
    await world.call('save_instance', { entity: 'Tile', key1: 'T-1', data: { Hue: 'blue', Size: 'big' } })
    const read = { internalName: 'read', stepType: 'getRecord', config: { entity: 'Tile', key1: 'T-1' } }
    const branches = [{ when: [{ property: '$steps.read.record.Size', op: 'eq', value: 'big' }], goTo: 'tell' }]
    const ask = { ...check, config: { question: 'Go?' }, branches }
    const other = { internalName: 'other', stepType: 'end', config: { state: 'failed' } }
    const tell = { internalName: 'tell', stepType: 'end', config: { state: 'completed', output: '[[$steps.read.record.Hue]]' } }
    const workflow = await publish([read, ask, other, tell])
    const { workflowInstanceId } = await world.call('start_workflow', { workflow })
    await until(workflowInstanceId, 'waiting')
    await world.call('update_property', { property: 'Hue', internalName: 'Tint' })
    const { optionId } = await world.call('save_property_option', { property: 'Size', internalName: 'big' })
    await world.call('save_property_option', { property: 'Size', optionId, internalName: 'large' })
    await world.call('act_on_workflow_instance', { workflowInstanceId, action: 'approve' })
    expect(await until(workflowInstanceId, 'completed')).toMatchObject({ output: 'blue' })
  })

  it('is told outside when it begins, step by step, and when it ends, to who sees its record', async () => {
    const mark = { internalName: 'mark', stepType: 'set', config: { values: { count: 1 } } }
    const read = { internalName: 'read', stepType: 'getRecord', config: { entity: 'Order', key1: 'no such order' } }
    const variables = [{ name: 'count', dataType: 'Number' }]
    const [good, bad, stopped] = [
      await publish([check, mark], { entity: 'Order', variables }),
      await publish([read]),
      await publish([{ ...check, config: { question: 'Go?' } }]),
    ]
    const { eiRecordId } = await world.call('save_instance', { entity: 'Order', key1: 'O-told', data: {} })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow: good, eiRecordId })
    await until(workflowInstanceId, 'waiting')
    await world.call('act_on_workflow_instance', { workflowInstanceId, action: 'approve' })
    const failing = (await world.call('start_workflow', { workflow: bad })).workflowInstanceId
    const cancelled = (await world.call('start_workflow', { workflow: stopped })).workflowInstanceId
    await until(cancelled, 'waiting')
    await world.call('cancel_workflow_instance', { workflowInstanceId: cancelled })
    await Promise.all([until(workflowInstanceId, 'completed'), until(failing, 'failed'), until(cancelled, 'cancelled')])

    const kinds = ['workflow.started', 'workflow.stepCompleted', 'workflow.completed', 'workflow.failed']
    type Told = { type: string; data: { workflowInstanceId: number; by: number | null; step?: string; state: string } }
    const toldOf = async (runId: number, as: object = {}): Promise<Told[]> =>
      (await world.call('list_events', { kinds, pageSize: 200 }, as))
        .filter((one: Told) => one.data.workflowInstanceId === runId)
        .toReversed()
    const lines = (told: Told[]) => told.map(({ type, data }) => [type, data.step ?? '', data.state, data.by])
    const inOrder = (told: Told[]) => lines(told).toSorted((one, other) => one.join().localeCompare(other.join()))
    const me = world.tenant.tenantUserId
    expect(inOrder(await toldOf(workflowInstanceId))).toEqual([
      ['workflow.completed', '', 'completed', me],
      ['workflow.started', '', 'running', me],
      ['workflow.stepCompleted', 'check', 'done', me],
      ['workflow.stepCompleted', 'mark', 'done', null],
    ])
    expect((await toldOf(workflowInstanceId))[0]?.data).toMatchObject({ internalName: good, version: 1, entity: 'Order', eiRecordId })
    expect(inOrder(await toldOf(failing))).toEqual([
      ['workflow.failed', '', 'failed', me],
      ['workflow.started', '', 'running', me],
      ['workflow.stepCompleted', 'read', 'failed', null],
    ])
    expect(lines(await toldOf(cancelled)).map(([type, , state]) => `${type} ${state}`)).toContain('workflow.completed cancelled')
    const key = await world.tenant.keyWith(['AdminIntegration'])
    expect(await toldOf(workflowInstanceId, { key })).toEqual([])
    await world.call('set_entity_access', {
      entity: 'Order',
      rules: [{ tenantUserId: me, read: true, filter: { rules: [{ property: 'Status', op: 'eq', value: 'open' }] } }],
    })
    try {
      expect(await toldOf(workflowInstanceId)).toEqual([])
      expect((await toldOf(failing)).length).toBeGreaterThan(2)
    } finally {
      await world.call('set_entity_access', { entity: 'Order', rules: [] })
    }
  })

  it('is not there for another tenant, and is refused to who has no role for it', async () => {
    const workflow = await publish([{ ...check, config: { question: 'Go?' } }])
    const { workflowInstanceId } = await world.call('start_workflow', { workflow })
    await until(workflowInstanceId, 'waiting')
    const other = await world.newTenant()
    for (const name of ['get_workflow_instance', 'get_workflow_instance_log', 'cancel_workflow_instance'])
      expect(await world.refusal(name, { workflowInstanceId }, other.key)).toMatchObject({ code: 'not_found' })
    const viewer = await world.tenant.keyWith(['DataView'])
    expect(await world.refusal('act_on_workflow_instance', { workflowInstanceId, action: 'approve' }, viewer)).toMatchObject({
      code: 'forbidden',
    })
    const nobody = await world.tenant.keyWith(['AdminUser'])
    expect(await world.refusal('act_on_workflow_instance', { workflowInstanceId, action: 'approve' }, nobody)).toMatchObject({
      code: 'not_found',
    })
  })

  it('shows whoever acted what came of it, though they see it by its task alone', async () => {
    const workflow = await publish([{ ...check, config: { question: 'Go?' } }])
    const { workflowInstanceId } = await world.call('start_workflow', { workflow })
    await until(workflowInstanceId, 'waiting')
    const editor = await world.tenant.keyWith(['DataEdit'])
    const answer = await world.call('act_on_workflow_instance', { workflowInstanceId, action: 'approve' }, { key: editor })
    expect(answer).toMatchObject({ workflowInstanceId })
    await until(workflowInstanceId, 'completed')
  })

  it('keeps where a decision led, be it a branch, next or the step behind it', async () => {
    const decide = (internalName: string, op: string, goTo: string) => ({
      internalName,
      stepType: 'decide',
      config: {},
      branches: [{ when: [{ property: '$run.number', op, value: 0 }], goTo }],
    })
    const wait = { internalName: 'never', stepType: 'waitForEvent', config: { event: 'none' } }
    const output = ['[[$steps.first.goTo]]', '[[$steps.second.goTo]]', '[[$steps.third.goTo]]']
    const workflow = await publish([
      decide('first', 'gt', 'second'),
      wait,
      { ...decide('second', 'lt', 'never'), next: 'third' },
      decide('third', 'lt', 'never'),
      { internalName: 'done', stepType: 'end', config: { state: 'completed', output } },
    ])
    const { workflowInstanceId } = await world.call('start_workflow', { workflow })
    expect(await until(workflowInstanceId, 'completed')).toMatchObject({ output: ['second', 'third', 'done'] })
  })

  it('of a draft is refused, and what was never paused or has not failed is a conflict', async () => {
    await world.call('import_workflow', {
      internalName: 'Draft',
      displays: [{ languageCode: 'en-US', name: 'D' }],
      steps: [check],
      entity: 'Order',
      triggers: [],
    })
    expect(await world.refusal('start_workflow', { workflow: 'Draft' })).toMatchObject({ code: 'conflict' })
    const workflow = await publish([{ ...check, config: { question: 'Go?' } }])
    const { workflowInstanceId } = await world.call('start_workflow', { workflow })
    await until(workflowInstanceId, 'waiting')
    for (const name of ['resume_workflow_instance', 'retry_workflow_instance'])
      expect(await world.refusal(name, { workflowInstanceId })).toMatchObject({ code: 'conflict' })
    await world.call('pause_workflow_instance', { workflowInstanceId })
    expect(await get(workflowInstanceId)).toMatchObject({ state: 'paused' })
    await world.call('cancel_workflow_instance', { workflowInstanceId })
    await until(workflowInstanceId, 'cancelled')
    expect(await world.refusal('pause_workflow_instance', { workflowInstanceId })).toMatchObject({ code: 'conflict' })
  })
})
