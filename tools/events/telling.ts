/** What an event says to somebody: nothing that they may not see now, nor anything sensitive. */
import type { TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { mapInTurns } from '#platform/turns.ts'
import { findReachable } from '#tools/assets/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { type Place, readFrameOf, readVersions, seenPlaces, type ToldVersion, versionKey, type VersionName } from '#tools/query/service.ts'

import { changedNames } from './changed.rules.ts'
import { tellsRecords, tellsRuns } from './events.schema.ts'
import type { LoggedEvent } from './events.types.ts'

/** A row of the log, or one of its records. */
export interface Tellable {
  readonly event: LoggedEvent
  /** Undefined: it is about no record. */
  readonly record: { readonly id: number; readonly version: number | undefined } | undefined
}

export type Telling = Readonly<Record<string, unknown>> & { readonly tenantId: number }

const valueBytes = 256 * 1024

/** Each record of an event by itself; an event that is about none as it is. */
export function tellablesOf(event: LoggedEvent): Tellable[] {
  if (!event.recordIds) return [{ event, record: undefined }]
  return event.recordIds.map((id, index) => ({ event, record: { id, version: event.versions?.[index] } }))
}

type OfRecord = Tellable & { readonly record: VersionName }

const isOfRecord = (one: Tellable): one is OfRecord => tellsRecords(one.event.kind) && one.record?.version !== undefined

/** The data of each, by its place in the list; what the caller may not see has none. */
export async function tellAll(context: TxContext, catalog: Catalog, all: readonly Tellable[]): Promise<ReadonlyMap<Tellable, Telling>> {
  // What is sensitive is not read, so that nothing of it is to be noted.
  const quiet: TxContext = { ...context, audit: () => {} }
  const told = new Map<Tellable, Telling>()
  const [ofRecords, others] = [all.filter(isOfRecord), all.filter((one) => !tellsRecords(one.event.kind))]
  if ((context.actor.roleFlag & roleBits.DataView) !== 0) {
    for (const [entityId, some] of Map.groupBy(ofRecords, ({ event }) => event.entityId)) {
      const entity = catalog.byIdOrName.get(String(entityId))
      if (entity) await tellRecords(quiet, catalog, entity, some, told)
    }
  }
  await tellOthers(quiet, catalog, others, told)
  return told
}

async function tellRecords(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  all: readonly OfRecord[],
  told: Map<Tellable, Telling>,
): Promise<void> {
  const frame = await readFrameOf(context, catalog, entity)
  const properties = entity.properties.filter((property) => !property.isSensitive)
  const wanted = all.flatMap(({ event, record: { id, version } }) =>
    // Of a change also what was there before; of a restored record nothing is new.
    event.kind === 'record.updated' || event.kind === 'form.submitted'
      ? [
          { id, version },
          { id, version: version - 1 },
        ]
      : [{ id, version }],
  )
  const names = [...new Map(wanted.map((one) => [versionKey(one), one])).values()]
  const versions = await readVersions(context, frame, names, { properties, bytes: valueBytes })
  await mapInTurns(all, (one) => {
    const { event, record } = one
    const now = versions.get(versionKey(record))
    if (!now) return
    const before = versions.get(versionKey({ id: record.id, version: record.version - 1 }))
    told.set(one, {
      ...commonOf(context, event),
      ...event.data,
      entity: entity.internalName,
      entityId: entity.entityId,
      eiRecordId: record.id,
      externalKey: now.externalKey,
      version: record.version,
      changeNo: now.changeNo,
      changed: changedIn(event.kind, before, now),
      values: shownValues(now),
    })
  })
}

const commonOf = ({ tenantId }: TxContext, { byUser, at }: LoggedEvent) => ({ tenantId, by: byUser, at })

/** Withheld values are not told of, not even that they are there. */
function shownValues({ data, withheld }: ToldVersion): Record<string, unknown> | null {
  return data && Object.fromEntries(Object.entries(data).filter(([name]) => !withheld.includes(name)))
}

function changedIn(kind: string, before: ToldVersion | undefined, now: ToldVersion): readonly string[] {
  if (kind === 'record.deleted' || kind === 'record.restored') return []
  const after = shownValues(now)
  return after ? changedNames(before && shownValues(before), after) : []
}

async function tellOthers(context: TxContext, catalog: Catalog, all: readonly Tellable[], told: Map<Tellable, Telling>): Promise<void> {
  const placed = all.map((one) => ({ one, place: placeOf(one) }))
  const seen = await seenPlaces(
    context,
    placed.flatMap(({ place }) => place ?? []),
  )
  const keyOf = ({ event }: Tellable) => (typeof event.data?.['assetKey'] === 'string' ? event.data['assetKey'] : undefined)
  const keys = [...new Set(all.flatMap((one) => keyOf(one) ?? []))]
  const reachable = keys.length === 0 ? new Map() : await findReachable(context, keys)
  const mayView = (context.actor.roleFlag & roleBits.DataView) !== 0
  for (const { one, place } of placed) {
    const assetKey = keyOf(one)
    if (tellsRuns(one.event.kind) && !mayView) continue
    if ((place && !seen.has(place)) || (assetKey !== undefined && !reachable.has(assetKey))) continue
    const { entityPropertyId, ...facts } = one.event.data ?? {}
    const entity = place && catalog.byIdOrName.get(String(place.entityId))
    const property = entity?.properties.find((known) => known.entityPropertyId === entityPropertyId)
    if (entityPropertyId !== undefined && !property) continue
    told.set(one, {
      ...commonOf(context, one.event),
      ...facts,
      ...(entity && place ? { entity: entity.internalName, entityId: entity.entityId, eiRecordId: place.eiRecordId } : {}),
      ...(property ? { property: property.internalName } : {}),
    })
  }
}

/** The record, and the property of it, that whoever is told must see. */
function placeOf({ event, record }: Tellable): Place | undefined {
  if (!record) return undefined
  const entityPropertyId = event.data?.['entityPropertyId']
  return {
    entityId: event.entityId,
    eiRecordId: record.id,
    entityPropertyId: typeof entityPropertyId === 'number' ? entityPropertyId : null,
  }
}

/** The id of an event, or of one of its records: that of every delivery of it. */
export function eventName({ event, record }: Tellable): string {
  return record ? `evt_${event.eventId}_${record.id}` : `evt_${event.eventId}`
}
