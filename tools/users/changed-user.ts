/** The user that a call is about to change, if it may. */
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'

import { refuseChange } from './service.ts'
import { givesUpAdministration } from './users.rules.ts'
import type { User } from './users.schema.ts'
import { findUser, hasOtherAdministrator, lockUserRow, toUser, type UserRow } from './users.store.ts'

/** Locked, and of a person. Throws AppError `not_found`, or `conflict` for a service user, which follows its key, workflow or pack. */
export async function lockPerson(context: TxContext, tenantId: number, tenantUserId: number): Promise<UserRow> {
  const row = mustExist(await lockUserRow(context.tx, tenantId, tenantUserId), 'user')
  if (row.isService)
    throw new AppError(
      'conflict',
      'This is the service user of an API key, a workflow or an action pack and follows it: change the key with update_api_key or end it with revoke_api_key, publish the workflow anew, update or uninstall the pack.',
    )
  return row
}

/** The same, for a change of log-in or contacts. Throws AppError `forbidden` too, where the user holds a role that the caller lacks. */
export async function lockLesserPerson(context: TxContext, tenantUserId: number): Promise<UserRow> {
  const row = await lockPerson(context, context.tenantId, tenantUserId)
  refuseChange(context.actor.roleFlag, row.roleFlag, 'user')
  return row
}

/** Throws AppError `conflict` where nobody who is not locked would be left to administer the tenant's users. `after` are the roles that stay usable. */
export async function refuseLastAdministrator(context: TxContext, tenantId: number, user: UserRow, after: number): Promise<void> {
  if (!givesUpAdministration(user, after) || (await hasOtherAdministrator(context.tx, tenantId, user.tenantUserId))) return
  throw new AppError('conflict', 'This is the last user with AdminUser who is not locked. Give another one that role first.')
}

/** The user as it stands after the change. */
export async function shownUser(context: TxContext, tenantUserId: number): Promise<User> {
  return toUser(mustExist(await findUser(context.tx, context.tenantId, tenantUserId), 'user'))
}
