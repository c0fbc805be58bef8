/** SQL behind the catalog that records are compiled against. */
import type { Tx } from '#platform/db/pool.ts'

export interface CatalogEntityRow {
  readonly entityId: number
  readonly internalName: string
  readonly wipeNo: number
  readonly isTenantUserRole: boolean
  readonly identityEmailPropertyId: number | null
  readonly identityPhonePropertyId: number | null
}

export async function readCatalogEntities(tx: Tx, tenantId: number): Promise<CatalogEntityRow[]> {
  return tx<CatalogEntityRow[]>`
    select entity_id, internal_name, wipe_no, is_tenant_user_role, identity_email_property_id, identity_phone_property_id
    from platform.entity where tenant_id = ${tenantId}
    order by lower(internal_name)`
}

export interface CatalogPropertyRow {
  readonly entityId: number
  readonly entityPropertyId: number
  readonly propertyId: number
  readonly columnId: number
  readonly internalName: string
  readonly dataTypeId: number
  readonly isRequired: boolean
  readonly isList: boolean
  readonly keyPart: 1 | 2 | 3 | null
  readonly isSensitive: boolean
  readonly minValueOrLength: number | null
  readonly maxValueOrLength: number | null
  readonly maxDecimalPlaces: number | null
  readonly regEx: string | null
  readonly allowedFileTypes: readonly string[]
  readonly isIdentityEmail: boolean
  readonly isIdentityPhone: boolean
  readonly analysis: unknown
  readonly optionFilter: readonly number[] | null
}

export async function readCatalogProperties(tx: Tx, tenantId: number): Promise<CatalogPropertyRow[]> {
  return tx<CatalogPropertyRow[]>`
    select ep.entity_id, ep.entity_property_id, ep.property_id, ep.column_id, p.internal_name, p.data_type_id, ep.is_required, ep.is_list, ep.key_part,
      p.is_sensitive, p.min_value_or_length, p.max_value_or_length, p.max_decimal_places, p.reg_ex, p.allowed_file_types, p.is_identity_email,
      p.is_identity_phone, ep.analysis, f.option_ids as option_filter
    from platform.entity_property ep
      join platform.property p on p.tenant_id = ep.tenant_id and p.property_id = ep.property_id
      left join platform.property_option_filter f
        on f.tenant_id = ep.tenant_id and f.property_option_filter_id = ep.property_option_filter_id and f.property_id = ep.property_id
    where ep.tenant_id = ${tenantId}
    order by ep.entity_id, ep.position, ep.entity_property_id`
}

export interface CatalogOptionRow {
  readonly propertyId: number
  readonly optionId: number
  readonly internalName: string
  readonly parentOptionId: number | null
  readonly isRetired: boolean
}

/** Options of attached properties, retired ones too, in their order. */
export async function readCatalogOptions(tx: Tx, tenantId: number): Promise<CatalogOptionRow[]> {
  return tx<CatalogOptionRow[]>`
    select o.property_id, o.option_id, o.internal_name, o.parent_option_id, o.retired_at is not null as is_retired
    from platform.property_option o
    where o.tenant_id = ${tenantId}
      and exists (select from platform.entity_property ep where ep.tenant_id = o.tenant_id and ep.property_id = o.property_id)
    order by o.property_id, o.position, o.option_id`
}
