import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { refuseLastAdministrator, shownUser } from './changed-user.ts'
import { refuseChange } from './service.ts'
import { exampleUser, tenantUserId, user } from './users.schema.ts'
import { lockUserRow, updateLocked } from './users.store.ts'

export const lockUser = defineOperation({
  ...writes(user),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'lock_user',
  title: 'Lock a user',
  description:
    'Stops a user from signing in, and every session, key and link that acts as the user, at once. Data and roles stay; unlock_user undoes it. Nobody locks themselves, the last AdminUser, or a user who holds a role that they lack.',
  method: 'POST',
  path: '/api/v1/tenants/users/{tenantUserId}/lock',
  roles: 'AdminUser',
  input: z.object({ tenantUserId }),
  examples: [{ title: 'A lost phone', input: { tenantUserId: 12 }, output: { ...exampleUser, isLocked: true } }],
  async handler(context, input) {
    const { tx, tenantId, actor, services } = context
    const found = mustExist(await lockUserRow(tx, tenantId, input.tenantUserId), 'user')
    refuseChange(actor.roleFlag, found.roleFlag, 'user')
    if (found.tenantUserId === actor.tenantUserId)
      throw new AppError('conflict', 'You would lock yourself out. Let another administrator do it.')
    await refuseLastAdministrator(context, tenantId, found, 0)
    await updateLocked(tx, tenantId, found.tenantUserId, true)
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return shownUser(context, found.tenantUserId)
  },
})
