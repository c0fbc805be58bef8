import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'

import { findChannel } from '../channels/channels.store.ts'
import { type ConversationRow, lockConversation } from './conversations.store.ts'
import { assetKeys, card, conversationId, eiRecordId, messageId, messageStates, messageText, recipient, seq } from '../messaging.schema.ts'
import { openConversation, refuse, type Request } from './opening.ts'
import { chooseRoute } from './routes.ts'
import { addOutbound } from './send.ts'
import { mustSee } from './sight.ts'

const input = z.object({
  to: recipient.optional().describe('Exactly one of these; needed unless conversationId is given'),
  channel: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      "inbox, sms, whatsapp, email, telegram, slack, teams, webPush, or a channel's internalName. Unless told: the recipient's preference, else inbox",
    ),
  text: messageText.optional(),
  card: card.optional(),
  conversationId: conversationId.optional().describe('To continue it'),
  eiRecordId: eiRecordId.optional().describe('The record that a new conversation is about'),
  assetKeys: assetKeys.optional(),
  urgent: z.boolean().optional().describe('Goes out during quiet hours too, where the recipient allows it'),
})

/** The open conversation that is to be continued, locked. Whoever names a recipient too must name the one that it is with. */
async function continued(context: TxContext, id: number, asked: Request): Promise<ConversationRow> {
  const { tx, tenantId } = context
  const conversation = mustExist(await lockConversation(tx, tenantId, id), 'conversation')
  await mustSee(context, conversation)
  if (conversation.state === 'ended')
    throw new AppError('conflict', 'The conversation has ended. Send without conversationId to open another.')
  if (conversation.channel !== 'inbox' && conversation.channelId === null)
    throw new AppError('conflict', 'The channel of the conversation was deleted. Open another.')
  if (asked.eiRecordId !== undefined && asked.eiRecordId !== conversation.eiRecordId)
    throw refuse('$.eiRecordId', 'The conversation is about another record.')
  const isOnChannelOf = async (named: string) =>
    named === conversation.channel ||
    (conversation.channelId !== null &&
      (await findChannel(tx, tenantId, conversation.channelId))?.internalName.toLowerCase() === named.toLowerCase())
  // Whom only an account names cannot be named in `to`.
  if (asked.to === undefined && asked.channel !== undefined && (await isOnChannelOf(asked.channel))) return conversation
  if (asked.to !== undefined || asked.channel !== undefined) {
    const to =
      asked.to ??
      (conversation.tenantUserId === null
        ? conversation.channel === 'email'
          ? { email: conversation.address ?? '' }
          : { phone: conversation.address ?? '' }
        : { tenantUserId: conversation.tenantUserId })
    const route = await chooseRoute(context, to, asked.channel ?? conversation.channel)
    const isSameAddress = route.address !== null && route.address === conversation.address
    const isSameUser = route.tenantUserId !== null && route.tenantUserId === conversation.tenantUserId
    const isSame = route.kind === conversation.channel && (isSameAddress || isSameUser)
    if (!isSame)
      throw refuse(
        asked.to === undefined ? '$.channel' : '$.to',
        'The conversation is with another recipient or on another channel. Leave to and channel out to continue it.',
      )
  }
  return conversation
}

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
  input,
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
    const conversation =
      asked.conversationId === undefined ? await openConversation(context, asked) : await continued(context, asked.conversationId, asked)
    const sent = await addOutbound(context, conversation, {
      text: asked.text,
      card: asked.card,
      assetKeys: asked.assetKeys,
      isUrgent: asked.urgent,
    })
    context.audit({ conversationId: sent.conversationId, messageId: sent.messageId, channel: conversation.channel })
    return sent
  },
})
