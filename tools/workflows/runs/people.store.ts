/** SQL of the people whom runs ask. */
import type { Tx } from '#platform/db/pool.ts'

/** Those of the users that can act, in the order given. */
export async function findPresentUsers(tx: Tx, tenantId: number, tenantUserIds: readonly number[]): Promise<readonly number[]> {
  if (tenantUserIds.length === 0) return []
  const rows = await tx<{ tenantUserId: number }[]>`
    select tenant_user_id from platform.tenant_user
    where tenant_id = ${tenantId} and tenant_user_id = any (${tx.array([...tenantUserIds])}::int[]) and not is_locked and not is_service`
  const present = new Set(rows.map((row) => row.tenantUserId))
  return tenantUserIds.filter((id) => present.has(id))
}

/** People who hold a role, the first `most`. */
export async function findUsersOfRole(tx: Tx, tenantId: number, role: number, most: number): Promise<readonly number[]> {
  const rows = await tx<{ tenantUserId: number }[]>`
    select tenant_user_id from platform.tenant_user
    where tenant_id = ${tenantId} and not is_locked and not is_service and role_flag & ${role}::int = ${role}::int and ${role}::int <> 0
    order by tenant_user_id limit ${most}`
  return rows.map((row) => row.tenantUserId)
}

/** Who is told what is wrong with a definition: whoever published that version of it, else the first who may build. Undefined where there is nobody. */
export async function findBuilderOf(
  tx: Tx,
  tenantId: number,
  { workflowId, version, role }: { readonly workflowId: number; readonly version: number; readonly role: number },
): Promise<number | undefined> {
  const [row] = await tx<{ tenantUserId: number }[]>`
    select u.tenant_user_id from platform.tenant_user u
    where u.tenant_id = ${tenantId} and not u.is_locked and not u.is_service and u.role_flag & ${role}::int = ${role}::int
    order by u.tenant_user_id <> coalesce((
      select v.created_by from platform.workflow_version v
      where v.tenant_id = ${tenantId} and v.workflow_id = ${workflowId} and v.version = ${version}), 0), u.tenant_user_id
    limit 1`
  return row?.tenantUserId
}
