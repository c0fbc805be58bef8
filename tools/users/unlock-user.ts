import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { shownUser } from './changed-user.ts'
import { refuseChange } from './service.ts'
import { exampleUser, tenantUserId, user } from './users.schema.ts'
import { lockUserRow, updateLocked } from './users.store.ts'

export const unlockUser = defineOperation({
  ...writes(user),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'unlock_user',
  title: 'Unlock a user',
  description: 'Lets a locked user in again, with the roles and keys that were there before.',
  method: 'POST',
  path: '/api/v1/tenants/users/{tenantUserId}/unlock',
  roles: 'AdminUser',
  input: z.object({ tenantUserId }),
  examples: [{ title: 'The phone was found', input: { tenantUserId: 12 }, output: exampleUser }],
  async handler(context, input) {
    const { tx, tenantId, actor, services } = context
    const found = mustExist(await lockUserRow(tx, tenantId, input.tenantUserId), 'user')
    refuseChange(actor.roleFlag, found.roleFlag, 'user')
    await updateLocked(tx, tenantId, found.tenantUserId, false)
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return shownUser(context, found.tenantUserId)
  },
})
