import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { envelopeBytes, fitting } from '#platform/paging.ts'

import { findConversation } from './conversations.store.ts'
import { listMessages } from './messages.store.ts'
import { conversation, conversationId, exampleConversation, exampleReply, messageDetail, seq } from '../messaging.schema.ts'
import { scheduledMessage } from '../scheduled/scheduled.schema.ts'
import { listScheduled } from '../scheduled/scheduled.store.ts'
import { toConversation, toDetail, toScheduled } from '../shown.ts'
import { mustSee } from './sight.ts'

const scheduledShown = 20

export const getConversation = defineOperation({
  ...reads(
    conversation.extend({
      messages: z.array(messageDetail),
      hasMore: z.boolean(),
      scheduled: z.array(scheduledMessage).optional().describe('Of schedule_message: the latest, those that wait first'),
    }),
  ),
  name: 'get_conversation',
  title: 'Get a conversation',
  description:
    'Answers a conversation with its messages of both directions, oldest first, and what is scheduled in it. hasMore: call again with afterSeq = the seq of the last one.',
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
  async handler(context, input) {
    const { tx, tenantId, answerBytes } = context
    const found = toConversation(mustExist(await findConversation(tx, tenantId, input.conversationId), 'conversation'))
    await mustSee(context, found)
    const waiting =
      input.afterSeq === undefined ? (await listScheduled(tx, tenantId, input.conversationId, scheduledShown)).map(toScheduled) : []
    const shown = { ...found, ...(waiting.length === 0 ? {} : { scheduled: waiting }) }
    const bytes = answerBytes - Buffer.byteLength(JSON.stringify(shown)) - envelopeBytes
    const { rows, hasMore } = await listMessages(tx, tenantId, input.conversationId, input.afterSeq ?? 0, {
      pageSize: input.pageSize ?? 200,
      bytes,
    })
    const messages = fitting(bytes, rows.map(toDetail))
    return { ...shown, messages: [...messages], hasMore: hasMore || messages.length < rows.length }
  },
})
