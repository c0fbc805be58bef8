/** All SQL of tenants. Rows of other tenants than the caller's are seen by global administrators alone. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import { hostOf } from './tenants.rules.ts'
import type { Tenant, Theme } from './tenants.schema.ts'

export interface TenantRow extends Omit<Tenant, 'isDeactivated' | 'host' | 'deletionDate'> {
  readonly isDeactivated: boolean
  /** Null: of its sub-domain. */
  readonly host: string | null
  readonly languageCode: string
  readonly theme: Theme
  readonly deleteAfter: string | null
}

export interface NewTenant {
  readonly name: string
  readonly subDomain: string
  readonly host: string | null
  readonly description: string
  readonly sealedKey: Buffer
  readonly theme: Theme
  readonly at: string
}

/** A row as the wire has it. */
export function toTenant(row: TenantRow, tenantDomain: string): Tenant {
  const { languageCode: _languageCode, theme: _theme, isDeactivated, deleteAfter, ...shown } = row
  const host = hostOf(row, tenantDomain)
  return { ...shown, host, isDeactivated: isDeactivated ? 1 : 0, ...(deleteAfter === null ? {} : { deletionDate: deleteAfter }) }
}

const columns = (tx: Tx) => tx`
  t.tenant_id, t.name, t.sub_domain, t.host, t.description, t.vertical_id, t.created_date, t.active_start, t.active_end, t.is_deactivated,
  coalesce(n.user_count, 0) as user_count, t.logo_key, l.language_code, t.theme, t.delete_after`

const sources = (tx: Tx) => tx`
  platform.tenant t join platform.language l using (language_region_id) left join platform.count_users() n on n.counted_tenant = t.tenant_id`

/** One change of hosts at a time: a host that one tenant registers may be what another's sub-domain comes to. */
export async function lockHosts(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${7_024_003}::int, 1)`
}

/** Whether a tenant of another sub-domain is reached there, by its own host or by its sub-domain. */
export async function isHostTaken(
  tx: Tx,
  host: string,
  of: { readonly subDomain: string; readonly tenantDomain: string; readonly tenantId?: number },
): Promise<boolean> {
  const [row] = await tx<{ isTaken: boolean }[]>`
    select exists (select from platform.tenant
      where lower(sub_domain) <> ${of.subDomain} and tenant_id <> ${of.tenantId ?? 0}
        and (lower(host) = ${host} or (host is null and lower(sub_domain) || '.' || ${of.tenantDomain}::text = ${host}))) as is_taken`
  return row?.isTaken === true
}

/** Throws a unique violation of tenant_sub_domain or tenant_host. */
export async function insertTenant(tx: Tx, tenant: NewTenant): Promise<number> {
  const [row] = await tx<{ tenantId: number }[]>`
    insert into platform.tenant (name, sub_domain, host, description, sealed_key, theme, created_date, active_start)
    values (${tenant.name}, ${tenant.subDomain}, ${tenant.host}, ${tenant.description}, ${tenant.sealedKey},
      ${JSON.stringify(tenant.theme)}::text::jsonb, ${tenant.at}, ${tenant.at})
    returning tenant_id`
  if (!row) throw new Error('An insert answered no row')
  return row.tenantId
}

export async function findTenant(tx: Tx, tenantId: number): Promise<TenantRow | undefined> {
  const [row] = await tx<TenantRow[]>`select ${columns(tx)} from ${sources(tx)} where t.tenant_id = ${tenantId}`
  return row
}

const isWanted = (tx: Tx, search: string | undefined) => tx`
  (${search ?? null}::text is null or position(lower(${search ?? null}) in lower(t.name)) > 0 or position(lower(${search ?? null}) in t.sub_domain) > 0
    or position(lower(${search ?? null}) in t.host) > 0)`

/** The oldest first. */
export async function listTenantRows(tx: Tx, page: PageRequest, search: string | undefined, after: number): Promise<Found<TenantRow>> {
  return fetchPage<TenantRow>(
    tx,
    page,
    tx`
      select ${columns(tx)} from ${sources(tx)}
      where ${isWanted(tx, search)} and t.tenant_id > ${after}::bigint
      order by t.tenant_id`,
  )
}

export async function countTenants(tx: Tx, page: PageRequest, search: string | undefined): Promise<Total> {
  return countPage(tx, page, tx`from platform.tenant t where ${isWanted(tx, search)}`)
}

/** With the suspension the sessions of the tenant end, and stay ended when it is lifted. */
export async function updateDeactivated(tx: Tx, tenantId: number, isDeactivated: boolean): Promise<void> {
  await tx`
    update platform.tenant set is_deactivated = ${isDeactivated}, delete_after = null, credential_version = credential_version + ${isDeactivated ? 1 : 0}
    where tenant_id = ${tenantId}`
}

export interface TenantChanges {
  readonly name: string
  readonly subDomain: string
  readonly host: string | null
  readonly description: string
  readonly verticalId: number | null
  readonly activeStart: string
  readonly activeEnd: string
}

/** Throws a unique violation of tenant_sub_domain or tenant_host, a foreign key violation for a vertical that is none. */
export async function updateTenantRow(tx: Tx, tenantId: number, to: TenantChanges): Promise<void> {
  await tx`
    update platform.tenant set name = ${to.name}, sub_domain = ${to.subDomain}, host = ${to.host}, description = ${to.description},
      vertical_id = ${to.verticalId}, active_start = ${to.activeStart}, active_end = ${to.activeEnd}
    where tenant_id = ${tenantId}`
}

export async function hasVertical(tx: Tx, verticalId: number): Promise<boolean> {
  const [row] = await tx`select 1 from platform.vertical where vertical_id = ${verticalId}`
  return row !== undefined
}

/** Of two changes at once the second waits. */
export async function lockTenant(tx: Tx, tenantId: number): Promise<void> {
  await tx`select 1 from platform.tenant where tenant_id = ${tenantId} for update`
}

/** One first boot at a time; answers whether the installation has tenants already. */
export async function lockInstallation(tx: Tx): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(${7_024_003}::int, 0)`
  const [row] = await tx<{ hasTenants: boolean }[]>`select exists (select from platform.tenant) as has_tenants`
  return row?.hasTenants === true
}

/** From here on the transaction is the new tenant's. */
export async function enterTenant(tx: Tx, tenantId: number): Promise<void> {
  await tx`select set_config('app.tenant_id', ${String(tenantId)}, true)`
}
