/** SQL of what views have beside other definitions. */
import type { Tx } from '#platform/db/pool.ts'

/** Notes that the view was exported. */
export async function noteExport(tx: Tx, tenantId: number, stamp: string, viewId: number): Promise<void> {
  await tx`
    insert into platform.view_sync (tenant_id, view_id, last_export_at) values (${tenantId}, ${viewId}, ${stamp})
    on conflict (tenant_id, view_id) do update set last_export_at = excluded.last_export_at`
}

/** When each of the views that were ever exported was it last. */
export async function listLastExports(
  tx: Tx,
  tenantId: number,
  viewIds: readonly number[],
): Promise<{ viewId: number; lastExportAt: string | null }[]> {
  if (viewIds.length === 0) return []
  return tx`
    select view_id, last_export_at from platform.view_sync
    where tenant_id = ${tenantId} and view_id = any(${viewIds}::int[])`
}
