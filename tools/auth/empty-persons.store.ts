/** SQL of persons whom nobody ever was, as the owner of the schema: of memberships that go with their tenant. */
import type { Tx } from '#platform/db/pool.ts'

/** Those of memberships that were not taken. */
export async function listEmptyPersons(tx: Tx, tenantId: number): Promise<number[]> {
  const rows = await tx<{ userId: number }[]>`
    select p.user_id from platform.app_user p join platform.tenant_user u on u.user_id = p.user_id
    where u.tenant_id = ${tenantId} and p.user_name is null and p.password_hash is null
      and not exists (select from platform.tenant_user o where o.user_id = p.user_id and o.tenant_id <> u.tenant_id)
      and not exists (select from platform.person_email e where e.user_id = p.user_id)`
  return rows.map(({ userId }) => userId)
}

export async function deletePersons(tx: Tx, userIds: readonly number[]): Promise<void> {
  await tx`delete from platform.app_user p where user_id = any(${[...userIds]}::int[]) and not exists (select from platform.tenant_user u where u.user_id = p.user_id)`
}
