/** The catalog of a tenant: loaded in one round trip, kept for each process under its version. */
import { LRUCache } from 'lru-cache'

import { readCatalogVersion } from '#platform/db/definitions.ts'
import type { Tx } from '#platform/db/pool.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { kept } from '#platform/kept.ts'
import type { TxContext } from '#platform/operation.ts'
import { listOfEntities } from '#tools/definitions/service.ts'
import { dataTypeOf } from '#tools/properties/properties.schema.ts'
import {
  type CatalogOptionRow,
  listAllOptionFilters,
  listOptionDisplays,
  listPropertyRows,
  type PropertyRow,
  readCatalogOptions,
} from '#tools/properties/service.ts'

import { accessOf } from './access.rules.ts'
import type { Catalog, CatalogEntity, CatalogOption, CatalogProperty } from './catalog.types.ts'
import { readCatalogAttachments, readCatalogEntities, readCatalogWatchers } from './catalog.store.ts'
import { listRelations, type RelationRow } from './composition.store.ts'
import { watchedOf } from './watched.rules.ts'

const maxTenants = 500

const catalogsOf = kept(() => new LRUCache<number, Catalog>({ max: maxTenants }))

/** The catalog that this process has kept for the tenant, of whichever version. Compile for it only with `confirmCatalog` on its way. */
export function keptCatalog(context: TxContext): Catalog | undefined {
  return catalogsOf(context.services).get(context.tenantId)
}

/** Resolves when the transaction sees the version of this catalog; throws StaleRead, and forgets the catalog, when it sees another. Sent at once. */
export async function confirmCatalog(context: TxContext, catalog: Catalog): Promise<void> {
  const { version, isOwn } = await readCatalogVersion(context.tx, context.tenantId)
  if (version === catalog.version && !isOwn) return
  const catalogs = catalogsOf(context.services)
  if (catalogs.get(context.tenantId) === catalog) catalogs.delete(context.tenantId)
  throw new StaleRead('the catalog changed', async () => {})
}

/** The catalog of the version that this transaction sees; read again only when the version has changed. */
export async function cachedCatalog(context: TxContext): Promise<Catalog> {
  const catalogs = catalogsOf(context.services)
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
 * calls itself older than it is, which the check under the entity's lock finds out. Joined here, for the reason that properties/shown.ts gives.
 */
async function loadCatalog(tx: Tx, tenantId: number): Promise<Catalog> {
  const [
    { version },
    entityRows,
    attachments,
    propertyRows,
    optionRows,
    optionDisplays,
    filterRows,
    relationRows,
    accessRows,
    watcherRows,
  ] = await Promise.all([
    readCatalogVersion(tx, tenantId),
    readCatalogEntities(tx, tenantId),
    readCatalogAttachments(tx, tenantId),
    listPropertyRows(tx, tenantId),
    readCatalogOptions(tx, tenantId),
    listOptionDisplays(tx, tenantId),
    listAllOptionFilters(tx, tenantId),
    listRelations(tx, tenantId),
    listOfEntities(tx, tenantId, 'access'),
    readCatalogWatchers(tx, tenantId),
  ])
  const shapes = shapesOf(propertyRows, optionRows, optionDisplays)
  const filters = new Map(filterRows.map((filter) => [filter.propertyOptionFilterId, new Set(filter.optionIds)]))
  const attached = Map.groupBy(attachments, (row) => row.entityId)
  const asParent = Map.groupBy(relationRows, (row) => row.entityId)
  const asOther = Map.groupBy(relationRows, (row) => row.otherEntityId)
  const open = entityRows.map((row): CatalogEntity => {
    const own = asParent.get(row.entityId) ?? []
    const others = asOther.get(row.entityId) ?? []
    const end = (entityId: number, relation: RelationRow) => ({ entityId, isRequired: relation.isRequired, isList: relation.isList })
    return {
      ...row,
      watched: watchedOf(watcherRows, row.entityId),
      properties: (attached.get(row.entityId) ?? []).flatMap(
        ({ entityId: _entityId, propertyOptionFilterId, ...attachment }): CatalogProperty[] => {
          const shape = shapes.get(attachment.propertyId)
          if (!shape) return []
          return [
            {
              ...shape,
              ...attachment,
              optionFilter: propertyOptionFilterId === null ? null : (filters.get(propertyOptionFilterId) ?? null),
            },
          ]
        },
      ),
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
  if (accessRows.length === 0) return { tenantId, version, entities: open, byIdOrName: indexOf(open) }
  // Rules name entities and properties, which must be known first.
  const vocabulary = { entities: open, byIdOrName: indexOf(open) }
  const ruled = new Map(accessRows.map((row) => [row.entityId, accessOf(row, vocabulary)]))
  const entities = open.map((entity) => ({ ...entity, access: ruled.get(entity.entityId) }))
  return { tenantId, version, entities, byIdOrName: indexOf(entities) }
}

function indexOf(entities: readonly CatalogEntity[]): Map<string, CatalogEntity> {
  const byIdOrName = new Map<string, CatalogEntity>()
  for (const entity of entities) {
    byIdOrName.set(String(entity.entityId), entity)
    byIdOrName.set(entity.internalName.toLowerCase(), entity)
  }
  return byIdOrName
}

type Shape = Omit<
  CatalogProperty,
  'entityPropertyId' | 'columnId' | 'isRequired' | 'isList' | 'keyPart' | 'optionFilter' | 'analysis' | 'numbering'
>

/** What the same property is in every entity that has it. */
function shapesOf(
  properties: readonly PropertyRow[],
  options: readonly CatalogOptionRow[],
  displays: readonly { readonly optionId: number; readonly name: string }[],
): Map<number, Shape> {
  const namesOf = Map.groupBy(displays, (display) => display.optionId)
  const optionsOf = Map.groupBy(options, (option) => option.propertyId)
  const shown = ({ optionId, internalName, parentOptionId }: CatalogOptionRow): CatalogOption => ({
    optionId,
    internalName,
    parentOptionId,
  })
  return new Map(
    properties.map((row) => {
      const own = optionsOf.get(row.propertyId) ?? []
      const {
        propertyId,
        internalName,
        isSensitive,
        minValueOrLength,
        maxValueOrLength,
        maxDecimalPlaces,
        regEx,
        allowedFileTypes,
        isIdentityEmail,
        isIdentityPhone,
      } = row
      const shape: Shape = {
        propertyId,
        internalName,
        dataType: dataTypeOf(row.dataTypeId),
        isSensitive,
        minValueOrLength,
        maxValueOrLength,
        maxDecimalPlaces,
        regEx,
        allowedFileTypes,
        options: own
          .filter((option) => !option.isRetired)
          .map((option) => ({ ...shown(option), names: (namesOf.get(option.optionId) ?? []).map((display) => display.name) })),
        retiredOptions: own.filter((option) => option.isRetired).map(shown),
        isIdentityEmail,
        isIdentityPhone,
      }
      return [propertyId, shape] as const
    }),
  )
}
