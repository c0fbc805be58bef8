import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { changedNotifications, contactPreferences, examplePreferences, vendorChannel } from './channels.schema.ts'
import { insertOptOut, isOptedOut } from './channels.store.ts'
import { tenantUserId } from '../messaging.schema.ts'
import { addressesOf, changeNotifications, readPreferences } from './preferences.ts'
import { findPerson } from '../conversations/recipients.store.ts'

export const setContactPreferences = defineOperation({
  ...writes(contactPreferences),
  isIdempotent: true,
  errors: ['not_found'],
  name: 'set_contact_preferences',
  title: "Set a user's contact preferences",
  description:
    'Sets the order of channels, the quiet hours (null: none) and whether urgent messages may break them; what is not named stays. optOut records that the user refused a channel on every address they have; only the person can take that back, by START.',
  method: 'PUT',
  path: '/api/v1/messaging/preferences/{tenantUserId}',
  roles: 'AdminUser',
  input: z.object({
    tenantUserId,
    ...changedNotifications.shape,
    optOut: z.array(vendorChannel).max(8).optional().describe('Channels that the user refused'),
  }),
  examples: [
    {
      title: 'WhatsApp first, quiet at night',
      input: {
        tenantUserId: 12,
        channelOrder: ['whatsapp', 'inbox'],
        quietHours: { start: '21:00', end: '07:00', timeZoneIana: 'Europe/Madrid' },
      },
      output: examplePreferences,
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, stamp } = context
    const person = mustExist(await findPerson(tx, tenantId, input.tenantUserId), 'user')
    await changeNotifications(context, input.tenantUserId, input, '$')
    for (const { channel, address } of addressesOf(person)) {
      if (!input.optOut?.includes(channel) || (await isOptedOut(tx, tenantId, channel, address))) continue
      await insertOptOut(tx, tenantId, stamp, { channel, address, isOut: true, source: 'administrator' })
    }
    return readPreferences(context, input.tenantUserId)
  },
})
