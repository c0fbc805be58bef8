/** Scheduled messages on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { idOrName } from '#platform/names.ts'

import { conversationId, messageId } from '../messaging.schema.ts'

export const scheduledMessageId = z.int().min(1).describe('As schedule_message and get_conversation answer it')

export const scheduledStates = ['scheduled', 'sent', 'cancelled', 'failed'] as const
export type ScheduledState = (typeof scheduledStates)[number]

export const scheduledMessage = z.object({
  scheduledMessageId,
  conversationId,
  state: z.enum(scheduledStates),
  sendAt: z.iso.datetime(),
  timeZoneIana: z.string().nullable().describe('Whose wall a localTime was read by'),
  text: z.string().optional(),
  template: idOrName.optional(),
  tenantUserId: z.int().describe('In whose name it goes out'),
  messageId: messageId.optional().describe('As which it was sent'),
  reason: z.string().optional().describe('Why it was not'),
  createdDate: z.iso.datetime(),
})
export type ScheduledMessage = z.output<typeof scheduledMessage>

component('ScheduledMessage', scheduledMessage)

export const exampleScheduled: ScheduledMessage = {
  scheduledMessageId: 21,
  conversationId: 340,
  state: 'scheduled',
  sendAt: '2026-11-23T06:30:00.000Z',
  timeZoneIana: 'Europe/Madrid',
  text: 'Gate 4 opens at nine today.',
  tenantUserId: 3,
  createdDate: '2026-11-22T15:00:00.000Z',
}
