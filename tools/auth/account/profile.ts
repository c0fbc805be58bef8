/** What a person sees of themselves. */
import { mustExist } from '#platform/errors.ts'
import type { StagedContext } from '#platform/operation.ts'
import { findUser } from '#tools/users/service.ts'

import { listTenantsOf } from '../sign-in/sign-in.store.ts'
import { findAccount } from './account.store.ts'
import type { Profile } from './profile.schema.ts'

export async function profileOf({ services, actor, tenantId, inTransaction }: StagedContext): Promise<Profile> {
  const member = mustExist(await inTransaction(({ tx }) => findUser(tx, tenantId, actor.tenantUserId), { readOnly: true }), 'user')
  const { account, tenants } = await services.databases.lookUp(async (tx) => ({
    account: mustExist(await findAccount(tx, actor.userId), 'person'),
    tenants: await listTenantsOf(tx, actor.userId),
  }))
  const { tenantUserId, displayName, languageCode, timeZoneIana } = member
  return {
    userId: actor.userId,
    logInName: account.userName,
    emails: account.emails,
    tenantUserId,
    displayName,
    languageCode,
    timeZoneIana,
    tenants,
  }
}
