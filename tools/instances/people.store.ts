/** Names of those who changed records. */
import type { Tx } from '#platform/db/pool.ts'

/** Display names by tenant user id. */
export async function findDisplayNames(tx: Tx, tenantId: number, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await tx<{ tenantUserId: number; displayName: string }[]>`
    select tenant_user_id, display_name from platform.tenant_user where tenant_id = ${tenantId} and tenant_user_id = any(${ids}::int[])`
  return new Map(rows.map((row) => [row.tenantUserId, row.displayName]))
}
