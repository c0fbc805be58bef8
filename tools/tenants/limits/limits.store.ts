/** SQL of a tenant's limits and of what it uses. The transaction is in that tenant, or a global administrator's. */
import { countTenantRecords } from '#platform/db/records.ts'
import type { Tx } from '#platform/db/pool.ts'

import type { Limits } from './limits.schema.ts'

/** Undefined where there is no such tenant that the caller sees. */
export async function findLimits(tx: Tx, tenantId: number): Promise<Partial<Limits> | undefined> {
  const [row] = await tx<{ limits: Partial<Limits> }[]>`select limits from platform.tenant where tenant_id = ${tenantId} for no key update`
  return row?.limits
}

export async function readLimits(tx: Tx, tenantId: number): Promise<Partial<Limits> | undefined> {
  const [row] = await tx<{ limits: Partial<Limits> }[]>`select limits from platform.tenant where tenant_id = ${tenantId}`
  return row?.limits
}

/** Those that are null are none, and are not kept. */
export async function updateLimits(tx: Tx, tenantId: number, limits: Partial<Limits>): Promise<void> {
  await tx`update platform.tenant set limits = jsonb_strip_nulls(${JSON.stringify(limits)}::text::jsonb) where tenant_id = ${tenantId}`
}

export interface UsageRow {
  readonly records: number
  readonly bytes: number
  readonly users: number
  readonly runs: number
  readonly messages: number
  readonly calls: number
}

export async function readUsage(tx: Tx, tenantId: number, { from, to }: { readonly from: string; readonly to: string }): Promise<UsageRow> {
  const [row] = await tx<Omit<UsageRow, 'records'>[]>`
    select
      (select coalesce(sum(size_bytes), 0)::bigint from platform.asset where tenant_id = ${tenantId} and stored_at is not null and deleted_at is null) as bytes,
      (select count(*)::int from platform.tenant_user where tenant_id = ${tenantId} and not is_service and ended_date is null) as users,
      (select count(*)::bigint from platform.workflow_run where tenant_id = ${tenantId} and created_date between ${from} and ${to}) as runs,
      (select count(*)::bigint from platform.message where tenant_id = ${tenantId} and direction = 'outbound' and at between ${from} and ${to}) as messages,
      (select coalesce(sum(calls), 0)::bigint from platform.tenant_calls
        where tenant_id = ${tenantId} and day between (${from}::text::timestamptz at time zone 'UTC')::date and (${to}::text::timestamptz at time zone 'UTC')::date) as calls`
  if (!row) throw new Error('A count answered no row')
  return { ...row, records: await countTenantRecords(tx, tenantId) }
}
