/** The entities' door: the catalog that records are compiled against, finding entities, and making them in one go. */
import { takeCatalogIds } from '#platform/db/definitions.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import type { Catalog, CatalogEntity } from './catalog.types.ts'
import { type EntityPropertyRow, insertEntityProperties, insertRelationRows, listRelations, type RelationRow } from './composition.store.ts'
import type { NewEntity } from './entities.rules.ts'
import { type EntityRow, findEntity, insertEntityRows, listEntityRows, upsertEntityDisplays } from './entities.store.ts'

export { cachedCatalog, confirmCatalog, keptCatalog } from './catalog.ts'
export { findAttached, listAttached, noSuchAttached } from './attached.ts'
export { listDetached, listRelations, setAnalysis } from './composition.store.ts'
export { type NamedProperty, type NewEntity, readEntity } from './entities.rules.ts'
export { circlesThrough, findEndless, type NamedEntity, type NewRelation, readRelations } from './relations.rules.ts'
export { listEntityDisplays, listEntityRows, raiseWipe } from './entities.store.ts'
export { claimIdentities } from './identity.ts'
export { type Caller, deleteClaims, findCaller, findRecordsOfUser, findUserOfRecord } from './identity.store.ts'
export { listEntities } from './shown.ts'

/** The catalog's own of an entity that was just found. */
export function mustBeEntity(catalog: Catalog, entityId: number): CatalogEntity {
  return mustExist(catalog.byIdOrName.get(String(entityId)), 'entity')
}

async function nearestEntity(context: TxContext, slot: IdOrName): Promise<string | undefined> {
  const { name } = readIdOrName(slot)
  if (name === null) return undefined
  const known = await listEntityRows(context.tx, context.tenantId)
  return nearest(
    name,
    known.map((entity) => entity.internalName),
  )
}

/**
 * The entity that a path names. Throws AppError `not_found`, with the nearest name of the tenant's own where a name was given: the same answer for a
 * missing id and for another tenant's.
 */
export async function mustFindEntity(context: TxContext, slot: IdOrName, field = 'entity'): Promise<EntityRow> {
  const row = await findEntity(context.tx, context.tenantId, slot)
  if (row) return row
  const { name } = readIdOrName(slot)
  if (name === null) throw new AppError('not_found', 'No such entity.')
  const suggestion = await nearestEntity(context, slot)
  const message = `There is no entity ${quoted(name)}. list_entities shows them.`
  throw new AppError('not_found', 'No such entity.', {
    issues: [finding(`$.${field}`, message, { suggestion })],
  })
}

/** The entity that a body names in `field`. Throws AppError `unknown_entity` with the nearest name. */
export async function entityInBody(context: TxContext, slot: IdOrName, field: string): Promise<EntityRow> {
  const row = await findEntity(context.tx, context.tenantId, slot)
  if (row) return row
  const suggestion = await nearestEntity(context, slot)
  const message = `There is no entity ${quoted(slot)}. list_entities shows them.`
  throw new AppError('unknown_entity', message, {
    issues: [finding(`$.${field}`, message, { suggestion })],
  })
}

/** A new entity with the ids of what it names: `idOf` answers the id of a property, `filterIdOf` of one of its option subsets. */
export interface EntityIds {
  readonly idOf: (property: NewEntity['properties'][number]['property']) => number
  readonly filterIdOf: (propertyId: number, internalName: string) => number | null
}

/**
 * Inserts entities with their displays and properties, a handful of statements for all. To be called inside changeDefinitions, with names that nothing
 * has. Answers the ids by internalName in lower case.
 */
export async function insertEntities(
  context: TxContext,
  entities: readonly NewEntity[],
  ids: EntityIds,
  scope: 'tenant' | 'global' = 'tenant',
): Promise<Map<string, number>> {
  const { tx, tenantId } = context
  const count = entities.reduce((sum, entity) => sum + 1 + 2 * entity.properties.length, 0)
  const fresh = (await takeCatalogIds(tx, count))[Symbol.iterator]()
  const next = () => mustExist(fresh.next().value, 'id')
  const rows = entities.map((entity) => ({ entity, entityId: next() }))
  await insertEntityRows(
    tx,
    tenantId,
    scope,
    rows.map(({ entity, entityId }) => ({
      entityId,
      internalName: entity.internalName,
      categoryId: entity.categoryId,
      verticalId: entity.verticalId,
      globalSourceId: entity.globalSourceId,
      isTenantUserRole: entity.isTenantUserRole,
      identityEmailPropertyId: entity.identityEmail ? ids.idOf(entity.identityEmail) : null,
      identityPhonePropertyId: entity.identityPhone ? ids.idOf(entity.identityPhone) : null,
    })),
  )
  await upsertEntityDisplays(
    tx,
    tenantId,
    rows.flatMap(({ entity, entityId }) => entity.displays.map((display) => ({ ...display, entityId }))),
  )
  await insertEntityProperties(
    tx,
    tenantId,
    rows.flatMap(({ entity, entityId }) =>
      entity.properties.map(({ property, isRequired, isList, keyPart, optionFilter, numbering }, index): EntityPropertyRow => {
        const propertyId = ids.idOf(property)
        const propertyOptionFilterId = optionFilter === null ? null : ids.filterIdOf(propertyId, optionFilter)
        return {
          entityPropertyId: next(),
          columnId: next(),
          entityId,
          propertyId,
          isRequired,
          isList,
          keyPart,
          position: index + 1,
          propertyOptionFilterId,
          numbering,
        }
      }),
    ),
  )
  return new Map(rows.map(({ entity, entityId }) => [entity.internalName.toLowerCase(), entityId]))
}

export type RelationWish = Pick<RelationRow, 'kind' | 'entityId' | 'otherEntityId' | 'isRequired' | 'isList'>

/** Inserts relationships behind what the entities have already. Answers the rows. To be called inside changeDefinitions. */
export async function insertRelations(context: TxContext, wishes: readonly RelationWish[]): Promise<RelationRow[]> {
  const { tx, tenantId } = context
  const ids = await takeCatalogIds(tx, wishes.length)
  // Children stand behind every property, and new ones behind those that are there; 300 properties are the most.
  const present = await listRelations(tx, tenantId)
  const last = new Map<number, number>()
  for (const row of present) last.set(row.entityId, Math.max(last.get(row.entityId) ?? 0, row.position))
  const rows = wishes.map((wish, index): RelationRow => {
    const position = Math.max(last.get(wish.entityId) ?? 0, 1_000) + 1
    last.set(wish.entityId, position)
    return { ...wish, entityRelationId: mustExist(ids[index], 'id'), position }
  })
  await insertRelationRows(tx, tenantId, rows)
  return rows
}
