/** A conversation in which a person answers for us: what the other side writes is put into that person's inbox, and answered from there. */
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { noteReceivers } from '#tools/assets/service.ts'

import { takeInboxSeq } from '../inbox/inbox.store.ts'
import { type ConversationRow, lockConversation } from './conversations.store.ts'
import { listUnanswered, putIntoInbox, takeOutOfInbox } from './messages.store.ts'
import { addOutbound, inboxTopic, type Outbound, type Sent } from './send.ts'

/** As many of what nobody has answered come along. */
const mostBrought = 50

/** Puts an inbound message into the inbox of whoever answers; its files are theirs to open. */
export async function bring(
  context: TxContext,
  { messageId, assetKeys }: { readonly messageId: number; readonly assetKeys: readonly string[] },
  assignedTo: number,
): Promise<void> {
  const { tx, tenantId, services } = context
  await putIntoInbox(tx, tenantId, messageId, assignedTo, await takeInboxSeq(tx, tenantId, assignedTo))
  await noteReceivers(context, assetKeys, assignedTo)
  context.afterCommit(() => services.wake.poke(inboxTopic(assignedTo)))
}

/** Takes what nobody has answered out of an inbox. */
export async function takeBack({ tx, tenantId }: TxContext, conversationId: number): Promise<void> {
  await takeOutOfInbox(tx, tenantId, conversationId)
}

/** Brings somebody what came in since we wrote last, and in any case the last of it. */
export async function handOver(
  context: TxContext,
  { conversationId, lastOutboundSeq, lastInboundSeq }: ConversationRow,
  to: number,
): Promise<void> {
  const { tx, tenantId } = context
  await takeBack(context, conversationId)
  const from = Math.min(lastOutboundSeq + 1, lastInboundSeq)
  for (const one of await listUnanswered(tx, tenantId, conversationId, from, mostBrought)) await bring(context, one, to)
}

/** What whoever it was handed to says to the other side. Throws AppError `conflict` where it is no longer theirs to answer. */
export async function answerFor(context: TxContext, conversationId: number, answer: Outbound): Promise<Sent> {
  const { tx, tenantId, actor } = context
  const conversation = mustExist(await lockConversation(tx, tenantId, conversationId), 'message')
  if (conversation.state === 'ended') throw new AppError('conflict', 'The conversation has ended. Open another with send_message.')
  if (conversation.assignedTo !== actor.tenantUserId) throw new AppError('conflict', 'The conversation was handed to somebody else.')
  if (conversation.channel !== 'inbox' && conversation.channelId === null)
    throw new AppError('conflict', 'The channel of the conversation was deleted. Open another with send_message.')
  return addOutbound(context, conversation, answer)
}
