/**
 * Triggers that go by a date of each record. Every few seconds what has come due since is looked for, by an index on the date; a date that is changed to
 * one that lies behind is found by its change. Each (record, due time) starts a run once, by its key.
 */
import { findActingUser } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { mapInTurns } from '#platform/turns.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { type ReadFrame, readFrameOf, selectValues } from '#tools/query/service.ts'
import { findCaller } from '#tools/schema/service.ts'

import { valueAt } from '../definition/definition.types.ts'
import type { FindFlowVersion } from '../runs/versions.ts'
import { startRuns, startsTopic } from '../runs/starting.ts'
import type { Said } from '../runs/runs.types.ts'
import { type Candidate, idsFulfilling } from './asking.ts'
import { type Clock, endWindow, findClock, listDueClocks, lockClock, moveWindow, putOffClock } from './clocks.store.ts'
import { caughtUpMs, dueOf, type DueTiming, timingOf, valuesDue } from './dates.rules.ts'
import type { EventOf } from './events.ts'
import { findLive } from './finding.ts'
import { goesByPeople, lookForPeople } from './hours.ts'
import { insertFirings, type NewFiring } from './triggers.store.ts'
import { type FiredEvent, type Live, partOf } from './triggers.types.ts'

const clocksAtOnce = 200
const secondsBetween = 10
const recordsInLook = 5_000
const recordsInFiring = 100
const dueKind = 'schedule.due'

/** Looks for what has come due of each trigger whose turn it is; answers how many there were. Harmless beside others. */
export async function lookForDates(services: Services, findVersion: FindFlowVersion): Promise<number> {
  const places = await services.databases.lookUp((tx) => listDueClocks(tx, clocksAtOnce))
  for (const { tenantId, triggerId } of places) {
    try {
      await look(services, findVersion, tenantId, triggerId)
    } catch (error) {
      services.log.error({ err: error, tenantId, triggerId }, 'what came due could not be looked for and is tried again')
      await inSystemTransaction(services, tenantId, ({ tx }) => putOffClock(tx, tenantId, triggerId, 60))
    }
  }
  return places.length
}

interface Dated {
  readonly live: Live
  readonly frame: ReadFrame
  readonly property: CatalogEntity['properties'][number]
  readonly timing: DueTiming
}

/** What a trigger looks at; undefined where that is gone. `context` reads as the definition's user. */
async function datedOf(context: TxContext, live: Live): Promise<Dated | undefined> {
  const { config } = live.said
  const catalog = await cachedCatalog(context)
  const entity = catalog.byIdOrName.get(String(valueAt(config, 'entity')).toLowerCase())
  const wanted = String(valueAt(config, 'property')).toLowerCase()
  const property = entity?.properties.find(({ internalName }) => internalName.toLowerCase() === wanted)
  if (!entity || !property) return undefined
  const { tx, tenantId, services } = context
  const zone = (await findCaller(tx, tenantId, live.trigger.actsAs, services.config.tenantDomain))?.timeZoneIana ?? 'UTC'
  const said = { offset: valueAt(config, 'offset'), at: valueAt(config, 'at'), timeZone: valueAt(config, 'timeZone') }
  const timing = timingOf(said, { isDay: property.dataType === 'DateOnly', zone })
  return timing && { live, frame: await readFrameOf(context, catalog, entity), property, timing }
}

async function look(services: Services, findVersion: FindFlowVersion, tenantId: number, triggerId: number): Promise<void> {
  const inTenant = <T>(work: (context: TxContext) => Promise<T>) => inSystemTransaction(services, tenantId, work)
  const live = await inTenant((context) => findLive(context, findVersion, partOf(triggerId)))
  const user = live && (await findActingUser(services.databases, { tenantId, tenantUserId: live.trigger.actsAs }))
  if (!live || !user || user.isSuspended) return inTenant(({ tx }) => putOffClock(tx, tenantId, triggerId, 60))
  if (goesByPeople(live)) return lookForPeople(services, tenantId, live, user)
  await inTenant(async (context) => {
    const clock = await lockClock(context.tx, tenantId, triggerId)
    if (!clock) return
    const asUser: TxContext = { ...context, actor: { ...user.actor, roleFlag: live.trigger.roleFlag }, audit: () => {} }
    const dated = await datedOf(asUser, live)
    if (dated) await lookIn(context, asUser, clock, dated)
    else await putOffClock(context.tx, tenantId, triggerId, 60)
  })
}

/** Records with the due times of each, from the lowest id on. */
async function duesIn(
  context: TxContext,
  { frame, property, timing }: Dated,
  rules: readonly Said[],
  limit: number,
): Promise<{ readonly id: number; readonly dues: readonly number[] }[]> {
  const found = await selectValues(context, frame, property, { logic: 'AND', rules }, limit)
  return mapInTurns(found, ({ id, value }) => ({ id, dues: [value].flat().flatMap((one) => dueOf(one, timing) ?? []) }))
}

async function lookIn(context: TxContext, asUser: TxContext, clock: Clock, dated: Dated): Promise<void> {
  const { tx, tenantId, stamp } = context
  const { triggerId } = clock
  const until = clock.windowUntil ?? stamp
  const [untilMs, lookedMs] = [Date.parse(until), Date.parse(clock.lookedUntil)]
  const from = Math.max(lookedMs, Date.parse(dated.live.trigger.liveSince), untilMs - caughtUpMs)
  const between = valuesDue(from, untilMs, dated.timing)
  const range = between && [
    { property: dated.property.internalName, op: 'between', value: [between.from, between.to] },
    ...(clock.afterId > 0 ? [{ property: 'eiRecordId', op: 'gt', value: clock.afterId }] : []),
  ]
  const found = range ? await duesIn(asUser, dated, range, recordsInLook) : []
  const due = found.flatMap(({ id, dues }) => dues.filter((at) => at > from && at <= untilMs).map((at) => ({ id, at })))
  await fireDates(context, dated.live, due, stamp)
  if (clock.afterId === 0 && from > lookedMs && lookedMs < untilMs - caughtUpMs) await tellMissed(context, asUser, dated, lookedMs, from)
  const last = found.at(-1)
  if (last && found.length === recordsInLook) await moveWindow(tx, tenantId, triggerId, until, last.id)
  else await endWindow(tx, tenantId, triggerId, until, secondsBetween)
}

async function fireDates(
  context: TxContext,
  { trigger }: Live,
  due: readonly { readonly id: number; readonly at: number }[],
  at: string,
): Promise<void> {
  const event: Omit<FiredEvent, 'data'> = {
    eventId: 0,
    kind: dueKind,
    at,
    byUser: null,
    entityId: trigger.entityId ?? 0,
    originKind: 'schedule',
    originId: trigger.triggerId,
    depth: 0,
    batch: null,
  }
  const firings: NewFiring[] = []
  for (let from = 0; from < due.length; from += recordsInFiring) {
    const some = due.slice(from, from + recordsInFiring)
    const dues = some.map((one) => new Date(one.at).toISOString())
    firings.push({
      definitionId: trigger.definitionId,
      part: partOf(trigger.triggerId),
      event: { ...event, data: { dues } },
      recordIds: some.map(({ id }) => id),
      versions: [],
    })
  }
  if (firings.length === 0) return
  await insertFirings(context.tx, context.tenantId, at, firings)
  context.afterCommit(() => context.services.wake.poke(startsTopic))
}

/** What came due longer ago than is caught up with is a run that failed, and says so. */
async function tellMissed(context: TxContext, asUser: TxContext, dated: Dated, fromMs: number, untilMs: number): Promise<void> {
  const { live, timing, property } = dated
  const between = valuesDue(Math.max(fromMs, Date.parse(live.trigger.liveSince)), untilMs, timing)
  const rules = between && [{ property: property.internalName, op: 'between', value: [between.from, between.to] }]
  const found = rules ? await duesIn(asUser, dated, rules, recordsInLook) : []
  const missed = found.flatMap(({ id, dues }) => dues.filter((at) => at > fromMs && at <= untilMs).map((at) => ({ id, at })))
  if (missed.length === 0) return
  const until = new Date(untilMs).toISOString()
  const count = missed.length === recordsInLook ? `${recordsInLook} or more` : String(missed.length)
  const message = `${count} due times until ${until} were missed: nobody looked, and what is older than 7 days is not caught up with.`
  context.log.warn({ triggerId: live.trigger.triggerId, count: missed.length, until }, 'due times of a trigger were missed')
  const start = {
    input: {},
    trigger: { eiRecordIds: [...new Set(missed.map(({ id }) => id))].slice(0, recordsInFiring), count: missed.length },
    triggerType: live.trigger.triggerType,
    startedBy: null,
    startKey: `missed:${live.trigger.triggerId}:${until}`,
    origin: { kind: 'schedule' as const, id: live.trigger.triggerId, depth: 0 },
    refusal: { code: 'timeout', message },
  }
  await startRuns(context, { version: live.version, lane: 'triggers' }, [start])
}

function candidateOf(triggerId: number, id: number, scheduledFor: string): Candidate {
  return { eiRecordId: id, payload: { scheduledFor, eiRecordId: id }, startKey: `due:${triggerId}:${id}:${scheduledFor}` }
}

/** The records of a firing: those that came due, or whose date was changed to one that lies behind. Their filter is asked as they stand. */
export async function candidatesOfDates(context: TxContext, of: EventOf): Promise<readonly Candidate[]> {
  const { firing, trigger, version, said } = of
  if (!trigger) return []
  const { triggerId } = trigger
  const dated = await datedOf(context, { trigger, version, said })
  if (!dated) throw new AppError('unprocessable', 'The entity or the date that the trigger goes by is gone. Correct its config.')
  if (firing.event.kind === dueKind) {
    const live = new Set(await idsFulfilling(context, dated.frame, firing.recordIds, { logic: 'AND', rules: [] }))
    const dues = (valueAt(firing.event.data, 'dues') ?? []) as readonly string[]
    return firing.recordIds.flatMap((id, index) => (live.has(id) ? candidateOf(triggerId, id, dues[index] ?? '') : []))
  }
  const clock = await findClock(context.tx, context.tenantId, triggerId)
  if (!clock) return []
  const untilMs = Date.parse(clock.windowUntil ?? clock.lookedUntil)
  const from = Math.max(Date.parse(trigger.liveSince), untilMs - caughtUpMs)
  const candidates: Candidate[] = []
  for (let at = 0; at < firing.recordIds.length; at += recordsInFiring * 10) {
    const ids = firing.recordIds.slice(at, at + recordsInFiring * 10)
    const found = await duesIn(context, dated, [{ property: 'eiRecordId', op: 'in', value: ids }], ids.length)
    for (const { id, dues } of found)
      for (const due of dues) if (due > from && due <= untilMs) candidates.push(candidateOf(triggerId, id, new Date(due).toISOString()))
  }
  return candidates
}
