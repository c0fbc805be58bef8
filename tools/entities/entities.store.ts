/** SQL of entities and their displays. What they are composed of is in composition.store.ts. */
import type { Tx } from '#platform/db/pool.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'

export interface EntityRow {
  readonly entityId: number
  readonly internalName: string
  readonly categoryId: number | null
  readonly verticalId: number | null
  readonly globalSourceId: number | null
  readonly isTenantUserRole: boolean
  readonly identityEmailPropertyId: number | null
  readonly identityPhonePropertyId: number | null
}

/** The entity of this id or name. */
export async function findEntity(tx: Tx, tenantId: number, slot: IdOrName): Promise<EntityRow | undefined> {
  const { id, name } = readIdOrName(slot)
  const [row] = await tx<EntityRow[]>`
    select entity_id, internal_name, category_id, vertical_id, global_source_id, is_tenant_user_role, identity_email_property_id, identity_phone_property_id
    from platform.entity
    where tenant_id = ${tenantId} and ${id === null ? tx`lower(internal_name) = lower(${name})` : tx`entity_id = ${id}::bigint`}`
  return row
}

/** Every entity of the tenant, or these, in the order of their names. */
export async function listEntityRows(tx: Tx, tenantId: number, entityIds?: readonly number[]): Promise<EntityRow[]> {
  return tx<EntityRow[]>`
    select entity_id, internal_name, category_id, vertical_id, global_source_id, is_tenant_user_role, identity_email_property_id, identity_phone_property_id
    from platform.entity
    where tenant_id = ${tenantId} ${entityIds ? tx`and entity_id = any(${entityIds}::int[])` : tx``}
    order by lower(internal_name)`
}

export interface EntityDisplayRow {
  readonly entityId: number
  readonly languageRegionId: number
  readonly languageCode: string
  readonly name: string
  readonly description: string
  readonly isTranslationLocked: boolean
}

/** The displays of every entity of the tenant, or of these, in the order of the languages. */
export async function listEntityDisplays(tx: Tx, tenantId: number, entityIds?: readonly number[]): Promise<EntityDisplayRow[]> {
  return tx<EntityDisplayRow[]>`
    select d.entity_id, d.language_region_id, l.language_code, d.name, d.description, d.is_translation_locked
    from platform.entity_display d join platform.language l on l.language_region_id = d.language_region_id
    where d.tenant_id = ${tenantId} ${entityIds ? tx`and d.entity_id = any(${entityIds}::int[])` : tx``}
    order by d.entity_id, d.language_region_id`
}

export async function insertEntityRows(
  tx: Tx,
  tenantId: number,
  scope: 'tenant' | 'global',
  entities: readonly EntityRow[],
): Promise<void> {
  if (entities.length === 0) return
  await tx`
    insert into platform.entity (tenant_id, scope, entity_id, internal_name, category_id, vertical_id, global_source_id, is_tenant_user_role,
      identity_email_property_id, identity_phone_property_id)
    select ${tenantId}, ${scope}, r."entityId", r."internalName", r."categoryId", r."verticalId", r."globalSourceId", r."isTenantUserRole",
      r."identityEmailPropertyId", r."identityPhonePropertyId"
    from json_to_recordset(${JSON.stringify(entities)}::text::json) as r("entityId" int, "internalName" text, "categoryId" int, "verticalId" int,
      "globalSourceId" int, "isTenantUserRole" boolean, "identityEmailPropertyId" int, "identityPhonePropertyId" int)`
}

/** Writes displays, over those of the same language; what is null stays as it is. */
export async function upsertEntityDisplays(
  tx: Tx,
  tenantId: number,
  displays: readonly {
    entityId: number
    languageRegionId: number
    name: string
    description: string | null
    isTranslationLocked: boolean | null
  }[],
): Promise<void> {
  if (displays.length === 0) return
  await tx`
    insert into platform.entity_display (tenant_id, entity_id, language_region_id, name, description, is_translation_locked)
    select ${tenantId}, r."entityId", r."languageRegionId", r.name, coalesce(r.description, old.description, ''),
      coalesce(r."isTranslationLocked", old.is_translation_locked, false)
    from json_to_recordset(${JSON.stringify(displays)}::text::json) as r("entityId" int, "languageRegionId" int, name text, description text,
        "isTranslationLocked" boolean)
      left join platform.entity_display old
        on old.tenant_id = ${tenantId} and old.entity_id = r."entityId" and old.language_region_id = r."languageRegionId"
    on conflict (tenant_id, entity_id, language_region_id) do update
      set name = excluded.name, description = excluded.description, is_translation_locked = excluded.is_translation_locked`
}

export async function updateEntityRow(
  tx: Tx,
  tenantId: number,
  stamp: string,
  entity: Pick<EntityRow, 'entityId' | 'internalName' | 'categoryId' | 'verticalId'>,
): Promise<void> {
  await tx`
    update platform.entity
    set internal_name = ${entity.internalName}, category_id = ${entity.categoryId}, vertical_id = ${entity.verticalId}, modified_date = ${stamp}
    where tenant_id = ${tenantId} and entity_id = ${entity.entityId}`
}

export async function updateBridge(
  tx: Tx,
  tenantId: number,
  stamp: string,
  bridge: Pick<EntityRow, 'entityId' | 'isTenantUserRole' | 'identityEmailPropertyId' | 'identityPhonePropertyId'>,
): Promise<void> {
  await tx`
    update platform.entity
    set is_tenant_user_role = ${bridge.isTenantUserRole}, identity_email_property_id = ${bridge.identityEmailPropertyId},
      identity_phone_property_id = ${bridge.identityPhonePropertyId}, modified_date = ${stamp}
    where tenant_id = ${tenantId} and entity_id = ${bridge.entityId}`
}

/** Watermarks of the entity's records from before are refused. */
export async function raiseWipe(tx: Tx, tenantId: number, entityId: number): Promise<void> {
  await tx`update platform.entity set wipe_no = wipe_no + 1 where tenant_id = ${tenantId} and entity_id = ${entityId}`
}

export async function deleteEntityRow(tx: Tx, tenantId: number, entityId: number): Promise<void> {
  await tx`delete from platform.entity where tenant_id = ${tenantId} and entity_id = ${entityId}`
}
