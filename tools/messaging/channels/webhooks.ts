/** What a vendor's webhook says, carried out: messages stored, statuses moved on, STOP and START obeyed. Each delivery once. */
import type { TxContext } from '#platform/operation.ts'

import { storeDelivery, storeThreaded } from '../conversations/inbound.ts'
import { moveStatus } from '../conversations/logged.ts'
import { findCalledBack } from '../conversations/messages.store.ts'
import { messageTopic } from '../conversations/send.ts'
import { findLastAttempt, setOutcome } from '../delivery/delivery.store.ts'
import { readReplyAddress } from '../delivery/reply-address.ts'
import { helpTextDefault } from '../messaging.rules.ts'
import type { VendorMessage, VendorStatus, VendorStop } from '../providers/provider.ts'
import { type ChannelRow, insertOptOut, isOptedOut, takeReceipt } from './channels.store.ts'
import { takeLink } from './linking.ts'
import { countsForKind } from './standing-in.ts'

export type Outcome = 'stored' | 'updated' | 'duplicate' | 'ignored'

/** Takes a message of the vendor's: by the reply address that it went to, else by what it answers, else by its sender. `reply` is for the sender. */
export async function takeMessage(
  context: TxContext,
  channel: ChannelRow,
  delivery: VendorMessage,
): Promise<{ outcome: Outcome; reply?: string | undefined }> {
  const { tx, tenantId, stamp, services } = context
  if (!(await takeReceipt(tx, tenantId, channel.channelId, delivery.receiptKey, stamp))) return { outcome: 'duplicate' }
  if (await takeLink(context, channel, delivery)) return { outcome: 'stored' }
  const named = delivery.addressees?.map((one) => readReplyAddress(services, one)).find((one) => one?.tenantId === tenantId)
  const stored = named ? await storeThreaded(context, named.conversationId, delivery) : await storeDelivery(context, channel, delivery)
  if (!stored) return { outcome: 'duplicate' }
  const asksForHelp = stored.keyword === 'help' && delivery.keyword === undefined
  return { outcome: 'stored', reply: asksForHelp ? String(channel.settings['helpText'] ?? helpTextDefault) : undefined }
}

/** A person who locked us out at the vendor has said STOP. */
export async function takeStop(context: TxContext, channel: ChannelRow, { receiptKey, address }: VendorStop): Promise<Outcome> {
  const { tx, tenantId, stamp } = context
  if (!(await takeReceipt(tx, tenantId, channel.channelId, receiptKey, stamp))) return 'duplicate'
  if (await isOptedOut(tx, tenantId, channel.channel, address)) return 'ignored'
  await insertOptOut(tx, tenantId, stamp, { channel: channel.channel, address, isOut: true, source: 'vendor' })
  return 'updated'
}

export async function takeStatus(context: TxContext, channel: ChannelRow, delivery: VendorStatus): Promise<Outcome> {
  const { tx, tenantId, stamp, services } = context
  const { receiptKey, providerId, reason, vendorCode } = delivery
  if (!(await takeReceipt(tx, tenantId, channel.channelId, receiptKey, stamp))) return 'duplicate'
  const found = await findCalledBack(tx, tenantId, channel.channelId, { messageId: delivery.messageId, providerId })
  if (!found) return 'ignored'
  const { messageId } = found
  // The callback proves that the vendor has the message, even where the answer to our call was lost.
  const attempt = await findLastAttempt(tx, tenantId, messageId)
  if (attempt) await setOutcome(tx, tenantId, messageId, attempt.attemptNo, 'sent', null)
  const isStopped = reason === 'optedOut'
  const isNew = isStopped && !(await isOptedOut(tx, tenantId, channel.channel, found.to))
  if (isNew && (await countsForKind(tx, tenantId, channel.channelId))) {
    await insertOptOut(tx, tenantId, stamp, { channel: channel.channel, address: found.to, isOut: true, source: 'vendor' })
  }
  const status = isStopped ? 'suppressed' : delivery.status
  const isMoved = await moveStatus(context, messageId, { status, reason, vendorCode, providerId })
  context.afterCommit(() => services.wake.poke(messageTopic(messageId)))
  return isMoved ? 'updated' : 'ignored'
}
