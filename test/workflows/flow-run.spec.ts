/** Runs of definitions on a real Temporal: what they do in which order, what people do to them, and that each effect happens once. */
import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { isSuspended as isSuspendedNow } from '#platform/tenant-state.ts'
import { actOn, assignTask, cancelRun, findTask, pauseRun, resumeRun, retryRun, signalRun } from '#tools/workflows/service.ts'

import { type FlowWorld, openFlowWorld, planOf } from '../support/flow-runs.ts'
import { keepHistory, replayHistories } from '../support/histories.ts'
import { patience } from '../support/patience.ts'
import { openTemporal, type TestTemporal } from '../support/temporal.ts'
import { openWorld, type TestTenant, type World } from '../support/world.ts'

let world: World
let temporal: TestTemporal
let flow: FlowWorld
let entityId: number
/** Steps whose first try is committed and never told of, as where a worker dies. */
const lost = new Set<string>()

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  for (const [internalName, dataType] of [
    ['Title', 'Text'],
    ['Status', 'Text'],
    ['Amount', 'Number'],
  ])
    await world.call('create_property', { internalName, dataType })
  const properties = ['Title', 'Status', 'Amount'].map((property) => ({ property }))
  ;({ entityId } = await world.call('create_entity', { internalName: 'Order', properties }))
  flow = await openFlowWorld(world, temporal, ({ path, phase }) => lost.delete(`${phase} ${path.step}`))
})
afterAll(async () => {
  await flow?.close()
  await world?.close()
  await temporal?.close()
})

const keep = async (runId: number, name: string) => {
  await flow.worker.client.workflow.getHandle(flow.idOf(runId)).result()
  // The histories without `local` are of runs that began before steps were carried out beside the workflow; nothing makes such any more.
  await keepHistory(flow.worker.client, flow.idOf(runId), `flow-local-${name}`)
}
const save = async (key1: string, data: object = {}): Promise<number> =>
  (await world.call('save_instance', { entity: 'Order', key1, data })).eiRecordId
const statusOf = async (key1: string) => (await world.call('get_instance_by_key', { entity: 'Order', key1 })).data
const set = (internalName: string, values: object, more: object = {}) => ({ internalName, stepType: 'set', config: { values }, ...more })
const saves = (internalName: string, key1: string, values: object, more: object = {}) => ({
  internalName,
  stepType: 'saveRecord',
  config: { entity: 'Order', key1, values },
  ...more,
})
const approve = (runId: number, action = 'approve', more: object = {}) =>
  flow.act(runId, async (context, run, version) => {
    const act = { action, ...more }
    await actOn(context, await findTask(context, version, run, act), act)
  })

describe('a run', () => {
  it('carries its steps out in order, passes values on, and leads where branches do', async () => {
    const eiRecordId = await save('first', { Status: 'open', Amount: 7 })
    const steps = [
      set('double', { twice: { $expr: ['*', '[[Order.Amount]]', 2] } }),
      {
        internalName: 'large',
        stepType: 'decide',
        branches: [
          { when: [{ property: '$vars.twice', op: 'lt', value: 10 }], goTo: 'small' },
          {
            when: [
              { property: 'Status', op: 'eq', value: 'open' },
              { property: '$vars.twice', op: 'eq', value: 14 },
            ],
            goTo: 'close',
          },
        ],
      },
      set('small', { wrong: true }),
      saves('close', 'first', { Status: 'done by [[$input.who]]', Title: 'twice [[$vars.twice]]' }),
      { internalName: 'never', stepType: 'set', config: { values: {} }, when: [{ property: 'Status', op: 'eq', value: 'open' }] },
      { internalName: 'read', stepType: 'getRecord', config: { entity: 'Order', key1: 'first' } },
      { internalName: 'over', stepType: 'end', config: { state: 'completed', output: '[[$steps.read.record.Status]]' } },
    ]
    const runId = await flow.start(steps, { eiRecordId, entityId, entity: 'Order', input: { who: 'Ana' } })
    expect(await flow.until(runId, 'completed', 'failed')).toEqual({
      state: 'completed',
      variables: { twice: 14 },
      output: 'done by Ana',
      error: null,
    })
    expect(await statusOf('first')).toMatchObject({ Status: 'done by Ana', Title: 'twice 14' })
    expect(await flow.log(runId)).toEqual([
      'started',
      'double started',
      'double done',
      'large started',
      'large done',
      'close started',
      'close done',
      'never started',
      'never skipped',
      'read started',
      'read done',
      'over started',
      'over done',
    ])
    await keep(runId, 'steps')
  })

  it('fails with the sentence of the step that failed, and goes on past one that may', async () => {
    const bad = (name: string, more: object = {}) => ({
      internalName: name,
      stepType: 'getRecord',
      config: { entity: 'Order', key1: 'nowhere' },
      ...more,
    })
    const runId = await flow.start([bad('lenient', { onError: 'continue' }), bad('strict')])
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'failed', error: { code: 'not_found', step: 'strict' } })
    expect(await flow.steps(runId)).toMatchObject([{ state: 'failed' }, { state: 'failed' }])
  })

  it('waits for a person, of whom the first counts, and leads where the action does', async () => {
    const steps = [
      {
        internalName: 'check',
        stepType: 'approval',
        config: { question: 'Is it complete?' },
        actions: [
          { internalName: 'yes', goTo: 'end', set: { answer: '[[$answer.comment]]' } },
          { internalName: 'no', requiresComment: true },
        ],
      },
      set('redo', { again: true }),
    ]
    const runId = await flow.start(steps)
    await flow.until(runId, 'waiting')
    await expect(approve(runId, 'perhaps')).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(approve(runId, 'no')).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringMatching(/comment/) })
    const both = await Promise.allSettled([approve(runId, 'yes', { comment: 'fine' }), approve(runId, 'yes', { comment: 'fine' })])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toMatchObject([{ code: 'conflict' }])
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { answer: 'fine' } })
    expect(await flow.steps(runId)).toMatchObject([{ step: 'check', state: 'done', result: { action: 'yes', comment: 'fine' } }])
  })

  it('keeps a signal that comes before the step that waits for it', async () => {
    const steps = [
      { internalName: 'check', stepType: 'approval', config: { question: 'Go on?' } },
      { internalName: 'parts', stepType: 'waitForEvent', config: { event: 'partsArrived' } },
      { internalName: 'more', stepType: 'waitForEvent', config: { event: 'partsArrived' } },
      set('note', { count: '[[$steps.parts.payload.count]]' }),
    ]
    const runId = await flow.start(steps)
    await flow.until(runId, 'waiting')
    const signal = (count: number) => flow.act(runId, (context, run) => signalRun(context, run, 'partsArrived', { count }))
    await signal(3)
    await approve(runId)
    await expect.poll(async () => (await flow.log(runId)).at(-1)).toBe('more waiting')
    await signal(4)
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { count: 3 } })
    await keep(runId, 'waits')
  })

  it('holds before its next step while it is paused, though its time comes meanwhile', async () => {
    const runId = await flow.start([{ internalName: 'pause', stepType: 'wait', config: { for: 'PT1S' } }, set('after', { done: true })])
    await flow.until(runId, 'waiting')
    await flow.act(runId, pauseRun)
    await expect(flow.act(runId, pauseRun)).rejects.toMatchObject({ code: 'conflict' })
    await expect
      .poll(async () =>
        (await flow.worker.client.workflow.getHandle(flow.idOf(runId)).fetchHistory()).events?.some((one) => one.timerFiredEventAttributes),
      )
      .toBe(true)
    expect(await flow.until(runId, 'paused')).toMatchObject({ variables: {} })
    await flow.act(runId, resumeRun)
    expect(await flow.until(runId, 'completed')).toMatchObject({ variables: { done: true } })
    await keep(runId, 'paused')
  })

  it('undoes what was done in reverse when it is cancelled', async () => {
    const undo = (key: string) => ({
      compensate: { stepType: 'saveRecord', config: { entity: 'Order', key1: key, values: { Status: 'undone' } } },
    })
    const steps = [
      saves('one', 'c1', { Status: 'made' }, undo('c1')),
      saves('plain', 'c0', { Status: 'made' }),
      saves('two', 'c2', { Status: 'made' }, undo('c2')),
      { internalName: 'check', stepType: 'approval', config: { question: '?' } },
      saves('three', 'c3', { Status: 'made' }, undo('c3')),
    ]
    const runId = await flow.start(steps)
    await flow.until(runId, 'waiting')
    await flow.act(runId, cancelRun)
    expect(await flow.until(runId, 'cancelled', 'failed')).toMatchObject({ state: 'cancelled' })
    expect((await flow.log(runId)).filter((line) => line.endsWith('compensated'))).toEqual(['two compensated', 'one compensated'])
    expect([await statusOf('c0'), await statusOf('c1'), await statusOf('c2')]).toMatchObject([
      { Status: 'made' },
      { Status: 'undone' },
      { Status: 'undone' },
    ])
    await keep(runId, 'cancelled')
    await expect(flow.act(runId, cancelRun)).rejects.toMatchObject({ code: 'conflict' })
    await expect(approve(runId)).rejects.toMatchObject({ code: 'conflict' })
  })

  describe('of a tenant that is suspended while it is undone', () => {
    const made = (key1: string) => {
      const compensate = { stepType: 'saveRecord', config: { entity: 'Order', key1, values: { Status: 'undone' } } }
      return [
        saves('make', key1, { Status: 'made' }, { compensate }),
        { internalName: 'go', stepType: 'waitForEvent', config: { event: 'go' } },
      ]
    }
    let global: TestTenant
    beforeAll(async () => {
      global = await world.newTenant(1023)
    })
    const turn = async (name: string, isSuspended: boolean) => {
      const { tenantId } = world.tenant
      await world.call(name, { tenantId }, { key: global.key })
      await expect.poll(() => isSuspendedNow(world.platform.services, tenantId)).toBe(isSuspended)
    }
    const suspend = () => turn('suspend_tenant', true)
    const activate = () => turn('activate_tenant', false)

    it('waits, and undoes each step once the tenant is let in again', async () => {
      const runId = await flow.start(made('s1'))
      await flow.until(runId, 'waiting')
      await suspend()
      await flow.act(runId, cancelRun)
      const { workflow } = flow.worker.client
      const events = async () => (await workflow.getHandle(flow.idOf(runId)).fetchHistory()).events ?? []
      await expect.poll(async () => (await events()).some((one) => one.timerStartedEventAttributes), patience).toBe(true)
      expect(await flow.log(runId)).not.toContain('make compensated')
      await activate()
      expect(await flow.until(runId, 'cancelled', 'failed')).toMatchObject({ state: 'cancelled' })
      expect(await flow.log(runId)).toContain('make compensated')
      expect(await statusOf('s1')).toMatchObject({ Status: 'undone' })
    })

    it('undoes again what was refused because the suspension came in the middle of it', async () => {
      const runId = await flow.start(made('s2'))
      await flow.until(runId, 'waiting')
      const version = await flow.act(runId, (_context, _run, its) => Promise.resolve(its))
      const { services } = world.platform
      const { pipeline } = services
      let isFirst = true
      const run: typeof pipeline.run = async (call) => {
        if (isFirst) await suspend()
        isFirst = false
        return pipeline.run(call)
      }
      const findVersion = () => Promise.resolve(version)
      const { compensateNext } = createFlowActivities({ services: { ...services, pipeline: { ...pipeline, run } }, findVersion })
      const ref = { tenantId: world.tenant.tenantId, runId }
      const next = () => new MockActivityEnvironment({ attempt: 11 }).run(compensateNext, ref)
      const paused = { hasMore: true, waitMs: 60_000 }
      expect([await next(), await next()]).toEqual([paused, paused])
      await activate()
      expect(await flow.log(runId)).not.toContain('make failed')
      expect([await next(), await next()]).toEqual([{ hasMore: true }, { hasMore: false }])
      expect(await statusOf('s2')).toMatchObject({ Status: 'undone' })
    })

    it('ends where the tenant is gone', async () => {
      const { services } = world.platform
      const { compensateNext } = createFlowActivities({ services, findVersion: () => Promise.resolve(undefined) })
      const ended = new MockActivityEnvironment().run(compensateNext, { tenantId: 2_000_000_000, runId: 1 })
      expect(await ended).toEqual({ hasMore: false })
    })
  })

  it('goes on from the step that failed when it is retried', async () => {
    const steps = [
      saves('make', 'r1', { Status: 'made' }),
      { internalName: 'read', stepType: 'getRecord', config: { entity: 'Order', key1: 'later' } },
      set('note', { found: '[[$steps.read.record.externalKey]]' }),
    ]
    const runId = await flow.start(steps)
    await flow.until(runId, 'failed')
    await save('later')
    await flow.act(runId, retryRun)
    expect(await flow.until(runId, 'completed')).toMatchObject({ variables: { found: 'later' } })
    expect((await flow.steps(runId)).map(({ step, state }) => `${step} ${state}`)).toEqual([
      'make done',
      'read failed',
      'read done',
      'note done',
    ])
    await expect(flow.act(runId, retryRun)).rejects.toMatchObject({ code: 'conflict' })
    await flow.worker.client.workflow.getHandle(flow.idOf(runId, 2)).result()
    await keepHistory(flow.worker.client, flow.idOf(runId, 2), 'flow-local-retried')
  })

  it('sends, deletes, reports and calls by the queue, between steps beside it', async () => {
    const eiRecordId = await save('called', { Amount: 3 })
    const definitionJson = { primaryEntityId: 'Order', columns: [{ property: 'Amount' }] }
    const steps = [
      { internalName: 'tell', stepType: 'notify', config: { to: { tenantUserId: world.tenant.tenantUserId }, text: 'Called' } },
      { internalName: 'report', stepType: 'runReport', config: { definitionJson } },
      { internalName: 'gone', stepType: 'deleteRecord', config: { entity: 'Order', eiRecordId } },
      { internalName: 'count', stepType: 'callOperation', config: { operation: 'count_instances', input: { entity: 'Order' } } },
      set('note', { rows: '[[$steps.report.rows|count]]', left: '[[$steps.count.count]]' }),
    ]
    const runId = await flow.start(steps, { roleFlag: 511 })
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', error: null })
    await keep(runId, 'calls')
  })

  it('says the words of a template, with values of the run', async () => {
    const text = 'Run [[$param.run]] for [[$recipient.displayName|default:"nobody"]]'
    await world.call('save_message_template', { internalName: 'Told', languageCode: 'en-US', text })
    const to = { tenantUserId: world.tenant.tenantUserId }
    const config = { to, template: 'Told', params: { run: '[[$run.number]]' } }
    const runId = await flow.start([{ internalName: 'tell', stepType: 'notify', config }])
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', error: null })
    const [sent] = await world.sql<{ count: number }[]>`
      select count(*)::int as count from platform.message where text like ${`Run ${runId} for %`}`
    expect(sent).toEqual({ count: 1 })
  })

  it('asks for a form, and goes on with what was entered', async () => {
    const fill = { internalName: 'fill', stepType: 'form', config: { form: 'Any' } }
    const runId = await flow.start([fill, set('note', { said: '[[$steps.fill.values.Status]]' })])
    await flow.until(runId, 'waiting')
    await approve(runId, 'submit', { values: { Status: 'filled' } })
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { said: 'filled' } })
    await keep(runId, 'form')
  })

  it('carries out a list of any length', async () => {
    const many = Array.from({ length: 25 }, (_, index) => set(`s${index}`, { last: index }))
    const runId = await flow.start(many)
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { last: 24 } })
    await keep(runId, 'many')
  })

  it('carries lanes out beside each other, and a loop for each item', async () => {
    const steps = [
      {
        internalName: 'both',
        stepType: 'parallel',
        config: {
          join: 'all',
          lanes: [
            { internalName: 'left', steps: [saves('l1', 'lane1', { Status: 'left' })] },
            { internalName: 'right', steps: [saves('r1', 'lane2', { Status: 'right' })] },
          ],
        },
      },
      {
        internalName: 'each',
        stepType: 'forEach',
        config: {
          over: '[[$input.names]]',
          maxParallel: 2,
          steps: [saves('make', 'item-[[$item]]', { Title: 'no [[$index]]', Status: '[[$vars.word]]' })],
        },
      },
      set('count', {
        items: '[[$steps.each.items|count]]',
        last: '[[$steps.each.items[last].outcome]]',
        left: '[[$steps.both.left.outcome]]',
      }),
    ]
    const runId = await flow.start(steps, { input: { names: ['a', 'b', 'c'] }, variables: [{ name: 'word', value: 'made' }] })
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({
      state: 'completed',
      error: null,
      variables: { items: 3, last: 'inserted', left: 'inserted' },
    })
    await keep(runId, 'lanes')
    expect(await Promise.all(['item-a', 'item-b', 'item-c'].map(statusOf))).toMatchObject([
      { Title: 'no 0', Status: 'made' },
      { Title: 'no 1', Status: 'made' },
      { Title: 'no 2', Status: 'made' },
    ])
  })

  it('ends a parallel step with the first lane that ends well, and withdraws what the others wait for', async () => {
    const lanes = [
      { internalName: 'person', steps: [{ internalName: 'check', stepType: 'approval', config: { question: '?' } }] },
      { internalName: 'event', steps: [{ internalName: 'go', stepType: 'waitForEvent', config: { event: 'go' } }] },
    ]
    const runId = await flow.start([
      { internalName: 'race', stepType: 'parallel', config: { join: 'any', lanes } },
      set('after', { done: true }),
    ])
    await expect.poll(async () => (await flow.log(runId)).filter((line) => line.endsWith('waiting')).length).toBe(2)
    await flow.act(runId, (context, run) => signalRun(context, run, 'go', null))
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { done: true } })
    expect((await flow.steps(runId)).map(({ step, state }) => `${step} ${state}`)).toContain('check withdrawn')
  })

  it('goes where a task leads that is overdue, and where an event that does not come', async () => {
    const steps = [
      {
        internalName: 'check',
        stepType: 'approval',
        config: { question: '?' },
        dueIn: 'PT1S',
        onOverdue: { goTo: 'late' },
      },
      set('never', { wrong: true }),
      { internalName: 'late', stepType: 'waitForEvent', config: { event: 'go', timeout: 'PT1S', onTimeout: 'over' } },
      set('neither', { wrong: true }),
      set('over', { payload: '[[$steps.late.payload]]' }),
    ]
    const runId = await flow.start(steps)
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { payload: null } })
    expect(await flow.log(runId)).toContain('check overdue')
  })

  it('tells whom it may concern that a task is overdue, once, and lets it wait on', async () => {
    const { tenantUserId } = await world.call('create_user', { email: 'overdue@example.com', roles: [] })
    const onOverdue = { notify: { to: { tenantUserId }, text: 'It is late' } }
    const check = { internalName: 'check', stepType: 'approval', config: { question: '?' }, dueIn: 'PT1S', onOverdue }
    const runId = await flow.start([check])
    await expect.poll(() => flow.log(runId)).toContain('check overdue')
    const toldOf = () => world.sql`select 1 from platform.message m join platform.conversation c using (tenant_id, conversation_id)
      where m.tenant_id = ${world.tenant.tenantId} and c.tenant_user_id = ${tenantUserId} and m.text = 'It is late'`
    await expect.poll(async () => (await toldOf()).length).toBe(1)
    await approve(runId)
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed' })
    expect((await toldOf()).length).toBe(1)
  })

  it('does not go on behind an end that is too large', async () => {
    const text = 'x'.repeat(250_000)
    const copies = Array.from({ length: 7 }, (_, at) => set(`copy${at}`, { [`v${at}`]: '[[$input.text]]' }))
    const over = { internalName: 'over', stepType: 'end', config: { state: 'completed', output: '[[$input.text]]' } }
    const runId = await flow.start([...copies, over, set('never', { wrong: true })], { input: { text } })
    const run = await flow.until(runId, 'completed', 'failed')
    expect(run).toMatchObject({ state: 'failed' })
    expect((await flow.steps(runId)).map(({ step }) => step)).not.toContain('never')
  })

  it('saves nothing twice where nobody can say to what a step leads that is done', async () => {
    const input = { entity: 'Order', data: { Title: 'of an unsound branch' } }
    const branches = [{ when: [{ property: '$vars.x', op: 'between', value: ['1'] }], goTo: 'end' }]
    const runId = await flow.start([
      { internalName: 'save', stepType: 'callOperation', config: { operation: 'save_instance', input }, branches },
    ])
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'failed', error: { step: 'save' } })
    await flow.act(runId, (context, run, version) => retryRun(context, run, version))
    await expect.poll(async () => (await flow.steps(runId)).filter(({ state }) => state === 'failed').length).toBe(2)
    const filterRules = [{ property: 'Title', op: 'eq', value: 'of an unsound branch' }]
    expect(await world.call('count_instances', { entity: 'Order', filterRules })).toMatchObject({ count: 1 })
  })

  it('goes on in another workflow where its history grows long, though it never waits', async () => {
    const numbers = Array.from({ length: 1_500 }, (_, at) => at)
    const each = {
      internalName: 'each',
      stepType: 'forEach',
      config: { over: '[[$input.numbers]]', maxParallel: 10, steps: [set('note', { last: '[[$item]]' })] },
    }
    const steps = [each, set('over', { isOver: true })]
    // What is carried out beside the workflow leaves a sixth of the events.
    const runId = await flow.start(steps, { input: { numbers }, plan: planOf(steps, false) })
    const latest = () => flow.worker.client.workflow.getHandle(flow.idOf(runId)).describe()
    await expect.poll(async () => (await latest().catch(() => undefined))?.runId).toBeDefined()
    const { runId: first } = await latest()
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { isOver: true } })
    expect((await flow.steps(runId)).filter(({ step, state }) => step === 'note' && state === 'done')).toHaveLength(1_500)
    expect((await latest()).runId).not.toBe(first)
  })

  it('is cancelled where somebody cancels its workflow at Temporal, and what waits is withdrawn', async () => {
    const runId = await flow.start([{ internalName: 'check', stepType: 'approval', config: { question: '?' } }])
    await flow.until(runId, 'waiting')
    await flow.worker.client.workflow.getHandle(flow.idOf(runId)).cancel()
    expect(await flow.until(runId, 'cancelled', 'failed')).toMatchObject({ state: 'cancelled' })
    expect(await flow.steps(runId)).toMatchObject([{ step: 'check', state: 'withdrawn' }])
  })

  it('lets only whom a task is for act on it, and nobody who started the run where it says so', async () => {
    const steps = [
      { internalName: 'mine', stepType: 'approval', config: { question: '?' }, assignee: { tenantUserId: 999 }, onlyAssignee: true },
      { internalName: 'other', stepType: 'approval', config: { question: '?' } },
    ]
    const runId = await flow.start(steps)
    await flow.until(runId, 'waiting')
    await expect(approve(runId)).rejects.toMatchObject({ code: 'forbidden' })
    await flow.act(runId, (context, run) => assignTask(context, run, { tenantUserId: world.tenant.tenantUserId }))
    await approve(runId)
    await expect.poll(async () => (await flow.log(runId)).at(-1)).toBe('other waiting')
    const own = await flow.start([{ internalName: 'four', stepType: 'approval', config: { question: '?' }, notBy: ['startedBy'] }])
    await flow.until(own, 'waiting')
    await expect(approve(own)).rejects.toMatchObject({ code: 'forbidden', message: expect.stringMatching(/started/) })
  })

  it('may do what its roles allow, and nothing else', async () => {
    const runId = await flow.start([saves('make', 'forbidden', {})], { roleFlag: 2 })
    expect(await flow.until(runId, 'failed', 'completed')).toMatchObject({ state: 'failed', error: { code: 'forbidden', step: 'make' } })
  })

  it('keeps its values within their bounds', async () => {
    const runId = await flow.start([set('grow', { text: '[[$input.text]][[$input.text]]' })], { input: { text: 'x'.repeat(200_000) } })
    expect(await flow.until(runId, 'failed', 'completed')).toMatchObject({ state: 'failed', error: { code: 'too_large', step: 'grow' } })
  })
})

describe('an effect', () => {
  it('happens once, though a worker dies between committing each step and telling of it', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `once${index}`)
    for (const name of names) lost.add(`begin ${name}`)
    const branches = [{ when: [{ property: '$vars.seen', op: 'isEmpty' }], goTo: 'end' }]
    const steps = names.map((name) =>
      saves(name, name, { Status: 'made', Amount: '[[$vars.amount]]' }, name === 'once9' ? { branches } : {}),
    )
    const runId = await flow.start(steps, { variables: [{ name: 'amount', value: 5 }, { name: 'seen' }] })
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed' })
    expect(lost.size).toBe(0)
    expect(await flow.log(runId)).toEqual(['started', ...names.flatMap((name) => [`${name} started`, `${name} done`])])
    // A second save of the same values would be told as skipped, and stand in the log instead of the first.
    expect(await flow.steps(runId)).toMatchObject(names.map((step) => ({ step, state: 'done', result: { outcome: 'inserted' } })))
    const [audit] = await world.sql<{ count: number }[]>`
      select count(*)::int as count from platform.audit_event where credential_id = ${`workflow:${runId}`} and operation = 'save_instance'`
    expect(audit).toEqual({ count: 10 })
  })

  it('of a wait, an act and a message happens once likewise', async () => {
    const to = { tenantUserId: world.tenant.tenantUserId }
    for (const name of ['begin tell', 'begin check', 'begin each', 'join each']) lost.add(name)
    const runId = await flow.start(
      [
        { internalName: 'tell', stepType: 'notify', config: { to, text: 'Look at [[$run.number]]' } },
        { internalName: 'check', stepType: 'approval', config: { question: '?' } },
        { internalName: 'each', stepType: 'forEach', config: { over: '[[$input.names]]', steps: [set('one', { last: '[[$item]]' })] } },
      ],
      { input: { names: ['a', 'b'] } },
    )
    await flow.until(runId, 'waiting')
    await expect.poll(() => lost.has('begin check')).toBe(false)
    await approve(runId)
    expect(await flow.until(runId, 'completed', 'failed')).toMatchObject({ state: 'completed', variables: { last: 'b' } })
    expect(lost.size).toBe(0)
    const [sent] = await world.sql<{ count: number }[]>`
      select count(*)::int as count from platform.message where text = ${`Look at ${runId}`}`
    expect(sent).toEqual({ count: 1 })
  })
})

it('replays the histories that were kept', async () => {
  const kinds = ['cancelled', 'lanes', 'paused', 'steps', 'waits']
  const names = [
    ...kinds,
    ...[...kinds, 'asked', 'asked-withdrawn', 'calls', 'form', 'many', 'retried', 'run-workflow'].map((kind) => `local-${kind}`),
  ]
  expect(await replayHistories('flow-')).toEqual(Object.fromEntries(names.map((name) => [`flow-${name}`, 'replayed'])))
})
