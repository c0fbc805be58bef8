import { z } from 'zod'

import { defineOperation, writes } from '#platform/operation.ts'

import { conversationId, messageId, messageStates, seq } from '../messaging.schema.ts'
import { keepFallback, readFallback } from '../fallback/falling-back.ts'
import { openContent } from './content.ts'
import { conversationFor } from './opening.ts'
import { addOutbound } from './send.ts'
import { sendFields } from './send-fields.schema.ts'

export const sendMessage = defineOperation({
  ...writes(z.object({ conversationId, messageId, seq, status: z.enum(messageStates) })),
  errors: ['not_found', 'unprocessable'],
  name: 'send_message',
  title: 'Send a message',
  description:
    'Sends a message to a user, a phone number, an e-mail address or the person behind a record, and opens a conversation or continues the one in conversationId. Answers at once: queued messages go out in the background, suppressed means that the recipient said STOP. Then call await_reply with the conversationId; get_message_status tells of the delivery; end_conversation closes it.',
  method: 'POST',
  path: '/api/v1/messaging/send',
  roles: 'DataEdit',
  input: z.object(sendFields),
  examples: [
    {
      title: 'A question about a record, with buttons',
      input: {
        to: { tenantUserId: 12 },
        text: 'Is gate 4 open?',
        card: {
          title: 'Gate 4',
          choices: [
            { key: 'open', label: 'Open' },
            { key: 'closed', label: 'Closed' },
          ],
        },
        eiRecordId: 51204,
      },
      output: { conversationId: 311, messageId: 1042, seq: 1, status: 'delivered' },
    },
    {
      title: 'An SMS to a number',
      input: { to: { phone: '+34600123456' }, channel: 'sms', text: 'The crew arrives at ten.' },
      output: { conversationId: 312, messageId: 1044, seq: 1, status: 'queued' },
    },
  ],
  async handler(context, asked) {
    const fallback = await readFallback(context, asked)
    const conversation = await conversationFor(context, asked)
    const content = await openContent(context, asked)
    const { channel: kind, tenantUserId, eiRecordId: about } = conversation
    const sent = await addOutbound(context, conversation, await content({ kind, tenantUserId, eiRecordId: about }))
    if (fallback) await keepFallback(context, sent, asked, fallback)
    context.audit({ conversationId: sent.conversationId, messageId: sent.messageId, channel: conversation.channel })
    return sent
  },
})
