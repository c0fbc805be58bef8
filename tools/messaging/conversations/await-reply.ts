import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'

import { conversationId, exampleReply, replies, seq } from '../messaging.schema.ts'
import { mustSee } from './sight.ts'
import { awaitReplies, repliesShown } from './waiting.ts'

export const awaitReply = defineStagedOperation({
  ...reads(replies),
  errors: ['not_found'],
  name: 'await_reply',
  title: 'Wait for a reply',
  description:
    'Waits for the next inbound message of a conversation, at most timeoutSeconds, and answers as soon as one is there or the conversation ended. Unless told it waits for what comes after the last message that was sent. timedOut: call again with afterSeq = cursor; nothing is lost in between.',
  method: 'POST',
  path: '/api/v1/messaging/await',
  roles: 'DataView',
  input: z.object({
    conversationId,
    afterSeq: seq.optional().describe('The cursor of the last answer; the last outbound message unless told'),
    timeoutSeconds: z.number().min(0).max(55).optional().describe('25 unless told'),
  }),
  examples: [
    {
      title: 'The answer to a question',
      input: { conversationId: 311, timeoutSeconds: 30 },
      output: { messages: [exampleReply], cursor: 2, state: 'open', timedOut: false },
    },
  ],
  async stagedHandler(context, input) {
    const { services, tenantId, actor, ip, signal } = context
    const found = await awaitReplies(services, {
      tenantId,
      actor,
      ip,
      signal,
      conversationId: input.conversationId,
      afterSeq: input.afterSeq ?? null,
      timeoutMs: (input.timeoutSeconds ?? 25) * 1000,
      mustSee: (about) => context.inTransaction((inner) => mustSee(inner, about), { readOnly: true }),
    })
    const messages = repliesShown(services, found.messages)
    return {
      messages: [...messages],
      cursor: messages.at(-1)?.seq ?? found.afterSeq,
      state: found.state,
      timedOut: found.timedOut,
    }
  },
})
