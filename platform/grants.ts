/** What a person let an application do over MCP: tokens that count at one address alone, with the roles that both the grant and the membership have. */
import { randomBytes } from 'node:crypto'

import type { Databases } from './db/databases.ts'
import type { Tx } from './db/pool.ts'
import type { Actor } from './operation.ts'
import { type RoleName, roleBits, tenantAdminRoles } from './roles.ts'

const prefixes = { access: 'fla_', refresh: 'flr_', code: 'flc_' } as const

export type GrantTokenKind = keyof typeof prefixes

/** 256 random bits. */
export function newGrantToken(kind: GrantTokenKind): string {
  return prefixes[kind] + randomBytes(32).toString('base64url')
}

export function isAccessToken(token: string): boolean {
  return token.startsWith(prefixes.access)
}

/** The grant that calls; undefined where it is none. */
export function grantIdOf({ kind, credentialId }: Pick<Actor, 'kind' | 'credentialId'>): number | undefined {
  return kind === 'grant' ? Number(credentialId.slice('grant:'.length)) : undefined
}

/** What a host asks for first; more it asks for where a call needs it. */
export const firstRoles: readonly RoleName[] = ['DataView', 'DataEdit', 'FileEdit']

/** Given only where the person ticks them by hand, whatever was asked for; GlobalAdmin never is. */
export const rolesByHand = roleBits.BuilderAdmin | roleBits.DataDelete | roleBits.AdminUser | roleBits.AdminIntegration | roleBits.AdminCSS

/** What no grant opens, whatever its roles: with these an application could make itself a credential that outlives the grant, or let others in. */
export const closedToGrants: ReadonlySet<string> = new Set([
  'create_api_key',
  'rotate_api_key',
  'update_api_key',
  'save_secret',
  'set_user_roles',
  'set_identity_provider',
  'set_sign_in_policy',
])

/** Whether a grant `g` holds, beside its person `p` and membership `u`: they are those that it began with, and the tenant lets applications in. */
export const grantHolds = (tx: Tx) => tx`
  not exists (select from platform.sign_in_policy q where q.tenant_id = g.tenant_id and q.apps = 'none')
  and u.user_id = g.user_id and not u.is_locked and u.accepted_date is not null
  and p.credential_version = g.person_version and u.credential_version = g.membership_version`

export interface LiveGrant {
  readonly actor: Actor
  readonly isSuspended: boolean
  /** In milliseconds since the epoch. */
  readonly validUntil: number
  /** Of a token: the one address where it counts. */
  readonly resource: string | undefined
}

/** The grant of an access token, or by its id where a URL names it; undefined where it is over. As the look-up role. */
export async function findGrant(
  databases: Pick<Databases, 'lookUp'>,
  by: { readonly hash: Buffer } | { readonly grantId: number; readonly tenantUserId: number },
  sharer: string,
): Promise<LiveGrant | undefined> {
  const isToken = 'hash' in by
  const [row] = await databases.lookUp(
    (tx) => tx<
      {
        grantId: number
        tenantId: number
        tenantUserId: number
        userId: number
        displayName: string
        granted: number
        held: number
        resource: string | null
        validUntil: number | null
        isSuspended: boolean
      }[]
    >`
      select g.grant_id, g.tenant_id, g.tenant_user_id, g.user_id, u.display_name, ${isToken ? tx`g.role_flag & coalesce(k.role_flag, g.role_flag)` : tx`g.role_flag`} as granted, u.role_flag as held,
        ${isToken ? tx`k.resource, extract(epoch from k.expires_at)::float8 * 1000` : tx`null::text as resource, null::float8`} as valid_until,
        t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended
      from platform.oauth_grant g
        ${isToken ? tx`join platform.oauth_token k on k.tenant_id = g.tenant_id and k.grant_id = g.grant_id` : tx``}
        join platform.tenant_user u on u.tenant_id = g.tenant_id and u.tenant_user_id = g.tenant_user_id
        join platform.tenant t on t.tenant_id = g.tenant_id
        join platform.app_user p on p.user_id = g.user_id
      where ${
        isToken
          ? tx`k.token_hash = ${by.hash} and k.kind = 'access' and k.expires_at > now()`
          : tx`g.grant_id = ${by.grantId} and g.tenant_user_id = ${by.tenantUserId}`
      } and ${grantHolds(tx)}`,
    sharer,
  )
  if (!row) return undefined
  const { grantId, granted, held, resource, validUntil, isSuspended, ...who } = row
  const roleFlag = granted & held & tenantAdminRoles
  return {
    actor: { kind: 'grant', credentialId: `grant:${grantId}`, ...who, roleFlag, grantableRoles: held & tenantAdminRoles & ~roleFlag },
    isSuspended,
    validUntil: validUntil ?? Number.POSITIVE_INFINITY,
    resource: resource ?? undefined,
  }
}
