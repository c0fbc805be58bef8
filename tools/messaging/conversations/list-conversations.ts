import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { countSifted, decodeIdCursor, listOf, pageInput, pageOf, type PageRequest, sifted } from '#platform/paging.ts'
import { hasAccessRules } from '#tools/query/service.ts'

import { asEmail, asPhone } from './addresses.ts'
import { countConversations, listConversations as list } from './conversations.store.ts'
import { channelKind, type Conversation, conversation, eiRecordId, exampleConversation, tenantUserId } from '../messaging.schema.ts'
import { onlySeen } from './sight.ts'

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
    state: z.enum(['open', 'ended']).optional().describe('Both unless told'),
    tenantUserId: tenantUserId.optional(),
    address: z.string().min(3).max(320).optional().describe('A phone number or an e-mail address'),
    channel: channelKind.optional().describe('Only of this kind'),
    eiRecordId: eiRecordId.optional(),
    assignedTo: tenantUserId.optional().describe('Handed to this user'),
    isScheduled: z.boolean().optional().describe('Only those in which schedule_message has something waiting'),
    ...pageInput,
  }),
  examples: [{ title: 'What is open about a record', input: { state: 'open', eiRecordId: 51204 }, output: [exampleConversation] }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const page = pageOf(context, input)
    const address = input.address === undefined ? undefined : (asPhone(input.address) ?? asEmail(input.address) ?? input.address)
    const by = { ...input, address }
    const before = page.cursor === undefined ? undefined : decodeIdCursor(page.cursor)
    const sieve = {
      read: (part: PageRequest, last: number | undefined) => list(tx, tenantId, part, by, last ?? null),
      placeOf: ({ conversationId }: Conversation) => conversationId,
      sift: (rows: readonly Conversation[]) => onlySeen(context, rows),
    }
    const hasRules = await hasAccessRules(context)
    // Without rules nothing is sifted, and no page has to look through those before it.
    const found = hasRules ? await sifted(page, before, sieve) : await sieve.read(page, before)
    return listOf(page, found, {
      show: (row) => row,
      cursor: ({ conversationId }) => [conversationId],
      total: hasRules ? await countSifted(page, sieve) : await countConversations(tx, tenantId, page, by),
    })
  },
})
