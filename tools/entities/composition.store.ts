/** SQL of what entities are composed of: properties, children and peers. */
import type { Tx } from '#platform/db/pool.ts'

import type { Numbering } from './entities.schema.ts'

export interface EntityPropertyRow {
  readonly entityPropertyId: number
  readonly entityId: number
  readonly propertyId: number
  readonly columnId: number
  readonly isRequired: boolean
  readonly isList: boolean
  readonly keyPart: 1 | 2 | 3 | null
  readonly position: number
  readonly propertyOptionFilterId: number | null
  readonly numbering: Numbering | null
}

/** What is attached to one entity, or to every one of the tenant, in order. */
export async function listEntityPropertyRows(tx: Tx, tenantId: number, entityId?: number): Promise<EntityPropertyRow[]> {
  return tx<EntityPropertyRow[]>`
    select entity_property_id, entity_id, property_id, column_id, is_required, is_list, key_part, position, property_option_filter_id, numbering
    from platform.entity_property
    where tenant_id = ${tenantId} ${entityId === undefined ? tx`` : tx`and entity_id = ${entityId}`}
    order by entity_id, position, entity_property_id`
}

/** How many properties each entity has; entities without any are not among them. */
export async function countAttached(tx: Tx, tenantId: number): Promise<Map<number, number>> {
  const rows = await tx<{ entityId: number; count: number }[]>`
    select entity_id, count(*) as count from platform.entity_property where tenant_id = ${tenantId} group by entity_id`
  return new Map(rows.map((row) => [row.entityId, row.count]))
}

export async function insertEntityProperties(tx: Tx, tenantId: number, rows: readonly EntityPropertyRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx`
    insert into platform.entity_property (tenant_id, entity_property_id, entity_id, property_id, column_id, is_required, is_list, key_part, position,
      property_option_filter_id, numbering)
    select ${tenantId}, r."entityPropertyId", r."entityId", r."propertyId", r."columnId", r."isRequired", r."isList", r."keyPart", r.position,
      r."propertyOptionFilterId", r.numbering
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r("entityPropertyId" int, "entityId" int, "propertyId" int, "columnId" int,
      "isRequired" boolean, "isList" boolean, "keyPart" int, position int, "propertyOptionFilterId" int, numbering jsonb)`
}

export async function updateEntityPropertyRow(tx: Tx, tenantId: number, row: EntityPropertyRow): Promise<void> {
  await tx`
    update platform.entity_property
    set column_id = ${row.columnId}, is_required = ${row.isRequired}, is_list = ${row.isList}, key_part = ${row.keyPart},
      property_option_filter_id = ${row.propertyOptionFilterId}, numbering = ${row.numbering === null ? null : JSON.stringify(row.numbering)}::text::jsonb
    where tenant_id = ${tenantId} and entity_property_id = ${row.entityPropertyId}`
}

/** Takes a property off its entity; its name is kept beside the column, which earlier versions of records still have. */
export async function deleteEntityPropertyRow(
  tx: Tx,
  tenantId: number,
  { entityPropertyId, internalName }: { readonly entityPropertyId: number; readonly internalName: string },
): Promise<void> {
  await tx`
    with gone as (
      delete from platform.entity_property where tenant_id = ${tenantId} and entity_property_id = ${entityPropertyId}
      returning entity_id, column_id
    ) insert into platform.detached_property (tenant_id, entity_id, column_id, internal_name)
    select ${tenantId}::int, entity_id, column_id, ${internalName}::text from gone`
}

/** Properties that an entity had, under the names that they had then. */
export async function listDetached(tx: Tx, tenantId: number, entityId: number): Promise<{ columnId: number; internalName: string }[]> {
  return tx<{ columnId: number; internalName: string }[]>`
    select column_id, internal_name from platform.detached_property where tenant_id = ${tenantId} and entity_id = ${entityId} order by column_id`
}

/** Numbers the properties and children of an entity from 1 in this order. */
export async function orderComposition(tx: Tx, tenantId: number, entityId: number, ids: readonly number[]): Promise<void> {
  await tx`
    update platform.entity_property e set position = r.position
    from unnest(${ids}::int[]) with ordinality as r(id, position)
    where e.tenant_id = ${tenantId} and e.entity_id = ${entityId} and e.entity_property_id = r.id`
  await tx`
    update platform.entity_relation e set position = r.position
    from unnest(${ids}::int[]) with ordinality as r(id, position)
    where e.tenant_id = ${tenantId} and e.entity_id = ${entityId} and e.kind = 'child' and e.entity_relation_id = r.id`
}

/** The attachment whose analysis writes its results to this property, where there is one. */
export async function findAnalysisInto(tx: Tx, tenantId: number, entityId: number, entityPropertyId: number): Promise<string | undefined> {
  const [row] = await tx<{ internalName: string }[]>`
    select p.internal_name
    from platform.entity_property ep join platform.property p on p.tenant_id = ep.tenant_id and p.property_id = ep.property_id
    where ep.tenant_id = ${tenantId} and ep.entity_id = ${entityId} and ep.entity_property_id <> ${entityPropertyId}
      and jsonb_path_exists(ep.analysis, '$.targets.* ? (@ == $id)', jsonb_build_object('id', ${entityPropertyId}::int))
    limit 1`
  return row?.internalName
}

export interface RelationRow {
  readonly entityRelationId: number
  readonly kind: 'child' | 'peer'
  readonly entityId: number
  readonly otherEntityId: number
  readonly isRequired: boolean
  readonly isList: boolean
  readonly position: number
}

/** The relationships in which one entity stands at either end, or all of the tenant's. */
export async function listRelations(tx: Tx, tenantId: number, entityId?: number): Promise<RelationRow[]> {
  return tx<RelationRow[]>`
    select entity_relation_id, kind, entity_id, other_entity_id, is_required, is_list, position
    from platform.entity_relation
    where tenant_id = ${tenantId} ${entityId === undefined ? tx`` : tx`and ${entityId}::int in (entity_id, other_entity_id)`}
    order by entity_id, position, entity_relation_id`
}

export async function insertRelationRows(tx: Tx, tenantId: number, rows: readonly RelationRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx`
    insert into platform.entity_relation (tenant_id, entity_relation_id, kind, entity_id, other_entity_id, is_required, is_list, position)
    select ${tenantId}, r."entityRelationId", r.kind, r."entityId", r."otherEntityId", r."isRequired", r."isList", r.position
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r("entityRelationId" int, kind text, "entityId" int, "otherEntityId" int,
      "isRequired" boolean, "isList" boolean, position int)`
}

export async function updateRelationRow(tx: Tx, tenantId: number, row: RelationRow): Promise<void> {
  await tx`
    update platform.entity_relation set is_required = ${row.isRequired}, is_list = ${row.isList}
    where tenant_id = ${tenantId} and entity_relation_id = ${row.entityRelationId}`
}

export async function deleteRelationRow(tx: Tx, tenantId: number, entityRelationId: number): Promise<void> {
  await tx`delete from platform.entity_relation where tenant_id = ${tenantId} and entity_relation_id = ${entityRelationId}`
}

/** What is read from the files of an attached property, as the domain of analyses keeps it; null switches it off. */
export async function setAnalysis(tx: Tx, tenantId: number, entityPropertyId: number, settings: unknown): Promise<void> {
  await tx`
    update platform.entity_property set analysis = ${settings === null ? null : JSON.stringify(settings)}::text::jsonb
    where tenant_id = ${tenantId} and entity_property_id = ${entityPropertyId}`
}
