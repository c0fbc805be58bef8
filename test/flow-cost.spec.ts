/** What a run costs: statements of a step, tasks of Temporal, and who hears meanwhile that it is held. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findCarriedVersion, pauseRun } from '#tools/workflows/service.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { Platform } from '#platform/platform.ts'

import { type FlowWorld, openFlowWorld } from './support/flow-runs.ts'
import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { openTemporal, type TestTemporal } from './support/temporal.ts'

let opened: PipelineWorld
let temporal: TestTemporal
let platform: Platform
let flow: FlowWorld
let statements: string[] = []
let meanwhile: ((runId: number, step: string) => Promise<void>) | undefined

beforeAll(async () => {
  ;[opened, temporal] = await Promise.all([openPipelineWorld(), openTemporal()])
  platform = await opened.open({}, { onStatement: (text) => void statements.push(text) })
  await opened.world.call('create_property', { internalName: 'Amount', dataType: 'Number' })
  await opened.world.call('create_entity', { internalName: 'Order', properties: [{ property: 'Amount' }] })
  flow = await openFlowWorld({ ...opened.world, platform }, temporal, async ({ runId, path }) => {
    await meanwhile?.(runId, path.step)
    return false
  })
})
afterAll(async () => {
  await flow?.close()
  await opened?.close()
  await temporal?.close()
})

type Step = Parameters<FlowWorld['start']>[0][number]
const set = (internalName: string, values: object): Step => ({ internalName, stepType: 'set', config: { values } })

/** The events of a run's workflow by their kind. */
async function eventsOf(runId: number): Promise<Record<string, number>> {
  const { events } = await flow.worker.client.workflow.getHandle(flow.idOf(runId)).fetchHistory()
  const counts: Record<string, number> = {}
  for (const event of events ?? []) {
    const kind = Object.keys(event).find((key) => key.endsWith('EventAttributes') && event[key as keyof typeof event] !== null)
    if (kind) counts[kind.slice(0, -'EventAttributes'.length)] = (counts[kind.slice(0, -'EventAttributes'.length)] ?? 0) + 1
  }
  return counts
}

async function carriedOut(steps: readonly Step[]): Promise<number> {
  const runId = await flow.start(steps)
  expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed' })
  await flow.worker.client.workflow.getHandle(flow.idOf(runId)).result()
  return runId
}

describe('a step costs', () => {
  /** Statements of one more step of the kind. */
  async function statementsOf(make: (index: number) => Step): Promise<number> {
    const count = async (length: number) => {
      statements = []
      await carriedOut(Array.from({ length }, (_, index) => make(index)))
      return statements.length
    }
    await count(1)
    const [few, many] = [await count(1), await count(9)]
    expect(few).toBeGreaterThan(5)
    return (many - few) / 8
  }

  it('thirteen statements where it sets values that it names', async () => {
    expect(await statementsOf((index) => set(`s${index}`, { value: index }))).toBe(13)
  })

  it('three more where its values name others', async () => {
    expect(await statementsOf((index) => set(`s${index}`, { value: `[[$run.number]]-${index}` }))).toBe(16)
  })

  it('those of the save and ten of its own where it saves a record', async () => {
    let no = 0
    const save = () => ({ entity: 'Order', key1: `k${no++}`, data: { Amount: 1 } })
    await opened.call('save_instance', save(), { on: platform })
    statements = []
    await opened.call('save_instance', save(), { on: platform, idempotencyKey: 'alone' })
    const alone = statements.length
    const step = await statementsOf((index) => ({
      internalName: `s${index}`,
      stepType: 'saveRecord',
      config: { entity: 'Order', key1: `s${no++}`, values: { Amount: index } },
    }))
    expect(step - alone).toBe(10)
  })
})

describe('a run of quick steps', () => {
  it('is one task of Temporal', async () => {
    const runId = await carriedOut([set('one', { a: 1 }), set('two', { b: '[[$vars.a]]' }), set('three', { c: '[[$vars.b]]' })])
    const { workflowTaskStarted, activityTaskScheduled = 0, markerRecorded } = await eventsOf(runId)
    expect({ workflowTaskStarted, activityTaskScheduled, markerRecorded }).toEqual({
      workflowTaskStarted: 1,
      activityTaskScheduled: 0,
      // Three steps and the end.
      markerRecorded: 4,
    })
  })

  it('gives others a turn after ten of them', async () => {
    const runId = await carriedOut(Array.from({ length: 23 }, (_, index) => set(`s${index}`, { index })))
    expect(await eventsOf(runId)).toMatchObject({ activityTaskScheduled: 2, workflowTaskStarted: 3 })
  })

  it('hears that it is paused before its steps are over', async () => {
    const isSignalled = async (runId: number) => (await eventsOf(runId))['workflowExecutionSignaled'] !== undefined
    meanwhile = async (runId, step) => {
      if (step === 's0') await flow.act(runId, pauseRun)
      // By the queue, so that the signal is heard; beside the workflow it would be kept back, and the wait in vain.
      const deadline = Date.now() + 8_000
      if (step === 's1') while (!(await isSignalled(runId)) && Date.now() < deadline) await new Promise((next) => setTimeout(next, 20))
    }
    const runId = await flow.start(Array.from({ length: 9 }, (_, index) => set(`s${index}`, { index })))
    await expect.poll(() => flow.steps(runId).then((steps) => steps.filter(({ state }) => state === 'done').length)).toBe(2)
    await expect.poll(async () => (await eventsOf(runId))['activityTaskCompleted']).toBe(1)
    meanwhile = undefined
    expect(await flow.until(runId, 'paused')).toMatchObject({ variables: { index: 1 } })
    expect(await flow.steps(runId)).toHaveLength(2)
  })
})

describe('a published version', () => {
  const published = async (workflow: string): Promise<{ workflowId: number; version: number }> => {
    const { workflowId, version } = await opened.world.call('publish_workflow', { workflow })
    return { workflowId, version }
  }
  const read = ({ workflowId, version }: { workflowId: number; version: number }) =>
    inSystemTransaction(platform.services, opened.world.tenant.tenantId, (context) => findCarriedVersion(context, workflowId, version))

  it('is read once by a process, and goes by the names of today', async () => {
    const { world } = opened
    const displays = [{ languageCode: 'en-US', name: 'Kept' }]
    const steps = [{ internalName: 'read', stepType: 'getRecord', config: { entity: 'Order', key1: 'x' } }]
    await world.call('import_workflow', { internalName: 'Kept', displays, roles: ['DataView'], steps, triggers: [] })
    const one = await published('Kept')
    const reads = async () => {
      statements = []
      const found = await read(one)
      const count = statements.filter((text) => text.includes('platform.workflow_version')).length
      return { count, entity: (found?.steps[0] as { config?: { entity?: string } } | undefined)?.config?.entity }
    }
    expect(await reads()).toEqual({ count: 1, entity: 'Order' })
    expect(await reads()).toEqual({ count: 0, entity: 'Order' })
    await world.call('update_entity', { entity: 'Order', internalName: 'Purchase' })
    expect(await reads()).toEqual({ count: 0, entity: 'Purchase' })
    await world.call('update_entity', { entity: 'Purchase', internalName: 'Order' })
  })

  it('is not kept from a transaction that is rolled back', async () => {
    const { world } = opened
    const { tenantId } = world.tenant
    await world.call('import_workflow', {
      internalName: 'Undone',
      displays: [{ languageCode: 'en-US', name: 'Undone' }],
      roles: ['DataView'],
      variables: [{ name: 'a', dataType: 'Number' }],
      steps: [set('one', { a: 1 })],
      triggers: [],
    })
    const one = await published('Undone')
    const away = { ...one, version: one.version + 1 }
    const undone = inSystemTransaction(platform.services, tenantId, async (context) => {
      await context.tx`
        insert into platform.workflow_version (tenant_id, workflow_id, version, internal_name, entity_id, body, refs, plan, role_flag, changes, created_date, created_by)
        select tenant_id, workflow_id, ${away.version}, internal_name, entity_id, body, refs, plan, role_flag, changes, created_date, created_by
        from platform.workflow_version where tenant_id = ${tenantId} and workflow_id = ${one.workflowId}`
      expect(await findCarriedVersion(context, away.workflowId, away.version)).toMatchObject({ version: away.version })
      throw new Error('rolled back')
    })
    await expect(undone).rejects.toThrow('rolled back')
    expect(await read(away)).toBeUndefined()
  })
})
