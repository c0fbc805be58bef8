/** SQL of what views have beside other definitions. */
import type { Tx } from '#platform/db/pool.ts'

export interface ViewSyncRow {
  readonly viewId: number
  readonly isEnabled: boolean
  readonly frequencyMinutes: number | null
  readonly lastExportAt: string | null
}

/** Notes that the view was exported. */
export async function noteExport(tx: Tx, tenantId: number, stamp: string, viewId: number): Promise<void> {
  await tx`
    insert into platform.view_sync (tenant_id, view_id, last_export_at) values (${tenantId}, ${viewId}, ${stamp})
    on conflict (tenant_id, view_id) do update set last_export_at = excluded.last_export_at`
}

/** Of those that were ever exported or synchronised. */
export async function listViewSyncs(tx: Tx, tenantId: number, viewIds: readonly number[]): Promise<ViewSyncRow[]> {
  if (viewIds.length === 0) return []
  return tx<ViewSyncRow[]>`
    select view_id, is_enabled, frequency_minutes, last_export_at
    from platform.view_sync
    where tenant_id = ${tenantId} and view_id = any(${viewIds}::int[])`
}
