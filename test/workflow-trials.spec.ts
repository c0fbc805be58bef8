/** Trials: what a draft would do, with nothing done. */
import { beforeAll, describe, expect, it } from 'vitest'

import { stepTypes } from '#tools/workflows/step-types/registry.rules.ts'
import { tries } from '#tools/workflows/trial/trial-steps.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { call, refusal } = world

let orders: Record<'first' | 'second', number>
let count = 0

beforeAll(async () => {
  for (const internalName of ['Status', 'Note']) await call('create_property', { internalName, dataType: 'Text' })
  await call('create_property', { internalName: 'Amount', dataType: 'Number' })
  const properties = ['Status', 'Note', 'Amount'].map((property) => ({ property }))
  await call('create_entity', { internalName: 'Order', properties })
  const save = async (key1: string, data: object) => (await call('save_instance', { entity: 'Order', key1, data })).eiRecordId
  orders = { first: await save('O-1', { Status: 'open', Amount: 7 }), second: await save('O-2', { Status: 'open', Amount: 90 }) }
})

async function draft(steps: readonly object[], more: object = {}): Promise<string> {
  const workflow = `Trial${++count}`
  const displays = [{ languageCode: 'en-US', name: workflow }]
  const roles = ['DataView', 'DataEdit', 'DataDelete']
  await call('import_workflow', { internalName: workflow, displays, entity: 'Order', roles, steps, triggers: [], ...more })
  return workflow
}
const tried = async (steps: readonly object[], said: object = {}, more: object = {}) =>
  call('test_workflow', { workflow: await draft(steps, more), record: orders.first, ...said })

const check = { internalName: 'check', stepType: 'approval', config: { question: 'Is [[Order.externalKey]] right?' } }
const close = {
  internalName: 'close',
  stepType: 'saveRecord',
  config: { entity: 'Order', eiRecordId: '[[Order.eiRecordId]]', values: { Status: 'closed', Note: '[[$steps.check.action]]' } },
}
const isLarge = [{ property: 'Amount', op: 'gt', value: 50 }]
const set = (internalName: string, values: object, more: object = {}) => ({ internalName, stepType: 'set', config: { values }, ...more })
const variable = (name: string, dataType = 'Text') => ({ name, dataType })

describe('a trial', () => {
  it('knows every type of step', () => {
    expect([...tries.keys()].toSorted()).toEqual(stepTypes.map(({ internalName }) => internalName).toSorted())
  })

  it('goes the way of a run by what the record holds and people say, and changes nothing', async () => {
    const big = { internalName: 'big', stepType: 'decide', branches: [{ when: isLarge, goTo: 'check' }], next: 'end' }
    const steps = [big, check, close]
    const small = await tried(steps)
    expect(small).toMatchObject({ state: 'completed', trace: [{ step: 'big', event: 'done' }] })
    const large = await tried(steps, { record: orders.second, answers: { check: { action: 'approve' } } })
    expect(large.trace).toMatchObject([
      { step: 'big', stepType: 'decide', event: 'done', goTo: 'check' },
      { step: 'check', event: 'done', output: { action: 'approve', assignee: { role: 'DataEdit' } } },
      {
        step: 'close',
        event: 'done',
        output: { would: { upsert_instance: { record: String(orders.second), data: { Status: 'closed', Note: 'approve' } } } },
      },
    ])
    expect(large).toMatchObject({
      state: 'completed',
      issues: expect.not.arrayContaining([expect.objectContaining({ severity: 'error' })]),
    })
    expect(await call('get_instance', { entity: 'Order', record: String(orders.second) })).toMatchObject({ data: { Status: 'open' } })
    expect(await call('list_workflow_instances', {})).toEqual([])
  })

  it('says where it waits, and for what', async () => {
    const waiting = await tried([check, close])
    expect(waiting).toMatchObject({
      state: 'waiting',
      trace: [{ step: 'check', event: 'waiting', output: { actions: ['approve', 'reject'] } }],
      issues: [{ path: '$.answers.check', severity: 'warning' }],
    })
    const wrong = await tried([check, close], { answers: { check: { action: 'aprove' }, chek: { action: 'approve' } } })
    expect(wrong.state).toBe('waiting')
    expect(wrong.issues).toMatchObject([
      { path: '$.answers.chek', suggestion: 'check' },
      { path: '$.answers.check', message: expect.stringContaining('approve') },
    ])
  })

  it('takes no action without the comment that it requires', async () => {
    const actions = [{ internalName: 'approve' }, { internalName: 'reject', requiresComment: true, goTo: 'end' }]
    for (const said of [{}, { text: '  ' }]) {
      const silent = await tried([{ ...check, actions }, close], { answers: { check: { action: 'reject', ...said } } })
      expect(silent).toMatchObject({ state: 'waiting', trace: [{ step: 'check', event: 'waiting' }] })
      expect(silent.issues).toContainEqual(
        expect.objectContaining({
          path: '$.answers.check',
          message: expect.stringContaining('requires a comment. Say it in answers, as text'),
        }),
      )
    }
    const told = await tried([{ ...check, actions }, close], { answers: { check: { action: 'reject', text: 'Not so.' } } })
    expect(told).toMatchObject({ state: 'completed', trace: [{ step: 'check', event: 'done', output: { comment: 'Not so.' } }] })
  })

  it('waits for no time: the clock goes on, and an event that nobody brings runs into its timeout', async () => {
    const steps = [
      { internalName: 'rest', stepType: 'wait', config: { for: 'P2D' } },
      set('later', { at: '[[$now]]' }),
      { internalName: 'parts', stepType: 'waitForEvent', config: { event: 'partsArrived', timeout: 'P7D', onTimeout: 'late' } },
      set('arrived', { how: '[[$steps.parts.payload.how]]' }, { next: 'end' }),
      set('late', { how: 'late' }),
    ]
    const more = { variables: [variable('at', 'DateTime'), variable('how')] }
    const now = '2026-03-01T08:00:00.000Z'
    expect(await tried(steps, { now }, more)).toMatchObject({
      state: 'completed',
      variables: { at: '2026-03-03T08:00:00.000Z', how: 'late' },
    })
    const arrived = await tried(steps, { now, answers: { parts: { values: { how: 'by van' } } } }, more)
    expect(arrived).toMatchObject({ state: 'completed', variables: { how: 'by van' } })
  })

  it('sends nothing and calls nobody, and goes on with what the answers bring', async () => {
    const { tenantUserId } = await call('find_or_create_user', { email: 'trial@example.com' })
    const steps = [
      { internalName: 'tell', stepType: 'notify', config: { to: { tenantUserId }, text: 'About [[Order.externalKey]]' } },
      {
        internalName: 'asked',
        stepType: 'ask',
        config: { to: { tenantUserId }, text: 'Is it done?', choices: [{ key: 'yes', label: 'Yes' }] },
      },
      { internalName: 'order', stepType: 'callHttp', config: { method: 'POST', url: 'https://erp.example.com/orders', body: {} } },
      set('kept', { number: '[[$steps.order.body.number]]', said: '[[$steps.asked.choice]]' }),
    ]
    const answers = { asked: { choice: 'yes' }, order: { values: { status: 201, body: { number: 'E-7' } } } }
    const done = await tried(steps, { answers }, { variables: [variable('number'), variable('said')] })
    expect(done).toMatchObject({ state: 'completed', variables: { number: 'E-7', said: 'yes' } })
    expect(done.trace[0].output).toEqual({ would: { send: { text: 'About O-1' }, to: [{ tenantUserId }] } })
    expect(await world.sql`select 1 from platform.message where tenant_id = ${world.tenant.tenantId}`).toEqual([])
  })

  it('goes through lanes and loops, over the first items alone', async () => {
    const steps = [
      {
        internalName: 'both',
        stepType: 'parallel',
        config: {
          lanes: [
            { internalName: 'left', steps: [set('one', { a: 'x' })] },
            { internalName: 'right', steps: [check] },
          ],
        },
      },
      {
        internalName: 'each',
        stepType: 'forEach',
        config: {
          over: '[[$input.all]]',
          steps: [{ internalName: 'seen', stepType: 'getRecord', config: { entity: 'Order', key1: '[[$item]]' } }],
        },
      },
      { internalName: 'over', stepType: 'end', config: { state: 'completed', output: '[[$steps.each.items]]' } },
    ]
    const more = { variables: [variable('a')], input: [{ name: 'all', dataType: 'Text', isList: true }] }
    const said = { answers: { check: { action: 'approve' } }, input: { all: ['O-1', 'O-2'] } }
    const done = await tried(steps, said, more)
    expect(done).toMatchObject({ state: 'completed', output: [{ record: { Amount: 7 } }, { record: { Amount: 90 } }] })
    expect(done.trace.filter(({ step }: { step: string }) => step === 'seen')).toMatchObject([{ iteration: [0] }, { iteration: [1] }])
    const many = await tried(steps, { ...said, input: { all: Array.from({ length: 5_000 }, () => 'O-1') } }, more)
    expect(many.trace.length).toBeLessThan(100)
    expect(many.issues).toContainEqual(expect.objectContaining({ path: '$.answers.each' }))
  })

  it('fails where a run would, and says which step and why', async () => {
    const wrong = { ...close, config: { ...close.config, eiRecordId: 1 } }
    expect(await tried([check, wrong], { answers: { check: { action: 'approve' } } })).toMatchObject({
      state: 'failed',
      trace: [{ step: 'check' }, { step: 'close', event: 'failed', error: { step: 'close' } }],
    })
    const absent = { internalName: 'read', stepType: 'getRecord', config: { entity: 'Order', key1: 'none' } }
    expect(await tried([absent])).toMatchObject({ state: 'failed', trace: [{ event: 'failed', error: { code: 'not_found' } }] })
    expect(await tried([{ ...absent, onError: 'continue' }])).toMatchObject({ state: 'completed' })
  })

  it('of a faulty draft carries nothing out', async () => {
    const faulty = { ...close, config: { entity: 'Ordr', values: {} } }
    expect(await tried([faulty])).toMatchObject({ state: 'failed', trace: [], issues: [{ severity: 'error', suggestion: 'Order' }] })
  })

  it('reads no more than its caller, and no more than the workflow', async () => {
    const read = { internalName: 'read', stepType: 'getRecord', config: { entity: 'Order', key1: 'O-1' } }
    const workflow = await draft([read])
    const builder = await world.tenant.keyWith(['BuilderAdmin'])
    const blind = await call('test_workflow', { workflow }, { key: builder })
    expect(blind).toMatchObject({ state: 'failed', trace: [{ error: { code: 'forbidden' } }] })
    expect((await refusal('test_workflow', { workflow }, await world.tenant.keyWith(['DataView', 'DataEdit']))).code).toBe('forbidden')
    expect(await refusal('test_workflow', { workflow, record: 1 })).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.record' }] })
    expect(await refusal('test_workflow', { workflow, input: { none: 1 } })).toMatchObject({ issues: [{ path: '$.input.none' }] })
    expect(await refusal('test_workflow', { workflow, now: 'soon' })).toMatchObject({ issues: [{ path: '$.now' }] })
    const other = await world.newTenant()
    expect((await refusal('test_workflow', { workflow }, other.key)).code).toBe('not_found')
  })

  it('ends by itself, however long the run would go on', async () => {
    const steps = [
      { internalName: 'again', stepType: 'wait', config: { for: 'PT1S' } },
      set('more', { a: 'x'.repeat(1_000) }, { next: 'again' }),
    ]
    const cut = await tried(steps, {}, { variables: [variable('a')] })
    expect(cut.state).toBe('running')
    expect(cut.issues).toContainEqual(expect.objectContaining({ path: '$.trace', message: expect.stringContaining('500 steps') }))
    expect(JSON.stringify(cut).length).toBeLessThan(256 * 1024)
  })
})
