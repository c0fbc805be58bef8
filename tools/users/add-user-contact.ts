import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { lockLesserPerson } from './changed-user.ts'
import { normalizeContact } from './contact-values.ts'
import { addContact } from './service.ts'
import { contact, contactKind, tenantUserId } from './users.schema.ts'

const contactsMax = 20

export const addUserContact = defineOperation({
  ...writes(contact),
  name: 'add_user_contact',
  title: 'Add a contact to a user',
  description:
    'Adds an e-mail or a phone that messages can go to; nobody signs in with it. The first of each kind is what the user record shows. A contact belongs to one user of the tenant; one that is taken answers 409.',
  method: 'POST',
  path: '/api/v1/tenants/users/{tenantUserId}/contacts',
  roles: 'AdminUser',
  input: z.object({
    tenantUserId,
    kind: contactKind.describe('What value is'),
    value: z.string().min(1).max(254).describe('An e-mail, or a phone with its country code: +14155552671'),
  }),
  examples: [
    {
      title: 'A phone for messages',
      input: { tenantUserId: 12, kind: 'phone', value: '+34 612 345 678' },
      output: { contactId: 8, kind: 'phone', value: '+34612345678', isVerified: false },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const normalized = normalizeContact(input.kind, input.value)
    if (!normalized.isOk) {
      throw new AppError('invalid_input', normalized.message, {
        issues: [finding('$.value', normalized.message)],
      })
    }
    const found = await lockLesserPerson(context, input.tenantUserId)
    if (found.contacts.length >= contactsMax)
      throw new AppError('conflict', `A user has at most ${contactsMax} contacts. Remove one first.`)
    const added = await addContact(tx, tenantId, found.tenantUserId, { kind: input.kind, value: normalized.value })
    context.audit({ contactId: added.contactId })
    return added
  },
})
