/** SQL of what views have beside other definitions. */
import type { Tx } from '#platform/db/pool.ts'

/** Notes that the view was exported. */
export async function noteExport(tx: Tx, tenantId: number, stamp: string, viewId: number): Promise<void> {
  await tx`
    insert into platform.view_sync (tenant_id, view_id, last_export_at) values (${tenantId}, ${viewId}, ${stamp})
    on conflict (tenant_id, view_id) do update set last_export_at = excluded.last_export_at`
}

/**
 * Keeps a file of the view's scheduled exports, and answers those that are one too many now: of `atMost` the oldest go.
 */
export async function keepFile(tx: Tx, tenantId: number, viewId: number, assetKey: string, atMost: number): Promise<readonly string[]> {
  const [row] = await tx<{ dropped: readonly string[] }[]>`
    update platform.view_sync
    set file_keys = (file_keys || ${assetKey}::uuid)[greatest(cardinality(file_keys) + 2 - ${atMost}::int, 1):]
    where tenant_id = ${tenantId} and view_id = ${viewId}
    returning (old.file_keys)[:greatest(cardinality(old.file_keys) + 1 - ${atMost}::int, 0)] as dropped`
  return row?.dropped ?? []
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
