/** The user whom an invitation is for. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'

import { lockLesserPerson } from './changed-user.ts'
import type { UserRow } from './users.store.ts'

/** Throws AppError `conflict` where somebody has taken the membership, or the user is locked. */
export async function lockInvited(context: TxContext, tenantUserId: number): Promise<UserRow> {
  const found = await lockLesserPerson(context, tenantUserId)
  if (found.acceptedDate !== null)
    throw new AppError('conflict', 'The person has taken the membership already. reset_user_password sends a link for a new password.')
  if (found.isLocked) throw new AppError('conflict', 'The user is locked. unlock_user comes first.')
  return found
}
