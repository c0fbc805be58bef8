/** Runs over weeks: deadlines, hours of the day and tries, with the clock moved. Tries that Temporal paces need its server that skips time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startOddServer } from './support/odd-server.ts'
import { clocksGoBack, dayMs, hourMs, openWeek, type Week } from './support/week.ts'
import type { World } from './support/world.ts'

let week: Week
let world: World

beforeAll(async () => {
  // The Saturday, at noon.
  week = await openWeek((now) => new Date(clocksGoBack(now).getTime() - dayMs + 12 * hourMs))
  ;({ world } = week)
})
afterAll(() => week?.close())

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows.
type Any = any

async function person(userName: string, more: object = {}) {
  const roles = ['DataView', 'DataEdit']
  const { tenantUserId } = await world.call('create_user', { userName, email: `${userName}@weeks.test`, roles, ...more })
  const { apiKey } = await world.call('create_api_key', { name: userName, roles, tenantUserId })
  return { tenantUserId: tenantUserId as number, key: apiKey as string }
}

async function start(internalName: string, steps: readonly object[], key?: string): Promise<number> {
  await world.call('import_workflow', { internalName, displays: [], roles: ['DataView', 'DataEdit'], steps, triggers: [] })
  const { issues } = await world.call('publish_workflow', { workflow: internalName })
  expect(issues).toEqual([])
  return (await world.call('start_workflow', { workflow: internalName }, key === undefined ? {} : { key })).workflowInstanceId
}

const get = (workflowInstanceId: number): Promise<Any> => world.call('get_workflow_instance', { workflowInstanceId })
const log = (workflowInstanceId: number): Promise<Any[]> => world.call('get_workflow_instance_log', { workflowInstanceId, pageSize: 200 })

describe('a run over weeks', () => {
  it('waits until nine where its starter is, over the night in which the clocks go back', async () => {
    const { key } = await person('early', { timezone: 'Europe/Madrid' })
    const runId = await start('Nine', [{ internalName: 'morning', stepType: 'wait', config: { until: '09:00' } }], key)
    await week.pass(19, 1)
    expect(await get(runId)).toMatchObject({ state: 'waiting' })
    await week.pass(2, 1)
    expect(await get(runId)).toMatchObject({ state: 'completed' })
    const done = (await log(runId)).find(({ event, step }) => event === 'done' && step === 'morning')
    const sunday = clocksGoBack(new Date(week.clock.now().getTime() - 365 * dayMs))
    expect(done.output.at).toBe(new Date(sunday.getTime() + 8 * hourMs).toISOString())
  })

  it('tells of a task once three weeks have gone by, and gives it to the next', async () => {
    const [first, next] = [await person('first'), await person('next')]
    const runId = await start('Slow', [
      {
        internalName: 'check',
        stepType: 'approval',
        config: { question: 'Is it well?' },
        assignee: { tenantUserId: first.tenantUserId },
        actions: [{ internalName: 'approve' }],
        dueIn: 'P21D',
        onOverdue: { assign: { tenantUserId: next.tenantUserId } },
      },
    ])
    const tasks = async ({ key }: { key: string }) => (await world.call('list_my_tasks', {}, { key })).length as number
    await week.pass(20 * 24, 48)
    expect([await tasks(first), await tasks(next)]).toEqual([1, 0])
    expect((await log(runId)).map(({ event }) => event)).not.toContain('overdue')
    await week.pass(30, 6)
    await expect.poll(async () => [await tasks(first), await tasks(next)]).toEqual([0, 1])
    await week.pass(14 * 24, 48)
    expect((await log(runId)).filter(({ event }) => event === 'overdue')).toHaveLength(1)
    await world.call('act_on_workflow_instance', { workflowInstanceId: runId, action: 'approve' }, { key: next.key })
    await expect.poll(async () => (await get(runId)).state).toBe('completed')
  })

  it('tries an address that is away for two days as slowly as it was told to, always under the same key', async (test) => {
    if (!week.skipsTime) test.skip('Tries go by the clock of Temporal, which skips time with Java and Maven alone')
    let isBack = false
    const server = await startOddServer((_request, response) => void response.writeHead(isBack ? 204 : 503).end())
    try {
      const runId = await start('Away', [
        {
          internalName: 'call',
          stepType: 'callHttp',
          config: { method: 'POST', url: server.url, body: { is: 'late' } },
          retry: { attempts: 20, firstSeconds: 3_600, maxSeconds: 14_400 },
        },
      ])
      const heard = () => server.heard.length
      await expect.poll(heard).toBe(1)
      const hours = [1, 2, ...Array.from({ length: 11 }, () => 4)]
      for (const [index, pause] of hours.entries()) {
        await week.isAway(pause)
        await expect.poll(heard).toBe(index + 2)
      }
      expect(hours.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(46)
      expect(await get(runId)).toMatchObject({ state: 'running' })
      isBack = true
      await week.isAway(4)
      await expect.poll(async () => (await get(runId)).state).toBe('completed')
      expect(heard()).toBe(hours.length + 2)
      expect(new Set(server.heard.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    } finally {
      await server.close()
    }
  })
})
