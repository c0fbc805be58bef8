/** What a message is sent with, now or later. */
import { z } from 'zod'

import { assetKeys, card, conversationId, eiRecordId, messageText, recipient } from '../messaging.schema.ts'
import { params, template } from '../templates/templates.schema.ts'

export const sendFields = {
  to: recipient.optional().describe('Exactly one of these, unless conversationId is given'),
  channel: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'inbox, sms, whatsapp, email, telegram, slack, teams, webPush or an internalName. Unless told: what the recipient prefers, else inbox',
    ),
  text: messageText.optional(),
  template: template.optional(),
  params: params.optional(),
  card: card.optional(),
  conversationId: conversationId.optional().describe('To continue it'),
  eiRecordId: eiRecordId.optional().describe('The record that a new conversation is about'),
  assetKeys: assetKeys.optional(),
  fallback: z.array(z.string().min(1).max(64)).min(1).max(5).optional().describe('Channels to try in turn where it does not arrive'),
  fallbackAfter: z.string().max(20).optional().describe('How long to wait for that; PT15M unless told'),
  urgent: z.boolean().optional().describe('In quiet hours too, where the recipient allows it'),
} as const
