/** Entities and what they are composed of, as their lists show them. */
import type { DisplayLanguages } from '#platform/db/display-language.ts'
import type { Tx } from '#platform/db/pool.ts'
import { listPropertyDisplays, shownIn } from '#tools/properties/service.ts'

import { countAttached, listRelations, type RelationRow } from './composition.store.ts'
import type { Entity, EntityProperty } from './entities.schema.ts'
import { listEntityDisplays, listEntityRows } from './entities.store.ts'
import { listAttached, type AttachedProperty } from './attached.ts'

/** Every entity of the tenant, or these, in the order of their names. */
export async function listEntities(
  tx: Tx,
  tenantId: number,
  languages: DisplayLanguages,
  entityIds?: readonly number[],
): Promise<Entity[]> {
  const rows = await listEntityRows(tx, tenantId, entityIds)
  const displaysOf = Map.groupBy(await listEntityDisplays(tx, tenantId, entityIds), (display) => display.entityId)
  const counts = await countAttached(tx, tenantId)
  return rows.map(({ entityId, internalName, categoryId, verticalId, globalSourceId }) => {
    const displays = displaysOf.get(entityId) ?? []
    return {
      entityId,
      internalName,
      ...shownIn(displays, languages, internalName),
      propertyCount: counts.get(entityId) ?? 0,
      categoryId,
      verticalId,
      globalSourceId,
      displays: displays.map(({ languageRegionId, name, description }) => ({ languageRegionId, name, description })),
    }
  })
}

/** The properties and children of an entity, in their order. */
export async function listComposition(tx: Tx, tenantId: number, entityId: number, languages: DisplayLanguages): Promise<EntityProperty[]> {
  const attached = await listAttached(tx, tenantId, entityId)
  const propertyIds = attached.map((row) => row.propertyId)
  const displaysOf = Map.groupBy(await listPropertyDisplays(tx, tenantId, propertyIds), (display) => display.propertyId)
  const children = (await listRelations(tx, tenantId, entityId)).filter(
    (relation) => relation.kind === 'child' && relation.entityId === entityId,
  )
  const childIds = children.map((child) => child.otherEntityId)
  const named = new Map((await listEntities(tx, tenantId, languages, childIds)).map((entity) => [entity.entityId, entity]))
  return [
    ...attached.map((row) => ({
      row,
      shown: propertyElement(row, shownIn(displaysOf.get(row.propertyId) ?? [], languages, row.internalName)),
    })),
    ...children.map((row) => ({ row, shown: childElement(row, named.get(row.otherEntityId)) })),
  ]
    .sort((a, b) => a.row.position - b.row.position || a.shown.entityPropertyId - b.shown.entityPropertyId)
    .map(({ shown }, index) => ({ ...shown, position: index + 1 }))
}

function propertyElement(row: AttachedProperty, shown: { readonly name: string; readonly description: string }): EntityProperty {
  return {
    entityPropertyId: row.entityPropertyId,
    propertyId: row.propertyId,
    propertyInternalName: row.internalName,
    dataTypeId: row.dataTypeId,
    propertyName: shown.name,
    propertyDescription: shown.description,
    childEntityId: null,
    childEntityInternalName: null,
    childEntityName: null,
    propertyOptionFilterId: row.propertyOptionFilterId,
    isRequired: row.isRequired,
    isList: row.isList,
    keyPart: row.keyPart,
    ...(row.numbering === null ? {} : { numbering: row.numbering }),
    isSensitive: row.isSensitive,
    position: row.position,
  }
}

function childElement(row: RelationRow, child: Entity | undefined): EntityProperty {
  return {
    entityPropertyId: row.entityRelationId,
    propertyId: null,
    propertyInternalName: null,
    dataTypeId: null,
    propertyName: null,
    propertyDescription: null,
    childEntityId: row.otherEntityId,
    childEntityInternalName: child?.internalName ?? null,
    childEntityName: child?.name ?? null,
    propertyOptionFilterId: null,
    isRequired: row.isRequired,
    isList: row.isList,
    keyPart: null,
    isSensitive: false,
    position: row.position,
  }
}
