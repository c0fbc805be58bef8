/** The conversation of a message: begun with whoever it is for, or continued. */
import { AppError, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { isLiveRecord } from '#tools/query/service.ts'

import { findChannel } from '../channels/channels.store.ts'
import { type ConversationRow, insertConversation, lockConversation } from './conversations.store.ts'
import type { Recipient } from '../messaging.schema.ts'
import { chooseRoute } from './routes.ts'
import { mustSee } from './sight.ts'

export interface Request {
  readonly to?: Recipient | undefined
  readonly channel?: string | undefined
  readonly eiRecordId?: number | undefined
}

function refuse(path: string, message: string): AppError {
  return new AppError('invalid_input', message, { issues: [finding(path, message)] })
}

/** Throws AppError `invalid_input` for a recipient who is nobody or cannot be reached there, `conflict` where no such channel is configured. */
export async function openConversation(context: TxContext, asked: Request): Promise<ConversationRow> {
  const { tx, tenantId, stamp, actor } = context
  if (asked.to === undefined) throw refuse('$.to', 'Name the recipient in to, or the conversation to continue in conversationId.')
  if (asked.eiRecordId !== undefined && !(await isLiveRecord(context, asked.eiRecordId)))
    throw refuse('$.eiRecordId', `There is no record ${asked.eiRecordId}.`)
  const route = await chooseRoute(context, asked.to, asked.channel)
  return insertConversation(tx, tenantId, stamp, {
    channel: route.kind,
    channelId: route.channel?.channelId ?? null,
    tenantUserId: route.tenantUserId,
    address: route.address,
    eiRecordId: asked.eiRecordId ?? null,
    subject: null,
    startedBy: actor.tenantUserId || null,
  })
}

/** Whom a conversation is with. */
export function recipientOf({ tenantUserId, channel, address }: ConversationRow): Recipient {
  if (tenantUserId !== null) return { tenantUserId }
  return channel === 'email' ? { email: address ?? '' } : { phone: address ?? '' }
}

/** The open conversation that is to be continued, locked. Whoever names a recipient too must name the one that it is with. */
async function continued(context: TxContext, id: number, asked: Request): Promise<ConversationRow> {
  const { tx, tenantId } = context
  const conversation = mustExist(await lockConversation(tx, tenantId, id), 'conversation')
  await mustSee(context, conversation)
  if (conversation.state === 'ended')
    throw new AppError('conflict', 'The conversation has ended. Send without conversationId to open another.')
  if (conversation.channel !== 'inbox' && conversation.channelId === null)
    throw new AppError('conflict', 'The channel of the conversation was deleted. Open another.')
  if (asked.eiRecordId !== undefined && asked.eiRecordId !== conversation.eiRecordId)
    throw refuse('$.eiRecordId', 'The conversation is about another record.')
  const isOnChannelOf = async (named: string) =>
    named === conversation.channel ||
    (conversation.channelId !== null &&
      (await findChannel(tx, tenantId, conversation.channelId))?.internalName.toLowerCase() === named.toLowerCase())
  // Whom only an account names cannot be named in `to`.
  if (asked.to === undefined && asked.channel !== undefined && (await isOnChannelOf(asked.channel))) return conversation
  if (asked.to !== undefined || asked.channel !== undefined) {
    const route = await chooseRoute(context, asked.to ?? recipientOf(conversation), asked.channel ?? conversation.channel)
    const isSameAddress = route.address !== null && route.address === conversation.address
    const isSameUser = route.tenantUserId !== null && route.tenantUserId === conversation.tenantUserId
    const isSame = route.kind === conversation.channel && (isSameAddress || isSameUser)
    if (!isSame)
      throw refuse(
        asked.to === undefined ? '$.channel' : '$.to',
        'The conversation is with another recipient or on another channel. Leave to and channel out to continue it.',
      )
  }
  return conversation
}

/** The conversation that a message belongs to: the open one that it names, or a new one. */
export async function conversationFor(
  context: TxContext,
  asked: Request & { readonly conversationId?: number | undefined },
): Promise<ConversationRow> {
  return asked.conversationId === undefined ? openConversation(context, asked) : continued(context, asked.conversationId, asked)
}
