/**
 * The matcher: asks of what happened who wants it, and hands it on. Events of one entity go in the order in which they happened; those of others beside
 * them. What matched is kept in the transaction that notes it, so that each is handed on once, whatever dies.
 */
import { type ActingUser, findActingUser } from '#platform/acting.ts'
import { sqlState } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { eachInTurns, nextTurn } from '#platform/turns.ts'
import { todaysBody } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { findFulfillingEach, type ReadFrame, readFrameOf, readVersions, versionKey } from '#tools/query/service.ts'

import { changedNames } from './changed.rules.ts'
import type { LoggedEvent, Matched, VersionOf, Watcher, WatcherKinds } from './events.types.ts'
import { groupOf } from './filter.rules.ts'
import { apart, listWaiting, listWaitingPlaces, listWatchers, lockPlace, markCarried, type WaitingPlace } from './watchers.store.ts'

const placesAtOnce = 200
const valueBytes = 256 * 1024
/** Changes, each of two versions, that are held to be compared. */
const comparedAtOnce = 16
const first: WaitingPlace = { tenantId: 0, entityId: -1 }

const tenantsAtOnce = 4

/** Carries on some of what waits at each place, of several tenants at once; answers how many events there were. Harmless beside others, which take other places. */
export async function matchWaiting(services: Services, kinds: WatcherKinds): Promise<number> {
  let count = 0
  for (let after = first; ;) {
    const places = await services.databases.lookUp((tx) => listWaitingPlaces(tx, after, placesAtOnce))
    const tenants = [...Map.groupBy(places, ({ tenantId }) => tenantId).values()].values()
    const work = async () => {
      for (const own of tenants) {
        for (const place of own) {
          const carried = await matchOrLog(services, kinds, place)
          count += carried
        }
      }
    }
    await Promise.all(Array.from({ length: tenantsAtOnce }, work))
    const last = places.at(-1)
    if (!last || places.length < placesAtOnce) return count
    after = last
  }
}

async function matchOrLog(services: Services, kinds: WatcherKinds, place: WaitingPlace): Promise<number> {
  try {
    return await matchPlace(services, kinds, place)
  } catch (error) {
    services.log.error({ err: error, ...place }, 'events could not be carried on and are tried again')
    return 0
  }
}

async function matchPlace(services: Services, kinds: WatcherKinds, place: WaitingPlace): Promise<number> {
  const { tenantId, entityId } = place
  const known = await inSystemTransaction(services, tenantId, ({ tx }) => listWatchers(tx, tenantId, entityId))
  const owners = new Map<number, ActingUser | undefined>()
  for (const { ownerId } of known)
    if (!owners.has(ownerId)) owners.set(ownerId, await findActingUser(services.databases, { tenantId, tenantUserId: ownerId }))
  return inSystemTransaction(services, tenantId, async (context) => {
    if (!(await lockPlace(context.tx, place))) return 0
    const events = await listWaiting(context.tx, place)
    if (events.length === 0) return 0
    // Read behind the events: who has begun to watch meanwhile is owed them. An owner whom nobody knows yet is known in the next round.
    const watchers = await listWatchers(context.tx, tenantId, entityId)
    if (watchers.some(({ ownerId }) => !owners.has(ownerId))) return 0
    const catalog = await cachedCatalog(context)
    for (const [watcherKind, some] of Map.groupBy(watchers, (watcher) => watcher.watcherKind)) {
      const kind = Object.hasOwn(kinds, watcherKind) ? kinds[watcherKind] : undefined
      if (!kind) throw new Error(`Nothing here is started by events as ${watcherKind}`)
      const matches = await matchesOf(context, catalog, some, owners, events, kind.asksAgain)
      if (matches.length > 0)
        await kind.matched(
          context,
          matches.toSorted((a, b) => a.event.eventId - b.event.eventId),
        )
    }
    await markCarried(
      context.tx,
      tenantId,
      entityId,
      events.map(({ eventId }) => eventId),
    )
    return events.length
  })
}

const versionsOf = ({ recordIds, versions }: LoggedEvent): VersionOf[] =>
  (recordIds ?? []).flatMap((id, index) => (versions?.[index] === undefined ? [] : [{ id, version: versions[index] }]))

/** A watcher, and which events are of its kinds and its time. */
interface Asking {
  readonly watcher: Watcher
  readonly wanted: readonly LoggedEvent[]
}

type Asked = (event: LoggedEvent, one: VersionOf) => boolean

/**
 * What of these events each watcher of a kind wants, as its owner sees it. An owner who is gone wants nothing. Those who see the same are asked together:
 * fifty filters cost hardly more than one.
 */
async function matchesOf(
  context: TxContext,
  catalog: Catalog,
  watchers: readonly Watcher[],
  owners: ReadonlyMap<number, ActingUser | undefined>,
  events: readonly LoggedEvent[],
  asksAgain = false,
): Promise<Matched[]> {
  const matches: Matched[] = []
  const groups = new Map<string, Asking[]>()
  for (const watcher of watchers) {
    const wanted = events.filter(({ kind, at }) => watcher.eventKinds.includes(kind) && at >= watcher.since)
    if (!owners.get(watcher.ownerId) || wanted.length === 0) continue
    if (watcher.filter === null && watcher.propertyIds === null)
      matches.push(...wanted.map((event) => ({ watcher, event, records: versionsOf(event) })))
    else if (watcher.entityId !== null) {
      const name = `${watcher.entityId} ${watcher.ownerId} ${watcher.roleFlag}`
      groups.set(name, [...(groups.get(name) ?? []), { watcher, wanted }])
    }
  }
  for (const group of groups.values()) matches.push(...(await matchesOfGroup(context, catalog, group, owners, asksAgain)))
  return matches
}

/** Of watchers of one entity who have the same owner and roles. */
async function matchesOfGroup(
  context: TxContext,
  catalog: Catalog,
  group: readonly Asking[],
  owners: ReadonlyMap<number, ActingUser | undefined>,
  asksAgain: boolean,
): Promise<Matched[]> {
  const one = group[0]?.watcher
  const owner = one && owners.get(one.ownerId)
  const entity = catalog.byIdOrName.get(String(one?.entityId))
  if (!one || !owner || !entity) return []
  // Of a definition the roles of its version count, whatever became of them since.
  const roleFlag = asksAgain ? one.roleFlag : owner.actor.roleFlag & one.roleFlag
  const asOwner: TxContext = { ...context, actor: { ...owner.actor, roleFlag }, audit: () => {} }
  const frame = await readFrameOf(asOwner, catalog, entity)
  const asked = await askAll(asOwner, catalog, frame, group, asksAgain)
  const matches: Matched[] = []
  for (const [place, { watcher, wanted }] of group.entries()) {
    for (const event of wanted) {
      const records = versionsOf(event).filter((version) => asked[place]?.(event, version) === true)
      if (records.length > 0) matches.push({ watcher, event, records })
    }
    await nextTurn()
  }
  return matches
}

/** All at once; where the database cannot answer one of them, each by itself, so that the others go on. */
async function askAll(
  context: TxContext,
  catalog: Catalog,
  frame: ReadFrame,
  group: readonly Asking[],
  asksAgain: boolean,
): Promise<readonly Asked[]> {
  const ask = (some: readonly Asking[]) =>
    apart<readonly Asked[] | undefined>(
      context.tx,
      () => askersOf(context, catalog, frame, some, asksAgain),
      (error) => {
        if (!isItsOwn(error)) throw error
        if (some.length === 1) tellUnasked(context, some[0]?.watcher, error)
        return undefined
      },
    )
  const together = await ask(group)
  if (together) return together
  const asked: Asked[] = []
  for (const one of group) asked.push(((group.length > 1 && (await ask([one]))) || [])[0] ?? (() => asksAgain))
  return asked
}

/** It asks too much, or names what is gone: whoever lists its definition is told of the latter, and the other watchers go on. */
function tellUnasked({ log }: TxContext, watcher: Watcher | undefined, error: unknown): void {
  log.warn({ err: error, watcherId: watcher?.watcherId }, 'a watcher could not be asked')
}

/** A failure of the watcher alone: its filter is not sound any more, or cannot be computed in time. Anything else is tried again with everything. */
function isItsOwn(error: unknown): boolean {
  if (error instanceof AppError) return error.code !== 'unavailable'
  const state = sqlState(error)
  return state === '57014' || state?.startsWith('22') === true
}

async function askersOf(
  context: TxContext,
  catalog: Catalog,
  frame: ReadFrame,
  group: readonly Asking[],
  asksAgain: boolean,
): Promise<readonly Asked[]> {
  const fulfilling = await fulfillingOf(context, catalog, frame, group)
  const asked: Asked[] = []
  for (const { watcher, wanted } of group) {
    const keys = fulfilling.get(watcher)
    if (keys instanceof AppError) {
      if (!isItsOwn(keys)) throw keys
      tellUnasked(context, watcher, keys)
      asked.push(() => asksAgain)
      continue
    }
    const changed = await changedOf(context, watcher, frame, wanted)
    asked.push(
      ({ kind }, one) => (keys?.has(versionKey(one)) ?? true) && (kind !== 'record.updated' || (changed?.has(versionKey(one)) ?? true)),
    )
  }
  return asked
}

/** Of those that have a filter. */
async function fulfillingOf(
  context: TxContext,
  catalog: Catalog,
  frame: ReadFrame,
  group: readonly Asking[],
): Promise<ReadonlyMap<Watcher, ReadonlySet<string> | AppError>> {
  const filtering = group.filter(({ watcher }) => watcher.filter !== null)
  if (filtering.length === 0) return new Map()
  const events = new Set(filtering.flatMap(({ wanted }) => wanted))
  const versions = [...new Map([...events].flatMap(versionsOf).map((one) => [versionKey(one), one])).values()]
  const filters = filtering.map(({ watcher: { filter, filterRefs } }) => {
    const { body } = todaysBody({ body: filter ?? '{}', refs: filterRefs ?? '[]' }, catalog)
    return groupOf(body['filter'])
  })
  const found = await findFulfillingEach(context, frame, versions, filters)
  return new Map(filtering.flatMap(({ watcher }, place) => (found[place] ? [[watcher, found[place]]] : [])))
}

/** The versions in which one of the watched properties changed; undefined: none is watched by itself. */
async function changedOf(
  context: TxContext,
  { propertyIds }: Watcher,
  frame: ReadFrame,
  events: readonly LoggedEvent[],
): Promise<ReadonlySet<string> | undefined> {
  if (propertyIds === null) return undefined
  const properties = frame.entity.properties.filter(({ propertyId }) => propertyIds.includes(propertyId))
  const updated = events.filter(({ kind }) => kind === 'record.updated').flatMap(versionsOf)
  const before = ({ id, version }: VersionOf) => ({ id, version: version - 1 })
  const changed = new Set<string>()
  for (let from = 0; from < updated.length; from += comparedAtOnce) {
    const some = updated.slice(from, from + comparedAtOnce)
    const names = [...new Map(some.flatMap((one) => [one, before(one)]).map((one) => [versionKey(one), one])).values()]
    const read = await readVersions(context, frame, names, { properties, bytes: valueBytes })
    await eachInTurns(some, (one) => {
      const [was, now] = [read.get(versionKey(before(one))), read.get(versionKey(one))]
      // What is too large to be compared counts as changed.
      if (now && (now.data === null || was?.data === null || changedNames(was?.data, now.data).length > 0)) changed.add(versionKey(one))
    })
  }
  return changed
}
