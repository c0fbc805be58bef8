/** SQL of what views have beside other definitions. */
import type { Tx } from '#platform/db/pool.ts'

export interface ViewSyncRow {
  readonly viewId: number
  readonly isEnabled: boolean
  readonly frequencyMinutes: number | null
  readonly lastExportAt: string | null
}

/** Of those that were ever exported or synchronised. */
export async function listViewSyncs(tx: Tx, tenantId: number, viewIds: readonly number[]): Promise<ViewSyncRow[]> {
  if (viewIds.length === 0) return []
  return tx<ViewSyncRow[]>`
    select view_id, is_enabled, frequency_minutes, last_export_at
    from platform.view_sync
    where tenant_id = ${tenantId} and view_id = any(${viewIds}::int[])`
}
