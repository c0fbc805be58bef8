/** Runs that are held begin when they may: within the rate of their definition, and when their turn has come. */
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'

import type { FindFlowVersion } from '../runs/versions.ts'
import { addLogLine } from '../runs/runs.store.ts'
import type { FlowVersion } from '../runs/runs.types.ts'
import { beginsNow, errandOf } from '../runs/starting.ts'
import { type HeldPlace, listHeldPlaces, lockStarts, releaseRuns } from '../runs/starts.store.ts'

const placesAtOnce = 200
const releasedAtOnce = 100
const first: HeldPlace = { tenantId: 0, workflowId: -1 }

/** Lets some of each definition go; answers how many. Harmless beside others. */
export async function releaseHeld(services: Services, findVersion: FindFlowVersion): Promise<number> {
  let count = 0
  for (let after = first; ;) {
    const places = await services.databases.lookUp((tx) => listHeldPlaces(tx, after, placesAtOnce))
    for (const place of places) {
      try {
        count += await inSystemTransaction(services, place.tenantId, (context) => release(context, findVersion, place.workflowId))
      } catch (error) {
        services.log.error({ err: error, ...place }, 'held runs could not be let go and are tried again')
      }
    }
    const last = places.at(-1)
    if (!last || places.length < placesAtOnce) return count
    after = last
  }
}

async function release(context: TxContext, findVersion: FindFlowVersion, workflowId: number): Promise<number> {
  const { tx, tenantId, stamp, services } = context
  await lockStarts(tx, tenantId, workflowId)
  const { startsPerMinute } = services.config.limits
  const released = await releaseRuns(tx, tenantId, {
    workflowId,
    startsPerMinute,
    begins: beginsNow(services),
    at: stamp,
    limit: releasedAtOnce,
  })
  const versions = new Map<number, FlowVersion | undefined>()
  const errands = []
  for (const run of released) {
    if (!versions.has(run.version)) versions.set(run.version, await findVersion(context, workflowId, run.version))
    const version = versions.get(run.version)
    // A version stays as long as its runs.
    if (!version) throw new Error('A run is held of a version that is gone')
    await addLogLine(tx, tenantId, run.runId, stamp, { event: 'started', by: run.startedBy, input: run.trigger ?? run.input })
    errands.push(errandOf(tenantId, version, 'triggers', run))
  }
  await context.emitMany(errands)
  return released.length
}
