import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { findConversation } from './conversations.store.ts'
import { findStatus } from './messages.store.ts'
import { messageId, messageStatus } from '../messaging.schema.ts'
import { toStatus } from '../shown.ts'
import { mustSee } from './sight.ts'

export const getMessageStatus = defineOperation({
  ...reads(messageStatus),
  name: 'get_message_status',
  title: 'Get the status of a message',
  description:
    'Tells how far a message has come: queued, sent, delivered, read, failed or suppressed with the reason, or unknown where the vendor may have taken it but never said so. Take messageId from send_message.',
  method: 'POST',
  path: '/api/v1/messaging/messages/{messageId}',
  roles: 'DataView',
  input: z.object({ messageId }),
  examples: [
    {
      title: 'An SMS that arrived',
      input: { messageId: 1044 },
      output: {
        messageId: 1044,
        conversationId: 312,
        seq: 1,
        channel: 'sms',
        status: 'delivered',
        providerId: 'SM00000000000000000000000000000000',
        attempts: 1,
        at: '2026-11-21T09:30:00.000Z',
        sentDate: '2026-11-21T09:30:00.412Z',
        deliveredDate: '2026-11-21T09:30:03.120Z',
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const status = mustExist(await findStatus(tx, tenantId, input.messageId), 'message')
    await mustSee(context, await findConversation(tx, tenantId, status.conversationId), 'message')
    return toStatus(status)
  },
})
