/** Triggers on records: what starts a run, what `$trigger` holds, and that each event starts each definition once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { runAs } from '#platform/acting.ts'
import type { Services } from '#platform/services.ts'
import { findFlowVersion, fireDue } from '#tools/workflows/service.ts'

import { openTriggers, type TriggerWorld } from './support/triggers.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
let of: TriggerWorld

beforeAll(async () => {
  of = openTriggers(world)
  for (const internalName of ['Status', 'Note']) await call('create_property', { internalName, dataType: 'Text' })
  await call('create_property', { internalName: 'Pin', dataType: 'Text', isSensitive: true })
  await call('create_property', { internalName: 'Amount', dataType: 'Number' })
  for (const internalName of ['Order', 'Ledger', 'Crate', 'Barrel', 'Loop'])
    await call('create_entity', {
      internalName,
      properties: ['Status', 'Note', 'Pin', 'Amount'].map((property) => ({ property })),
    })
})
afterAll(() => of?.stop())

const by = () => world.tenant.tenantUserId
const save = (entity: string, key1: string, data: object, more: object = {}) => call('save_instance', { entity, key1, data, ...more })
const record = (triggerType: string, config: object, more: object = {}) => ({ triggerType, config, ...more })

describe('a trigger on records', () => {
  it('starts a run about each record, and tells it what was before, after, and who did it', async () => {
    const [made, changed, gone] = [
      await of.publish([record('recordCreated', { entity: 'Order' })], { entity: 'Order' }),
      await of.publish([record('recordUpdated', { entity: 'Order', properties: ['Status'] })], { entity: 'Order' }),
      await of.publish([record('recordDeleted', { entity: 'Order' })], { entity: 'Order' }),
    ]
    const { eiRecordId } = await save('Order', 'O-1', { Status: 'new', Pin: '1234' })
    await save('Order', 'O-1', { Note: 'only this' })
    await save('Order', 'O-1', { Status: 'done' })
    await call('delete_instance', { entity: 'Order', record: String(eiRecordId) })
    await of.drain()
    const [run, ...more] = await of.runs(made)
    expect(more).toEqual([])
    expect(run).toMatchObject({ state: 'queued', eiRecordId, startedBy: by() })
    const after = { eiRecordId, key1: 'O-1', externalKey: 'O-1', Status: 'new', Note: null }
    const [$trigger] = await of.triggers(made)
    expect($trigger).toMatchObject({ eiRecordId, before: null, after, changed: ['Status'], by: by() })
    // Sensitive values are read by who needs them, and are kept in no trigger.
    expect(JSON.stringify($trigger)).not.toContain('1234')
    expect(await of.triggers(changed)).toMatchObject([
      { eiRecordId, before: { Status: 'new', Note: 'only this' }, after: { Status: 'done' }, changed: ['Status'], by: by() },
    ])
    expect(await of.triggers(gone)).toMatchObject([{ eiRecordId, before: { Status: 'done', Note: 'only this' }, after: null }])
    await call('restore_instance', { entity: 'Order', record: String(eiRecordId) })
    await of.drain()
    expect(await of.triggers(made)).toMatchObject([{}, { eiRecordId, restored: true, before: null, after: { Status: 'done' } }])
    expect(await of.runs(changed)).toHaveLength(1)
  })

  it('asks its filter of the version that the event tells of, and of before and after', async () => {
    const fell = [{ property: '$trigger.before.Amount', op: 'gt', value: '[[$trigger.after.Amount]]' }]
    const [opened, lower, large] = [
      await of.publish([record('recordUpdated', { entity: 'Order' }, { filter: [{ property: 'Status', op: 'eq', value: 'open' }] })]),
      await of.publish([record('recordUpdated', { entity: 'Order' }, { filter: fell })], { entity: 'Order' }),
      await of.publish(
        [
          record(
            'recordUpdated',
            { entity: 'Order' },
            {
              filter: {
                logic: 'OR',
                rules: [
                  { property: 'Amount', op: 'gte', value: 100 },
                  { property: '$trigger.by', op: 'eq', value: 1_000_000 },
                ],
              },
            },
          ),
        ],
        { entity: 'Order' },
      ),
    ]
    await save('Order', 'F-1', { Status: 'new', Amount: 5 })
    await save('Order', 'F-1', { Status: 'open', Amount: 7 })
    await save('Order', 'F-1', { Status: 'shut', Amount: 3 })
    await save('Order', 'F-1', { Amount: 100 })
    await of.drain()
    expect(await of.triggers(opened)).toMatchObject([{ count: 1 }])
    expect(await of.triggers(lower)).toMatchObject([{ before: { Amount: 7 }, after: { Amount: 3 } }])
    expect(await of.triggers(large)).toMatchObject([{ after: { Amount: 100 } }])
  })

  it('starts one run for each of a bulk, or one for the batch of those that count', async () => {
    const [each, batch] = [
      await of.publish([record('recordCreated', { entity: 'Ledger' })], { entity: 'Ledger' }),
      await of.publish([
        record('recordCreated', { entity: 'Ledger', perRecord: false }, { filter: [{ property: 'Amount', op: 'lt', value: 300 }] }),
      ]),
    ]
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ key1: `L-${n}`, data: { Amount: n } }))
    const { results } = await call('save_instances_bulk', { entity: 'Ledger', rows })
    await of.drain()
    const runs = await of.runs(each)
    const ids = results.map(({ eiRecordId }: { eiRecordId: number }) => eiRecordId)
    expect(runs.map(({ eiRecordId }) => eiRecordId)).toEqual(ids)
    // Six hundred a minute begin, and the others are queued and say why.
    const [first, last] = [await of.log(runs[0].workflowInstanceId), await of.log(runs[999].workflowInstanceId)]
    expect(first).toMatchObject([{ event: 'started', input: { after: { Amount: 0 } } }])
    expect(last).toMatchObject([{ event: 'waiting', comment: expect.stringContaining('within a minute') }])
    const [held] = await world.sql`select count(*)::int as count from platform.workflow_run where held_for = 'rate'`
    expect(held).toEqual({ count: 400 })
    expect(await of.triggers(batch)).toMatchObject([{ eiRecordIds: ids.slice(0, 300), count: 300, by: by() }])
    // A minute later the next ones begin.
    await world.sql`update platform.workflow_run set released_at = released_at - interval '61 seconds' where released_at is not null`
    await of.starter.drain()
    expect(await world.sql`select 1 from platform.workflow_run where held_for = 'rate'`).toEqual([])
    expect((await of.log(runs[999].workflowInstanceId)).map(({ event }: { event: string }) => event)).toEqual(['waiting', 'started'])
    expect(await call('get_instance', { entity: 'Ledger', record: 'L-999' })).toMatchObject({
      workflowInstanceId: runs[999].workflowInstanceId,
    })
  }, 120_000)

  it('starts nothing for what was told to start nothing, for a batch of which nothing counts, and for a wipe', async () => {
    const workflow = await of.publish([
      record('recordCreated', { entity: 'Crate' }, { filter: [{ property: 'Status', op: 'ne', value: 'dull' }] }),
      record('recordUpdated', { entity: 'Crate' }),
      record('recordDeleted', { entity: 'Crate' }),
    ])
    const rows = [{ key1: 'C-1', data: { Status: 'a' } }]
    await call('save_instances_bulk', { entity: 'Crate', rows, fireTriggers: false })
    await call('update_instances_by_filter', { entity: 'Crate', filterRules: [], data: { Status: 'b' }, fireTriggers: false })
    await call('save_instances_bulk', { entity: 'Crate', rows: [{ key1: 'C-2', data: { Status: 'dull' } }] })
    await of.drain()
    expect(await of.runs(workflow)).toEqual([])
    await call('update_instances_by_filter', { entity: 'Crate', filterRules: [], data: { Status: 'c' } })
    await of.drain()
    expect(await of.triggers(workflow)).toMatchObject([{ count: 2 }])
    await call('wipe_instances', { entity: 'Crate', confirmation: 'Crate' })
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(1)
  })

  it('fires from publish until toggle, and a new version owes nothing that happened before it', async () => {
    const workflow = await of.publish([record('recordCreated', { entity: 'Barrel' })], { entity: 'Barrel' })
    await save('Barrel', 'B-1', {})
    // What waits to be carried on is not lost to the next version.
    await call('publish_workflow', { workflow })
    await of.drain()
    expect(await of.runs(workflow)).toMatchObject([{ version: 2 }])
    await call('toggle_workflow', { workflow, isEnabled: false })
    await save('Barrel', 'B-2', {})
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(1)
    await call('toggle_workflow', { workflow, isEnabled: true })
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(1)
    await save('Barrel', 'B-3', {})
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(2)
    await call('delete_workflow', { workflow })
    await save('Barrel', 'B-4', {})
    await of.drain()
    expect(await world.sql`select 1 from platform.trigger_firing`).toEqual([])
  })

  it('leaves out what its own runs changed unless told, and refuses a chain that is too long with its links', async () => {
    const { services } = world.platform
    const [own, told] = [
      await of.publish([record('recordUpdated', { entity: 'Loop' })], { entity: 'Loop' }),
      await of.publish([record('recordUpdated', { entity: 'Loop', ownChanges: true })], { entity: 'Loop' }),
    ]
    await save('Loop', 'P-1', { Status: '0' })
    await save('Loop', 'P-1', { Status: '1' })
    await of.drain()
    const [[run], [other]] = [await of.runs(own), await of.runs(told)]
    const write = (id: number, depth: number, Status: string) => {
      const who = { tenantId: world.tenant.tenantId, tenantUserId: by(), origin: { kind: 'workflow' as const, id, depth } }
      return runAs(services, who, 'save_instance', { entity: 'Loop', key1: 'P-1', data: { Status } })
    }
    await write(run.workflowInstanceId, 1, '2')
    await of.drain()
    expect(await of.runs(own)).toHaveLength(1)
    expect(await of.runs(told)).toHaveLength(2)
    await write(other.workflowInstanceId, 16, '3')
    await write(other.workflowInstanceId, 17, '4')
    await of.drain()
    const runs = await of.runs(told)
    expect(runs.slice(2).map(({ state }) => state)).toEqual(['queued', 'failed'])
    const chain = `${told} (run ${other.workflowInstanceId}) → ${told}`
    expect(runs[3].error).toMatchObject({ code: 'unprocessable', message: expect.stringContaining(chain) })
    expect(await of.log(runs[3].workflowInstanceId)).toMatchObject([
      { event: 'failed', error: { message: expect.stringContaining(chain) } },
    ])
  })

  it('starts at most ten thousand of one call, and one run that failed says how many more there were', async () => {
    const workflow = await of.publish([record('recordUpdated', { entity: 'Crate' })], { entity: 'Crate' })
    const rows = Array.from({ length: 5 }, (_, n) => ({ key1: `M-${n}`, data: { Note: 'x' } }))
    await call('save_instances_bulk', { entity: 'Crate', rows, fireTriggers: false })
    await call('save_instances_bulk', { entity: 'Crate', rows: rows.map((row) => ({ ...row, data: { Note: 'y' } })) })
    await of.carrier.drain()
    // As if the same call had changed so many before.
    await world.sql`
      insert into platform.trigger_cause (tenant_id, definition_id, cause, records, at)
      select tenant_id, definition_id, 'batch:' || (event ->> 'batch'), 9998, now() from platform.trigger_firing`
    await of.drain()
    const runs = await of.runs(workflow)
    const refused = runs.filter(({ state }) => state === 'failed')
    expect(runs).toHaveLength(3)
    expect(refused).toMatchObject([{ error: { code: 'too_large', message: expect.stringContaining('3 more records') } }])
  })

  it('makes of what cannot be asked a run that failed, and starts the others all the same', async () => {
    const note = await call('create_property', { internalName: 'Fleeting', dataType: 'Text' })
    await call('attach_property', { entity: 'Loop', property: 'Fleeting' })
    const filter = [{ property: 'Fleeting', op: 'isEmpty' }]
    const [broken, sound] = [
      await of.publish([record('recordCreated', { entity: 'Loop' }, { filter })], { entity: 'Loop' }),
      await of.publish([record('recordCreated', { entity: 'Loop' })], { entity: 'Loop' }),
    ]
    await call('detach_property', { entity: 'Loop', entityPropertyId: 'Fleeting', force: true })
    expect(note.propertyId).toBeGreaterThan(0)
    await save('Loop', 'X-1', {})
    await of.drain()
    expect(await of.runs(broken)).toMatchObject([{ state: 'failed', error: { message: expect.stringContaining('Fleeting') } }])
    expect(await of.runs(sound)).toMatchObject([{ state: 'queued' }])
  })

  it('starts each once, whoever dies between, and however many look', async () => {
    const { services } = world.platform
    const workflow = await of.publish([record('recordCreated', { entity: 'Order' })], { entity: 'Order' })
    const rows = Array.from({ length: 250 }, (_, n) => ({ key1: `K-${n}`, data: {} }))
    await call('save_instances_bulk', { entity: 'Order', rows })
    await of.carrier.drain()
    // A process that dies after its third transaction: what it had not committed is taken back.
    let left = 3
    const dying: Services = {
      ...services,
      databases: {
        ...services.databases,
        transact: async (...given: Parameters<Services['databases']['transact']>) => {
          if (left-- <= 0) throw new Error('the process died')
          return services.databases.transact(...given)
        },
      } as Services['databases'],
    }
    await fireDue(dying, findFlowVersion)
    expect(left).toBeLessThan(0)
    const before = await of.runs(workflow)
    expect(before.length).toBeLessThan(250)
    for (;;) {
      const counts = await Promise.all([fireDue(services, findFlowVersion), fireDue(services, findFlowVersion)])
      if (counts.every((count) => count === 0)) break
    }
    const runs = await of.runs(workflow)
    expect(new Set(runs.map(({ eiRecordId }) => eiRecordId)).size).toBe(250)
    expect(runs).toHaveLength(250)
  })
})

describe('runs about one record', () => {
  it('follow each other where the workflow queues them, and begin when the one before has ended', async () => {
    const workflow = await of.publish([record('recordUpdated', { entity: 'Order' })], { entity: 'Order', concurrency: 'queue' })
    const { eiRecordId } = await save('Order', 'Q-1', { Status: '0' })
    for (const Status of ['1', '2']) await save('Order', 'Q-1', { Status })
    await of.drain()
    await call('start_workflow', { workflow, eiRecordId })
    const [first, second, third] = await of.runs(workflow)
    const events = async ({ workflowInstanceId }: { workflowInstanceId: number }) =>
      (await of.log(workflowInstanceId)).map(({ event }: { event: string }) => event)
    expect([await events(first), await events(second), await events(third)]).toEqual([['started'], ['waiting'], ['waiting']])
    await call('cancel_workflow_instance', { workflowInstanceId: second.workflowInstanceId })
    expect((await of.runs(workflow))[1]).toMatchObject({ state: 'cancelled' })
    await of.starter.drain()
    expect(await events(third)).toEqual(['waiting'])
    await of.end(first.workflowInstanceId)
    await of.starter.drain()
    expect(await events(third)).toEqual(['waiting', 'started'])
  })

  it('are skipped while one is under way where the workflow says so, by hand with a conflict', async () => {
    const workflow = await of.publish([record('recordUpdated', { entity: 'Order' })], { entity: 'Order', concurrency: 'skipIfRunning' })
    const { eiRecordId } = await save('Order', 'S-1', { Status: '0' })
    for (const Status of ['1', '2']) await save('Order', 'S-1', { Status })
    await of.drain()
    const runs = await of.runs(workflow)
    expect(runs).toHaveLength(1)
    expect(await world.refusal('start_workflow', { workflow, eiRecordId })).toMatchObject({ code: 'conflict' })
    await of.end(runs[0].workflowInstanceId)
    await save('Order', 'S-1', { Status: '3' })
    await of.drain()
    expect(await of.runs(workflow)).toHaveLength(2)
  })
})
