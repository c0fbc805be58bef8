/** The SQL of what persons let applications do, as the look-up role: it belongs to persons. */
import type { Tx } from '#platform/db/pool.ts'
import { grantHolds } from '#platform/grants.ts'
import { holdsStill } from '#platform/sessions.ts'

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

export interface ServedGrant {
  readonly grantId: number
  readonly tenantId: number
  readonly userId: number
  readonly clientId: string
  readonly roleFlag: number
  readonly isSuspended: boolean
  /** Of the tenant, its own or null. */
  readonly host: string | null
  readonly subDomain: string
}

/** One that holds, as the authorization server asks for it. */
export async function findServedGrant(tx: Tx, grantId: number): Promise<ServedGrant | undefined> {
  const [row] = await tx<ServedGrant[]>`
    select g.grant_id, g.tenant_id, g.user_id, g.client_id, g.role_flag, t.host, t.sub_domain,
      t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended
    from platform.oauth_grant g
      join platform.tenant_user u on u.tenant_id = g.tenant_id and u.tenant_user_id = g.tenant_user_id
      join platform.tenant t on t.tenant_id = g.tenant_id
      join platform.app_user p on p.user_id = g.user_id
    where g.grant_id = ${grantId} and ${grantHolds(tx)}`
  return row
}

/** To whom somebody gave what: what a consent depends on. */
export interface GrantOf {
  readonly tenantId: number
  readonly tenantUserId: number
  readonly clientId: string
  readonly redirectHost: string
}

/** What was given before, where it still holds. */
export async function findGrantOf(tx: Tx, of: GrantOf): Promise<{ grantId: number; roleFlag: number } | undefined> {
  const [row] = await tx<{ grantId: number; roleFlag: number }[]>`
    select g.grant_id, g.role_flag
    from platform.oauth_grant g
      join platform.tenant_user u on u.tenant_id = g.tenant_id and u.tenant_user_id = g.tenant_user_id
      join platform.app_user p on p.user_id = g.user_id
    where g.tenant_id = ${of.tenantId} and g.tenant_user_id = ${of.tenantUserId} and g.client_id = ${of.clientId} and g.redirect_host = ${of.redirectHost}
      and ${grantHolds(tx)}`
  return row
}

/**
 * Gives an application these roles in place of those that it had. One that had ended is not brought back with its tokens. Undefined where the membership is
 * not the person's to give, the tenant lets no application in, or the session that gives is over: a grant begins with the versions of now, and would outlive
 * what ended the session.
 */
export async function saveGrant(
  tx: Tx,
  grant: GrantOf & { readonly userId: number; readonly sessionId: number; readonly clientName: string; readonly roleFlag: number },
): Promise<number | undefined> {
  const holding = await findGrantOf(tx, grant)
  if (!holding)
    await tx`
      delete from platform.oauth_grant where tenant_id = ${grant.tenantId} and tenant_user_id = ${grant.tenantUserId} and client_id = ${grant.clientId}
        and redirect_host = ${grant.redirectHost}`
  const [row] = await tx<{ grantId: number }[]>`
    insert into platform.oauth_grant as g (tenant_id, tenant_user_id, user_id, client_id, client_name, redirect_host, role_flag, person_version, membership_version,
      created_date)
    select u.tenant_id, u.tenant_user_id, u.user_id, ${grant.clientId}, ${grant.clientName}, ${grant.redirectHost}, ${grant.roleFlag}, p.credential_version,
      u.credential_version, date_trunc('milliseconds', now())
    from platform.tenant_user u join platform.tenant t using (tenant_id) join platform.app_user p using (user_id)
    where u.tenant_id = ${grant.tenantId} and u.tenant_user_id = ${grant.tenantUserId} and u.user_id = ${grant.userId}
      and u.accepted_date is not null and not u.is_locked and not t.is_deactivated and t.active_start <= now() and t.active_end >= now()
      and not exists (select from platform.sign_in_policy q where q.tenant_id = u.tenant_id and q.apps = 'none')
      and exists (
        select from platform.session s
        where s.session_id = ${grant.sessionId} and s.user_id = u.user_id and s.tenant_user_id = u.tenant_user_id and ${holdsStill(tx)}
          and s.person_version = p.credential_version and s.membership_version = u.credential_version)
    on conflict (tenant_id, tenant_user_id, client_id, redirect_host) do update
      set role_flag = excluded.role_flag, client_name = excluded.client_name
    returning grant_id`
  if (!row) return undefined
  await tx`
    delete from platform.oauth_grant where user_id = ${grant.userId} and grant_id not in (
      select grant_id from platform.oauth_grant where user_id = ${grant.userId} order by coalesce(last_used_date, created_date) desc, grant_id desc
      limit ${mostGrants})`
  await tx`update platform.oauth_client set used_date = now() where client_id = ${grant.clientId}`
  return row.grantId
}

/** Whether the tenant lets applications in. */
export async function letsAppsIn(tx: Tx, tenantId: number): Promise<boolean> {
  const rows = await tx`select 1 from platform.sign_in_policy where tenant_id = ${tenantId} and apps = 'none'`
  return rows.length === 0
}
