/** SQL of what entities are composed of: properties, children and peers. */
import type { DisplayLanguages } from '#platform/db/display-language.ts'
import type { Tx } from '#platform/db/pool.ts'

import type { EntityProperty } from './entities.schema.ts'

/** The properties and children of an entity, in their order. */
export async function listComposition(tx: Tx, tenantId: number, entityId: number, languages: DisplayLanguages): Promise<EntityProperty[]> {
  return tx<EntityProperty[]>`
    with composed as (
      select ep.entity_property_id, p.property_id, p.internal_name as property_internal_name, p.data_type_id,
        coalesce(mine.name, usual.name, p.internal_name) as property_name, coalesce(mine.description, usual.description, '') as property_description,
        null::int as child_entity_id, null as child_entity_internal_name, null as child_entity_name,
        ep.property_option_filter_id, ep.is_required, ep.is_list, ep.key_part, p.is_sensitive, ep.position
      from platform.entity_property ep
        join platform.property p on p.tenant_id = ep.tenant_id and p.property_id = ep.property_id
        left join platform.property_display mine
          on mine.tenant_id = p.tenant_id and mine.property_id = p.property_id and mine.language_region_id = ${languages.requested}
        left join platform.property_display usual
          on usual.tenant_id = p.tenant_id and usual.property_id = p.property_id and usual.language_region_id = ${languages.usual}
      where ep.tenant_id = ${tenantId} and ep.entity_id = ${entityId}
      union all
      select r.entity_relation_id, null, null, null, null, null, c.entity_id, c.internal_name, coalesce(mine.name, usual.name, c.internal_name),
        null, r.is_required, r.is_list, null, false, r.position
      from platform.entity_relation r
        join platform.entity c on c.tenant_id = r.tenant_id and c.entity_id = r.other_entity_id
        left join platform.entity_display mine
          on mine.tenant_id = c.tenant_id and mine.entity_id = c.entity_id and mine.language_region_id = ${languages.requested}
        left join platform.entity_display usual
          on usual.tenant_id = c.tenant_id and usual.entity_id = c.entity_id and usual.language_region_id = ${languages.usual}
      where r.tenant_id = ${tenantId} and r.entity_id = ${entityId} and r.kind = 'child'
    )
    select entity_property_id, property_id, property_internal_name, data_type_id, property_name, property_description, child_entity_id,
      child_entity_internal_name, child_entity_name, property_option_filter_id, is_required, is_list, key_part, is_sensitive,
      (row_number() over (order by position, entity_property_id))::int as position
    from composed
    order by composed.position, entity_property_id`
}

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
}

export interface AttachedProperty extends EntityPropertyRow {
  readonly internalName: string
  readonly dataTypeId: number
  readonly isIdentityEmail: boolean
  readonly isIdentityPhone: boolean
}

/** What is attached to one entity, or to every one of the tenant, in order. */
export async function listAttached(tx: Tx, tenantId: number, entityId?: number): Promise<AttachedProperty[]> {
  return tx<AttachedProperty[]>`
    select ep.entity_property_id, ep.entity_id, ep.property_id, ep.column_id, ep.is_required, ep.is_list, ep.key_part, ep.position,
      ep.property_option_filter_id, p.internal_name, p.data_type_id, p.is_identity_email, p.is_identity_phone
    from platform.entity_property ep join platform.property p on p.tenant_id = ep.tenant_id and p.property_id = ep.property_id
    where ep.tenant_id = ${tenantId} ${entityId === undefined ? tx`` : tx`and ep.entity_id = ${entityId}`}
    order by ep.entity_id, ep.position, ep.entity_property_id`
}

export async function insertEntityProperties(tx: Tx, tenantId: number, rows: readonly EntityPropertyRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx`
    insert into platform.entity_property (tenant_id, entity_property_id, entity_id, property_id, column_id, is_required, is_list, key_part, position,
      property_option_filter_id)
    select ${tenantId}, r."entityPropertyId", r."entityId", r."propertyId", r."columnId", r."isRequired", r."isList", r."keyPart", r.position,
      r."propertyOptionFilterId"
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r("entityPropertyId" int, "entityId" int, "propertyId" int, "columnId" int,
      "isRequired" boolean, "isList" boolean, "keyPart" int, position int, "propertyOptionFilterId" int)`
}

export async function updateEntityPropertyRow(tx: Tx, tenantId: number, row: EntityPropertyRow): Promise<void> {
  await tx`
    update platform.entity_property
    set column_id = ${row.columnId}, is_required = ${row.isRequired}, is_list = ${row.isList}, key_part = ${row.keyPart},
      property_option_filter_id = ${row.propertyOptionFilterId}
    where tenant_id = ${tenantId} and entity_property_id = ${row.entityPropertyId}`
}

export async function deleteEntityPropertyRow(tx: Tx, tenantId: number, entityPropertyId: number): Promise<void> {
  await tx`delete from platform.entity_property where tenant_id = ${tenantId} and entity_property_id = ${entityPropertyId}`
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
