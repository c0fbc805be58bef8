/** Files that records hold: who reaches one is decided by who sees the record and the property. */
import { inRecords } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.schema.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { listHolders } from './files.store.ts'
import { tablesOf } from './frame.ts'
import { listHoldings } from './holdings.store.ts'
import { holdingRules, shows } from './sight.rules.ts'

export interface NamedFile {
  readonly assetKey: string
  /** The tenant user who made it. */
  readonly createdBy: number | null
  /** Nobody else's, whatever records hold it. */
  readonly isPrivate: boolean
}

function fileProperties({ properties }: CatalogEntity): CatalogProperty[] {
  return properties.filter((property) => ['Attachment', 'Signature', 'Binary'].includes(property.dataType))
}

/**
 * Those of these files that the caller does not reach: private ones of somebody else, and those that are held by records of entities with access rules,
 * now or in an earlier version, where the caller has not made them, and sees none of these records with the property. No statement looks at records
 * where no entity has both rules and files.
 */
export async function findWithheldFiles(context: TxContext, files: readonly NamedFile[]): Promise<ReadonlySet<string>> {
  const { tx, tenantId, actor } = context
  const isProduct = actor.kind === 'system' && actor.tenantUserId === 0
  const others = files.filter((file) => file.createdBy === null || file.createdBy !== actor.tenantUserId)
  const privates = isProduct ? [] : others.flatMap((file) => (file.isPrivate ? file.assetKey : []))
  const keys = others.flatMap((file) => (file.isPrivate ? [] : file.assetKey))
  if (keys.length === 0) return new Set(privates)
  const catalog = await cachedCatalog(context)
  const held = new Set<string>()
  const reached = new Set<string>()
  for (const entity of catalog.entities) {
    const properties = entity.access ? fileProperties(entity) : []
    if (properties.length === 0) continue
    const tables = await tablesOf(context, catalog, entity)
    const { sight } = tables
    if (!sight || tables.present.size === 0) continue
    const [holders, holdings] = await inRecords(tx, tenantId, async () => {
      const found = await listHolders(tx, tables, properties, keys)
      return [found, await listHoldings(tx, tables, sight, [...new Set(found.map((holder) => holder.id))])] as const
    })
    for (const { assetKey, id, entityPropertyId } of holders) {
      const property = properties.find((one) => one.entityPropertyId === entityPropertyId)
      held.add(assetKey)
      if (property && holdingRules(sight, holdings.get(id) ?? [], 'read').some((rule) => shows(rule, property))) reached.add(assetKey)
    }
  }
  return new Set([...privates, ...[...held].filter((assetKey) => !reached.has(assetKey))])
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
