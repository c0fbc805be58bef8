import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { conversationId, messageId, messageStates, seq } from '../messaging.schema.ts'
import { mayBringLink } from './cards.rules.ts'
import { lockConversation } from './conversations.store.ts'
import { findStatus, lockForResend, noteResent } from './messages.store.ts'
import { addOutbound } from './send.ts'
import { mustSee } from './sight.ts'

export const resendMessage = defineOperation({
  ...writes(z.object({ conversationId, messageId, seq, status: z.enum(messageStates) })),
  errors: ['not_found', 'unprocessable'],
  name: 'resend_message',
  title: 'Send a failed message again',
  description:
    'Sends a message whose status is failed once more, to the same address in the same open conversation, and answers the new message. One that is unknown may have arrived and is not sent again. Ask get_message_status first.',
  method: 'POST',
  path: '/api/v1/messaging/messages/{messageId}/resend',
  roles: 'DataEdit',
  input: z.object({ messageId }),
  examples: [
    {
      title: 'After the vendor was away',
      input: { messageId: 1044 },
      output: { conversationId: 312, messageId: 1051, seq: 2, status: 'queued' },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { conversationId: id } = mustExist(await findStatus(tx, tenantId, input.messageId), 'message')
    // The conversation before the message, in which order whoever adds to it locks them.
    const conversation = mustExist(await lockConversation(tx, tenantId, id), 'message')
    await mustSee(context, conversation, 'message')
    const { status, resentAs, text, card, assetKeys, isUrgent } = mustExist(await lockForResend(tx, tenantId, input.messageId), 'message')
    if (status !== 'failed') throw new AppError('conflict', `Only a failed message is sent again; this one is ${status}.`)
    if (resentAs !== null)
      throw new AppError('conflict', `It was sent again as message ${resentAs}. Ask get_message_status about that one.`)
    if (conversation.state === 'ended') throw new AppError('conflict', 'The conversation has ended. Open another with send_message.')
    if (conversation.channel !== 'inbox' && conversation.channelId === null)
      throw new AppError('conflict', 'The channel of the conversation was deleted. Open another with send_message.')
    if (mayBringLink({ text, card }))
      throw new AppError('conflict', 'It brings a link of its own. Revoke that link and send another with create_signed_link.')
    const sent = await addOutbound(context, conversation, { text, card: card ?? undefined, assetKeys, isUrgent })
    await noteResent(tx, tenantId, input.messageId, sent.messageId)
    context.audit({ conversationId: id, messageId: sent.messageId, resent: input.messageId })
    return sent
  },
})
