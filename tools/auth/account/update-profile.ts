import { z } from 'zod'

import { defineStagedOperation, writes } from '#platform/operation.ts'
import { changedNotifications } from '#tools/messaging/channels/channels.schema.ts'
import { changeNotifications } from '#tools/messaging/service.ts'
import { saveOwnSettings } from '#tools/users/service.ts'
import { displayName, language, timezone } from '#tools/users/users.schema.ts'

import { profileOf } from './profile.ts'
import { exampleProfile, profile } from './profile.schema.ts'

export const updateProfile = defineStagedOperation({
  ...writes(profile),
  errors: ['not_found'],
  isIdempotent: true,
  name: 'update_profile',
  title: 'Change my profile',
  description:
    'Changes what is given of the display name, language, zone and notifications of the person who calls, in the tenant of the session.',
  method: 'PUT',
  path: '/api/v1/profile',
  roles: 'Person',
  input: z.object({
    displayName: displayName.optional(),
    languageCode: language.optional(),
    timeZoneIana: timezone.optional(),
    notifications: changedNotifications.optional().describe('How messages come; what is left out stays'),
  }),
  examples: [{ title: 'Moved to Madrid', input: { timeZoneIana: 'Europe/Madrid' }, output: exampleProfile }],
  async stagedHandler(context, { notifications, ...input }) {
    await context.inTransaction(async ({ tx, tenantId, actor }) => {
      await saveOwnSettings(tx, tenantId, actor.tenantUserId, input)
      if (notifications) await changeNotifications({ tx, tenantId }, actor.tenantUserId, notifications, '$.notifications')
    })
    return profileOf(context)
  },
})
