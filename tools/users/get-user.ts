import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { exampleUser, tenantUserId, user } from './users.schema.ts'
import { findUser, toUser } from './users.store.ts'

export const getUser = defineOperation({
  ...reads(user),
  name: 'get_user',
  title: 'Read a user',
  description:
    'One user of this tenant with roles, contacts, language and time zone. Take tenantUserId from list_users or find_or_create_user.',
  method: 'POST',
  path: '/api/v1/tenants/users/{tenantUserId}',
  roles: 'AdminUser',
  input: z.object({ tenantUserId }),
  examples: [{ title: 'One user', input: { tenantUserId: 12 }, output: exampleUser }],
  async handler({ tx, tenantId }, input) {
    return toUser(mustExist(await findUser(tx, tenantId, input.tenantUserId), 'user'))
  },
})
