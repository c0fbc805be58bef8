/** What installs do: fired, looked at, retried, cancelled and counted, on a real Temporal with the product's own activities. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { findFlowVersion, masked } from '#tools/workflows/service.ts'

import { startOddServer } from './support/odd-server.ts'
import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from './support/temporal.ts'
import { openTriggers, type TriggerWorld } from './support/triggers.ts'
import { openWorld, type World } from './support/world.ts'

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay
let triggerWorld: TriggerWorld

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld({ OUTBOUND_ALLOW: '127.0.0.1/32' }), openTemporal()])
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  worker = await startTestWorker(temporal, { act: createFlowActivities({ services, findVersion: findFlowVersion, retryDelayMs: 5 }) })
  relay = startRelay(services, (errand) => carryOut(services, errand))
  triggerWorld = openTriggers(world)
  await world.call('create_property', { internalName: 'Status', dataType: 'Text' })
  await world.call('create_entity', { internalName: 'Order', properties: [{ property: 'Status' }] })
})
afterAll(async () => {
  await triggerWorld?.stop()
  await relay?.stop()
  await worker?.stop()
  await world?.close()
  await temporal?.close()
})

let count = 0
const manual = { triggerType: 'manual', config: {} }
const manifest = (steps: readonly object[], more: object = {}) => ({
  internalName: `Pack${++count}`,
  version: '1.0.0',
  settings: [{ name: 'status', dataType: 'Text', value: 'seen' }],
  roles: ['DataView', 'DataEdit', 'DataDelete'],
  triggers: [manual],
  steps,
  ...more,
})

async function install(steps: readonly object[], more: object = {}, settings: object = {}) {
  const said = manifest(steps, more)
  await world.call('create_action_pack', said)
  return world.call('install_action_pack', { actionPack: said.internalName, settings })
}

const save = (key1: string, Status = '[[$settings.status]]') => ({
  stepType: 'saveRecord',
  config: { entity: 'Order', key1, values: { Status } },
})
const statusOf = async (key1: string) =>
  (await world.call('list_instances', { entity: 'Order', filterRules: [{ property: 'key1', op: 'eq', value: key1 }] }))[0]?.data.Status
const get = (actionRunId: number) => world.call('get_action_run', { actionRunId })
const until = async (actionRunId: number, state: string) => {
  await expect.poll(async () => (await get(actionRunId)).state).toBe(state)
  return get(actionRunId)
}
/** What others hear of a run. */
const told = async (actionRunId: number): Promise<string[]> =>
  (await world.call('list_events', { kinds: ['action.completed', 'action.failed'], pageSize: 200 }))
    .filter(({ data }: { data: { actionRunId: number } }) => data.actionRunId === actionRunId)
    .map(({ type, data }: { type: string; data: { state: string } }) => `${type} ${data.state}`)
const fire = async (installId: number, input: object = {}) =>
  (await world.call('fire_action_pack_install', { installId, input })).actionRunId as number

describe('an action run', () => {
  it('does what its steps say with the settings of its install, several installs apart', async () => {
    const said = manifest([{ internalName: 'save', ...save('[[$trigger.input.key]]', '[[$settings.status]] by [[$trigger.by]]') }])
    await world.call('create_action_pack', said)
    const actionPack = said.internalName
    const one = await world.call('install_action_pack', { actionPack })
    const other = await world.call('install_action_pack', { actionPack, settings: { status: 'other' } })
    const run = await until(await fire(one.installId, { key: 'A-1' }), 'succeeded')
    await until(await fire(other.installId, { key: 'A-2' }), 'succeeded')
    expect([await statusOf('A-1'), await statusOf('A-2')]).toEqual([
      `seen by ${world.tenant.tenantUserId}`,
      `other by ${world.tenant.tenantUserId}`,
    ])
    expect(run).toMatchObject({
      installId: one.installId,
      actionPack,
      version: '1.0.0',
      trigger: { triggerType: 'manual', payload: { by: world.tenant.tenantUserId, input: { key: 'A-1' } } },
      startedBy: world.tenant.tenantUserId,
    })
    expect(run.steps.map(({ step, event }: { step?: string; event: string }) => [step, event])).toEqual([
      [undefined, 'started'],
      ['save', 'started'],
      ['save', 'done'],
    ])
    const listed = await world.call('list_action_runs', { actionPack })
    expect(listed.map((row: { installId: number }) => row.installId)).toEqual([other.installId, one.installId])
    expect(await world.call('list_action_runs', { installId: one.installId, states: ['failed'] })).toEqual([])
    expect(await world.call('list_workflow_instances')).toEqual([])
  })

  it('tells what it read to who sees everything, and to nobody from whom rules withhold something', async () => {
    const tenant = await world.newTenant()
    const as = { key: tenant.key }
    await world.call('create_property', { internalName: 'Status', dataType: 'Text' }, as)
    await world.call('create_entity', { internalName: 'Vault', properties: [{ property: 'Status' }] }, as)
    const open = [{ property: 'Status', op: 'eq', value: 'open' }]
    const rules = [
      { role: 'BuilderAdmin', read: true, create: true },
      { role: 'DataView', read: true, filter: open },
    ]
    await world.call('set_entity_access', { entity: 'Vault', rules }, as)
    await world.call('save_instance', { entity: 'Vault', key1: 'V-1', data: { Status: 'open' } }, as)
    const look = { internalName: 'look', stepType: 'getRecord', config: { entity: 'Vault', key1: 'V-1' } }
    const tell = { internalName: 'tell', stepType: 'end', config: { state: 'completed', output: '[[$steps.look.record.Status]]' } }
    const said = manifest([look, tell])
    await world.call('create_action_pack', said, as)
    const { installId } = await world.call('install_action_pack', { actionPack: said.internalName }, as)
    const { actionRunId } = await world.call('fire_action_pack_install', { installId }, as)
    const shown = async (key: string) => {
      const { state, output, withheld } = await world.call('get_action_run', { actionRunId }, { key })
      return { state, output, withheld }
    }
    await expect.poll(async () => (await shown(tenant.key)).state).toBe('succeeded')
    expect(await shown(tenant.key)).toMatchObject({ output: 'open', withheld: undefined })
    const viewer = await tenant.keyWith(['DataView'])
    expect(await shown(viewer)).toMatchObject({ output: undefined, withheld: ['trigger.payload', 'output', 'error'] })
  })

  it('asks for the input that its manual trigger declares', async () => {
    const triggers = [{ triggerType: 'manual', config: { input: [{ name: 'key', dataType: 'Text', isRequired: true }] } }]
    const { installId } = await install([{ internalName: 'save', ...save('[[$trigger.input.key]]') }], { triggers })
    expect(await world.refusal('fire_action_pack_install', { installId, input: { kei: 'x' } })).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.input.kei', suggestion: 'key' }, { path: '$.input.key' }],
    })
  })

  it('is partly done where a loop went on past failures', async () => {
    const each = { internalName: 'one', stepType: 'getRecord', config: { entity: 'Order', key1: '[[$item]]' }, onError: 'continue' }
    const { installId } = await install([
      { internalName: 'all', stepType: 'forEach', config: { over: '[[$trigger.input.keys]]', steps: [each] } },
    ])
    await world.call('save_instance', { entity: 'Order', key1: 'P-1', data: {} })
    const run = await until(await fire(installId, { keys: ['P-1', 'absent'] }), 'partly')
    expect(await world.call('list_action_runs', { installId, states: ['partly'] })).toMatchObject([{ actionRunId: run.actionRunId }])
  })

  it('fails with its reason, and goes on once it is retried', async () => {
    const { installId } = await install([
      { internalName: 'find', stepType: 'getRecord', config: { entity: 'Order', key1: 'R-1' } },
      { internalName: 'save', ...save('R-1', 'found') },
    ])
    const actionRunId = await fire(installId)
    expect(await until(actionRunId, 'failed')).toMatchObject({ error: { code: 'not_found', step: 'find' } })
    await world.call('save_instance', { entity: 'Order', key1: 'R-1', data: {} })
    await world.call('retry_action_run', { actionRunId })
    await until(actionRunId, 'succeeded')
    expect(await statusOf('R-1')).toBe('found')
    const told = await world.call('list_events', { kinds: ['action.completed', 'action.failed'], pageSize: 200 })
    const own = told.filter(({ data }: { data: { actionRunId: number } }) => data.actionRunId === actionRunId)
    expect(own.map(({ type, data }: { type: string; data: { state: string } }) => `${type} ${data.state}`)).toEqual([
      'action.completed succeeded',
      'action.failed failed',
    ])
    expect(own[0].data).toMatchObject({ installId, version: '1.0.0' })
    expect(await world.refusal('retry_action_run', { actionRunId })).toMatchObject({ code: 'conflict' })
    expect(await world.refusal('cancel_action_run', { actionRunId })).toMatchObject({ code: 'conflict' })
  })

  it('keeps the version and settings that it began with, and undoes what it did when its install goes', async () => {
    const waits = { internalName: 'heard', stepType: 'waitForEvent', config: { event: 'go' } }
    const done = { internalName: 'done', ...save('U-1', 'first [[$settings.status]]') }
    const made = {
      internalName: 'make',
      ...save('U-2'),
      compensate: { stepType: 'saveRecord', config: { entity: 'Order', key1: 'U-2', values: { Status: 'undone' } } },
    }
    const said = manifest([made, waits, done])
    await world.call('create_action_pack', said)
    const actionPack = said.internalName
    const { installId } = await world.call('install_action_pack', { actionPack })
    const [first, second] = [await fire(installId), await fire(installId)]
    await until(first, 'waiting')
    await until(second, 'waiting')
    const { internalName: _name, ...next } = said
    await world.call('update_action_pack', {
      actionPack,
      ...next,
      version: '2.0.0',
      steps: [{ internalName: 'nothing', stepType: 'decide', config: {} }],
    })
    await world.call('update_action_pack_install', { installId, version: '2.0.0', settings: { status: 'changed' } })
    await world.call('signal_workflow_instance', { workflowInstanceId: first, event: 'go' })
    expect(await until(first, 'succeeded')).toMatchObject({ version: '1.0.0' })
    expect(await statusOf('U-1')).toBe('first seen')
    expect(await until(await fire(installId), 'succeeded')).toMatchObject({ version: '2.0.0' })
    await world.call('uninstall_action_pack', { installId })
    await until(second, 'cancelled')
    expect(await statusOf('U-2')).toBe('undone')
    expect(await world.call('list_action_runs', { actionPack })).toHaveLength(3)
  })

  it('ends with its install where it waits, or waits for its turn, and is told of with the reason', async () => {
    const waits = {
      internalName: 'heard',
      stepType: 'waitForEvent',
      config: { trigger: { triggerType: 'recordCreated', config: { entity: 'Order' } } },
    }
    const { installId } = await install([waits], { concurrency: 'queue' })
    const [first, second] = [await fire(installId), await fire(installId)]
    await until(first, 'waiting')
    expect(await get(second)).toMatchObject({ state: 'queued' })
    await world.call('uninstall_action_pack', { installId })
    for (const actionRunId of [first, second]) {
      const { steps } = await until(actionRunId, 'cancelled')
      expect(steps).toContainEqual(
        expect.objectContaining({ event: 'commented', by: world.tenant.tenantUserId, comment: 'The pack was uninstalled.' }),
      )
      await expect.poll(() => told(actionRunId)).toEqual(['action.completed cancelled'])
    }
    const { steps } = await get(first)
    expect(steps.at(-1)).toMatchObject({ step: 'heard', event: 'skipped' })
  })

  it('starts what waits for the end of runs of its pack, in these states, and of no other', async () => {
    const failing = await install([{ internalName: 'find', stepType: 'getRecord', config: { entity: 'Order', key1: 'nowhere' } }])
    const other = await install([{ internalName: 'find', stepType: 'getRecord', config: { entity: 'Order', key1: 'nowhere' } }])
    const { actionPack } = await until(await fire(failing.installId), 'failed')
    await triggerWorld.drain()
    const triggers = [{ triggerType: 'runCompleted', config: { of: 'actionPack', name: actionPack, states: ['failed'] } }]
    const watching = await install([{ internalName: 'nothing', stepType: 'decide', config: {} }], { triggers })
    const actionRunId = await fire(failing.installId)
    await until(await fire(other.installId), 'failed')
    await until(actionRunId, 'failed')
    const begun = async () => {
      await triggerWorld.drain()
      return world.call('list_action_runs', { installId: watching.installId, states: ['succeeded'] })
    }
    await expect.poll(begun).toHaveLength(1)
    const [run] = await begun()
    expect(run.trigger).toEqual({ triggerType: 'runCompleted', payload: { id: actionRunId, state: 'failed', result: null } })
  })

  it('is cancelled, and is no action run where it is the run of a workflow', async () => {
    const { installId } = await install([{ internalName: 'heard', stepType: 'waitForEvent', config: { event: 'go' } }])
    const actionRunId = await fire(installId)
    await until(actionRunId, 'waiting')
    await world.call('cancel_action_run', { actionRunId })
    await until(actionRunId, 'cancelled')
    const steps = [{ internalName: 'check', stepType: 'approval', config: { question: 'Go?' } }]
    await world.call('import_workflow', { internalName: 'Flow', displays: [], steps, triggers: [] })
    await world.call('publish_workflow', { workflow: 'Flow' })
    const { workflowInstanceId } = await world.call('start_workflow', { workflow: 'Flow' })
    expect(await world.refusal('get_action_run', { actionRunId: workflowInstanceId })).toMatchObject({ code: 'not_found' })
    const other = await world.newTenant()
    expect(await world.refusal('get_action_run', { actionRunId }, other.key)).toMatchObject({ code: 'not_found' })
    expect(await world.call('list_action_runs', {}, { key: other.key })).toEqual([])
  })

  it('shows a mark for nobody: sensitive settings are masked in the log', async () => {
    const settings = [{ name: 'token', dataType: 'Text', isRequired: true, isSensitive: true }]
    const call = {
      internalName: 'call',
      stepType: 'callHttp',
      config: { method: 'GET', url: 'https://127.0.0.1:1/[[$settings.token]]' },
      retry: { attempts: 1 },
    }
    const { installId } = await install([call], { settings }, { token: 'sesame' })
    const run = await until(await fire(installId), 'failed')
    const text = JSON.stringify(run)
    expect(text).not.toContain('sealed:')
    expect(text).not.toContain('sesame')
    const [stored] =
      await world.sql`select input::text from platform.workflow_step_run where run_id = ${run.actionRunId} and input is not null`
    expect(stored?.['input']).toContain('⟦sealed:')
    expect(masked(JSON.parse(String(stored?.['input'])), { names: new Set() })).toEqual({ method: 'GET', url: 'https://127.0.0.1:1/•••' })
  })

  it('sends a sensitive setting to its address alone, and shows nothing of what is said back of it', async () => {
    const secret = 'sesame-1234567'
    const server = await startOddServer(({ path, headers }, response) => {
      if (path === '/away') response.writeHead(302, { location: '/echo' }).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ got: headers['x-key'] }))
    })
    try {
      const settings = [{ name: 'token', dataType: 'Text', isRequired: true, isSensitive: true }]
      const call = (url: string) => ({
        internalName: 'call',
        stepType: 'callHttp',
        config: { method: 'GET', url, headers: { 'X-Key': '[[$settings.token]]' } },
        retry: { attempts: 1 },
      })
      const shown = async (url: string, state: string) => {
        const { installId } = await install([call(url)], { settings }, { token: secret })
        const run = await until(await fire(installId), state)
        const rows = await world.sql`
          select result::text, error::text from platform.workflow_step_run where run_id = ${run.actionRunId}
          union all select output::text, error::text from platform.workflow_log where run_id = ${run.actionRunId}`
        return JSON.stringify([run, ...rows])
      }
      const echoed = await shown(`${server.url}/echo`, 'succeeded')
      expect(server.heard.at(-1)?.headers).toMatchObject({ 'x-key': secret })
      expect(echoed).toContain('•••')
      const away = await shown(`${server.url}/away`, 'failed')
      expect(server.heard.map(({ path }) => path)).toEqual(['/echo', '/away'])
      const named = await shown('https://exa mple.com/[[$settings.token]]', 'failed')
      expect(named).toContain('is no address')
      for (const text of [echoed, away, named]) expect(text).not.toContain(secret)
    } finally {
      await server.close()
    }
  })
})

describe('the summary of the Action Center', () => {
  it('counts runs, failures and latency by install and by time', async () => {
    const good = await install([{ internalName: 'save', ...save('S-1') }])
    const bad = await install([{ internalName: 'find', stepType: 'getRecord', config: { entity: 'Order', key1: 'nowhere' } }])
    for (const actionRunId of [await fire(good.installId), await fire(good.installId)]) await until(actionRunId, 'succeeded')
    await until(await fire(bad.installId), 'failed')
    const all = await world.call('get_action_center_summary')
    expect(all.packs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ installId: good.installId, runs: 2, succeeded: 2, failureRate: 0 }),
        expect.objectContaining({ installId: bad.installId, runs: 1, failed: 1, failureRate: 1 }),
      ]),
    )
    const one = await world.call('get_action_center_summary', { installId: good.installId })
    expect(one).toMatchObject({ total: { runs: 2, underWay: 0, failureRate: 0 }, isTruncated: false })
    expect(one.total.latencyMs.p95).toBeGreaterThan(0)
    expect(one.times.reduce((sum: number, { runs }: { runs: number }) => sum + runs, 0)).toBe(2)
    const before = await world.call('get_action_center_summary', { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })
    expect(before).toMatchObject({ total: { runs: 0, failureRate: null, latencyMs: null }, packs: [], times: [] })
    expect(await world.refusal('get_action_center_summary', { from: '2020-01-01T00:00:00Z', to: '2024-01-02T00:00:00Z' })).toMatchObject({
      code: 'invalid_input',
    })
  })
})
