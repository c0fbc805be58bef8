import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { contactPreferences, examplePreferences } from './channels.schema.ts'
import { tenantUserId } from '../messaging.schema.ts'
import { readPreferences } from './preferences.ts'

export const getContactPreferences = defineOperation({
  ...reads(contactPreferences),
  name: 'get_contact_preferences',
  title: "Get a user's contact preferences",
  description:
    'Which channels a user wants in which order, the quiet hours, and on which addresses they opted out. Change them with set_contact_preferences.',
  method: 'POST',
  path: '/api/v1/messaging/preferences/{tenantUserId}',
  roles: 'AdminUser',
  input: z.object({ tenantUserId }),
  examples: [{ title: 'Of a field user', input: { tenantUserId: 12 }, output: examplePreferences }],
  handler: (context, input) => readPreferences(context, input.tenantUserId),
})
