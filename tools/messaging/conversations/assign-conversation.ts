import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { conversation, conversationId, exampleConversation, tenantUserId } from '../messaging.schema.ts'
import { findConversation, lockConversation, setAssigned } from './conversations.store.ts'
import { handOver, takeBack } from './handing-over.ts'
import { findPerson } from './recipients.store.ts'
import { toConversation } from '../shown.ts'
import { mustSee } from './sight.ts'

export const assignConversation = defineOperation({
  ...writes(conversation),
  isIdempotent: true,
  errors: ['not_found'],
  name: 'assign_conversation',
  title: 'Hand a conversation over',
  description:
    'Hands an open conversation to a user, or back to the agent with null. What the other side writes then comes into that user’s inbox too, what is unanswered at once; answer_inbox_message answers it there. Awaits still hear every reply.',
  method: 'POST',
  path: '/api/v1/messaging/conversations/{conversationId}/assign',
  roles: 'DataEdit',
  input: z.object({ conversationId, tenantUserId: tenantUserId.nullable().describe('Null: back to the agent') }),
  examples: [
    {
      title: 'To a colleague',
      input: { conversationId: 311, tenantUserId: 14 },
      output: { ...exampleConversation, assignedTo: 14 },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { conversationId: id, tenantUserId: to } = input
    const found = mustExist(await lockConversation(tx, tenantId, id), 'conversation')
    await mustSee(context, found)
    if (found.state === 'ended') throw new AppError('conflict', 'The conversation has ended. Send without conversationId to open another.')
    const refuse = (message: string) => new AppError('invalid_input', message, { issues: [finding('$.tenantUserId', message)] })
    if (to !== null && !(await findPerson(tx, tenantId, to))) throw refuse(`There is no user ${to}.`)
    if (to !== null && to === found.tenantUserId) throw refuse('The conversation is with this user. Name who answers them.')
    if (to !== found.assignedTo) {
      await setAssigned(tx, tenantId, id, to)
      if (to === null) await takeBack(context, id)
      else await handOver(context, found, to)
      context.audit({ conversationId: id, assignedTo: to, before: found.assignedTo })
    }
    return toConversation(mustExist(await findConversation(tx, tenantId, id), 'conversation'))
  },
})
