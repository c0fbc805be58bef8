/** Begins a conversation with whoever a message is for. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { isLiveRecord } from '#tools/query/service.ts'

import { type ConversationRow, insertConversation } from './conversations.store.ts'
import type { Recipient } from '../messaging.schema.ts'
import { chooseRoute } from './routes.ts'

export interface Request {
  readonly to?: Recipient | undefined
  readonly channel?: string | undefined
  readonly eiRecordId?: number | undefined
}

export function refuse(path: string, message: string): AppError {
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
