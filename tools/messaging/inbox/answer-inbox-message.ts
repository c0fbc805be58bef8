import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { storeAnswer } from '../conversations/inbound.ts'
import { answerFor } from '../conversations/handing-over.ts'
import { findInboxMessage, markAnswered } from './inbox.store.ts'
import { assetKeys, choiceKey, messageId, messageText, seq } from '../messaging.schema.ts'
import { findAnswerIssues } from '../messaging.rules.ts'
import { checkAssets, messageTopic } from '../conversations/send.ts'

export const answerInboxMessage = defineOperation({
  ...writes(z.object({ messageId, seq })),
  errors: ['not_found', 'unprocessable'],
  name: 'answer_inbox_message',
  title: 'Answer a message in my inbox',
  description:
    'Records my answer and wakes whoever awaits the conversation. Take messageId from list_inbox. After an end it wakes no one. In a conversation that was handed to me it goes to the other side.',
  method: 'POST',
  path: '/api/v1/messaging/inbox/{messageId}/answer',
  roles: 'any',
  input: z.object({
    messageId,
    text: messageText.optional(),
    choice: choiceKey.optional().describe("Key of one of the card's choices"),
    assetKeys: assetKeys.optional(),
  }),
  examples: [
    {
      title: 'A choice, with a word',
      input: { messageId: 1042, choice: 'open', text: 'Open, the lock is new' },
      output: { messageId: 1043, seq: 2 },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId, actor, stamp, services } = context
    const question = mustExist(await findInboxMessage(tx, tenantId, actor.tenantUserId, input.messageId), 'message')
    const issues = findAnswerIssues(question.card, input)
    if (issues.length > 0) throw new AppError('invalid_input', 'The answer does not fit the question.', { issues })
    const keys = (input.assetKeys ?? []).map((key) => key.toLowerCase())
    await checkAssets(context, keys, false)
    if (question.direction === 'inbound') {
      const sent = await answerFor(context, question.conversationId, { text: input.text, assetKeys: keys })
      await markAnswered(tx, tenantId, input.messageId, stamp)
      return { messageId: sent.messageId, seq: sent.seq }
    }
    // In one go, behind the lock of the conversation, which goes first: somebody waits for this.
    const [answer] = await Promise.all([
      storeAnswer(context, question.conversationId, { text: input.text ?? '', choice: input.choice, assetKeys: keys }),
      markAnswered(tx, tenantId, input.messageId, stamp),
    ])
    context.afterCommit(() => services.wake.poke(messageTopic(input.messageId)))
    return { messageId: answer.messageId, seq: answer.seq }
  },
})
