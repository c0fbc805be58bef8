/** API keys: how they are made, what is kept of them, and whose one is. */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

import { addressList } from './client-address.ts'
import type { Databases } from './db/databases.ts'
import type { KeyHours, KeyReach } from './key-reach.ts'
import type { Actor } from './operation.ts'
import { hashToken } from './sessions.ts'

/** A new API key: `flk_<40 random characters><crc32>`. The check sum lets scanners of leaked secrets tell a key from noise. */
export function newApiKey(): string {
  const secret = randomBytes(30).toString('base64url').replaceAll(/[-_]/g, 'x')
  return `flk_${secret}${crc32(secret).toString(16).padStart(8, '0')}`
}

/** What is kept of a key: SHA-256, since a random secret of 240 bits needs no slow hash. */
export function hashApiKey(key: string): Buffer {
  return hashToken(key)
}

/** The key that calls; undefined where it is not one. */
export function apiKeyOf({ kind, credentialId }: Pick<Actor, 'kind' | 'credentialId'>): number | undefined {
  return kind === 'key' ? Number(credentialId.slice('key:'.length)) : undefined
}

interface FoundKey extends KeyReach {
  readonly actor: Actor
  readonly isSuspended: boolean
  readonly validUntil: number
}

/** A key by what is sent, or by its id where a URL names it. */
export async function findKey(
  databases: Pick<Databases, 'lookUp'>,
  by: { readonly hash: Buffer } | { readonly apiKeyId: number; readonly tenantUserId: number },
  sharer: string,
): Promise<FoundKey | undefined> {
  const [row] = await databases.lookUp(
    (tx) => tx<
      {
        tenantId: number
        apiKeyId: number
        tenantUserId: number
        keyRoles: number
        isUserBound: boolean
        userRoles: number
        userId: number
        displayName: string
        isLocked: boolean
        isSuspended: boolean
        allowedAddresses: string[]
        validHours: KeyHours | null
        validUntil: number | null
      }[]
    >`
      select k.tenant_id, k.api_key_id, k.tenant_user_id, k.role_flag as key_roles, k.is_user_bound, u.role_flag as user_roles, u.user_id,
        u.display_name, u.is_locked, k.allowed_addresses, k.valid_hours,
        t.is_deactivated or t.active_start > now() or t.active_end < now() as is_suspended,
        extract(epoch from ${'hash' in by ? tx`least(k.expires_at, case when k.key_hash = ${by.hash} then null else k.previous_until end)` : tx`k.expires_at`})::float8 * 1000
          as valid_until
      from platform.api_key k
        join platform.tenant_user u on u.tenant_id = k.tenant_id and u.tenant_user_id = k.tenant_user_id
        join platform.tenant t on t.tenant_id = k.tenant_id
      where k.revoked_at is null and ${
        'hash' in by
          ? tx`(k.key_hash = ${by.hash} or k.previous_hash = ${by.hash})`
          : tx`k.api_key_id = ${by.apiKeyId} and k.tenant_user_id = ${by.tenantUserId}`
      }`,
    sharer,
  )
  if (!row || row.isLocked) return undefined
  return {
    actor: {
      kind: 'key',
      tenantId: row.tenantId,
      tenantUserId: row.tenantUserId,
      userId: row.userId,
      displayName: row.displayName,
      roleFlag: row.isUserBound ? row.keyRoles & row.userRoles : row.keyRoles,
      credentialId: `key:${row.apiKeyId}`,
    },
    isSuspended: row.isSuspended,
    allowedFrom: row.allowedAddresses.length === 0 ? undefined : addressList(row.allowedAddresses),
    hours: row.validHours ?? undefined,
    validUntil: row.validUntil ?? Number.POSITIVE_INFINITY,
  }
}
