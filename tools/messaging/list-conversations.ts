import { z } from 'zod'

import { listing } from '#platform/answer.ts'
import { defineOperation, reads } from '#platform/operation.ts'
import { decodeIdCursor, encodeCursor, pageInput, pageOf } from '#platform/paging.ts'

import { asEmail, asPhone } from './addresses.ts'
import { countConversations, listConversations as list } from './conversations.store.ts'
import { channelKind, conversation, eiRecordId, exampleConversation, tenantUserId } from './messaging.schema.ts'

export const listConversations = defineOperation({
  ...reads(z.array(conversation)),
  errors: [],
  name: 'list_conversations',
  title: 'List conversations',
  description:
    'Lists conversations, the newest first, by state, recipient, channel or record. Those that others began by writing to us are among them. Take conversationId to get_conversation or await_reply.',
  method: 'POST',
  path: '/api/v1/messaging/conversations/list',
  roles: 'DataView',
  input: z.object({
    state: z.enum(['open', 'ended']).optional(),
    tenantUserId: tenantUserId.optional(),
    address: z.string().min(3).max(320).optional().describe('A phone number or an e-mail address'),
    channel: channelKind.optional(),
    eiRecordId: eiRecordId.optional(),
    includeTotal: z.boolean().optional().describe('false spares the count'),
    ...pageInput,
  }),
  examples: [{ title: 'What is open about a record', input: { state: 'open', eiRecordId: 51204 }, output: [exampleConversation] }],
  async handler({ tx, tenantId }, input) {
    const page = pageOf(input)
    const address = input.address === undefined ? undefined : (asPhone(input.address) ?? asEmail(input.address) ?? input.address)
    const by = { ...input, address }
    const before = page.cursor === undefined ? null : decodeIdCursor(page.cursor)
    const rows = await list(tx, tenantId, by, { before, offset: (page.page - 1) * page.pageSize, limit: page.pageSize })
    const items = rows.slice(0, page.pageSize)
    const last = items.at(-1)
    const isCounted = page.cursor === undefined && page.page === 1 && input.includeTotal !== false
    return listing(items, {
      nextCursor: rows.length > page.pageSize && last ? encodeCursor([last.conversationId]) : undefined,
      totalCount: isCounted ? await countConversations(tx, tenantId, by) : undefined,
    })
  },
})
