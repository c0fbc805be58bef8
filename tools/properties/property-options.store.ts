/** SQL of options and of their subsets. A retired option is deleted for everybody but the history of records. */
import type { Tx } from '#platform/db/pool.ts'

import type { OptionFilter } from './properties.schema.ts'

export interface OptionRow {
  readonly optionId: number
  readonly propertyId: number
  readonly internalName: string
  readonly parentOptionId: number | null
  readonly position: number
}

/** The live options of one property, or of every one of the tenant, in their order. */
export async function listOptionRows(tx: Tx, tenantId: number, propertyId?: number): Promise<OptionRow[]> {
  return tx<OptionRow[]>`
    select option_id, property_id, internal_name, parent_option_id, position
    from platform.property_option
    where tenant_id = ${tenantId} and retired_at is null ${propertyId === undefined ? tx`` : tx`and property_id = ${propertyId}`}
    order by property_id, position, option_id`
}

export interface OptionDisplayRow {
  readonly optionId: number
  readonly languageRegionId: number
  readonly languageCode: string
  readonly name: string
  readonly description: string
}

/** The displays of these options, or of every one of the tenant, in the order of the languages. */
export async function listOptionDisplays(tx: Tx, tenantId: number, optionIds?: readonly number[]): Promise<OptionDisplayRow[]> {
  return tx<OptionDisplayRow[]>`
    select d.option_id, d.language_region_id, l.language_code, d.name, d.description
    from platform.property_option_display d join platform.language l on l.language_region_id = d.language_region_id
    where d.tenant_id = ${tenantId} ${optionIds ? tx`and d.option_id = any(${optionIds}::int[])` : tx``}
    order by d.option_id, d.language_region_id`
}

export async function insertOptionRows(tx: Tx, tenantId: number, options: readonly OptionRow[]): Promise<void> {
  if (options.length === 0) return
  await tx`
    insert into platform.property_option (tenant_id, option_id, property_id, internal_name, parent_option_id, position)
    select ${tenantId}, r."optionId", r."propertyId", r."internalName", r."parentOptionId", r.position
    from json_to_recordset(${JSON.stringify(options)}::text::json) as r("optionId" int, "propertyId" int, "internalName" text, "parentOptionId" int, position int)`
}

export async function updateOptionRow(
  tx: Tx,
  tenantId: number,
  option: { optionId: number; internalName: string; parentOptionId: number | null },
): Promise<void> {
  await tx`
    update platform.property_option set internal_name = ${option.internalName}, parent_option_id = ${option.parentOptionId}
    where tenant_id = ${tenantId} and option_id = ${option.optionId}`
}

export async function upsertOptionDisplays(
  tx: Tx,
  tenantId: number,
  displays: readonly {
    readonly optionId: number
    readonly languageRegionId: number
    readonly name: string
    readonly description: string
  }[],
): Promise<void> {
  if (displays.length === 0) return
  await tx`
    insert into platform.property_option_display (tenant_id, option_id, language_region_id, name, description)
    select ${tenantId}, r."optionId", r."languageRegionId", r.name, r.description
    from json_to_recordset(${JSON.stringify(displays)}::text::json) as r("optionId" int, "languageRegionId" int, name text, description text)
    on conflict (tenant_id, option_id, language_region_id) do update set name = excluded.name, description = excluded.description`
}

/** Numbers the options from 1 in this order. */
export async function orderOptions(tx: Tx, tenantId: number, propertyId: number, optionIds: readonly number[]): Promise<void> {
  await tx`
    update platform.property_option o set position = r.position
    from unnest(${optionIds}::int[]) with ordinality as r(option_id, position)
    where o.tenant_id = ${tenantId} and o.property_id = ${propertyId} and o.option_id = r.option_id`
}

/** Retires an option and takes it out of every subset. */
export async function retireOption(tx: Tx, tenantId: number, stamp: string, propertyId: number, optionId: number): Promise<void> {
  await tx`
    update platform.property_option set retired_at = ${stamp}, parent_option_id = null
    where tenant_id = ${tenantId} and property_id = ${propertyId} and option_id = ${optionId}`
  await tx`
    update platform.property_option_filter set option_ids = array_remove(option_ids, ${optionId}::int)
    where tenant_id = ${tenantId} and property_id = ${propertyId} and ${optionId}::int = any(option_ids)`
}

/** Subsets of a property's options, in the order of their names. */
export async function listOptionFilters(tx: Tx, tenantId: number, propertyId: number): Promise<OptionFilter[]> {
  return tx<OptionFilter[]>`
    select f.property_option_filter_id, f.property_id, f.internal_name, f.option_ids,
      coalesce((
        select json_agg(o.internal_name order by o.position, o.option_id) from platform.property_option o
        where o.tenant_id = f.tenant_id and o.option_id = any(f.option_ids)), '[]') as options
    from platform.property_option_filter f
    where f.tenant_id = ${tenantId} and f.property_id = ${propertyId}
    order by lower(f.internal_name)`
}

export interface OptionFilterRow {
  readonly propertyOptionFilterId: number
  readonly propertyId: number
  readonly internalName: string
  readonly optionIds: readonly number[]
}

export async function listAllOptionFilters(tx: Tx, tenantId: number): Promise<OptionFilterRow[]> {
  return tx<OptionFilterRow[]>`
    select property_option_filter_id, property_id, internal_name, option_ids
    from platform.property_option_filter where tenant_id = ${tenantId}
    order by property_id, lower(internal_name)`
}

export async function insertOptionFilters(tx: Tx, tenantId: number, filters: readonly OptionFilterRow[]): Promise<void> {
  if (filters.length === 0) return
  await tx`
    insert into platform.property_option_filter (tenant_id, property_option_filter_id, property_id, internal_name, option_ids)
    select ${tenantId}, r."propertyOptionFilterId", r."propertyId", r."internalName", r."optionIds"
    from json_to_recordset(${JSON.stringify(filters)}::text::json) as r("propertyOptionFilterId" int, "propertyId" int, "internalName" text, "optionIds" int[])`
}

export async function updateOptionFilter(tx: Tx, tenantId: number, filter: OptionFilterRow): Promise<void> {
  await tx`
    update platform.property_option_filter set internal_name = ${filter.internalName}, option_ids = ${filter.optionIds}::int[]
    where tenant_id = ${tenantId} and property_option_filter_id = ${filter.propertyOptionFilterId}`
}

export interface CatalogOptionRow {
  readonly propertyId: number
  readonly optionId: number
  readonly internalName: string
  readonly parentOptionId: number | null
  readonly isRetired: boolean
}

/** Options, retired ones too, in their order. */
export async function readCatalogOptions(tx: Tx, tenantId: number): Promise<CatalogOptionRow[]> {
  return tx<CatalogOptionRow[]>`
    select property_id, option_id, internal_name, parent_option_id, retired_at is not null as is_retired
    from platform.property_option
    where tenant_id = ${tenantId}
    order by property_id, position, option_id`
}
