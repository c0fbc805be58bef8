/** All SQL of API keys. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'
import { rolesOf } from '#platform/roles.ts'

import type { ApiKey, ValidHours } from './auth.schema.ts'

export interface ApiKeyRow {
  readonly apiKeyId: number
  readonly name: string
  readonly roleFlag: number
  readonly prefix: string
  readonly tenantUserId: number
  readonly isUserBound: boolean
  readonly createdDate: string
  readonly expiresAt: string | null
  readonly lastUsedDate: string | null
  readonly allowedAddresses: readonly string[]
  readonly validHours: ValidHours | null
  readonly revokedDate: string | null
}

export interface NewApiKeyRow {
  readonly name: string
  readonly roleFlag: number
  readonly tenantUserId: number
  readonly isUserBound: boolean
  readonly hash: Buffer
  readonly prefix: string
  readonly expiresAt: string | null
  readonly allowedAddresses: readonly string[]
  readonly validHours: ValidHours | null
  /** Who of the tenant makes it; null: nobody of it. */
  readonly madeBy: number | null
  /** How many days before its end people need not be told; null: they are told each time. */
  readonly toldDays: number | null
  readonly at: string
}

/** A row as the wire has it. */
export function toApiKey(row: ApiKeyRow): ApiKey {
  const { apiKeyId, name, roleFlag, prefix, tenantUserId, createdDate, expiresAt, lastUsedDate, validHours, revokedDate } = row
  return {
    apiKeyId,
    name,
    roles: rolesOf(roleFlag),
    prefix,
    tenantUserId,
    createdDate,
    expiresAt,
    lastUsedDate,
    allowedAddresses: [...row.allowedAddresses],
    validHours,
    revokedDate,
  }
}

const columns = (tx: Tx) => tx`
  api_key_id, name, role_flag, prefix, tenant_user_id, is_user_bound, created_date, expires_at, last_used_date, allowed_addresses, valid_hours,
  revoked_at as revoked_date`

const hoursText = (hours: ValidHours | null) => (hours === null ? null : JSON.stringify(hours))

export async function insertApiKey(tx: Tx, tenantId: number, key: NewApiKeyRow): Promise<ApiKeyRow> {
  const [row] = await tx<ApiKeyRow[]>`
    insert into platform.api_key (tenant_id, tenant_user_id, name, role_flag, is_user_bound, key_hash, prefix, allowed_addresses, valid_hours, made_by, told_days,
      created_date, expires_at)
    values (${tenantId}, ${key.tenantUserId}, ${key.name}, ${key.roleFlag}, ${key.isUserBound}, ${key.hash}, ${key.prefix},
      ${tx.array([...key.allowedAddresses])}::text[], ${hoursText(key.validHours)}::text::jsonb, ${key.madeBy}, ${key.toldDays}, ${key.at}, ${key.expiresAt})
    returning ${columns(tx)}`
  if (!row) throw new Error('An insert answered no row')
  return row
}

export interface KeyFilter {
  /** How it begins, or more of it than is kept. */
  readonly prefix: string | undefined
  readonly includeRevoked: boolean
}

const isWanted = (
  tx: Tx,
  tenantId: number,
  { prefix = null, includeRevoked }: Omit<KeyFilter, 'prefix'> & { prefix?: string | null | undefined },
) => tx`
  tenant_id = ${tenantId} and (${includeRevoked} or revoked_at is null)
  and (${prefix}::text is null or starts_with(prefix, ${prefix}) or starts_with(${prefix}, prefix))`

/** The oldest first; one row more than the page when there is one. */
export async function listApiKeyRows(
  tx: Tx,
  tenantId: number,
  page: PageRequest,
  filter: KeyFilter & { readonly after: number },
): Promise<Found<ApiKeyRow>> {
  return fetchPage<ApiKeyRow>(
    tx,
    page,
    tx`
      select ${columns(tx)} from platform.api_key
      where ${isWanted(tx, tenantId, filter)} and api_key_id > ${filter.after}::bigint
      order by api_key_id`,
  )
}

export async function countApiKeys(tx: Tx, tenantId: number, page: PageRequest, filter: KeyFilter): Promise<Total> {
  return countPage(tx, page, tx`from platform.api_key where ${isWanted(tx, tenantId, filter)}`)
}

const mostFound = 100

export type FoundKey = Omit<ApiKeyRow, 'isUserBound' | 'allowedAddresses' | 'validHours'> & {
  readonly tenantId: number
  readonly tenantName: string
}

/** Over all tenants, the latest first; nothing for whoever is no global administrator. */
export async function findKeys(tx: Tx, beginning: string | null, hash: Buffer | null): Promise<FoundKey[]> {
  return tx<FoundKey[]>`
    select tenant_id, tenant_name, api_key_id, name, prefix, role_flag, tenant_user_id, created_date, expires_at, last_used_date, revoked_date
    from platform.find_keys(${beginning}, ${hash}, ${mostFound})`
}

/** Held until the transaction ends; undefined where it is revoked. */
export async function lockApiKey(tx: Tx, tenantId: number, apiKeyId: number): Promise<ApiKeyRow | undefined> {
  const [row] = await tx<ApiKeyRow[]>`
    select ${columns(tx)} from platform.api_key
    where tenant_id = ${tenantId} and api_key_id = ${apiKeyId}::bigint and revoked_at is null
    for no key update`
  return row
}

export async function markRevoked(tx: Tx, tenantId: number, apiKeyId: number, at: string): Promise<void> {
  await tx`update platform.api_key set revoked_at = ${at}, previous_hash = null, previous_until = null where tenant_id = ${tenantId} and api_key_id = ${apiKeyId}`
}

/** The present secret becomes the previous one, until `graceSeconds` from now; an earlier previous one ends at once. */
export async function replaceSecret(
  tx: Tx,
  tenantId: number,
  apiKeyId: number,
  next: { hash: Buffer; prefix: string; graceSeconds: number },
): Promise<{ row: ApiKeyRow; previousUntil: string | null } | undefined> {
  const [row] = await tx<(ApiKeyRow & { previousUntil: string | null })[]>`
    update platform.api_key set key_hash = ${next.hash}, prefix = ${next.prefix},
      previous_hash = case when ${next.graceSeconds}::int > 0 then key_hash end,
      previous_until = case when ${next.graceSeconds}::int > 0 then date_trunc('milliseconds', now()) + make_interval(secs => ${next.graceSeconds}::int) end
    where tenant_id = ${tenantId} and api_key_id = ${apiKeyId}
    returning ${columns(tx)}, previous_until`
  return row && { row, previousUntil: row.previousUntil }
}

export interface ApiKeyChange {
  readonly name: string
  readonly roleFlag: number
  readonly expiresAt: string | null
  readonly allowedAddresses: readonly string[]
  readonly validHours: ValidHours | null
  /** Of another expiry than it had: how many days before it people need not be told; null: they are told each time. */
  readonly toldDays: number | null
}

export async function updateApiKeyRow(tx: Tx, tenantId: number, apiKeyId: number, change: ApiKeyChange): Promise<ApiKeyRow | undefined> {
  const [row] = await tx<ApiKeyRow[]>`
    update platform.api_key set name = ${change.name}, role_flag = ${change.roleFlag}, expires_at = ${change.expiresAt},
      allowed_addresses = ${tx.array([...change.allowedAddresses])}::text[], valid_hours = ${hoursText(change.validHours)}::text::jsonb,
      told_days = case when expires_at is distinct from ${change.expiresAt}::timestamptz then ${change.toldDays}::smallint else told_days end
    where tenant_id = ${tenantId} and api_key_id = ${apiKeyId}
    returning ${columns(tx)}`
  return row
}
