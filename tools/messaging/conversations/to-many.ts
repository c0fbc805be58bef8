/** Messages of which many go out at once: each behind what somebody waits for, and no faster than the channel is set to. */
import type { TxContext } from '#platform/operation.ts'

import type { ConversationRow } from './conversations.store.ts'
import { takeTurn } from './messages.store.ts'
import type { Route } from './routes.ts'
import { addOutbound, type Outbound, type Sent } from './send.ts'

export async function addToMany(
  context: TxContext,
  conversation: ConversationRow,
  { channel }: Pick<Route, 'channel'>,
  message: Outbound,
): Promise<Sent> {
  const sent = await addOutbound(context, conversation, { ...message, isToMany: true })
  const perSecond = Number(channel?.settings['messagesPerSecond'] ?? 0)
  if (channel && perSecond > 0 && sent.status === 'queued')
    await takeTurn(context.tx, context.tenantId, channel.channelId, sent.messageId, perSecond)
  return sent
}
