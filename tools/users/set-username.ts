import { z } from 'zod'

import { constraintOf } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { lockLesserPerson, shownUser } from './changed-user.ts'
import { exampleUser, tenantUserId, user, userName } from './users.schema.ts'
import { isMemberElsewhere, renamePerson } from './users.store.ts'

export const setUsername = defineOperation({
  ...writes(user),
  isIdempotent: true,
  name: 'set_username',
  title: "Set a user's name",
  description:
    'Changes the name that a person signs in with. Names are unique in the whole installation: a taken one answers 409, and so does a person who belongs to other tenants too.',
  method: 'PUT',
  path: '/api/v1/tenants/users/{tenantUserId}/username',
  roles: 'AdminUser',
  input: z.object({ tenantUserId, userName }),
  examples: [{ title: 'A shorter name', input: { tenantUserId: 12, userName: 'ana' }, output: { ...exampleUser, userName: 'ana' } }],
  async handler(context, input) {
    const { tx } = context
    const found = await lockLesserPerson(context, input.tenantUserId)
    if (found.userName !== input.userName) {
      if (await isMemberElsewhere(tx, found.userId)) {
        throw new AppError(
          'conflict',
          'The person belongs to other tenants too and signs in there with the same name, so it cannot be changed here.',
        )
      }
      await renamePerson(tx, found.userId, input.userName).catch((error: unknown) => {
        if (constraintOf(error) === 'app_user_name')
          throw new AppError('already_exists', 'The user name is taken. Choose another one.', { cause: error })
        throw error
      })
    }
    return shownUser(context, found.tenantUserId)
  },
})
