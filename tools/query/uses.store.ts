/** The SQL of what was asked of records, and of the indexes that were made for it. */
import type { Tx } from '#platform/db/pool.ts'
import type { Indexing } from '#platform/db/record-indexes.ts'

import type { CountedUse, Use } from './uses.rules.ts'

export interface UseOfEntity {
  readonly entityId: number
  readonly use: Use
  readonly times: number
  readonly costMs: number
}

/** Adds to what was counted of a tenant. Entities that were deleted meanwhile are left out. */
export async function addUses(tx: Tx, tenantId: number, uses: readonly UseOfEntity[]): Promise<void> {
  const rows = JSON.stringify(uses.map(({ entityId, use, times, costMs }) => ({ entity_id: entityId, use, times, cost_ms: costMs })))
  await tx`
    insert into platform.record_use as known (tenant_id, entity_id, use, times, cost_ms, last_at)
    select ${tenantId}, u.entity_id, u.use, u.times, u.cost_ms, now()
    from json_to_recordset(${rows}::text::json) as u(entity_id int, use jsonb, times bigint, cost_ms float8)
      join platform.entity e on e.tenant_id = ${tenantId} and e.entity_id = u.entity_id
    on conflict (tenant_id, entity_id, use) do update
      set times = known.times + excluded.times, cost_ms = known.cost_ms + excluded.cost_ms, last_at = excluded.last_at`
}

export type UsedEntity = { readonly tenantId: number; readonly entityId: number; readonly uses: readonly CountedUse[] }

/** What was asked of every tenant's records within the last days; what is older is forgotten. */
export async function recentUses(sql: Indexing['sql'], days: number): Promise<UsedEntity[]> {
  await sql`delete from platform.record_use where last_at < now() - ${days}::int * interval '1 day'`
  const rows = await sql<{ tenantId: number; entityId: number; uses: CountedUse[] }[]>`
    select tenant_id, entity_id, (json_agg(json_build_object('use', use, 'times', times, 'costMs', cost_ms) order by cost_ms desc))::jsonb as uses
    from (select *, row_number() over (partition by tenant_id, entity_id order by cost_ms desc) as place from platform.record_use) ranked
    where place <= 50 group by tenant_id, entity_id`
  return rows
}

export interface BuiltIndex {
  readonly name: string
  readonly builtAtMs: number
}

/** The indexes of an entity that were made for its uses. */
export async function builtIndexes(sql: Indexing['sql'], tenantId: number, entityId: number): Promise<BuiltIndex[]> {
  return sql<BuiltIndex[]>`
    select name, (extract(epoch from built_at) * 1000)::float8 as built_at_ms from platform.record_index
    where tenant_id = ${tenantId} and entity_id = ${entityId}`
}

export async function noteBuilt(
  sql: Indexing['sql'],
  index: { readonly tenantId: number; readonly entityId: number; readonly name: string; readonly use: Use; readonly buildMs: number },
): Promise<void> {
  const { tenantId, entityId, name, use, buildMs } = index
  await sql`
    insert into platform.record_index (tenant_id, entity_id, name, use, built_at, build_ms)
    values (${tenantId}, ${entityId}, ${name}, ${JSON.stringify(use)}::text::jsonb, now(), ${buildMs})
    on conflict (tenant_id, entity_id, name) do update set use = excluded.use, built_at = excluded.built_at, build_ms = excluded.build_ms`
  // What was slow without it says nothing about the time with it.
  await sql`delete from platform.record_use where tenant_id = ${tenantId} and entity_id = ${entityId} and use = ${JSON.stringify(use)}::text::jsonb`
}

export async function forgetBuilt(sql: Indexing['sql'], tenantId: number, entityId: number, name: string): Promise<void> {
  await sql`delete from platform.record_index where tenant_id = ${tenantId} and entity_id = ${entityId} and name = ${name}`
}
