import { z } from 'zod'

import { withLinkToken } from '#platform/link-tokens.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { envelopeBytes, fitting } from '#platform/paging.ts'

import { forRecipient, mayBringLink } from '../conversations/cards.rules.ts'
import { countUnread, listInbox as list } from './inbox.store.ts'
import { findLinksOf } from '../conversations/links.store.ts'
import { inboxMessage, seq } from '../messaging.schema.ts'
import { toInboxMessage } from '../shown.ts'

export const listInbox = defineOperation({
  ...reads(z.object({ messages: z.array(inboxMessage), unread: z.int(), cursor: z.int().describe('For afterInboxSeq of the next call') })),
  errors: [],
  name: 'list_inbox',
  title: 'List my inbox',
  description:
    'Messages to me on the inbox channel: those after afterInboxSeq in order, else the newest first, with the number of unread ones. Answer one with answer_inbox_message.',
  method: 'POST',
  path: '/api/v1/messaging/inbox',
  roles: 'any',
  input: z.object({ afterInboxSeq: seq.optional(), pageSize: z.int().min(1).max(1000).optional().describe('50 unless told') }),
  examples: [
    {
      title: 'The newest',
      input: { pageSize: 10 },
      output: {
        messages: [
          {
            inboxSeq: 9,
            messageId: 1042,
            conversationId: 311,
            seq: 1,
            from: 'Dispatch',
            fromTenantUserId: 3,
            text: 'Is gate 4 open?',
            card: {
              title: 'Gate 4',
              choices: [
                { key: 'open', label: 'Open' },
                { key: 'closed', label: 'Closed' },
              ],
            },
            assetKeys: [],
            eiRecordId: 51204,
            at: '2026-11-21T09:30:00.000Z',
            isRead: false,
            conversationState: 'open',
            direction: 'outbound',
          },
        ],
        unread: 1,
        cursor: 9,
      },
    },
  ],
  async handler({ tx, tenantId, actor, answerBytes, services }, input) {
    const bytes = answerBytes - envelopeBytes
    const { rows } = await list(tx, tenantId, actor.tenantUserId, input.afterInboxSeq, { pageSize: input.pageSize ?? 50, bytes })
    const links = await findLinksOf(
      tx,
      tenantId,
      rows.filter(mayBringLink).map((row) => row.messageId),
    )
    const mine = rows.map((row) => forRecipient(row, links.get(row.messageId), (text, link) => withLinkToken(services.secrets, link, text)))
    const messages = fitting(bytes, mine.map(toInboxMessage))
    const newest = input.afterInboxSeq === undefined ? messages[0] : messages.at(-1)
    return {
      messages: [...messages],
      unread: await countUnread(tx, tenantId, actor.tenantUserId),
      cursor: newest?.inboxSeq ?? input.afterInboxSeq ?? 0,
    }
  },
})
