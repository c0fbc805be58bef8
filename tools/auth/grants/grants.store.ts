/** The SQL of what persons let applications do, as the look-up role: it belongs to persons. */
import type { Tx } from '#platform/db/pool.ts'
import { grantHolds } from '#platform/grants.ts'

export interface GrantRow {
  readonly grantId: number
  readonly tenantId: number
  readonly clientId: string
  readonly clientName: string
  readonly redirectHost: string
  readonly roleFlag: number
  readonly createdDate: string
  readonly lastUsedDate: string | null
}

/** More than anybody lets in; the oldest that were not used go first. */
const mostGrants = 200

/** Those that hold, the latest first. */
export async function listGrants(tx: Tx, userId: number): Promise<GrantRow[]> {
  return tx<GrantRow[]>`
    select g.grant_id, g.tenant_id, g.client_id, g.client_name, g.redirect_host, g.role_flag, g.created_date, g.last_used_date
    from platform.oauth_grant g
      join platform.tenant_user u on u.tenant_id = g.tenant_id and u.tenant_user_id = g.tenant_user_id
      join platform.app_user p on p.user_id = g.user_id
    where g.user_id = ${userId} and ${grantHolds(tx)}
    order by g.grant_id desc limit ${mostGrants}`
}

export interface EndedGrant {
  readonly tenantId: number
  readonly tenantUserId: number
  readonly userId: number
  readonly clientName: string
}

/** With all its tokens. Of one person where `userId` is given; undefined where there is no such grant. */
export async function deleteGrant(tx: Tx, grantId: number, userId: number | undefined): Promise<EndedGrant | undefined> {
  const [row] = await tx<EndedGrant[]>`
    delete from platform.oauth_grant where grant_id = ${grantId}::bigint and (${userId ?? null}::int is null or user_id = ${userId ?? null})
    returning tenant_id, tenant_user_id, user_id, client_name`
  return row
}

/** A change of password leaves applications in: the version that they began with is raised with the person's. */
export async function keepGrants(tx: Tx, userId: number, version: number): Promise<void> {
  await tx`update platform.oauth_grant set person_version = ${version} where user_id = ${userId} and person_version = ${version - 1}`
}
