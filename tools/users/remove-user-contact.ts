import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { lockLesserPerson } from './changed-user.ts'
import { contact, tenantUserId } from './users.schema.ts'
import { deleteContact } from './users.store.ts'

export const removeUserContact = defineOperation({
  ...destroys(contact),
  name: 'remove_user_contact',
  title: 'Remove a contact of a user',
  description:
    'Removes an e-mail or a phone of a user and answers it. Take contactId from get_user. How the person signs in stays as it is.',
  method: 'DELETE',
  path: '/api/v1/tenants/users/{tenantUserId}/contacts/{contactId}',
  roles: 'AdminUser',
  input: z.object({ tenantUserId, contactId: z.int().min(1).describe('From get_user') }),
  examples: [
    {
      title: 'A number that is no longer theirs',
      input: { tenantUserId: 12, contactId: 8 },
      output: { contactId: 8, kind: 'phone', value: '+34612345678', isVerified: false },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const found = await lockLesserPerson(context, input.tenantUserId)
    const removed = mustExist(
      found.contacts.find((candidate) => candidate.contactId === input.contactId),
      'contact',
    )
    await deleteContact(tx, tenantId, found.tenantUserId, removed.contactId)
    return removed
  },
})
