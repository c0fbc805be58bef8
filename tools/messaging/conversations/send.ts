/** Outbound messages as they are stored: numbered, checked, and queued for delivery where a vendor carries them. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { takeWithin } from '#platform/tenant-state.ts'
import { findReachable, noteReceivers } from '#tools/assets/service.ts'
import type { MessageMail } from '#tools/mails/mails.schema.ts'

import { isOptedOut } from '../channels/channels.store.ts'
import { type ConversationRow, takeSeq } from './conversations.store.ts'
import { tellQueued } from '../delivery/errands.ts'
import { nameThread } from '../delivery/worded.ts'
import { takeInboxSeq } from '../inbox/inbox.store.ts'
import { countSentToday, insertMessage } from './messages.store.ts'
import { findMessageIssues } from '../messaging.rules.ts'
import type { Card, ChannelKind, MessageStatus } from '../messaging.schema.ts'
import { logStored } from './logged.ts'

export interface Outbound {
  readonly text?: string | undefined
  readonly card?: Card | undefined
  readonly assetKeys?: readonly string[] | undefined
  readonly isUrgent?: boolean | undefined
  /** One of many at once. */
  readonly isToMany?: boolean | undefined
  /** What the product itself says, of a task, a question, a channel or a subscription: it counts, and no limit of the tenant refuses it. */
  readonly isNotice?: boolean | undefined
  /** Which mail it is where it goes by e-mail: the tenant may have words of its own for it. */
  readonly mail?: MessageMail | undefined
  /** `takeMessage` was asked before the conversation was opened. */
  readonly isTaken?: boolean | undefined
}

export interface Sent {
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
  readonly status: MessageStatus
}

/** Poked when a message was put into the user's inbox. */
export const inboxTopic = (tenantUserId: number) => `inbox:${tenantUserId}`

/** Poked when the status of an outbound message changed. */
export const messageTopic = (messageId: number) => `message:${messageId}`

// What mail servers commonly take, coded as text; vendors of SMS take less and say so themselves.
const leavingBytes = 20 * 1024 * 1024

/**
 * Throws AppError `invalid_input` for files that are not there, and for more than 20 MiB of them that would leave the house; `unprocessable` for
 * sensitive ones that would.
 */
export async function checkAssets(context: TxContext, keys: readonly string[], leaves: boolean): Promise<void> {
  if (keys.length === 0) return
  const known = await findReachable(context, keys)
  const issues = keys.filter((key) => !known.has(key.toLowerCase())).map((key) => finding('$.assetKeys', `There is no asset ${key}.`))
  if (issues.length > 0) throw new AppError('invalid_input', 'The message names files that are not there.', { issues })
  if (leaves && [...known.values()].reduce((sum, asset) => sum + asset.sizeBytes, 0) > leavingBytes) {
    const message = 'Together the files are larger than 20 MiB, which no channel but the inbox carries.'
    throw new AppError('invalid_input', message, { issues: [finding('$.assetKeys', message)] })
  }
  if (leaves && [...known.values()].some((asset) => asset.isSensitive)) {
    throw new AppError(
      'unprocessable',
      'A sensitive file may not leave through this channel. Send it to the inbox, or send a link to the record.',
    )
  }
}

/** Throws AppError where the message cannot go that way, before anything is written for it. */
export async function mustCarry(context: TxContext, { kind }: { readonly kind: ChannelKind }, message: Outbound): Promise<void> {
  const issues = findMessageIssues(kind, message)
  if (issues.length > 0) throw new AppError('invalid_input', `The message cannot go out on ${kind}.`, { issues })
  const keys = [...(message.assetKeys ?? []), ...(message.card?.imageAssetKey ? [message.card.imageAssetKey] : [])]
  await checkAssets(
    context,
    keys.map((key) => key.toLowerCase()),
    kind !== 'inbox',
  )
}

/** Throws AppError `conflict` where the tenant has sent what it may within 24 hours. */
export async function takeMessage(context: TxContext): Promise<void> {
  await takeWithin(context, 'messagesPerDay', 1, () => countSentToday(context.tx, context.tenantId))
}

/**
 * Adds an outbound message to an open conversation, whose row this locks. Throws AppError `invalid_input` where the channel cannot carry it, and
 * what `checkAssets` throws.
 */
export async function addOutbound(context: TxContext, conversation: ConversationRow, message: Outbound): Promise<Sent> {
  const { tx, tenantId, stamp, actor, services } = context
  const { conversationId, channel, channelId, address, tenantUserId } = conversation
  const issues = findMessageIssues(channel, message)
  if (issues.length > 0) throw new AppError('invalid_input', `The message cannot go out on ${channel}.`, { issues })
  const assetKeys = (message.assetKeys ?? []).map((key) => key.toLowerCase())
  const sentKeys = [...assetKeys, ...(message.card?.imageAssetKey ? [message.card.imageAssetKey] : [])]
  await checkAssets(context, sentKeys, channel !== 'inbox')
  if (tenantUserId !== null) await noteReceivers(context, sentKeys, tenantUserId)
  if (message.isNotice !== true && message.isTaken !== true) await takeMessage(context)
  const seq = await takeSeq(tx, tenantId, conversationId, 'outbound', stamp)
  const inboxSeq = channel === 'inbox' && tenantUserId !== null ? await takeInboxSeq(tx, tenantId, tenantUserId) : null
  const isSuppressed = channel !== 'inbox' && address !== null && (await isOptedOut(tx, tenantId, channel, address))
  const status: MessageStatus = channel === 'inbox' ? 'delivered' : isSuppressed ? 'suppressed' : 'queued'
  const messageId = await insertMessage(tx, tenantId, stamp, {
    conversationId,
    seq,
    direction: 'outbound',
    channel,
    channelId,
    from: null,
    to: address,
    fromUserId: actor.tenantUserId || null,
    toUserId: tenantUserId,
    inboxSeq,
    text: message.text ?? '',
    card: message.card ?? null,
    choice: null,
    keyword: null,
    assetKeys,
    status,
    reason: isSuppressed ? 'optedOut' : null,
    providerId: null,
    isUrgent: message.isUrgent === true,
    authentication: null,
    mail: message.mail,
  })
  if (message.mail) await nameThread(context, conversation, messageId)
  if (inboxSeq !== null && tenantUserId !== null) context.afterCommit(() => services.wake.poke(inboxTopic(tenantUserId)))
  await logStored(context, { conversationId, messageId, seq, channel, eiRecordId: conversation.eiRecordId }, status)
  if (status === 'queued') await tellQueued(context, conversationId, { messageId, seq }, message.isToMany === true ? 'bulk' : 'people')
  return { conversationId, messageId, seq, status }
}
