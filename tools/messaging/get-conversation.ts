import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { findConversation } from './conversations.store.ts'
import { listMessages } from './messages.store.ts'
import { conversation, conversationId, exampleConversation, exampleReply, messageDetail, seq } from './messaging.schema.ts'
import { toDetail } from './shown.ts'

export const getConversation = defineOperation({
  ...reads(conversation.extend({ messages: z.array(messageDetail), hasMore: z.boolean() })),
  name: 'get_conversation',
  title: 'Get a conversation',
  description:
    'Answers a conversation with its messages of both directions, oldest first. hasMore: call again with afterSeq = the seq of the last one.',
  method: 'POST',
  path: '/api/v1/messaging/conversations/{conversationId}',
  roles: 'DataView',
  input: z.object({ conversationId, afterSeq: seq.optional(), pageSize: z.int().min(1).max(1000).optional().describe('200 unless told') }),
  examples: [
    {
      title: 'From its beginning',
      input: { conversationId: 311 },
      output: { ...exampleConversation, messages: [{ ...exampleReply, to: '', status: 'delivered' }], hasMore: false },
    },
  ],
  async handler({ tx, tenantId }, input) {
    const {
      subject: _subject,
      lastOutboundSeq: _seq,
      ...found
    } = mustExist(await findConversation(tx, tenantId, input.conversationId), 'conversation')
    const limit = input.pageSize ?? 200
    const rows = await listMessages(tx, tenantId, input.conversationId, { afterSeq: input.afterSeq ?? 0, limit: limit + 1 })
    return { ...found, messages: rows.slice(0, limit).map(toDetail), hasMore: rows.length > limit }
  },
})
