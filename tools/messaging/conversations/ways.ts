/** The ways that a conversation goes: it may move to another channel, and what comes in on one before belongs to it still. */
import type { TxContext } from '#platform/operation.ts'

import { type ConversationRow, findEarlierWay, keepWay, setWay, type WayRow } from './conversations.store.ts'

/** Moves a conversation that the transaction holds to another way; its earlier one is remembered. */
export async function moveTo(context: TxContext, conversation: ConversationRow, way: WayRow): Promise<ConversationRow> {
  const { tx, tenantId } = context
  const { channel, channelId, address } = way
  await keepWay(tx, tenantId, conversation)
  await setWay(tx, tenantId, conversation.conversationId, { channel, channelId, address, tenantUserId: conversation.tenantUserId })
  return { ...conversation, channel, channelId, address }
}

/** The conversation on the way on which something came in, where that is one of its own: the person is there now. */
export async function followTo(
  context: TxContext,
  conversation: ConversationRow,
  by: { readonly channel: string; readonly channelId?: number | undefined },
): Promise<ConversationRow> {
  const isThere = by.channelId === undefined ? conversation.channel === by.channel : conversation.channelId === by.channelId
  if (isThere) return conversation
  const way = await findEarlierWay(context.tx, context.tenantId, conversation.conversationId, by)
  return way ? moveTo(context, conversation, way) : conversation
}
