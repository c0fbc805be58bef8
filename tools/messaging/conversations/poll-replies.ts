import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { findConversation } from './conversations.store.ts'
import { listReplies } from './messages.store.ts'
import { conversationId, exampleReply, replies, seq } from '../messaging.schema.ts'
import { mustSee } from './sight.ts'
import { repliesAtOnce, repliesShown } from './waiting.ts'

export const pollReplies = defineOperation({
  ...reads(replies),
  name: 'poll_replies',
  title: 'Look for replies',
  description:
    'Answers at once with the inbound messages of a conversation after a cursor, as await_reply does without waiting. Prefer await_reply to calling this in a loop.',
  method: 'POST',
  path: '/api/v1/messaging/poll',
  roles: 'DataView',
  input: z.object({
    conversationId,
    afterSeq: seq.optional().describe('The cursor of the last answer; the last outbound message unless told'),
  }),
  examples: [
    {
      title: 'What came in',
      input: { conversationId: 311, afterSeq: 1 },
      output: { messages: [exampleReply], cursor: 2, state: 'open', timedOut: false },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, services } = context
    // The state is read first: an end that is seen comes after every message that is seen.
    const conversation = mustExist(await findConversation(tx, tenantId, input.conversationId), 'conversation')
    await mustSee(context, conversation)
    const afterSeq = input.afterSeq ?? conversation.lastOutboundSeq
    const rows = await listReplies(tx, tenantId, [{ conversationId: input.conversationId, afterSeq }], repliesAtOnce(services))
    const messages = repliesShown(services, rows)
    return { messages: [...messages], cursor: messages.at(-1)?.seq ?? afterSeq, state: conversation.state, timedOut: false }
  },
})
