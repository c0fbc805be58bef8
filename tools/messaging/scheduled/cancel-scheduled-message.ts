import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { findConversation, lockConversation, setEnded } from '../conversations/conversations.store.ts'
import { logEnded } from '../conversations/logged.ts'
import { mustSee } from '../conversations/sight.ts'
import { conversationTopic } from '../conversations/waiting.ts'
import { scheduledMessageId, scheduledStates } from './scheduled.schema.ts'
import { endScheduled, hasScheduled, lockScheduled } from './scheduled.store.ts'

export const cancelScheduledMessage = defineOperation({
  ...destroys(z.object({ scheduledMessageId, state: z.enum(scheduledStates) })),
  isIdempotent: false,
  name: 'cancel_scheduled_message',
  title: 'Cancel a scheduled message',
  description:
    'Withdraws a message of schedule_message that was not sent yet. A conversation that was opened for it alone ends. 409 for one that was sent, failed or cancelled already.',
  method: 'DELETE',
  path: '/api/v1/messaging/schedule/{scheduledMessageId}',
  roles: 'DataEdit',
  input: z.object({ scheduledMessageId }),
  examples: [{ title: 'No longer needed', input: { scheduledMessageId: 21 }, output: { scheduledMessageId: 21, state: 'cancelled' } }],
  async handler(context, { scheduledMessageId: id }) {
    const { tx, tenantId, stamp, services } = context
    const row = mustExist(await lockScheduled(tx, tenantId, id), 'scheduled message')
    const { conversationId, state, messageId, reason } = row
    await mustSee(context, await findConversation(tx, tenantId, conversationId), 'scheduled message')
    if (state === 'sent') throw new AppError('conflict', `It was sent as message ${messageId}. end_conversation closes its conversation.`)
    if (state === 'failed') throw new AppError('conflict', `It was not sent: ${reason}`)
    if (state === 'cancelled') throw new AppError('conflict', 'It is cancelled already.')
    await endScheduled(tx, tenantId, id, { state: 'cancelled' })
    const conversation = await lockConversation(tx, tenantId, conversationId)
    if (conversation?.state === 'open' && conversation.lastSeq === 0 && !(await hasScheduled(tx, tenantId, conversationId))) {
      await setEnded(tx, tenantId, conversationId, stamp)
      await logEnded(context, conversation)
      context.afterCommit(() => services.wake.poke(conversationTopic(conversationId)))
    }
    context.audit({ scheduledMessageId: id, conversationId })
    return { scheduledMessageId: id, state: 'cancelled' as const }
  },
})
