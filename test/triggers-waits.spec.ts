/** Steps that wait for what a trigger would fire on, and runs that events start and a worker carries, on a real Temporal. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { findCarriedVersion } from '#tools/workflows/service.ts'

import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from './support/temporal.ts'
import { openTriggers, type TriggerWorld } from './support/triggers.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay
let of: TriggerWorld

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  worker = await startTestWorker(temporal, { act: createFlowActivities({ services, findVersion: findCarriedVersion, retryDelayMs: 5 }) })
  relay = startRelay(services, (errand) => carryOut(services, errand))
  of = openTriggers(world)
  for (const internalName of ['Status', 'Note']) await world.call('create_property', { internalName, dataType: 'Text' })
  await world.call('create_entity', { internalName: 'Order', properties: [{ property: 'Status' }, { property: 'Note' }] })
})
afterAll(async () => {
  await of?.stop()
  await relay?.stop()
  await worker?.stop()
  await world?.close()
  await temporal?.close()
})

const save = (key1: string, data: object) => world.call('save_instance', { entity: 'Order', key1, data })
const until = async (workflowInstanceId: number, state: string) => {
  await expect.poll(async () => (await world.call('get_workflow_instance', { workflowInstanceId })).state).toBe(state)
  return world.call('get_workflow_instance', { workflowInstanceId })
}
/** Everything that happened is carried on, the second look of waits too. */
const drain = async () => {
  await of.drain()
  await world.sql`update platform.trigger_firing set next_at = now()`
  await of.drain()
}

const shipped = {
  triggerType: 'recordUpdated',
  config: { entity: 'Order', properties: ['Status'] },
  filter: [{ property: '$trigger.after.Status', op: 'eq', value: 'shipped' }],
}
const wait = (more: object = {}) => ({ internalName: 'ship', stepType: 'waitForEvent', config: { trigger: shipped, ...more } })
const note = (text: string) => ({
  internalName: 'note',
  stepType: 'saveRecord',
  config: { entity: 'Order', eiRecordId: '[[Order.eiRecordId]]', values: { Note: text } },
})

describe('a step that waits for what a trigger would fire on', () => {
  it('goes on when it happens to the record of its run, and not when it happens to another', async () => {
    const workflow = await of.publish([{ triggerType: 'recordCreated', config: { entity: 'Order' } }], {
      entity: 'Order',
      steps: [wait(), note('[[$steps.ship.payload.before.Status]] to [[$steps.ship.payload.after.Status]]')],
    })
    await save('W-1', { Status: 'new' })
    await save('W-2', { Status: 'new' })
    await drain()
    const [first, second] = await of.runs(workflow)
    await until(first.workflowInstanceId, 'waiting')
    await until(second.workflowInstanceId, 'waiting')
    await save('W-1', { Status: 'packed' })
    await save('W-2', { Status: 'shipped' })
    await drain()
    await until(second.workflowInstanceId, 'completed')
    expect(await world.call('get_instance', { entity: 'Order', record: 'W-2' })).toMatchObject({ data: { Note: 'new to shipped' } })
    expect((await world.call('get_workflow_instance', { workflowInstanceId: first.workflowInstanceId })).state).toBe('waiting')
    const events = (await of.log(second.workflowInstanceId)).map(({ event }) => event)
    expect(events.filter((event) => event === 'signalled')).toHaveLength(1)
    // Its version is waited for, whatever was published since and though nothing starts it any more.
    await world.call('publish_workflow', { workflow })
    await world.call('toggle_workflow', { workflow, isEnabled: false })
    await save('W-1', { Status: 'shipped' })
    await drain()
    await until(first.workflowInstanceId, 'completed')
  })

  it('waits for the record that its configuration names, and goes elsewhere when its time is over', async () => {
    const other = await save('W-3', { Status: 'new' })
    const named = { ...shipped, config: { ...shipped.config, eiRecordId: '[[$input.other]]' } }
    const workflow = await of.publish([], {
      input: [{ name: 'other', dataType: 'Number', isRequired: true }],
      steps: [
        { internalName: 'ship', stepType: 'waitForEvent', config: { trigger: named, timeout: 'PT1S', onTimeout: 'late' } },
        { internalName: 'done', stepType: 'end', config: { state: 'completed', output: '[[$steps.ship.payload.eiRecordId]]' } },
        { internalName: 'late', stepType: 'end', config: { state: 'completed', output: 'late' } },
      ],
    })
    const start = async () => (await world.call('start_workflow', { workflow, input: { other: other.eiRecordId } })).workflowInstanceId
    expect(await until(await start(), 'completed')).toMatchObject({ output: 'late' })
    const patient = await of.publish([], {
      input: [{ name: 'other', dataType: 'Number', isRequired: true }],
      steps: [
        { internalName: 'ship', stepType: 'waitForEvent', config: { trigger: named } },
        { internalName: 'done', stepType: 'end', config: { state: 'completed', output: '[[$steps.ship.payload.eiRecordId]]' } },
      ],
    })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow: patient, input: { other: other.eiRecordId } })
    await until(workflowInstanceId, 'waiting')
    await save('W-3', { Status: 'shipped' })
    await drain()
    expect(await until(workflowInstanceId, 'completed')).toMatchObject({ output: other.eiRecordId })
  })

  it('holds up no trigger of its workflow once its filter cannot be asked any more', async () => {
    await world.call('create_property', { internalName: 'Gate', dataType: 'Text' })
    await world.call('create_entity', { internalName: 'Truck', properties: [{ property: 'Status' }, { property: 'Gate' }] })
    const gone = { triggerType: 'recordUpdated', config: { entity: 'Truck' }, filter: [{ property: 'Gate', op: 'eq', value: 'north' }] }
    const workflow = await of.publish([{ triggerType: 'recordCreated', config: { entity: 'Truck' } }], {
      entity: 'Truck',
      steps: [wait({ trigger: gone })],
    })
    const saveTruck = (key1: string, Status: string) => world.call('save_instance', { entity: 'Truck', key1, data: { Status } })
    await saveTruck('T-1', 'new')
    await drain()
    const [run] = await of.runs(workflow)
    await until(run.workflowInstanceId, 'waiting')
    await world.call('detach_property', { entity: 'Truck', entityPropertyId: 'Gate', force: true })
    await saveTruck('T-1', 'moved')
    await saveTruck('T-2', 'new')
    await drain()
    expect(await of.runs(workflow)).toHaveLength(2)
    expect(await world.sql`select part from platform.trigger_firing`).toEqual([])
  })

  it('is told later of what happened while its tenant was suspended', async () => {
    const workflow = await of.publish([], { entity: 'Order', steps: [wait()] })
    const { eiRecordId } = await save('W-5', { Status: 'new' })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow, eiRecordId })
    await until(workflowInstanceId, 'waiting')
    await save('W-5', { Status: 'shipped' })
    await of.carrier.drain()
    await world.sql`update platform.tenant set is_deactivated = true where tenant_id = ${world.tenant.tenantId}`
    await drain()
    await world.sql`update platform.tenant set is_deactivated = false where tenant_id = ${world.tenant.tenantId}`
    await drain()
    await until(workflowInstanceId, 'completed')
  })

  it('goes on however many others wait for the same before it', async () => {
    const { eiRecordId } = await save('W-6', { Status: 'new' })
    const workflow = await of.publish([], { entity: 'Order', steps: [wait()] })
    const start = async () => (await world.call('start_workflow', { workflow, eiRecordId })).workflowInstanceId
    const [first, last] = [await start(), await start()]
    for (const one of [first, last]) await until(one, 'waiting')
    // As many as more than one look finds, of a run that has been cancelled since.
    await world.call('cancel_workflow_instance', { workflowInstanceId: first })
    await until(first, 'cancelled')
    const copied = await world.sql`
      insert into platform.workflow_step_run (tenant_id, run_id, step_no, step, step_type, iteration, state, is_waiting, effect_no, begun_at,
        awaits_trigger, awaits_record)
      select tenant_id, ${first}, n, step, step_type, iteration, state, true, n, begun_at, awaits_trigger, awaits_record
      from platform.workflow_step_run, generate_series(1001, 2100) n where run_id = ${last} and is_waiting
      returning 1`
    expect(copied).toHaveLength(1_100)
    await save('W-6', { Status: 'shipped' })
    await drain()
    await until(last, 'completed')
  })

  it('keeps its workflow from being deleted, unless that is forced', async () => {
    const { eiRecordId } = await save('W-7', { Status: 'new' })
    const workflow = await of.publish([], { entity: 'Order', steps: [wait()] })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow, eiRecordId })
    await until(workflowInstanceId, 'waiting')
    expect(await world.refusal('delete_workflow', { workflow })).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('force'),
    })
    expect(await world.call('delete_workflow', { workflow, force: true })).toMatchObject({ deleted: true })
    const other = await of.publish([], { entity: 'Order', steps: [wait()] })
    const started = await world.call('start_workflow', { workflow: other, eiRecordId })
    await until(started.workflowInstanceId, 'waiting')
    await world.call('cancel_workflow_instance', { workflowInstanceId: started.workflowInstanceId })
    await until(started.workflowInstanceId, 'cancelled')
    expect(await world.call('delete_workflow', { workflow: other })).toMatchObject({ deleted: true })
  })

  it('is refused for what no event tells', async () => {
    const displays = [{ languageCode: 'en-US', name: 'N' }]
    const trigger = { triggerType: 'schedule', config: { every: 'PT5M' } }
    const steps = [{ internalName: 'ship', stepType: 'waitForEvent', config: { trigger } }]
    const { issues } = await world.call('import_workflow', { internalName: 'NoEvent', displays, steps, triggers: [] })
    expect(issues.map(({ path }: { path: string }) => path)).toContain('$.steps[0].config.trigger.triggerType')
  })
})

describe('a step that is over', () => {
  it('starts the runs that wait for it, with its result', async () => {
    const watching = await of.publish([{ triggerType: 'runCompleted', config: { of: 'step', name: 'tally', states: ['done'] } }])
    const workflow = await of.publish([], {
      variables: [{ name: 'sum', dataType: 'Number' }],
      steps: [
        { internalName: 'tally', stepType: 'getRecord', config: { entity: 'Order', key1: 'R-1' } },
        { internalName: 'keep', stepType: 'set', config: { values: { sum: 1 } } },
      ],
    })
    const { eiRecordId } = await save('R-1', { Status: 'counted' })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow })
    await until(workflowInstanceId, 'completed')
    await drain()
    expect(await of.triggers(watching)).toMatchObject([
      { id: workflowInstanceId, state: 'done', result: { record: { eiRecordId, Status: 'counted' } } },
    ])
  })
})
