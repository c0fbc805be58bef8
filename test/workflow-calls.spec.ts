/** Steps that start other workflows, look at files and translate, with the product's own activities. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { flowRunWorkflowId } from '#platform/shapes/flow-runs.ts'
import type { Findings } from '#platform/shapes/recognition.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { sealFindings } from '#tools/intelligence/sealed-findings.ts'
import { findFlowVersion } from '#tools/workflows/service.ts'

import { keepHistory } from './support/histories.ts'
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
  await world.call('create_property', { internalName: 'Note', dataType: 'Text' })
  await world.call('create_entity', { internalName: 'Order', properties: [{ property: 'Note' }] })
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
  const { issues } = await world.call('import_workflow', { ...said, steps, ...more })
  expect((issues ?? []).filter((one: { severity: string }) => one.severity === 'error')).toEqual([])
  await world.call('publish_workflow', { workflow })
  return workflow
}
const start = async (workflow: string, more: object = {}): Promise<number> =>
  (await world.call('start_workflow', { workflow, ...more })).workflowInstanceId
const get = (workflowInstanceId: number) => world.call('get_workflow_instance', { workflowInstanceId })
const until = async (workflowInstanceId: number, ...states: string[]) => {
  await expect.poll(async () => states.includes((await get(workflowInstanceId)).state)).toBe(true)
  return get(workflowInstanceId)
}
const over = (output: unknown, state = 'completed') => ({
  internalName: 'over',
  stepType: 'end',
  config: { state, output, message: 'Out of stock' },
})
const runs = (workflow: string, config: object = {}, more: object = {}) => ({
  internalName: 'child',
  stepType: 'runWorkflow',
  config: { workflow, ...config },
  ...more,
})
const childOf = async (workflow: string) => (await world.call('list_workflow_instances', { workflow }))[0]

describe('a step that starts another workflow', () => {
  it('waits for its end, and goes on with its result', async () => {
    const check = { internalName: 'check', stepType: 'approval', config: { question: 'Go?' } }
    const child = await publish([check, over({ got: '[[$input.order]]', said: '[[$steps.check.action]]' })], {
      input: [{ name: 'order', dataType: 'Text', isRequired: true }],
    })
    const parent = await publish([runs(child, { input: { order: 'O-7' }, wait: true }), over('[[$steps.child]]')])
    const run = await start(parent)
    await expect.poll(async () => (await childOf(child))?.state).toBe('waiting')
    const { workflowInstanceId } = await childOf(child)
    expect(await until(run, 'waiting', 'failed')).toMatchObject({ state: 'waiting', currentSteps: [{ internalName: 'child' }] })
    // No signal stands for its end.
    await world.call('signal_workflow_instance', {
      workflowInstanceId: run,
      event: `run:${workflowInstanceId}`,
      payload: { state: 'completed' },
    })
    expect(await get(run)).toMatchObject({ state: 'waiting' })
    await world.call('act_on_workflow_instance', { workflowInstanceId, action: 'approve' })
    expect(await until(run, 'completed', 'failed')).toMatchObject({
      state: 'completed',
      output: { workflowInstanceId, state: 'completed', result: { got: 'O-7', said: 'approve' } },
    })
    // Its history, which flow-run.spec.ts replays.
    const workflowId = flowRunWorkflowId({ tenantId: world.tenant.tenantId, runId: run }, 1)
    await worker.client.workflow.getHandle(workflowId).result()
    await keepHistory(worker.client, workflowId, 'flow-local-run-workflow')
  })

  it('goes on at once where it does not wait, though the other one has ended before', async () => {
    const child = await publish([over('fast')])
    const alone = await start(await publish([runs(child), over('[[$steps.child]]')]))
    const { output } = await until(alone, 'completed', 'failed')
    expect(output).toMatchObject({ workflowInstanceId: (await childOf(child)).workflowInstanceId, state: 'running', result: null })
    for (let round = 0; round < 3; round++) {
      const waiting = await start(await publish([runs(child, { wait: true }), over('[[$steps.child.result]]')]))
      expect(await until(waiting, 'completed', 'failed')).toMatchObject({ state: 'completed', output: 'fast' })
    }
  })

  it('is about the same record where both are about one entity', async () => {
    const about = { entity: 'Order' }
    const child = await publish([over('[[Order.externalKey]]')], about)
    const { eiRecordId } = await world.call('save_instance', { entity: 'Order', key1: 'O-1', data: {} })
    const other = await world.call('save_instance', { entity: 'Order', key1: 'O-2', data: {} })
    const own = await start(await publish([runs(child, { wait: true }), over('[[$steps.child.result]]')], about), { eiRecordId })
    expect(await until(own, 'completed', 'failed')).toMatchObject({ output: 'O-1' })
    const said = runs(child, { wait: true, eiRecordId: other.eiRecordId })
    expect(await until(await start(await publish([said, over('[[$steps.child.result]]')])), 'completed', 'failed')).toMatchObject({
      output: 'O-2',
    })
  })

  it('fails with it, unless it may go on', async () => {
    const child = await publish([over(null, 'failed')])
    const failed = await until(await start(await publish([runs(child, { wait: true })])), 'completed', 'failed')
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'unprocessable', message: expect.stringContaining('Out of stock') } })
    const goesOn = await publish([runs(child, { wait: true }, { onError: 'continue' }), over('[[$steps.child.state]]')])
    expect(await until(await start(goesOn), 'completed', 'failed')).toMatchObject({ state: 'completed', output: 'failed' })
  })

  it('hears that the other one was cancelled before it began', async () => {
    const check = { internalName: 'check', stepType: 'approval', config: { question: 'Go?' } }
    const child = await publish([check], { concurrency: 'queue' })
    const first = await start(child)
    await until(first, 'waiting')
    const parent = await start(await publish([runs(child, { wait: true }, { onError: 'continue' }), over('[[$steps.child.state]]')]))
    await until(parent, 'waiting')
    const held = await childOf(child)
    expect(held).toMatchObject({ state: 'queued' })
    await world.call('cancel_workflow_instance', { workflowInstanceId: held.workflowInstanceId })
    expect(await until(parent, 'completed', 'failed')).toMatchObject({ state: 'completed', output: 'cancelled' })
  })

  it('starts nothing about a record that it came to none of', async () => {
    const about = { entity: 'Order' }
    const child = await publish([over('fast')], about)
    const said = { input: [{ name: 'other', dataType: 'Number' }] }
    const parent = await start(await publish([runs(child, { wait: true, eiRecordId: '[[$input.other]]' })], said))
    expect(await until(parent, 'completed', 'failed')).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining('eiRecordId came to no record') },
    })
    expect(await world.call('list_workflow_instances', { workflow: child })).toEqual([])
  })

  it('does not lead to itself for ever', async () => {
    const workflow = `Flow${count + 1}`
    await world.call('import_workflow', {
      internalName: workflow,
      displays: [{ languageCode: 'en-US', name: workflow }],
      roles: ['DataEdit'],
      steps: [runs(workflow, { wait: true })],
      triggers: [],
    })
    count++
    await world.call('publish_workflow', { workflow })
    const first = await until(await start(workflow), 'completed', 'failed')
    expect(first.state).toBe('failed')
    const all = await world.call('list_workflow_instances', { workflow })
    expect(all.length).toBeGreaterThan(10)
    expect(all.length).toBeLessThan(20)
  })
})

describe('a step about a record that it came to none of', () => {
  const named = { entity: 'Order', eiRecordId: '[[$input.id]]' }
  const values = { Note: 'changed' }
  it.each([
    ['saves nothing without its id', 'saveRecord', { ...named, values }, {}, 'eiRecordId'],
    ['takes no key for an id', 'saveRecord', { ...named, values }, { id: 'N-1' }, 'eiRecordId'],
    ['saves nothing without its key', 'saveRecord', { entity: 'Order', key1: '[[$input.id]]', values }, { id: '' }, 'key1'],
    ['loses no parent', 'saveRecord', { entity: 'Order', key1: 'N-1', parentEIRecordId: '[[$input.id]]', values }, {}, 'parentEIRecordId'],
    ['reads nothing by a key', 'getRecord', named, { id: 'N-1' }, 'eiRecordId'],
    ['deletes nothing by a key', 'deleteRecord', named, { id: 'N-1' }, 'eiRecordId'],
  ])('%s', async (_promise, stepType, config, input, field) => {
    await world.call('save_instance', { entity: 'Order', key1: 'N-1', data: { Note: 'first' } })
    const records = () => world.call('list_instances', { entity: 'Order', pageSize: 100 })
    const before = (await records()).length
    const roles = ['DataView', 'DataEdit', 'DataDelete']
    const workflow = await publish([{ internalName: 'act', stepType, config }], { roles, input: [{ name: 'id', dataType: 'Text' }] })
    expect(await until(await start(workflow, { input }), 'completed', 'failed')).toMatchObject({
      state: 'failed',
      error: { code: 'unprocessable', message: expect.stringContaining(`${field} came to no`) },
    })
    expect(await records()).toHaveLength(before)
    expect(await world.call('get_instance', { entity: 'Order', record: 'N-1' })).toMatchObject({ data: { Note: 'first' } })
  })

  it('takes an id that is written as a text', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Order', key1: 'N-2', data: { Note: 'first' } })
    const steps = [{ internalName: 'act', stepType: 'saveRecord', config: { ...named, values } }, over('[[$steps.act.outcome]]')]
    const workflow = await publish(steps, { input: [{ name: 'id', dataType: 'Text' }] })
    const run = await start(workflow, { input: { id: String(eiRecordId) } })
    expect(await until(run, 'completed', 'failed')).toMatchObject({ output: 'updated' })
  })
})

describe('a step that looks at a file', () => {
  it('answers its text and its labels, and says what cannot be read', async () => {
    const { services } = world.platform
    const { execute } = services.temporal
    const { assetKey } = await world.call('upload_asset', { fileName: 'a.txt', contentBase64: 'R2F0ZSA0' }, { transport: 'mcp' })
    const ocr = { text: 'GATE 4\n', words: [], language: 'eng', confidence: 96 }
    let found: Findings = { state: 'done', ocr, labels: [{ label: 'gate', score: 0.9 }], model: 'm', durationMs: 1 }
    const asked: unknown[] = []
    services.temporal.execute = async ({ args }) => {
      asked.push(args[0])
      return sealFindings(services, world.tenant.tenantId, assetKey, found)
    }
    try {
      const looks = (config: object, more: object = {}) => ({
        internalName: 'look',
        stepType: 'recognise',
        config: { asset: '[[$input.file]]', ...config },
        ...more,
      })
      const file = { input: [{ name: 'file', dataType: 'Text' }] }
      const both = await start(await publish([looks({ ocr: true, classify: true }), over('[[$steps.look]]')], file), {
        input: { file: assetKey },
      })
      expect(await until(both, 'completed', 'failed')).toMatchObject({
        output: { text: 'GATE 4\n', labels: [{ label: 'gate', score: 0.9 }] },
      })
      expect(asked).toMatchObject([
        { ocr: true, classify: false },
        { ocr: false, classify: true },
      ])
      const text = await start(await publish([looks({}), over('[[$steps.look.text]]')], file), { input: { file: assetKey } })
      expect(await until(text, 'completed', 'failed')).toMatchObject({ output: 'GATE 4\n' })
      expect(asked).toHaveLength(3)
      const none = await start(await publish([looks({}, { retry: { attempts: 1 } })], file))
      expect(await until(none, 'completed', 'failed')).toMatchObject({ state: 'failed', error: { code: 'unprocessable' } })
      found = { state: 'failed', reason: 'It is locked.', durationMs: 1 }
      const locked = await start(await publish([looks({})], file), { input: { file: assetKey } })
      expect(await until(locked, 'completed', 'failed')).toMatchObject({ error: { message: expect.stringContaining('It is locked') } })
    } finally {
      services.temporal.execute = execute
    }
  })
})

describe('a step that translates', () => {
  it('says at once that nothing here does', async () => {
    const said = { internalName: 'said', stepType: 'translate', config: { text: 'Hallo', to: 'en' } }
    expect(await until(await start(await publish([said])), 'completed', 'failed')).toMatchObject({
      state: 'failed',
      error: { code: 'unavailable' },
    })
    const other = await publish([{ ...said, onError: 'continue' }, over('went on')])
    expect(await until(await start(other), 'completed', 'failed')).toMatchObject({ state: 'completed', output: 'went on' })
  })
})
