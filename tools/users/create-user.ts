import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { readNewUser, saveNewUser } from './new-user.ts'
import { email, exampleUser, user, userFields } from './users.schema.ts'
import { toUser } from './users.store.ts'

export const createUser = defineOperation({
  ...writes(user),
  errors: ['already_exists'],
  name: 'create_user',
  title: 'Create a user',
  description:
    'Makes a user of this tenant, known by e-mail, phone or user name, who cannot sign in yet: invite_user lets them. An e-mail or phone that a user here has already answers 409; find_or_create_user answers that user instead.',
  method: 'POST',
  path: '/api/v1/tenants/users',
  roles: 'AdminUser',
  input: z.object({ email: email.optional(), ...userFields }),
  examples: [
    {
      title: 'A field technician',
      input: {
        email: 'Ana@example.com',
        phone: '+34 612 345 678',
        displayName: 'Ana Ruiz',
        language: 'es-ES',
        timezone: 'Europe/Madrid',
        roles: ['DataView', 'DataEdit'],
      },
      output: { ...exampleUser, status: 'invited', lastSignInDate: null },
    },
  ],
  async handler(context, input) {
    return toUser(await saveNewUser(context, await readNewUser(context, input)))
  },
})
