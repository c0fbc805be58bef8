/** All SQL of properties; their options are in property-options.store.ts. */
import type { Tx } from '#platform/db/pool.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'

import type { NewDisplay, References } from './displays.rules.ts'
import type { NewProperty, PropertyRules } from './properties.rules.ts'
import type { PropertyLanguage } from './properties.schema.ts'

/** Languages, the tenant's default language, categories that the tenant sees, and verticals: what every definition may refer to. */
export async function loadReferences(tx: Tx, tenantId: number): Promise<References> {
  const [row] = await tx<[References]>`
    select
      (select json_agg(json_object('languageRegionId': language_region_id, 'languageCode': language_code)) from platform.language) as languages,
      (select language_region_id from platform.tenant where tenant_id = ${tenantId}) as usual_language_id,
      (select coalesce(json_agg(json_object('categoryId': category_id, 'internalName': internal_name)), '[]')
        from platform.category where tenant_id in (0, ${tenantId})) as categories,
      (select json_agg(json_object('verticalId': vertical_id, 'internalName': internal_name)) from platform.vertical) as verticals`
  return row
}

export interface PropertyRow extends PropertyRules {
  readonly propertyId: number
  readonly dataTypeId: number
  readonly internalName: string
  readonly storageShortcutId: number | null
  readonly globalSourceId: number | null
  readonly scope: 'tenant' | 'global'
}

/** The property of this id or name. */
export async function findProperty(tx: Tx, tenantId: number, slot: IdOrName): Promise<PropertyRow | undefined> {
  const { id, name } = readIdOrName(slot)
  const [row] = await tx<PropertyRow[]>`
    select property_id, data_type_id, internal_name, max_decimal_places, max_value_or_length, min_value_or_length, reg_ex, allowed_file_types,
      is_sensitive, is_identity_email, is_identity_phone, is_tenant_user_role, storage_shortcut_id, category_id, vertical_id, global_source_id, scope
    from platform.property
    where tenant_id = ${tenantId} and ${id === null ? tx`lower(internal_name) = lower(${name})` : tx`property_id = ${id}::bigint`}`
  return row
}

/** Every property of the tenant, or these, in the order of their names. */
export async function listPropertyRows(tx: Tx, tenantId: number, propertyIds?: readonly number[]): Promise<PropertyRow[]> {
  return tx<PropertyRow[]>`
    select property_id, data_type_id, internal_name, max_decimal_places, max_value_or_length, min_value_or_length, reg_ex, allowed_file_types,
      is_sensitive, is_identity_email, is_identity_phone, is_tenant_user_role, storage_shortcut_id, category_id, vertical_id, global_source_id, scope
    from platform.property
    where tenant_id = ${tenantId} ${propertyIds ? tx`and property_id = any(${propertyIds}::int[])` : tx``}
    order by lower(internal_name)`
}

export interface KnownProperty {
  readonly propertyId: number
  readonly internalName: string
  readonly dataTypeId: number
  readonly isIdentityEmail: boolean
  readonly isIdentityPhone: boolean
  readonly isGlobal: boolean
}

/** What others need to know of a property before they name it. */
export async function listKnownProperties(tx: Tx, tenantId: number): Promise<KnownProperty[]> {
  return tx<KnownProperty[]>`
    select property_id, internal_name, data_type_id, is_identity_email, is_identity_phone, scope = 'global' as is_global
    from platform.property where tenant_id = ${tenantId}`
}

export interface PropertyDisplayRow extends PropertyLanguage {
  readonly propertyId: number
  readonly languageCode: string
}

/** The displays of every property of the tenant, or of these, in the order of the languages. */
export async function listPropertyDisplays(tx: Tx, tenantId: number, propertyIds?: readonly number[]): Promise<PropertyDisplayRow[]> {
  return tx<PropertyDisplayRow[]>`
    select d.property_id, d.language_region_id, l.language_code, l.display_name as language_display_name, d.name, d.description, d.reg_ex,
      d.is_translation_locked
    from platform.property_display d join platform.language l on l.language_region_id = d.language_region_id
    where d.tenant_id = ${tenantId} ${propertyIds ? tx`and d.property_id = any(${propertyIds}::int[])` : tx``}
    order by d.property_id, d.language_region_id`
}

export type IdentifiedProperty = NewProperty & { readonly propertyId: number }

/** Inserts properties without their displays and options. */
export async function insertPropertyRows(
  tx: Tx,
  tenantId: number,
  scope: 'tenant' | 'global',
  properties: readonly IdentifiedProperty[],
): Promise<void> {
  await tx`
    insert into platform.property (tenant_id, scope, property_id, data_type_id, internal_name, max_decimal_places, max_value_or_length, min_value_or_length,
      reg_ex, is_sensitive, is_identity_email, is_identity_phone, is_tenant_user_role, allowed_file_types, category_id, vertical_id, global_source_id)
    select ${tenantId}, ${scope}, r."propertyId", r."dataTypeId", r."internalName", r."maxDecimalPlaces", r."maxValueOrLength", r."minValueOrLength",
      r."regEx", r."isSensitive", r."isIdentityEmail", r."isIdentityPhone", r."isTenantUserRole", r."allowedFileTypes", r."categoryId", r."verticalId",
      r."globalSourceId"
    from json_to_recordset(${JSON.stringify(properties)}::text::json) as r("propertyId" int, "dataTypeId" int, "internalName" text,
      "maxDecimalPlaces" int, "maxValueOrLength" float8, "minValueOrLength" float8, "regEx" text, "isSensitive" boolean, "isIdentityEmail" boolean,
      "isIdentityPhone" boolean, "isTenantUserRole" boolean, "allowedFileTypes" text[], "categoryId" int, "verticalId" int, "globalSourceId" int)`
}

/** Writes displays, over those of the same language; `isTranslationLocked` stays where it is null. */
export async function upsertPropertyDisplays(
  tx: Tx,
  tenantId: number,
  displays: readonly (Omit<NewDisplay, 'isTranslationLocked'> & {
    readonly propertyId: number
    readonly isTranslationLocked: boolean | null
  })[],
): Promise<void> {
  if (displays.length === 0) return
  await tx`
    insert into platform.property_display as present (tenant_id, property_id, language_region_id, name, description, reg_ex, is_translation_locked)
    select ${tenantId}, r."propertyId", r."languageRegionId", r.name, r.description, r."regEx", coalesce(r."isTranslationLocked", old.is_translation_locked, false)
    from json_to_recordset(${JSON.stringify(displays)}::text::json) as r("propertyId" int, "languageRegionId" int, name text, description text, "regEx" text,
        "isTranslationLocked" boolean)
      left join platform.property_display old
        on old.tenant_id = ${tenantId} and old.property_id = r."propertyId" and old.language_region_id = r."languageRegionId"
    on conflict (tenant_id, property_id, language_region_id) do update
      set name = excluded.name, description = excluded.description, reg_ex = excluded.reg_ex, is_translation_locked = excluded.is_translation_locked`
}

/** Locks or unlocks a display; false where the property has none in this language. */
export async function setTranslationLock(
  tx: Tx,
  tenantId: number,
  propertyId: number,
  languageRegionId: number,
  isLocked: boolean,
): Promise<boolean> {
  const rows = await tx`
    update platform.property_display set is_translation_locked = ${isLocked}
    where tenant_id = ${tenantId} and property_id = ${propertyId} and language_region_id = ${languageRegionId}
    returning 1`
  return rows.length > 0
}

export async function updatePropertyRow(
  tx: Tx,
  tenantId: number,
  stamp: string,
  property: PropertyRules & { readonly propertyId: number; readonly internalName: string },
): Promise<void> {
  await tx`
    update platform.property
    set internal_name = ${property.internalName}, max_decimal_places = ${property.maxDecimalPlaces}, max_value_or_length = ${property.maxValueOrLength},
      min_value_or_length = ${property.minValueOrLength}, reg_ex = ${property.regEx}, allowed_file_types = ${property.allowedFileTypes}::text[],
      is_sensitive = ${property.isSensitive}, is_identity_email = ${property.isIdentityEmail}, is_identity_phone = ${property.isIdentityPhone},
      is_tenant_user_role = ${property.isTenantUserRole}, category_id = ${property.categoryId}, vertical_id = ${property.verticalId}, modified_date = ${stamp}
    where tenant_id = ${tenantId} and property_id = ${property.propertyId}`
}

export interface AnalysisFlow {
  /** Of the entity. */
  readonly internalName: string
  readonly source: string
  readonly target: string
}

/** Where what is read from a sensitive file of the property goes, or what goes into it from one, is not sensitive. */
export async function findOpenFlow(tx: Tx, tenantId: number, propertyId: number): Promise<AnalysisFlow | undefined> {
  const [row] = await tx<AnalysisFlow[]>`
    select e.internal_name, source.internal_name as source, target.internal_name as target
    from platform.entity_property es
      join platform.entity e on e.tenant_id = es.tenant_id and e.entity_id = es.entity_id
      join platform.property source on source.tenant_id = es.tenant_id and source.property_id = es.property_id and source.is_sensitive
      join lateral jsonb_each_text(es.analysis -> 'targets') as aim (kind, id) on true
      join platform.entity_property et on et.tenant_id = es.tenant_id and et.entity_property_id = aim.id::int
      join platform.property target on target.tenant_id = et.tenant_id and target.property_id = et.property_id and not target.is_sensitive
    where es.tenant_id = ${tenantId} and es.analysis is not null and ${propertyId}::int in (es.property_id, et.property_id)
    limit 1`
  return row
}

export async function deletePropertyRow(tx: Tx, tenantId: number, propertyId: number): Promise<void> {
  await tx`delete from platform.property where tenant_id = ${tenantId} and property_id = ${propertyId}`
}

export interface PropertyUse {
  readonly entityId: number
  readonly internalName: string
  readonly entityPropertyId: number
  readonly columnId: number
  readonly isList: boolean
  /** The entity's bridge to users goes through this property. */
  readonly isIdentity: boolean
}

/** The entities that the property is attached to, in the order of their names. */
export async function listPropertyUses(tx: Tx, tenantId: number, propertyId: number): Promise<PropertyUse[]> {
  return tx<PropertyUse[]>`
    select e.entity_id, e.internal_name, ep.entity_property_id, ep.column_id, ep.is_list,
      coalesce(e.is_tenant_user_role and ep.property_id in (e.identity_email_property_id, e.identity_phone_property_id), false) as is_identity
    from platform.entity_property ep join platform.entity e on e.tenant_id = ep.tenant_id and e.entity_id = ep.entity_id
    where ep.tenant_id = ${tenantId} and ep.property_id = ${propertyId}
    order by lower(e.internal_name)`
}

/** What a property asks of the files in it. */
export interface FileRules {
  readonly isSensitive: boolean
  /** Extensions without a dot; empty: every kind. */
  readonly allowedFileTypes: readonly string[]
}

/** What the property that a file is meant for asks of it; undefined where there is none of this id, or it holds no files. */
export async function findFileRules(tx: Tx, tenantId: number, propertyId: number): Promise<FileRules | undefined> {
  const [row] = await tx<FileRules[]>`
    select is_sensitive, allowed_file_types from platform.property
    where tenant_id = ${tenantId} and property_id = ${propertyId} and data_type_id in (7, 8, 12)`
  return row
}
