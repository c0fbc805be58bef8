/** Applications that a person let in, without the way that leads there. */
import { randomUUID } from 'node:crypto'

import { newGrantToken } from '#platform/grants.ts'
import { flagOf, type RoleName } from '#platform/roles.ts'
import { hashToken } from '#platform/sessions.ts'

import type { TestPerson } from './persons.ts'
import type { World } from './world.ts'

export interface TestGrant {
  readonly grantId: number
  /** An access token, for an hour. */
  readonly token: string
}

/** A grant of the person to an application of its own, with a token for the address. */
export async function newGrant(
  world: World,
  { tenantUserId }: Pick<TestPerson, 'tenantUserId'>,
  roles: readonly RoleName[],
  resource: string,
): Promise<TestGrant> {
  const [row] = await world.sql<{ grantId: number; tenantId: number }[]>`
    insert into platform.oauth_grant (tenant_id, tenant_user_id, user_id, client_id, client_name, redirect_host, role_flag, person_version, membership_version,
      created_date)
    select u.tenant_id, u.tenant_user_id, u.user_id, ${`https://host.example.com/${randomUUID()}`}, 'A host', 'host.example.com', ${flagOf(roles)},
      p.credential_version, u.credential_version, date_trunc('milliseconds', now())
    from platform.tenant_user u join platform.app_user p using (user_id) where u.tenant_user_id = ${tenantUserId}
    returning grant_id, tenant_id`
  if (!row) throw new Error('There is no such membership')
  const token = newGrantToken('access')
  await world.sql`
    insert into platform.oauth_token (tenant_id, grant_id, token_hash, kind, resource, payload, created_date, expires_at)
    values (${row.tenantId}, ${row.grantId}, ${hashToken(token)}, 'access', ${resource}, '{}', now(), now() + interval '1 hour')`
  return { grantId: row.grantId, token }
}
