import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { readNewUser, saveNewUser } from './new-user.ts'
import { email, exampleUser, user, userFields } from './users.schema.ts'
import { findUserByEmail, lockEmail, toUser } from './users.store.ts'

export const findOrCreateUser = defineOperation({
  ...writes(user),
  errors: ['already_exists'],
  isIdempotent: true,
  name: 'find_or_create_user',
  title: 'Find or create a user',
  description:
    'Answers the user who has this e-mail, whatever its case, and makes one where nobody has. A user who exists is left as it is: the other fields count only for a new one, who signs in after invite_user.',
  method: 'POST',
  path: '/api/v1/tenants/users/find-or-create',
  roles: 'AdminUser',
  input: z.object({ email, ...userFields }),
  examples: [{ title: 'Before a task is assigned', input: { email: 'ana@example.com' }, output: exampleUser }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const member = await readNewUser(context, input)
    const address = member.email ?? ''
    // Of two calls at once the second waits, and then finds what the first has made.
    await lockEmail(tx, tenantId, address)
    const known = await findUserByEmail(tx, tenantId, address)
    return toUser(known ?? (await saveNewUser(context, member)))
  },
})
