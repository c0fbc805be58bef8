/** The SQL of what tenants ask of those who sign in. */
import type { Tx } from '#platform/db/pool.ts'
import { administratorRoles } from '#platform/roles.ts'

import type { FactorDemand } from './policy.rules.ts'
import type { SignInPolicy } from './policy.schema.ts'

type Policy = Omit<SignInPolicy, 'tenantId'>

/** Of a tenant that has set none. */
const unset: Policy = { secondFactor: 'optional', factors: null, apps: 'any' }

/** In the tenant's transaction, or as the look-up role. */
export async function findPolicy(tx: Tx, tenantId: number): Promise<SignInPolicy> {
  const [row] = await tx<Policy[]>`select second_factor, factors, apps from platform.sign_in_policy where tenant_id = ${tenantId}`
  return { tenantId, ...(row ?? unset) }
}

export async function savePolicy(tx: Tx, { tenantId, secondFactor, factors, apps }: SignInPolicy): Promise<void> {
  const channels = factors === null ? null : tx.array([...factors])
  await tx`
    insert into platform.sign_in_policy (tenant_id, second_factor, factors, apps) values (${tenantId}, ${secondFactor}, ${channels}::text[], ${apps})
    on conflict (tenant_id) do update set second_factor = excluded.second_factor, factors = excluded.factors, apps = excluded.apps`
}

export interface TenantDemand extends FactorDemand {
  readonly tenantId: number
  readonly name: string
}

/** The tenants that demand a second factor of this person, by the memberships that the person has taken. As the look-up role. */
export async function listDemands(tx: Tx, userId: number, tenantId?: number): Promise<TenantDemand[]> {
  return tx<TenantDemand[]>`
    select t.tenant_id, t.name, q.factors
    from platform.tenant_user u join platform.sign_in_policy q using (tenant_id) join platform.tenant t using (tenant_id)
    where u.user_id = ${userId} and (${tenantId ?? null}::int is null or u.tenant_id = ${tenantId ?? null})
      and u.accepted_date is not null and not u.is_locked and not u.is_service
      and (q.second_factor = 'all' or (q.second_factor = 'administrators' and u.role_flag & ${administratorRoles}::int <> 0))
    order by t.tenant_id limit 500`
}
