/** Provisioning: a tenant with its sealed key and its first administrator; and the first tenant of an installation, at its first boot. */
import { randomBytes } from 'node:crypto'

import type { Tx } from '#platform/db/pool.ts'
import { constraintOf } from '#platform/db/transaction.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { hashPassword } from '#platform/passwords.ts'
import { roleBits, tenantAdminRoles } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { makeKey } from '#tools/auth/service.ts'
import { addStandIns } from '#tools/messaging/service.ts'
import { addMember, setFirstLogIn } from '#tools/users/service.ts'

import { enterTenant, findTenant, insertTenant, lockInstallation, type NewTenant } from './tenants.store.ts'
import type { Theme } from './tenants.schema.ts'

export { auditExportKind, auditExportRunner } from './audit/exporting.ts'
export { tenantExportKind, tenantExportRunner, tenantExportRunnerOf } from './export/running.ts'
export { purgeDueTenants } from './deletion/purging.ts'
export { brandingOf } from './branding/shown.ts'

/** Throws AppError `already_exists` where the sub-domain or the host is taken. The caller is a global administrator, or boot. */
export async function makeTenant(tx: Tx, tenant: NewTenant): Promise<number> {
  return insertTenant(tx, tenant).catch((error: unknown) => Promise.reject(hostTaken(error)))
}

/** What a database error of a host means; any other one as it is. */
export function hostTaken(error: unknown): unknown {
  const constraint = constraintOf(error)
  if (constraint === 'tenant_sub_domain')
    return new AppError('already_exists', 'The sub-domain is taken. Choose another one.', { cause: error })
  if (constraint === 'tenant_host') return new AppError('already_exists', 'The host is taken. Choose another one.', { cause: error })
  return error
}

export interface FirstTenant {
  /** False: the installation has tenants, and nothing was changed. */
  readonly created: boolean
  /** The global administrator's key, where one was made. */
  readonly apiKey?: string
  /** Of the user `admin` of the tenant `demo`. */
  readonly adminPassword?: string
}

/**
 * Provisions the tenant `demo` with its administrator and a key that holds every role, where the installation has no tenant yet. Of two boots at
 * once one does it. A caller who must not lose the secrets passes them in, already kept; what is absent is made here.
 */
export async function provisionFirstTenant(
  services: Services,
  given: { apiKey?: string | undefined; adminPassword?: string | undefined } = {},
): Promise<FirstTenant> {
  const { databases, secrets } = services
  const adminPassword = given.adminPassword ?? randomBytes(18).toString('base64url')
  const passwordHash = await hashPassword(adminPassword)
  return databases.transact({ tenantId: null, isGlobal: true }, async ({ tx, stamp }) => {
    if (await lockInstallation(tx)) return { created: false }
    const at = await stamp()
    const tenantId = await makeTenant(tx, {
      name: 'Demo',
      subDomain: 'demo',
      host: null,
      description: 'The first tenant of this installation',
      sealedKey: secrets.newTenantKey(),
      theme: {},
      at,
    })
    await enterTenant(tx, tenantId)
    const admin = await addMember(tx, tenantId, { userName: 'admin', displayName: 'Administrator', roleFlag: tenantAdminRoles, at })
    await setFirstLogIn(tx, admin.userId, 'admin', passwordHash)
    const { secret } = await makeKey(tx, tenantId, {
      name: 'Bootstrap',
      roleFlag: tenantAdminRoles | roleBits.GlobalAdmin,
      secret: given.apiKey,
      at,
    })
    await addStandIns(tx, tenantId, at)
    return { created: true, apiKey: secret, adminPassword }
  })
}

/** How a tenant shows itself to people. */
export interface TenantLook {
  readonly name: string
  readonly languageCode: string
  readonly theme: Theme
}

export async function findTenantLook(tx: Tx, tenantId: number): Promise<TenantLook> {
  const { name, languageCode, theme } = mustExist(await findTenant(tx, tenantId), 'tenant')
  return { name, languageCode, theme }
}
