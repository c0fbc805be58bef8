/** The SQL of the portal's sessions, as the look-up role. */
import type { Tx } from '#platform/db/pool.ts'
import { portalIdleSeconds } from '#platform/sessions.ts'

/**
 * A session that has just begun becomes the portal's: its token is void, and it is found by what the portal gives out. In a tenant a browser has one, the
 * latest. Answers whose it is; undefined where it is over.
 */
export async function moveToPortal(
  tx: Tx,
  move: { readonly hash: Buffer; readonly portalHash: Buffer; readonly cookieHash: Buffer | null },
): Promise<number | undefined> {
  if (move.cookieHash !== null)
    await tx`
      delete from platform.session
      where cookie_hash = ${move.cookieHash} and tenant_id = (select tenant_id from platform.session where token_hash = ${move.hash})`
  const [row] = await tx<{ userId: number }[]>`
    update platform.session set token_hash = ${move.portalHash}, cookie_hash = ${move.cookieHash}, idle_until = now() + make_interval(secs => ${portalIdleSeconds})
    where token_hash = ${move.hash} and idle_until is null returning user_id`
  return row?.userId
}

/** All sessions of the browser that this one is of are found by another cookie from now on. False where it is no browser's. */
export async function replaceCookie(tx: Tx, sessionId: number, cookieHash: Buffer): Promise<boolean> {
  const rows = await tx`
    update platform.session set cookie_hash = ${cookieHash}
    where cookie_hash = (select cookie_hash from platform.session where session_id = ${sessionId}) returning session_id`
  return rows.length > 0
}

/** Whether nothing ended the person's sessions since. */
export async function isOfVersion(tx: Tx, userId: number, version: number): Promise<boolean> {
  const rows = await tx`select 1 from platform.app_user where user_id = ${userId} and credential_version = ${version}`
  return rows.length > 0
}

export interface PortalMember {
  readonly tenantId: number
  readonly tenantUserId: number
  readonly userId: number
  readonly displayName: string
  readonly roleFlag: number
}

/** What a person is in one of their tenants. */
export async function findMember(tx: Tx, userId: number, tenantId: number): Promise<PortalMember | undefined> {
  const [row] = await tx<PortalMember[]>`
    select tenant_id, tenant_user_id, user_id, display_name, role_flag from platform.tenant_user
    where user_id = ${userId} and tenant_id = ${tenantId} and accepted_date is not null and not is_locked`
  return row
}

export interface NamedTenant {
  readonly tenantId: number
  readonly subDomain: string
}

export type TenantName = { readonly tenantId: number } | { readonly subDomain: string }

function isNamed(tx: Tx, by: TenantName) {
  return 'tenantId' in by ? tx`tenant_id = ${by.tenantId}` : tx`lower(sub_domain) = ${by.subDomain.toLowerCase()}`
}

export async function findTenantBy(tx: Tx, by: TenantName): Promise<NamedTenant | undefined> {
  const [row] = await tx<NamedTenant[]>`
    select tenant_id, lower(sub_domain) as sub_domain from platform.tenant where ${isNamed(tx, by)}`
  return row
}
