import { z } from 'zod'

import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, writes } from '#platform/operation.ts'

import { countUnread, findInboxMessage, markReadUpTo } from './inbox.store.ts'
import { messageId, seq } from '../messaging.schema.ts'
import { messageTopic } from '../conversations/send.ts'

export const markInboxRead = defineOperation({
  ...writes(z.object({ unread: z.int() })),
  isIdempotent: true,
  errors: ['not_found'],
  name: 'mark_inbox_read',
  title: 'Mark my inbox read',
  description:
    'Marks my messages read up to and with one, named by its inboxSeq or messageId from list_inbox. Answers how many are left unread. Senders see the status read.',
  method: 'POST',
  path: '/api/v1/messaging/inbox/read',
  roles: 'any',
  input: z.object({ inboxSeq: seq.optional(), messageId: messageId.optional() }),
  examples: [{ title: 'Up to the ninth', input: { inboxSeq: 9 }, output: { unread: 0 } }],
  async handler({ tx, tenantId, actor, stamp, afterCommit, services }, input) {
    if ((input.inboxSeq === undefined) === (input.messageId === undefined))
      throw new AppError('invalid_input', 'Give either inboxSeq or messageId.')
    const upTo =
      input.inboxSeq ?? mustExist(await findInboxMessage(tx, tenantId, actor.tenantUserId, input.messageId ?? 0), 'message').inboxSeq
    const read = await markReadUpTo(tx, tenantId, actor.tenantUserId, upTo, stamp)
    afterCommit(() => {
      for (const row of read) services.wake.poke(messageTopic(row.messageId))
    })
    return { unread: await countUnread(tx, tenantId, actor.tenantUserId) }
  },
})
