import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { lockConversation } from './conversations.store.ts'
import { conversationId, messageText } from '../messaging.schema.ts'
import { closeConversation } from './questions.ts'
import { mustSee } from './sight.ts'

export const endConversation = defineOperation({
  ...writes(z.object({ state: z.literal('ended') })),
  isIdempotent: true,
  errors: ['not_found', 'unprocessable'],
  name: 'end_conversation',
  title: 'End a conversation',
  description:
    'Ends a conversation, with a last message where text is given, and wakes whoever awaits it. A reply that comes later is kept and wakes no one. Ending twice is no error.',
  method: 'POST',
  path: '/api/v1/messaging/end',
  roles: 'DataEdit',
  input: z.object({ conversationId, text: messageText.optional().describe('A closing message, sent first') }),
  examples: [
    { title: 'With a word of thanks', input: { conversationId: 311, text: 'Thank you, that is all.' }, output: { state: 'ended' } },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const conversation = mustExist(await lockConversation(tx, tenantId, input.conversationId), 'conversation')
    await mustSee(context, conversation)
    if (conversation.state === 'ended') {
      if (input.text !== undefined)
        throw new AppError('conflict', 'The conversation has ended, so that a closing message can no longer be sent.')
      return { state: 'ended' } as const
    }
    await closeConversation(context, input.conversationId, input.text === undefined ? undefined : { text: input.text })
    return { state: 'ended' } as const
  },
})
