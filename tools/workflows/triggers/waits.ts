/**
 * Steps that wait for what a trigger would fire on. What they wait for belongs to the version, so that it is watched for from publishing on, and what
 * differs between runs is the record alone.
 */
import { findActingUser } from '#platform/acting.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { watchInParts } from '#tools/events/service.ts'

import { addStepLine, lockRun } from '../runs/runs.store.ts'
import type { FlowVersion, Said } from '../runs/runs.types.ts'
import { emitPoke } from '../runs/starting.ts'
import { isObject, stepsIn } from '../runs/steps.rules.ts'
import { answerStep, findStep } from '../runs/steps.store.ts'
import type { FindFlowVersion } from '../runs/versions.ts'
import type { Candidate } from './asking.ts'
import { candidatesOfEvent } from './events.ts'
import { countingRecords } from './records.ts'
import { deleteFiring, lockFiring, moveWait, putOffFiring, suspendedSeconds } from './triggers.store.ts'
import { awaitedName, type Firing, placeOfWait, waitOf, waitPartOf, waitWatcherKind } from './triggers.types.ts'
import { type AwaitingStep, listAwaiting, listVersionsUnderWay } from './waits.store.ts'
import { watchOf } from './watched.rules.ts'

/** By the name of the step what it waits for. */
function waitsIn({ steps }: Pick<FlowVersion, 'steps'>): (readonly [step: string, trigger: Said])[] {
  return [...stepsIn(steps)].flatMap(({ name, stepType, config }) => {
    const { trigger } = config
    return stepType === 'waitForEvent' && isObject(trigger) ? [[name, trigger] as const] : []
  })
}

/** Has the waits of a version watched for, and those of older ones whose runs are under way. Inside `changeDefinitions`. */
export async function keepWaits(
  context: TxContext,
  findVersion: FindFlowVersion,
  { definitionId, version }: { readonly definitionId: number; readonly version: number },
): Promise<void> {
  const { tx, tenantId } = context
  const catalog = await cachedCatalog(context)
  const versions = new Set([version, ...(await listVersionsUnderWay(tx, tenantId, definitionId))])
  const watchers = []
  for (const one of versions) {
    const found = await findVersion(context, definitionId, one)
    for (const [step, trigger] of found ? waitsIn(found) : []) {
      const watch = watchOf(catalog, trigger)
      if (found && watch) watchers.push({ part: waitPartOf(one, step), ...watch, ownerId: found.actsAs, roleFlag: found.roleFlag })
    }
  }
  await watchInParts(context, { definitionId, watcherKind: waitWatcherKind }, watchers)
}

const recordsAtOnce = 100
/** Of those that wait for it, in one transaction. */
const stepsAtOnce = 200
/** A step that had begun when it happened and did not wait yet is found by a second look. */
const looks = 2
const secondLookSeconds = 5
const noStep = { runId: 0, stepNo: 0 }

/** Answers the steps that wait for what a firing tells of; some of its records and some of the steps at a time. True where there was something to do. */
export async function fireWait(services: Services, findVersion: FindFlowVersion, tenantId: number, firing: Firing): Promise<boolean> {
  const { firingId, definitionId } = firing
  const inTenant = <T>(work: (context: TxContext) => Promise<T>) => inSystemTransaction(services, tenantId, work)
  const wait = waitOf(firing.part)
  const version = wait && (await inTenant((context) => findVersion(context, definitionId, wait.version)))
  const said = version && waitsIn(version).find(([step]) => step === wait.step)?.[1]
  const user = version && (await findActingUser(services.databases, { tenantId, tenantUserId: version.actsAs }))
  return inTenant(async (context) => {
    const { tx } = context
    const held = await lockFiring(tx, tenantId, firingId)
    if (!held) return false
    if (!version || !said || !user) {
      await deleteFiring(tx, tenantId, firingId)
      return true
    }
    if (user.isSuspended) {
      await putOffFiring(tx, tenantId, firingId, suspendedSeconds, false)
      return true
    }
    const asUser: TxContext = { ...context, actor: { ...user.actor, roleFlag: version.roleFlag }, audit: () => {} }
    const upTo = Math.min(held.done + recordsAtOnce, held.recordIds.length)
    const { look } = placeOfWait(held)
    const after = await answerWaits(context, asUser, held, { version, said, upTo })
    if (after) await moveWait(tx, tenantId, firingId, { done: held.done, look, after })
    else if (upTo < held.recordIds.length) await moveWait(tx, tenantId, firingId, { done: upTo, look, after: noStep })
    else if (look + 1 < looks) {
      await moveWait(tx, tenantId, firingId, { done: 0, look: look + 1, after: noStep })
      await putOffFiring(tx, tenantId, firingId, secondLookSeconds, false)
    } else await deleteFiring(tx, tenantId, firingId)
    return true
  })
}

interface Waited {
  readonly version: FlowVersion
  readonly said: Said
  readonly upTo: number
}

/** Answers the step behind which more of them wait. */
async function answerWaits(
  context: TxContext,
  asUser: TxContext,
  firing: Firing,
  { version, said, upTo }: Waited,
): Promise<AwaitingStep | undefined> {
  const { tx, tenantId } = context
  const recordIds = firing.recordIds.slice(firing.done, upTo)
  const trigger = awaitedName(version, waitOf(firing.part)?.step ?? '')
  const waiting = await listAwaiting(tx, tenantId, {
    trigger,
    recordIds,
    at: firing.event.at,
    after: placeOfWait(firing).after,
    limit: stepsAtOnce,
  })
  if (waiting.length === 0) return undefined
  const catalog = await cachedCatalog(context)
  const entity = catalog.byIdOrName.get(String(firing.event.entityId))
  const candidates = await candidatesOf(
    asUser,
    firing,
    { version, said, upTo },
    catalog,
    entity,
    new Set(waiting.map(({ awaitsRecord }) => awaitsRecord)),
  )
  for (const step of waiting) {
    const found = candidates.find(({ eiRecordId }) => step.awaitsRecord === null || eiRecordId === step.awaitsRecord)
    if (found) await answer(context, firing, step, found)
  }
  return waiting.length === stepsAtOnce ? waiting.at(-1) : undefined
}

async function candidatesOf(
  asUser: TxContext,
  firing: Firing,
  { version, said, upTo }: Waited,
  catalog: Catalog,
  entity: CatalogEntity | undefined,
  awaited: ReadonlySet<number | null>,
): Promise<readonly Candidate[]> {
  const isWanted = (id: number) => awaited.has(null) || awaited.has(id)
  if (firing.versions.length > 0 && said['triggerType'] !== 'formSubmitted') {
    const versions = firing.recordIds
      .slice(firing.done, upTo)
      .map((id, index) => ({ id, version: firing.versions[firing.done + index] ?? 0 }))
      .filter(({ id }) => isWanted(id))
    return entity ? countingRecords(asUser, { firing, version, said, catalog, entity }, versions) : []
  }
  return candidatesOfEvent(asUser, { firing, version, said, catalog, entity })
}

async function answer(context: TxContext, { event }: Firing, { runId, stepNo }: AwaitingStep, { payload }: Candidate): Promise<void> {
  const { tx, tenantId, stamp } = context
  // What the run did itself is nothing that it waits for.
  if ((event.originKind === 'workflow' || event.originKind === 'actionPack') && event.originId === runId) return
  const run = await lockRun(tx, tenantId, runId)
  const row = await findStep(tx, tenantId, runId, stepNo)
  if (!run || !row || run.finishedDate !== null) return
  if (!(await answerStep(tx, tenantId, runId, stepNo, { kind: 'signalled', by: event.byUser, at: stamp, payload }))) return
  await addStepLine(tx, tenantId, runId, stamp, { event: 'signalled', row, by: event.byUser, input: payload })
  await emitPoke(context, run, stepNo)
}
