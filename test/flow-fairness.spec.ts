/** A tenant with a flood of runs beside one with a single run: counted in steps of the flood, not in time. */
import { afterAll, beforeAll, expect, it } from 'vitest'

import { createFlowActivities } from '#activities/flow.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { type Relay, startRelay } from '#server/worker/relay.ts'
import { workflowShares } from '#server/worker/worker.ts'
import { type FlowVersion, startRun } from '#tools/workflows/service.ts'

import { planOf } from './support/flow-runs.ts'
import { openTemporal, startTestWorker, type TestTemporal, type TestWorker } from './support/temporal.ts'
import { openWorld, type World } from './support/world.ts'

const patience = { timeout: 60_000, interval: 5 }

let world: World
let temporal: TestTemporal
let worker: TestWorker
let relay: Relay

const stepsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ internalName: `s${index}`, stepType: 'set', config: { values: { index } } }))

const versionOf = (workflowId: number): FlowVersion => {
  const steps = stepsOf(3)
  return { workflowId, version: 1, internalName: `flow${workflowId}`, steps, plan: planOf(steps), actsAs: 1, roleFlag: 0 }
}

beforeAll(async () => {
  ;[world, temporal] = await Promise.all([openWorld(), openTemporal()])
  const { services } = world.platform
  services.temporal.connectTo(temporal.address)
  const findVersion = async (_context: unknown, workflowId: number) => versionOf(workflowId)
  worker = await startTestWorker(temporal, { act: createFlowActivities({ services, findVersion }) })
  relay = startRelay(services, (errand) => carryOut(services, errand))
})
afterAll(async () => {
  await relay?.stop()
  await worker?.stop()
  await world?.close()
  await temporal?.close()
})

const start = (tenantId: number, count: number) =>
  inSystemTransaction(world.platform.services, tenantId, async (context) => {
    const ids: number[] = []
    for (let index = 0; index < count; index++)
      ids.push((await startRun(context, { version: versionOf(1), input: {}, startedBy: null, lane: 'triggers' }))?.runId ?? 0)
    return ids
  })

const ended = async (ids: readonly number[]) => {
  const [row] = await world.sql<{ count: number }[]>`
    select count(*)::int as count from platform.workflow_run where run_id = any (${[...ids]}) and finished_date is not null`
  return row?.count ?? 0
}

/** Steps of the flood that were begun between the start of a run and its end. */
async function stepsMeanwhile(runId: number, flood: number): Promise<number> {
  const [row] = await world.sql<{ count: number }[]>`
    select count(*)::int as count
    from platform.workflow_run r join platform.workflow_step_run s on s.tenant_id = ${flood} and s.begun_at between r.created_date and r.finished_date
    where r.run_id = ${runId}`
  return row?.count ?? 0
}

it('lets the single run of another tenant end while few steps of the flood are carried out', { timeout: 180_000 }, async () => {
  const [flood, other] = [world.tenant.tenantId, (await world.newTenant()).tenantId]
  const flooded = await start(flood, 400)
  await expect.poll(() => ended(flooded), patience).toBeGreaterThan(10)
  const counts: number[] = []
  for (let round = 0; round < 5; round++) {
    const [single = 0] = await start(other, 1)
    await expect.poll(() => ended([single]), patience).toBe(1)
    counts.push(await stepsMeanwhile(single, flood))
  }
  // Else there was no flood beside it.
  expect(await ended(flooded)).toBeLessThan(flooded.length)
  const [, , median = 0] = counts.toSorted((a, b) => a - b)
  // As if each place of the worker carried out one run of three steps before it.
  expect(median).toBeLessThanOrEqual(3 * workflowShares.maxConcurrentWorkflowTaskExecutions)
})
