import type { Domain } from '#platform/operation.ts'

import { answerInboxMessage } from './answer-inbox-message.ts'
import { awaitReply } from './await-reply.ts'
import { createChannel } from './create-channel.ts'
import { deleteChannel } from './delete-channel.ts'
import { endConversation } from './end-conversation.ts'
import { getContactPreferences } from './get-contact-preferences.ts'
import { getConversation } from './get-conversation.ts'
import { getMessageStatus } from './get-message-status.ts'
import { listChannels } from './list-channels.ts'
import { listConversations } from './list-conversations.ts'
import { listInbox } from './list-inbox.ts'
import { markInboxRead } from './mark-inbox-read.ts'
import { messagingPhrases } from './messaging.phrases.ts'
import { pollReplies } from './poll-replies.ts'
import { receiveChannelWebhook } from './receive-channel-webhook.ts'
import { sendMessage } from './send-message.ts'
import { setContactPreferences } from './set-contact-preferences.ts'
import { testChannel } from './test-channel.ts'
import { updateChannel } from './update-channel.ts'

export const messagingDomain: Domain = {
  name: 'messaging',
  title: 'Messaging',
  summary: 'Ask people and wait for what they say: send, await, poll, end, over the inbox, SMS, WhatsApp and e-mail.',
  operations: [
    sendMessage,
    awaitReply,
    pollReplies,
    endConversation,
    listConversations,
    getConversation,
    getMessageStatus,
    listInbox,
    answerInboxMessage,
    markInboxRead,
    listChannels,
    createChannel,
    updateChannel,
    deleteChannel,
    testChannel,
    getContactPreferences,
    setContactPreferences,
    receiveChannelWebhook,
  ],
  phrases: messagingPhrases,
}
