/** A person's profile on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { notifications } from '#tools/messaging/channels/channels.schema.ts'
import { tenantId, tenantUserId } from '#tools/users/users.schema.ts'

export const profile = z.object({
  userId: z.int().min(1),
  logInName: z.string().nullable().describe('What the person signs in with, beside the e-mails'),
  emails: z.array(z.string()).describe('Those that the person proved; each signs in'),
  tenantUserId: tenantUserId.describe('The membership that the session is of; what follows is of it'),
  displayName: z.string(),
  languageCode: z.string(),
  timeZoneIana: z.string(),
  notifications: notifications.describe('How messages of this tenant reach the person'),
  tenants: z.array(z.object({ tenantId, name: z.string(), subDomain: z.string() })).describe('Where select_tenant may go'),
})

export type Profile = z.infer<typeof profile>

export const exampleProfile: Profile = {
  userId: 12,
  logInName: 'ana',
  emails: ['ana@example.com'],
  tenantUserId: 12,
  displayName: 'Ana Ruiz',
  languageCode: 'es-ES',
  timeZoneIana: 'Europe/Madrid',
  notifications: { channelOrder: ['whatsapp', 'inbox'], quietHours: null, allowsUrgent: true },
  tenants: [{ tenantId: 1, name: 'Demo', subDomain: 'demo' }],
}

component('Profile', profile)
