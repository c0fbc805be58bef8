import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { lockLesserPerson, shownUser } from './changed-user.ts'
import { nameTaken } from './service.ts'
import { exampleUser, tenantUserId, user, userName } from './users.schema.ts'
import { updateName } from './users.store.ts'

export const setUsername = defineOperation({
  ...writes(user),
  isIdempotent: true,
  name: 'set_username',
  title: "Set a user's name",
  description:
    'Changes the label of a user, which is unique in the tenant: a taken one answers 409. What the person signs in with, and the display name, are theirs and stay.',
  method: 'PUT',
  path: '/api/v1/tenants/users/{tenantUserId}/username',
  roles: 'AdminUser',
  input: z.object({ tenantUserId, userName }),
  examples: [{ title: 'A shorter name', input: { tenantUserId: 12, userName: 'ana' }, output: { ...exampleUser, userName: 'ana' } }],
  async handler(context, input) {
    const found = await lockLesserPerson(context, input.tenantUserId)
    await updateName(context.tx, context.tenantId, found.tenantUserId, input.userName).catch((error: unknown) =>
      Promise.reject(nameTaken(error)),
    )
    return shownUser(context, found.tenantUserId)
  },
})
