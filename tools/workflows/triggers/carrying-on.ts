/** What a firing starts, by the type of its trigger: some of its records at a time. */
import type { TxContext } from '#platform/operation.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'

import { valueAt } from '../definition/definition.types.ts'
import type { FlowVersion, RunError, Said } from '../runs/runs.types.ts'
import { type NewStart, startRuns } from '../runs/starting.ts'
import { setRefusal } from '../runs/starts.store.ts'
import { candidatesOfEvent } from './events.ts'
import type { Candidate } from './asking.ts'
import { originOf } from './origins.rules.ts'
import { countingRecords } from './records.ts'
import { countCaused, deleteFiring, moveFiring } from './triggers.store.ts'
import type { Firing, Live } from './triggers.types.ts'

const recordsAtOnce = 100
/** Of a batch only ids are kept, so that more are looked at together. */
const batchedAtOnce = 1_000
const bytesAtOnce = 1024 * 1024
/** Runs of one definition that one call or import starts. */
export const startedByOneCause = 10_000
/** Of a batch with more, `count` tells how many they are. */
const namedInBatch = 10_000

const ofRecords = ['recordCreated', 'recordUpdated', 'recordDeleted', 'attachmentSaved']

interface Carrying {
  readonly context: TxContext
  readonly firing: Firing
  readonly version: FlowVersion
  readonly triggerType: string
}

/** `asUser` reads as the definition's user does; what is started is written as the product's. */
export async function carryOn(context: TxContext, asUser: TxContext, firing: Firing, live: Live, catalog: Catalog): Promise<void> {
  const { tx, tenantId } = context
  const { version, said, trigger } = live
  const carrying = { context, firing, version, triggerType: trigger.triggerType }
  const isOfRecords = ofRecords.includes(trigger.triggerType) && firing.versions.length > 0
  const entity = catalog.byIdOrName.get(String(firing.event.entityId))
  if (!isOfRecords) {
    const candidates = await candidatesOfEvent(asUser, { firing, version, said, trigger, catalog, entity })
    await startAll(
      carrying,
      candidates.map((one) => startOf(carrying, entity, one)),
    )
    return deleteFiring(tx, tenantId, firing.firingId)
  }
  const isPerRecord =
    trigger.triggerType === 'attachmentSaved' || (valueAt(said['config'], 'perRecord') ?? version.entity !== undefined) === true
  const upTo = Math.min(firing.done + (isPerRecord ? recordsAtOnce : batchedAtOnce), firing.recordIds.length)
  const chunk = firing.recordIds.slice(firing.done, upTo).map((id, index) => ({ id, version: firing.versions[firing.done + index] ?? 0 }))
  const counting = entity ? await countingRecords(asUser, { firing, version, said, catalog, entity }, chunk) : []
  const ids = counting.map(({ eiRecordId }) => eiRecordId)
  const isLast = upTo === firing.recordIds.length
  if (isPerRecord)
    await startAll(
      carrying,
      counting.map((one) => startOf(carrying, entity, one)),
    )
  else if (isLast) await startBatch(carrying, [...firing.keptIds, ...ids])
  if (isLast) await deleteFiring(tx, tenantId, firing.firingId)
  else await moveFiring(tx, tenantId, firing.firingId, upTo, isPerRecord ? [] : ids)
}

/** About the record where the definition is about its entity. */
function startOf(
  { firing, version, triggerType }: Carrying,
  entity: { readonly internalName: string; readonly entityId: number } | undefined,
  one: Candidate,
): NewStart {
  const { eventId, byUser } = firing.event
  const { eiRecordId, payload } = one
  const file = typeof payload['assetKey'] === 'string' ? `:${payload['assetKey']}` : ''
  const isAbout = eiRecordId !== undefined && entity !== undefined && entity.internalName === version.entity
  return {
    ...(isAbout ? { entityId: entity.entityId, eiRecordId } : {}),
    input: {},
    trigger: payload,
    triggerType,
    // Who changed a date has not started what comes due.
    startedBy: triggerType === 'schedule' ? null : byUser,
    startKey: one.startKey ?? `event:${eventId}${eiRecordId === undefined ? '' : `:${eiRecordId}`}${file}`,
    origin: originOf(firing.event),
  }
}

async function startBatch({ context, firing, version, triggerType }: Carrying, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const { eventId, byUser, kind } = firing.event
  const restored: Said = kind === 'record.restored' ? { restored: true } : {}
  const trigger = { eiRecordIds: ids.slice(0, namedInBatch), count: ids.length, by: byUser, ...restored }
  const start = { input: {}, trigger, triggerType, startedBy: byUser, startKey: `event:${eventId}`, origin: originOf(firing.event) }
  await startRuns(context, { version, lane: 'triggers' }, [start])
}

/** Starts them in statements of a bounded size, as many as their cause may. */
async function startAll(carrying: Carrying, starts: readonly NewStart[]): Promise<void> {
  const allowed = await withinCause(carrying, starts.length)
  let [part, bytes]: [NewStart[], number] = [[], 0]
  const flush = async () => {
    await startRuns(carrying.context, { version: carrying.version, lane: 'triggers' }, part)
    ;[part, bytes] = [[], 0]
  }
  for (const start of starts.slice(0, allowed)) {
    part.push(start)
    bytes += JSON.stringify(start.trigger ?? null).length
    if (bytes > bytesAtOnce) await flush()
  }
  await flush()
}

/** How many more runs the call or the import may start; of the others one run that failed says how many they are. */
async function withinCause(carrying: Carrying, wanted: number): Promise<number> {
  const { context, firing } = carrying
  const { originKind, originId, batch, eventId } = firing.event
  const isImport = originKind === 'import' && originId !== null
  if (wanted === 0 || (!isImport && firing.recordIds.length <= 1)) return wanted
  const cause = isImport ? `import:${originId}` : `batch:${batch ?? eventId}`
  const of = { definitionId: firing.definitionId, cause, at: context.stamp }
  const before = await countCaused(context.tx, context.tenantId, of, wanted)
  const allowed = Math.max(0, Math.min(wanted, startedByOneCause - before))
  if (allowed < wanted) await refuseRest(carrying, cause, before + wanted - startedByOneCause)
  return allowed
}

async function refuseRest({ context, firing, version, triggerType }: Carrying, cause: string, count: number): Promise<void> {
  const { tx, tenantId } = context
  const startKey = `over:${cause}`
  const refusal: RunError = {
    code: 'too_large',
    message: `${count} more records would have started a run each: one call or import starts at most ${startedByOneCause}. With perRecord: false one run gets them all.`,
  }
  if (await setRefusal(tx, tenantId, version.workflowId, startKey, refusal)) return
  const { byUser } = firing.event
  const start = {
    input: {},
    trigger: { count, by: byUser },
    triggerType,
    startedBy: byUser,
    startKey,
    origin: originOf(firing.event),
    refusal,
  }
  await startRuns(context, { version, lane: 'triggers' }, [start])
}
