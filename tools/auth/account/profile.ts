/** What a person sees of themselves. */
import { mustExist } from '#platform/errors.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Actor, StagedContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { readNotifications } from '#tools/messaging/service.ts'
import { findUser } from '#tools/users/service.ts'

import { listTenantsOf } from '../sign-in/sign-in.store.ts'
import { findAccount } from './account.store.ts'
import type { Profile } from './profile.schema.ts'

/** What the tenant knows of its member. */
async function membershipOf(tx: Tx, tenantId: number, tenantUserId: number) {
  const { displayName, languageCode, timeZoneIana } = mustExist(await findUser(tx, tenantId, tenantUserId), 'user')
  return { tenantUserId, displayName, languageCode, timeZoneIana, notifications: await readNotifications({ tx, tenantId }, tenantUserId) }
}

/** What the pages show of somebody whom the tenant's own provider let in: what the tenant knows, and nothing of the person. */
export async function profileOfMember(
  { databases }: Pick<Services, 'databases'>,
  { tenantId, tenantUserId, userId }: Actor,
): Promise<Profile> {
  const member = await databases.transact({ tenantId, isReadOnly: true }, ({ tx }) => membershipOf(tx, tenantId, tenantUserId))
  const tenants = await databases.lookUp((tx) => listTenantsOf(tx, userId, tenantId))
  return { userId, logInName: null, emails: [], ...member, tenants }
}

export async function profileOf({ services, actor, tenantId, inTransaction }: StagedContext): Promise<Profile> {
  const member = await inTransaction(({ tx }) => membershipOf(tx, tenantId, actor.tenantUserId), { readOnly: true })
  const { account, tenants } = await services.databases.lookUp(async (tx) => ({
    account: mustExist(await findAccount(tx, actor.userId), 'person'),
    tenants: await listTenantsOf(tx, actor.userId),
  }))
  return { userId: actor.userId, logInName: account.userName, emails: account.emails, ...member, tenants }
}
