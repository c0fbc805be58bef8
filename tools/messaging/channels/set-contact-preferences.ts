import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { contactPreferences, examplePreferences, quietHours, vendorChannel } from './channels.schema.ts'
import { insertOptOut, isOptedOut } from './channels.store.ts'
import { channelKind, tenantUserId } from '../messaging.schema.ts'
import { addressesOf, readPreferences } from './preferences.ts'
import { isTimeZone } from '../delivery/quiet-hours.rules.ts'
import { findPerson, savePreferences } from '../conversations/recipients.store.ts'

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
    channelOrder: z.array(channelKind).max(8).optional().describe('The preferred channel first'),
    quietHours: quietHours.nullable().optional().describe('When nothing is sent; null: never'),
    allowsUrgent: z.boolean().optional().describe('Whether urgent messages come all the same'),
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
    if (input.quietHours && !isTimeZone(input.quietHours.timeZoneIana)) {
      const message = 'There is no such time zone. Use a name of the IANA database, such as Europe/Madrid.'
      throw new AppError('invalid_input', message, { issues: [finding('$.quietHours.timeZoneIana', message)] })
    }
    const { channelOrder, quietHours, allowsUrgent } = input
    await savePreferences(tx, tenantId, input.tenantUserId, {
      ...(channelOrder && { channelOrder: [...new Set(channelOrder)] }),
      ...(quietHours !== undefined && { quietHours }),
      ...(allowsUrgent !== undefined && { allowsUrgent }),
    })
    for (const { channel, address } of addressesOf(person)) {
      if (!input.optOut?.includes(channel) || (await isOptedOut(tx, tenantId, channel, address))) continue
      await insertOptOut(tx, tenantId, stamp, { channel, address, isOut: true, source: 'administrator' })
    }
    return readPreferences(context, input.tenantUserId)
  },
})
