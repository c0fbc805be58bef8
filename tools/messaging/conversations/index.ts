/** The operations on conversations, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { assignConversation } from './assign-conversation.ts'
import { awaitReply } from './await-reply.ts'
import { endConversation } from './end-conversation.ts'
import { getConversation } from './get-conversation.ts'
import { getMessageStatus } from './get-message-status.ts'
import { listConversations } from './list-conversations.ts'
import { pollReplies } from './poll-replies.ts'
import { previewMessage } from './preview-message.ts'
import { resendMessage } from './resend-message.ts'
import { sendMessageBulk } from './send-message-bulk.ts'
import { sendMessage } from './send-message.ts'

export const conversationOperations: readonly Operation[] = [
  sendMessage,
  awaitReply,
  pollReplies,
  endConversation,
  listConversations,
  getConversation,
  getMessageStatus,
  resendMessage,
  previewMessage,
  sendMessageBulk,
  assignConversation,
]
