/** The catalog of a tenant: loaded in one round trip, kept for each process under its version. */
import { LRUCache } from 'lru-cache'

import type { Databases } from '#platform/db/databases.ts'
import { readCatalogVersion } from '#platform/db/definitions.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { TxContext } from '#platform/operation.ts'
import { dataTypeOf } from '#tools/properties/properties.schema.ts'

import type { Catalog, CatalogEntity, CatalogOption, CatalogProperty } from './catalog.schema.ts'
import {
  type CatalogOptionRow,
  type CatalogPropertyRow,
  readCatalogEntities,
  readCatalogOptions,
  readCatalogProperties,
} from './catalog.store.ts'
import { listRelations, type RelationRow } from './composition.store.ts'

const maxTenants = 500

// One process may serve several databases, as tests do; a catalog belongs to its own.
const kept = new WeakMap<Databases, LRUCache<number, Catalog>>()

/** The version of the tenant's definitions as this transaction sees it. */
export async function catalogVersion(context: TxContext): Promise<number> {
  const { version } = await readCatalogVersion(context.tx, context.tenantId)
  return version
}

/** The catalog of the version that this transaction sees; read again only when the version has changed. */
export async function cachedCatalog(context: TxContext): Promise<Catalog> {
  const { databases } = context.services
  const catalogs = kept.get(databases) ?? new LRUCache<number, Catalog>({ max: maxTenants })
  kept.set(databases, catalogs)
  const { version, isOwn } = await readCatalogVersion(context.tx, context.tenantId)
  const known = catalogs.get(context.tenantId)
  if (known?.version === version && !isOwn) return known
  const catalog = await loadCatalog(context.tx, context.tenantId)
  // A version that this transaction raised itself may be rolled back, and another change would then get its number.
  if (!isOwn) catalogs.set(context.tenantId, catalog)
  return catalog
}

/**
 * Every definition that records are compiled against. The version is read first: a change that commits between the statements leaves a catalog that
 * calls itself older than it is, which the check under the entity's lock finds out.
 */
export async function loadCatalog(tx: Tx, tenantId: number): Promise<Catalog> {
  const [{ version }, entityRows, propertyRows, optionRows, relationRows] = await Promise.all([
    readCatalogVersion(tx, tenantId),
    readCatalogEntities(tx, tenantId),
    readCatalogProperties(tx, tenantId),
    readCatalogOptions(tx, tenantId),
    listRelations(tx, tenantId),
  ])
  const options = Map.groupBy(optionRows, (row) => row.propertyId)
  const properties = Map.groupBy(propertyRows, (row) => row.entityId)
  const asParent = Map.groupBy(relationRows, (row) => row.entityId)
  const asOther = Map.groupBy(relationRows, (row) => row.otherEntityId)
  const entities = entityRows.map((row): CatalogEntity => {
    const own = asParent.get(row.entityId) ?? []
    const others = asOther.get(row.entityId) ?? []
    const end = (entityId: number, relation: RelationRow) => ({ entityId, isRequired: relation.isRequired, isList: relation.isList })
    return {
      ...row,
      properties: (properties.get(row.entityId) ?? []).map((property) => toProperty(property, options.get(property.propertyId) ?? [])),
      children: own.filter((relation) => relation.kind === 'child').map((relation) => end(relation.otherEntityId, relation)),
      parents: others.filter((relation) => relation.kind === 'child').map((relation) => end(relation.entityId, relation)),
      peers: [
        ...new Set([
          ...own.filter((relation) => relation.kind === 'peer').map((relation) => relation.otherEntityId),
          ...others.filter((relation) => relation.kind === 'peer').map((relation) => relation.entityId),
        ]),
      ],
    }
  })
  const byIdOrName = new Map<string, CatalogEntity>()
  for (const entity of entities) {
    byIdOrName.set(String(entity.entityId), entity)
    byIdOrName.set(entity.internalName.toLowerCase(), entity)
  }
  return { tenantId, version, entities, byIdOrName }
}

function toProperty(row: CatalogPropertyRow, options: readonly CatalogOptionRow[]): CatalogProperty {
  const { dataTypeId, optionFilter, entityId: _entityId, ...property } = row
  const shown = ({ optionId, internalName, parentOptionId }: CatalogOptionRow): CatalogOption => ({
    optionId,
    internalName,
    parentOptionId,
  })
  return {
    ...property,
    dataType: dataTypeOf(dataTypeId),
    options: options.filter((option) => !option.isRetired).map(shown),
    retiredOptions: options.filter((option) => option.isRetired).map(shown),
    optionFilter: optionFilter ? new Set(optionFilter) : null,
  }
}
