/**
 * Firing: what triggers matched becomes runs, some of it at a time, in the transaction that notes how far it came. So each is started once, whatever dies.
 * What cannot be started is a run that failed, and holds up nothing else.
 */
import { type ActingUser, findActingUser } from '#platform/acting.ts'
import { sqlState } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { findRun } from '../runs/runs.store.ts'
import type { RunError } from '../runs/runs.types.ts'
import type { FindFlowVersion } from '../runs/versions.ts'
import { startRuns } from '../runs/starting.ts'
import { valueAt } from '../definition/definition.types.ts'
import { carryOn } from './carrying-on.ts'
import { NotYet } from './events.ts'
import { findLive } from './finding.ts'
import { originOf } from './origins.rules.ts'
import {
  deleteFiring,
  deleteOldCauses,
  findDueFiring,
  type FiringPlace,
  listFiringPlaces,
  lockFiring,
  putOffFiring,
  suspendedSeconds,
} from './triggers.store.ts'
import { deleteOldDeliveries } from './webhooks.store.ts'
import { type Firing, type Live, waitOf } from './triggers.types.ts'
import { fireWait } from './waits.ts'

const placesAtOnce = 200
const tenantsAtOnce = 4
/** Of one definition in a round, so that others come between. */
const roundsAtOnce = 10
const triesAtMost = 8
const first: FiringPlace = { tenantId: 0, definitionId: -1 }

/** Starts some of what is due of each definition, of several tenants at once; answers how much there was. Harmless beside others, which take other firings. */
export async function fireDue(services: Services, findVersion: FindFlowVersion): Promise<number> {
  let count = 0
  for (let after = first; ;) {
    const places = await services.databases.lookUp((tx) => listFiringPlaces(tx, after, placesAtOnce))
    const tenants = [...Map.groupBy(places, ({ tenantId }) => tenantId).values()].values()
    const work = async () => {
      for (const own of tenants) for (const place of own) count += await firePlace(services, findVersion, place)
    }
    await Promise.all(Array.from({ length: tenantsAtOnce }, work))
    const last = places.at(-1)
    if (!last || places.length < placesAtOnce) return count
    after = last
  }
}

async function firePlace(services: Services, findVersion: FindFlowVersion, place: FiringPlace): Promise<number> {
  for (let round = 0; round < roundsAtOnce; round++) {
    try {
      if (!(await fireNext(services, findVersion, place))) return round
    } catch (error) {
      services.log.error({ err: error, ...place }, 'runs could not be started and are tried again')
      return round
    }
  }
  return roundsAtOnce
}

async function fireNext(services: Services, findVersion: FindFlowVersion, { tenantId, definitionId }: FiringPlace): Promise<boolean> {
  const inTenant = <T>(work: (context: TxContext) => Promise<T>) => inSystemTransaction(services, tenantId, work)
  const due = await inTenant(async (context) => {
    const firing = await findDueFiring(context.tx, tenantId, definitionId)
    return firing && { firing, live: await findLive(context, findVersion, firing.part) }
  })
  if (!due) return false
  const { firing, live } = due
  const { firingId } = firing
  const tryAgain = async (error: unknown) => {
    if (!(error instanceof NotYet)) services.log.error({ err: error, tenantId, firingId }, 'a firing is tried again')
    await inTenant(({ tx }) => putOffFiring(tx, tenantId, firingId, Math.min(5 * 2 ** firing.tries, 300)))
    return true
  }
  if (waitOf(firing.part)) {
    try {
      return await fireWait(services, findVersion, tenantId, firing)
    } catch (error) {
      if (!isItsOwn(error) && firing.tries < triesAtMost) return tryAgain(error)
      // Whoever waits goes on waiting, and nothing behind it is held up.
      services.log.error({ err: error, tenantId, firingId }, 'what steps wait for could not be looked at')
      await inTenant(({ tx }) => deleteFiring(tx, tenantId, firingId))
      return true
    }
  }
  if (!live) {
    await inTenant(({ tx }) => deleteFiring(tx, tenantId, firingId))
    return true
  }
  const user = await findActingUser(services.databases, { tenantId, tenantUserId: live.trigger.actsAs })
  if (user?.isSuspended) {
    await inTenant(({ tx }) => putOffFiring(tx, tenantId, firingId, suspendedSeconds))
    return true
  }
  try {
    return await inTenant((context) => fire(context, firingId, live, user))
  } catch (error) {
    if (!isItsOwn(error) && firing.tries < triesAtMost) return tryAgain(error)
    const known = error instanceof AppError ? error : undefined
    const refusal = { code: known?.code ?? 'internal', message: known?.message ?? 'Something failed on our side.' }
    await inTenant((context) => refuse(context, firingId, live, refusal))
    return true
  }
}

/** A failure of the definition alone: its filter is not sound any more, or cannot be computed in time. Anything else is tried again. */
function isItsOwn(error: unknown): boolean {
  if (error instanceof AppError) return error.code !== 'unavailable' && error.code !== 'internal'
  const state = sqlState(error)
  return state === '57014' || state?.startsWith('22') === true
}

/** Whether a run of the same definition did it, and nobody asked for that. */
async function isOwnChange({ tx, tenantId }: TxContext, { event }: Firing, { trigger, said }: Live): Promise<boolean> {
  const { originKind, originId } = event
  if ((originKind !== 'workflow' && originKind !== 'actionPack') || originId === null) return false
  if (valueAt(said['config'], 'ownChanges') === true) return false
  return (await findRun(tx, tenantId, originId))?.workflowId === trigger.definitionId
}

async function fire(context: TxContext, firingId: number, live: Live, user: ActingUser | undefined): Promise<boolean> {
  const { tx, tenantId } = context
  const firing = await lockFiring(tx, tenantId, firingId)
  if (!firing) return false
  if (!user) throw new AppError('forbidden', 'The user of the workflow is locked or gone. publish_workflow makes another.')
  if (firing.done === 0 && (await isOwnChange(context, firing, live))) {
    await deleteFiring(tx, tenantId, firingId)
    return true
  }
  const asUser: TxContext = { ...context, actor: { ...user.actor, roleFlag: live.trigger.roleFlag }, audit: () => {} }
  await carryOn(context, asUser, firing, live, await cachedCatalog(context))
  return true
}

const namedAtMost = 100

/** What a firing would have started is a run that failed. */
async function refuse(context: TxContext, firingId: number, { version, trigger }: Live, refusal: RunError): Promise<void> {
  const { tx, tenantId } = context
  const firing = await lockFiring(tx, tenantId, firingId)
  if (!firing) return
  const left = firing.recordIds.slice(firing.done)
  const records = left.length === 0 ? {} : { eiRecordIds: left.slice(0, namedAtMost), count: left.length }
  const start = {
    input: {},
    trigger: { ...records, by: firing.event.byUser },
    triggerType: trigger.triggerType,
    startedBy: firing.event.byUser,
    // Dates of records come due without an event.
    startKey: `${firing.event.eventId === 0 ? `firing:${firingId}` : `event:${firing.event.eventId}`}:refused`,
    origin: originOf(firing.event),
    refusal,
  }
  await startRuns(context, { version, lane: 'triggers' }, [start])
  await deleteFiring(tx, tenantId, firingId)
}

/** To be done at times: drops what nobody counts on any more. */
export async function dropOldCauses({ databases }: Services): Promise<void> {
  await databases.lookUp((tx) => deleteOldCauses(tx))
  await databases.lookUp((tx) => deleteOldDeliveries(tx))
}
