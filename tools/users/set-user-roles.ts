import { z } from 'zod'

import { credentialsTopic } from '#platform/authenticate.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { flagOf, roleBits } from '#platform/roles.ts'

import { lockPerson, refuseLastAdministrator } from './changed-user.ts'
import { rolesGivenUp, whyNotReplaced } from './users.rules.ts'
import { exampleUser, roles, tenantId, tenantUserId, user } from './users.schema.ts'
import { findUser, toUser, updateRoles } from './users.store.ts'

export const setUserRoles = defineOperation({
  ...writes(user),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'set_user_roles',
  title: "Set a user's roles",
  description:
    'Replaces the roles of a user; list_roles says what each is for. An AdminUser works within its own tenant, a global administrator in any. Nobody grants or takes away a role they lack, and nobody gives up their own AdminUser or GlobalAdmin.',
  method: 'POST',
  path: '/api/v1/tenants/{tenantId}/users/{tenantUserId}/roles',
  roles: 'GlobalAdmin|AdminUser',
  input: z.object({ tenantId, tenantUserId, roles }),
  examples: [
    { title: 'A technician who may edit', input: { tenantId: 3, tenantUserId: 12, roles: ['DataView', 'DataEdit'] }, output: exampleUser },
  ],
  async handler(context, input) {
    const { tx, actor, services } = context
    const isGlobal = (actor.roleFlag & roleBits.GlobalAdmin) !== 0
    // Word for word as for a user who does not exist.
    if (input.tenantId !== context.tenantId && !isGlobal) throw new AppError('not_found', 'No such user.')
    return context.asTenant(input.tenantId, async () => {
      const found = await lockPerson(context, input.tenantId, input.tenantUserId)
      const wanted = flagOf(input.roles)
      const why = whyNotReplaced(actor.roleFlag, found.roleFlag, wanted)
      if (why) throw new AppError('forbidden', why)
      const givenUp = found.tenantUserId === actor.tenantUserId ? rolesGivenUp(found.roleFlag, wanted) : []
      if (givenUp.length > 0)
        throw new AppError('conflict', `You would give up ${givenUp.join(' and ')} yourself. Let another administrator do it.`)
      await refuseLastAdministrator(context, input.tenantId, found, wanted)
      await updateRoles(tx, input.tenantId, found.tenantUserId, wanted)
      context.audit({ before: found.roleFlag, after: wanted })
      context.afterCommit(() => services.wake.poke(credentialsTopic))
      return toUser(mustExist(await findUser(tx, input.tenantId, found.tenantUserId), 'user'))
    })
  },
})
