/** Users, their contacts and roles on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { roleNames } from '#platform/roles.ts'

export const tenantUserId = z.int().min(1).describe('From list_users')

/** Tenants are counted in 32 bits, in the database's own settings too. */
export const tenantId = z.int().min(1).max(2_147_483_647).describe('whoami shows your own')

export const roles = z.array(z.enum(roleNames)).max(50)

export const contactKind = z.enum(['email', 'phone'])

export const contact = z.object({
  contactId: z.int().min(1),
  kind: contactKind,
  value: z.string().describe('E-mail in lower case, phone as +<country code><number>'),
  isVerified: z.boolean(),
})

export const userStatus = z.enum(['invited', 'active', 'locked'])

export const user = z.object({
  tenantUserId,
  userId: z.int().min(1).describe('The person; another one once somebody else takes the invitation'),
  userName: z.string().describe('A label, unique in the tenant'),
  displayName: z.string(),
  email: z.string().nullable().describe('The first e-mail among the contacts'),
  phone: z.string().nullable().describe('The first phone among the contacts'),
  languageCode: z.string(),
  timeZoneIana: z.string(),
  roles,
  roleFlag: z.int().min(0),
  isLocked: z.boolean(),
  status: userStatus.describe('invited: nobody has taken the membership yet'),
  lastSignInDate: z.iso.datetime().nullable().describe('Into this tenant'),
  hasSecondFactor: z.boolean(),
  contacts: z.array(contact),
  createdDate: z.iso.datetime(),
})

export const email = z.string().min(1).max(254)
export const phone = z.string().min(1).max(40).describe('With its country code: +14155552671')
export const language = z.string().min(2).max(20).describe('A languageCode of list_languages: en-US')
export const timezone = z.string().min(1).max(64).describe('An IANA name: Europe/Madrid')
export const userName = z
  .string()
  // Keyboards differ in how they write an é; it is the same name to whoever reads it.
  .normalize('NFC')
  .regex(/^[^\s\p{Cc}\p{Cf}]{2,100}$/u, '2 to 100 characters without spaces')
  .describe('A label, unique in the tenant')
export const displayName = z.string().trim().min(1).max(200)

/** What create_user and find_or_create_user take beside the e-mail. */
export const userFields = {
  phone: phone.optional(),
  userName: userName
    .optional()
    .describe('A label, unique in the tenant; the e-mail or phone unless told, with a number where somebody has that name'),
  displayName: displayName.optional().describe('The user name unless told'),
  language: language.optional().describe("A languageCode of list_languages; the tenant's unless told"),
  timezone: timezone.optional().describe('An IANA name such as Europe/Madrid; UTC unless told'),
  roles: roles.optional().describe('Only roles that you hold; none unless told'),
} as const

export type User = z.infer<typeof user>
export type Contact = z.infer<typeof contact>

/** One user, for the examples of several operations. */
export const exampleUser: User = {
  tenantUserId: 12,
  userId: 12,
  userName: 'ana@example.com',
  displayName: 'Ana Ruiz',
  email: 'ana@example.com',
  phone: '+34612345678',
  languageCode: 'es-ES',
  timeZoneIana: 'Europe/Madrid',
  roles: ['DataView', 'DataEdit'],
  roleFlag: 10,
  isLocked: false,
  status: 'active',
  lastSignInDate: '2026-11-21T10:20:00.000Z',
  hasSecondFactor: false,
  contacts: [
    { contactId: 7, kind: 'email', value: 'ana@example.com', isVerified: false },
    { contactId: 8, kind: 'phone', value: '+34612345678', isVerified: false },
  ],
  createdDate: '2026-11-21T10:00:00.000Z',
}

component('User', user)
component('Contact', contact)
