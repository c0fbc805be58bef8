/** What of messages is told outside: ids and states, and the record that the conversation is about. */
import { entitiesOfRecords, entityOfRecord } from '#platform/db/records.ts'
import { tell, tellMany } from '#platform/event-log.ts'
import type { TxContext } from '#platform/operation.ts'

import { findConversation, listRecordsOf } from './conversations.store.ts'
import { hastenFallbacks } from '../fallback/fallback.store.ts'
import { advanceStatus, type MovedMessage } from './messages.store.ts'
import type { FailureReason, MessageStatus } from '../messaging.schema.ts'

interface Moving {
  readonly status: MessageStatus
  readonly reason?: FailureReason | undefined
  readonly vendorCode?: string | undefined
  readonly providerId?: string | undefined
}

/** Moves the status of an outbound message on, and tells of it. False where it is further already. */
export async function moveStatus(context: TxContext, messageId: number, to: Moving): Promise<boolean> {
  const moved = await advanceStatus(context.tx, context.tenantId, messageId, { ...to, stamp: context.stamp })
  if (!moved) return false
  const isLost = to.status === 'failed' || to.status === 'suppressed'
  if (isLost) await hastenFallbacks(context.tx, context.tenantId, [messageId])
  await tellStatus(context, moved, to)
  return true
}

/** The record that a conversation is about. */
async function aboutOf({ tx, tenantId }: TxContext, eiRecordId: number | null) {
  const entityId = eiRecordId === null ? undefined : await entityOfRecord(tx, tenantId, eiRecordId)
  return eiRecordId === null || entityId === undefined ? undefined : { entityId, eiRecordId }
}

async function tellStatus(
  context: TxContext,
  moved: MovedMessage,
  { status, reason = null }: { status: MessageStatus; reason?: string | null | undefined },
) {
  if (status === 'queued' || status === 'read') return
  const { conversationId, messageId, seq, channel, fromUserId } = moved
  const conversation = await findConversation(context.tx, context.tenantId, conversationId)
  const about = await aboutOf(context, conversation?.eiRecordId ?? null)
  const facts = { conversationId, messageId, seq, channel }
  // It is told as its sender's, whoever carries it.
  const sender = { ...context, actor: { ...context.actor, tenantUserId: fromUserId ?? 0, writesAs: undefined } }
  if (status === 'sent' || status === 'delivered') tell(sender, `message.${status}`, facts, about)
  else tell(sender, 'message.failed', { ...facts, status, reason }, about)
}

/** Tells of messages that failed together, each as its sender's. */
export async function tellFailed(context: TxContext, failed: readonly MovedMessage[], reason: FailureReason): Promise<void> {
  const { tx, tenantId, actor } = context
  await hastenFallbacks(
    tx,
    tenantId,
    failed.map(({ messageId }) => messageId),
  )
  const conversationIds = [...new Set(failed.map(({ conversationId }) => conversationId))]
  const records = await listRecordsOf(tx, tenantId, conversationIds)
  const entities = await entitiesOfRecords(tx, tenantId, [...new Set(records.values())])
  const facts = ({ conversationId, messageId, seq, channel }: MovedMessage) => {
    const eiRecordId = records.get(conversationId)
    const entityId = eiRecordId === undefined ? undefined : entities.get(eiRecordId)
    const about = eiRecordId === undefined || entityId === undefined ? undefined : { entityId, eiRecordId }
    return { facts: { conversationId, messageId, seq, channel, status: 'failed' as const, reason }, about }
  }
  for (const [tenantUserId, own] of Map.groupBy(failed, ({ fromUserId }) => fromUserId ?? 0))
    tellMany({ ...context, actor: { ...actor, tenantUserId, writesAs: undefined } }, 'message.failed', own.map(facts))
}

type Told = {
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
  readonly channel: string
  readonly eiRecordId: number | null
}

/** Tells of an outbound message as it is when it is stored: in the inbox it has arrived. */
export async function logStored(context: TxContext, { eiRecordId, ...facts }: Told, status: MessageStatus): Promise<void> {
  if (status === 'queued') return
  const about = await aboutOf(context, eiRecordId)
  if (status === 'suppressed') return tell(context, 'message.failed', { ...facts, status, reason: 'optedOut' }, about)
  tell(context, 'message.sent', facts, about)
  tell(context, 'message.delivered', facts, about)
}

/** Tells of an inbound message. */
export async function logReceived(context: TxContext, { eiRecordId, ...facts }: Told, fromUserId: number | null): Promise<void> {
  const writer = { ...context, actor: { ...context.actor, tenantUserId: fromUserId ?? 0, writesAs: undefined } }
  tell(writer, 'message.received', facts, await aboutOf(context, eiRecordId))
}

export async function logEnded(
  context: TxContext,
  conversation: { readonly conversationId: number; readonly eiRecordId: number | null },
): Promise<void> {
  tell(context, 'conversation.ended', { conversationId: conversation.conversationId }, await aboutOf(context, conversation.eiRecordId))
}
