import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { lockLesserPerson, refuseLastAdministrator } from './changed-user.ts'
import { tenantUserId } from './users.schema.ts'
import { deleteContacts, endMembership, insertPerson } from './users.store.ts'

export const deleteUser = defineOperation({
  ...destroys(z.object({ tenantUserId, deletedDate: z.iso.datetime() })),
  name: 'delete_user',
  title: 'Delete a user',
  description:
    'Ends a membership for good: sessions, apps, links and keys that act as the user end at once, contacts and roles go. What the user did keeps the name, and the person stays a user elsewhere. Nobody deletes themselves, the last AdminUser, or a user who holds a role that they lack.',
  method: 'DELETE',
  path: '/api/v1/tenants/users/{tenantUserId}',
  roles: 'AdminUser',
  input: z.object({ tenantUserId }),
  examples: [{ title: 'Ana has left', input: { tenantUserId: 12 }, output: { tenantUserId: 12, deletedDate: '2026-11-21T10:05:00.000Z' } }],
  async handler(context, input) {
    const { tx, tenantId, actor, stamp, services } = context
    const found = await lockLesserPerson(context, input.tenantUserId)
    if (found.tenantUserId === actor.tenantUserId)
      throw new AppError('conflict', 'You would delete yourself. Let another administrator do it.')
    await refuseLastAdministrator(context, tenantId, found, 0)
    await deleteContacts(tx, tenantId, found.tenantUserId)
    // The person may be invited anew: their membership is another one then.
    const nobody = found.acceptedDate === null ? found.userId : await insertPerson(tx)
    await endMembership(tx, tenantId, found.tenantUserId, { userId: nobody, at: stamp })
    context.audit({ userName: found.userName, roles: found.roleFlag })
    context.afterCommit(() => services.wake.poke(credentialsTopic))
    return { tenantUserId: found.tenantUserId, deletedDate: stamp }
  },
})
