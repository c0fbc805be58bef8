/** SQL of reference records and of the caller's context. */
import type { Tx } from '#platform/db/pool.ts'

/** Those that the tenant has enabled. */
export async function listLanguages(
  tx: Tx,
  tenantId: number,
): Promise<{ languageRegionId: number; languageCode: string; displayName: string }[]> {
  return tx<{ languageRegionId: number; languageCode: string; displayName: string }[]>`
    select l.language_region_id, l.language_code, l.display_name from platform.language l, platform.tenant t
    where t.tenant_id = ${tenantId} and l.language_region_id <> all (t.disabled_languages)
    order by l.language_region_id`
}

export async function listVerticals(tx: Tx): Promise<{ verticalId: number; internalName: string }[]> {
  return tx<{ verticalId: number; internalName: string }[]>`select vertical_id, internal_name from platform.vertical order by vertical_id`
}

export interface CategoryRow {
  readonly categoryId: number
  readonly internalName: string
}

/** The product's categories and the tenant's, in the order of their names. */
export async function listCategories(tx: Tx, tenantId: number): Promise<(CategoryRow & { readonly isOwn: boolean })[]> {
  return tx<(CategoryRow & { isOwn: boolean })[]>`
    select category_id, internal_name, tenant_id = ${tenantId} as is_own
    from platform.category where tenant_id in (0, ${tenantId})
    order by lower(internal_name)`
}

export async function insertCategories(tx: Tx, tenantId: number, names: readonly string[]): Promise<CategoryRow[]> {
  return tx<CategoryRow[]>`
    insert into platform.category (tenant_id, internal_name)
    select ${tenantId}, name from unnest(${names}::text[]) as name
    returning category_id, internal_name`
}

export async function renameCategory(tx: Tx, tenantId: number, categoryId: number, internalName: string): Promise<void> {
  await tx`update platform.category set internal_name = ${internalName} where tenant_id = ${tenantId} and category_id = ${categoryId}`
}

/** How many properties and entities of the tenant are in the category. */
export async function countCategoryUses(tx: Tx, tenantId: number, categoryId: number): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select (select count(*) from platform.property where tenant_id = ${tenantId} and category_id = ${categoryId})
      + (select count(*) from platform.entity where tenant_id = ${tenantId} and category_id = ${categoryId}) as count`
  return row?.count ?? 0
}

export async function deleteCategoryRow(tx: Tx, tenantId: number, categoryId: number): Promise<void> {
  await tx`delete from platform.category where tenant_id = ${tenantId} and category_id = ${categoryId}`
}

export interface CallerRow {
  readonly userName: string
  readonly displayName: string
  readonly languageRegionId: number
  readonly timeZoneIana: string
  readonly serverTimeUtc: string
  readonly tenantHost: string
  readonly tenantSubDomain: string
  readonly tenantName: string
}

export async function findCaller(tx: Tx, tenantId: number, tenantUserId: number, tenantDomain: string): Promise<CallerRow | undefined> {
  const [row] = await tx<CallerRow[]>`
    select u.user_name, u.display_name, u.language_region_id, u.time_zone_iana, date_trunc('milliseconds', now()) as server_time_utc,
      coalesce(t.host, lower(t.sub_domain) || '.' || ${tenantDomain}::text) as tenant_host, t.sub_domain as tenant_sub_domain, t.name as tenant_name
    from platform.tenant_user u join platform.tenant t on t.tenant_id = u.tenant_id
    where u.tenant_id = ${tenantId} and u.tenant_user_id = ${tenantUserId}`
  return row
}

export interface ZoneRow {
  readonly name: string
  readonly timeZoneAbbrev: string
  readonly currentOffsetMinutes: number
  readonly standardOffsetMinutes: number
}

/**
 * Every zone that PostgreSQL knows, as it is now. Standard time is the lesser of the offsets in January and in July: exact but for zones that count
 * their winter as the exception. Reads the server's zone files, some tens of milliseconds.
 */
export async function readZones(tx: Tx): Promise<ZoneRow[]> {
  return tx<ZoneRow[]>`
    select z.name, z.abbrev as time_zone_abbrev, (extract(epoch from z.utc_offset) / 60)::int as current_offset_minutes,
      (extract(epoch from least(january at time zone z.name - january at time zone 'UTC', july at time zone z.name - july at time zone 'UTC')) / 60)::int
        as standard_offset_minutes
    from pg_timezone_names z,
      lateral (select date_trunc('year', now()) + interval '14 days' as january, date_trunc('year', now()) + interval '195 days' as july) at_two_times`
}

/** The tenants that have published definitions. */
export async function listPublishers(tx: Tx): Promise<number[]> {
  const rows = await tx<{ tenantId: number }[]>`select tenant_id from platform.publisher order by tenant_id`
  return rows.map((row) => row.tenantId)
}

export async function insertPublisher(tx: Tx, tenantId: number): Promise<void> {
  await tx`insert into platform.publisher (tenant_id) values (${tenantId}) on conflict do nothing`
}

/** From here on the transaction also sees what this tenant has published; null ends it. */
export async function seePublished(tx: Tx, tenantId: number | null): Promise<void> {
  await tx`select set_config('app.published_of', ${tenantId === null ? '' : String(tenantId)}, true)`
}

/** Which of a tenant's own definitions are published. */
export async function listPublishedIds(tx: Tx, tenantId: number): Promise<Set<number>> {
  const rows = await tx<{ id: number }[]>`
    select property_id as id from platform.property where tenant_id = ${tenantId} and scope = 'global'
    union all select entity_id from platform.entity where tenant_id = ${tenantId} and scope = 'global'`
  return new Set(rows.map((row) => row.id))
}

/** The sources of what the tenant has installed. */
export async function listInstalledSources(tx: Tx, tenantId: number): Promise<Set<number>> {
  const rows = await tx<{ id: number }[]>`
    select global_source_id as id from platform.property where tenant_id = ${tenantId} and global_source_id is not null
    union select global_source_id from platform.entity where tenant_id = ${tenantId} and global_source_id is not null`
  return new Set(rows.map((row) => row.id))
}
