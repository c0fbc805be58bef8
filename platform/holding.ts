/** Whether credentials still hold, for calls that wait: many at once, in one statement. */
import type { Databases } from './db/databases.ts'
import type { Actor } from './operation.ts'

/**
 * What each actor may do now, in their order: the bits of its roles, or undefined where its key was revoked or has expired, its user was locked
 * or its tenant suspended. Of a key that acts as a user: the roles that both hold.
 */
export async function rolesHeldNow(databases: Databases, actors: readonly Actor[]): Promise<(number | undefined)[]> {
  const keyOf = (actor: Actor) => (actor.kind === 'key' ? Number(actor.credentialId.slice('key:'.length)) : null)
  const rows = await databases.lookUp(
    (tx) => tx<{ n: number; roleFlag: number }[]>`
      select a.n::int as n, case when k.api_key_id is null then u.role_flag when k.is_user_bound then k.role_flag & u.role_flag else k.role_flag end as role_flag
      from unnest(${actors.map((actor) => actor.tenantId)}::int[], ${actors.map((actor) => actor.tenantUserId)}::int[], ${actors.map(keyOf)}::int[])
          with ordinality a (tenant_id, tenant_user_id, api_key_id, n)
        join platform.tenant t on t.tenant_id = a.tenant_id
        join platform.tenant_user u on u.tenant_id = a.tenant_id and u.tenant_user_id = a.tenant_user_id
        left join platform.api_key k on k.tenant_id = a.tenant_id and k.api_key_id = a.api_key_id
      where not t.is_deactivated and t.active_start <= now() and t.active_end >= now() and not u.is_locked
        and (a.api_key_id is null or (k.revoked_at is null and (k.expires_at is null or k.expires_at > now())))`,
  )
  const held = new Map(rows.map((row) => [row.n, row.roleFlag]))
  return actors.map((_, index) => held.get(index + 1))
}
