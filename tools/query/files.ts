/** Files that records hold: who reaches one is decided by who sees the record and the property. */
import { inRecords } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { listHoldingNow } from './files.store.ts'
import { tablesOf } from './frame.ts'
import { type Holder, insertHolders, listHolders, listReceived } from './holders.store.ts'
import { listHoldings } from './holdings.store.ts'
import { type Holding, holdingRules, shows, type Sight } from './sight.rules.ts'

export interface NamedFile {
  readonly assetKey: string
  /** The tenant user who made it. */
  readonly createdBy: number | null
  /** Its maker's and of those to whom it was sent, whatever records hold it. */
  readonly isPrivate: boolean
}

export function isFileProperty({ dataType }: CatalogProperty): boolean {
  return ['Attachment', 'Signature', 'Binary'].includes(dataType)
}

/** The properties whose files access rules are about, with their entities. */
function boundProperties(catalog: Catalog): ReadonlyMap<number, { readonly entity: CatalogEntity; readonly property: CatalogProperty }> {
  const ruled = catalog.entities.filter((entity) => entity.access !== undefined)
  return new Map(
    ruled.flatMap((entity) =>
      entity.properties.filter(isFileProperty).map((property) => [property.entityPropertyId, { entity, property }] as const),
    ),
  )
}

/** Properties, by their id in their entity, whose files are in nobody's lists but their makers'. */
export async function findBoundProperties(context: TxContext): Promise<number[]> {
  return [...boundProperties(await cachedCatalog(context)).keys()]
}

/** Keeps which records hold which files: who reaches a file is asked of it. */
export async function noteHolders({ tx, tenantId }: TxContext, holders: readonly Holder[]): Promise<void> {
  if (holders.length > 0) await insertHolders(tx, tenantId, holders)
}

const holdersAtOnce = 5_000

/** The records that hold these files in such properties, portion by portion until `look` has seen enough. */
async function eachHolders(
  { tx, tenantId }: TxContext,
  of: { readonly assetKeys: readonly string[]; readonly entityPropertyIds: readonly number[] },
  look: (holders: readonly Holder[]) => Promise<'more' | 'enough'>,
): Promise<void> {
  let after: Holder | undefined
  do {
    const holders = await listHolders(tx, tenantId, of, { after, limit: holdersAtOnce })
    after = holders.length === holdersAtOnce ? holders.at(-1) : undefined
    if (holders.length === 0 || (await look(holders)) === 'enough') return
  } while (after !== undefined)
}

/**
 * Those of these files that the caller does not reach: private ones of somebody else that were not sent to them, and those that are held by records of entities with access rules,
 * now or in an earlier version, where the caller has not made them, and sees none of these records with the property. No statement looks for holders
 * where no entity has both rules and files.
 */
export async function findWithheldFiles(context: TxContext, files: readonly NamedFile[]): Promise<ReadonlySet<string>> {
  const { tx, tenantId, actor } = context
  const isProduct = actor.kind === 'system' && actor.tenantUserId === 0
  const others = files.filter((file) => file.createdBy === null || file.createdBy !== actor.tenantUserId)
  const alone = isProduct ? [] : others.flatMap((file) => (file.isPrivate ? file.assetKey : []))
  const received = new Set(alone.length > 0 ? await listReceived(tx, tenantId, alone, actor.tenantUserId) : [])
  const privates = alone.filter((assetKey) => !received.has(assetKey))
  const assetKeys = others.flatMap((file) => (file.isPrivate ? [] : file.assetKey))
  if (assetKeys.length === 0) return new Set(privates)
  const entityPropertyIds = await findBoundProperties(context)
  if (entityPropertyIds.length === 0) return new Set(privates)
  const held = new Set<string>()
  const reached = new Set<string>()
  await eachHolders(context, { assetKeys, entityPropertyIds }, async (holders) => {
    for (const { assetKey } of await seenPlaces(context, holders)) reached.add(assetKey)
    for (const { assetKey } of holders) held.add(assetKey)
    return reached.size === assetKeys.length ? 'enough' : 'more'
  })
  return new Set([...privates, ...[...held].filter((assetKey) => !reached.has(assetKey))])
}

/** Whether a record holds the file now in a property that access rules do not let the caller change there. */
export async function isFileBound(context: TxContext, assetKey: string): Promise<boolean> {
  const { tx, tenantId } = context
  const catalog = await cachedCatalog(context)
  const bound = boundProperties(catalog)
  if (bound.size === 0) return false
  let isBound = false
  await eachHolders(context, { assetKeys: [assetKey], entityPropertyIds: [...bound.keys()] }, async (holders) => {
    for (const [entityPropertyId, group] of Map.groupBy(holders, (one) => one.entityPropertyId)) {
      const place = bound.get(entityPropertyId)
      const tables = place && (await tablesOf(context, catalog, place.entity))
      const { sight } = tables ?? {}
      if (!place || !tables || !sight) continue
      const ids = group.map((one) => one.eiRecordId)
      const holdings = await inRecords(tx, tenantId, async () => {
        const holding = await listHoldingNow(tx, tables, place.property, assetKey, ids)
        return listHoldings(tx, tables, sight, holding)
      })
      for (const holding of holdings.values()) if (!mayChange(sight, holding, place.property)) isBound = true
    }
    return isBound ? 'enough' : 'more'
  })
  return isBound
}

function mayChange(sight: Sight, holding: Holding, property: CatalogProperty): boolean {
  return (
    holdingRules(sight, holding, 'read').some((rule) => shows(rule, property)) &&
    holdingRules(sight, holding, 'edit').some((rule) => !rule.readOnly.has(property.propertyId))
  )
}

/** A property of a record, or without one the record itself; deleted or not. */
export interface Place {
  readonly entityId: number
  readonly eiRecordId: number
  readonly entityPropertyId: number | null
}

/** Those of these places that the caller sees. */
export async function seenPlaces<P extends Place>(context: TxContext, places: readonly P[]): Promise<ReadonlySet<P>> {
  if (places.length === 0) return new Set()
  const catalog = await cachedCatalog(context)
  const seen = new Set<P>()
  for (const [entityId, group] of Map.groupBy(places, (place) => place.entityId)) {
    const entity = catalog.byIdOrName.get(String(entityId))
    const tables = entity?.access && (await tablesOf(context, catalog, entity))
    const sight = tables?.sight
    if (!entity || !tables || !sight) {
      for (const place of group) seen.add(place)
      continue
    }
    const ids = [...new Set(group.map((place) => place.eiRecordId))]
    const holdings = await inRecords(context.tx, context.tenantId, () => listHoldings(context.tx, tables, sight, ids))
    for (const place of group) {
      const property = entity.properties.find((one) => one.entityPropertyId === place.entityPropertyId)
      const rules = holdingRules(sight, holdings.get(place.eiRecordId) ?? [], 'read')
      if (rules.some((rule) => property === undefined || shows(rule, property))) seen.add(place)
    }
  }
  return seen
}

export async function isPlaceSeen(context: TxContext, place: Place): Promise<boolean> {
  return (await seenPlaces(context, [place])).has(place)
}
