/** A worker that is killed in the middle of runs, again and again: each effect happens once, and every run ends as it would have. */
import { afterAll, beforeAll, expect, it } from 'vitest'

import { connect, type DayClient } from '../day/client.ts'
import { startPatience } from '../support/patience.ts'
import { openProcessWorld, type ProcessWorld } from '../support/process-world.ts'

let world: ProcessWorld
let client: DayClient
const runs = 12
const saves = 10
const patience = { timeout: 120_000, interval: 20 }

beforeAll(async () => {
  world = await openProcessWorld({ withRedis: false })
})

afterAll(async () => {
  await client?.close()
  await world?.close()
})

const save = (step: string) => ({
  internalName: step,
  stepType: 'saveRecord',
  config: { entity: 'Effect', key1: `[[$run.number]]-${step}`, values: { No: '[[$run.number]]' } },
})

const countOf = async (query: Promise<readonly { readonly count: number }[]>): Promise<number> => {
  const [row] = await query
  return row?.count ?? 0
}
const stepsDone = () =>
  countOf(world.sql<{ count: number }[]>`select count(*)::int as count from platform.workflow_step_run where state = 'done'`)
const inState = (state: string) =>
  countOf(world.sql<{ count: number }[]>`select count(*)::int as count from platform.workflow_run where state = ${state}`)

async function inboxOf(person: DayClient): Promise<readonly { readonly messageId: number; readonly text: string }[]> {
  return (await person.tool('list_inbox', { pageSize: 100 })).messages
}

/** Kills the worker in the middle of something, which must be so, and starts another. */
async function killWhile(isUnderWay: () => Promise<boolean>): Promise<void> {
  const worker = world.named('worker-1')
  await worker.kill()
  expect(await isUnderWay()).toBe(true)
  worker.start()
}

it('carries each effect of a run out once, whenever its worker is killed', { timeout: 600_000 }, async () => {
  const { sql, named } = world
  for (const name of ['api-1', 'worker-1']) named(name).start()
  await expect.poll(() => named('api-1').states(), startPatience).toMatchObject({ postgres: 'up', temporal: 'up' })
  client = await connect(named('api-1').url, world.key)
  await client.tool('import_catalog', {
    properties: [{ internalName: 'No', dataType: 'Number' }],
    entities: [{ internalName: 'Effect', properties: [{ property: 'No' }] }],
  })
  const { tenantUserId } = await client.tool('find_or_create_user', { email: 'ana.field@example.com' })
  const steps = [
    ...Array.from({ length: saves }, (_, index) => save(`s${index}`)),
    { internalName: 'check', stepType: 'approval', config: { question: 'Is it complete?' } },
    { internalName: 'tell', stepType: 'notify', config: { to: { tenantUserId }, text: 'Run [[$run.number]] is checked' } },
    { internalName: 'ask', stepType: 'ask', config: { to: { tenantUserId }, text: 'Is run [[$run.number]] right?' } },
    { ...save('last'), when: [{ property: '$steps.ask.text', op: 'eq', value: 'It is' }] },
  ]
  const roles = ['DataView', 'DataEdit']
  const displays = [{ languageCode: 'en-US', name: 'Long' }]
  await client.tool('import_workflow', { internalName: 'Long', displays, roles, steps, triggers: [] })
  await client.tool('publish_workflow', { workflow: 'Long' })
  const { apiKey } = await client.tool('create_api_key', { name: 'Ana’s phone', roles: [], tenantUserId })
  const ana = await connect(named('api-1').url, apiKey)
  const ids: number[] = []
  for (let index = 0; index < runs; index++) ids.push((await client.tool('start_workflow', { workflow: 'Long' })).workflowInstanceId)

  // In the middle of record steps, twice.
  for (const share of [0.2, 0.6]) {
    await expect.poll(stepsDone, patience).toBeGreaterThan(runs * saves * share)
    await killWhile(async () => (await stepsDone()) < runs * saves)
  }
  await expect.poll(() => inState('waiting'), patience).toBe(runs)
  // People act while no worker is there, and once more it is killed while the runs go on.
  await named('worker-1').kill()
  for (const workflowInstanceId of ids) await client.tool('act_on_workflow_instance', { workflowInstanceId, action: 'approve' })
  named('worker-1').start()
  await expect.poll(stepsDone, patience).toBeGreaterThan(runs * (saves + 1))
  await killWhile(async () => (await stepsDone()) < runs * (saves + 2))
  // They answer while it is away as well.
  const asked = async () => (await inboxOf(ana)).filter(({ text }) => text.startsWith('Is run'))
  await expect.poll(async () => (await asked()).length, patience).toBeGreaterThanOrEqual(runs)
  await expect.poll(() => inState('waiting'), patience).toBe(runs)
  await named('worker-1').kill()
  for (const { messageId } of await asked()) await ana.tool('answer_inbox_message', { messageId, text: 'It is' })
  named('worker-1').start()
  await expect.poll(() => inState('completed'), patience).toBe(runs)

  const perRun = await sql<{ count: number; steps: number }[]>`
    select count(*)::int as count, count(distinct step)::int as steps from platform.workflow_log where event = 'done' group by run_id`
  expect(perRun).toHaveLength(runs)
  expect(new Set(perRun.map(({ count, steps: names }) => `${count} ${names}`))).toEqual(new Set([`${saves + 4} ${saves + 4}`]))
  const audited = await sql<{ count: number }[]>`
    select count(*)::int as count from platform.audit_event
    where credential_id like 'workflow:%' and operation = 'save_instance' group by credential_id`
  expect(audited.map(({ count }) => count)).toEqual(ids.map(() => saves + 1))
  expect((await client.tool('count_instances', { entity: 'Effect' })).count).toBe(runs * (saves + 1))
  const told = (await inboxOf(ana)).map(({ text }) => text)
  expect(told.toSorted()).toEqual(ids.flatMap((id) => [`Run ${id} is checked`, `Is run ${id} right?`]).toSorted())
  await ana.close()
})
