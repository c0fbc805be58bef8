/** Rows as the wire shows them: what is not there is left out. */
import type { z } from 'zod'

import type { Actor } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'

import type { Channel, savedChannel } from './channels/channels.schema.ts'
import type { ChannelRow } from './channels/channels.store.ts'
import { webhookUrl } from './delivery/delivery.ts'
import type { InboxRow } from './inbox/inbox.store.ts'
import type { ConversationRow } from './conversations/conversations.store.ts'
import type { MessageRow, StatusRow } from './conversations/messages.store.ts'
import { handsetsPath } from './handsets/handsets.rules.ts'
import { carriesOf } from './messaging.rules.ts'
import { findProvider } from './providers/index.ts'
import type { ScheduledMessage } from './scheduled/scheduled.schema.ts'
import type { ScheduledRow } from './scheduled/scheduled.store.ts'
import type { Conversation, inboxMessage, message, messageDetail, messageStatus } from './messaging.schema.ts'

export function toMessage(row: MessageRow): z.output<typeof message> {
  const { messageId, conversationId, seq, direction, channel, from, fromTenantUserId, text, assetKeys, at } = row
  return {
    messageId,
    conversationId,
    seq,
    direction,
    channel,
    from,
    fromTenantUserId,
    text,
    assetKeys: [...assetKeys],
    at,
    ...(row.choice === null ? {} : { choice: row.choice }),
    ...(row.keyword === null ? {} : { keyword: row.keyword }),
    ...(row.pendingMedia === 0 ? {} : { pendingMedia: row.pendingMedia }),
  }
}

export function toDetail(row: MessageRow): z.output<typeof messageDetail> {
  return {
    ...toMessage(row),
    to: row.to,
    status: row.status,
    ...(row.card === null ? {} : { card: row.card }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  }
}

export function toStatus(row: StatusRow): z.output<typeof messageStatus> {
  const { messageId, conversationId, seq, channel, status, attempts, at } = row
  return {
    messageId,
    conversationId,
    seq,
    channel,
    status,
    attempts,
    at,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.vendorCode === null ? {} : { vendorCode: row.vendorCode }),
    ...(row.providerId === null ? {} : { providerId: row.providerId }),
    ...(row.sentDate === null ? {} : { sentDate: row.sentDate }),
    ...(row.deliveredDate === null ? {} : { deliveredDate: row.deliveredDate }),
    ...(row.readDate === null ? {} : { readDate: row.readDate }),
    ...(row.fellBackTo === null ? {} : { fellBackTo: row.fellBackTo }),
  }
}

export function toScheduled(row: ScheduledRow): ScheduledMessage {
  const { scheduledMessageId, conversationId, state, sendAt, timeZone, content, ownerId, messageId, reason, createdDate } = row
  return {
    scheduledMessageId,
    conversationId,
    state,
    sendAt,
    timeZoneIana: timeZone,
    ...(content.text === undefined ? {} : { text: content.text }),
    ...(content.template === undefined ? {} : { template: content.template }),
    tenantUserId: ownerId,
    ...(messageId === null ? {} : { messageId }),
    ...(reason === null ? {} : { reason }),
    createdDate,
  }
}

/** Without what only the domain works with. */
export function toConversation({
  subject: _subject,
  lastOutboundSeq: _lastOutboundSeq,
  awaitedBy: _awaitedBy,
  ...shown
}: ConversationRow): Conversation {
  return shown
}

export function toInboxMessage(row: InboxRow): z.output<typeof inboxMessage> {
  const { card, answeredDate, assetKeys, ...rest } = row
  return { ...rest, assetKeys: [...assetKeys], ...(card === null ? {} : { card }), ...(answeredDate === null ? {} : { answeredDate }) }
}

/** A channel with what only its administrators see. */
export function toSavedChannel(services: Services, row: ChannelRow): z.output<typeof savedChannel> {
  const { channelId, internalName, channel, provider, settings, secretNames, channelKey } = row
  return {
    channelId,
    internalName,
    channel,
    provider,
    carries: carriesOf[channel],
    settings,
    secrets: [...secretNames],
    channelKey,
    webhookUrl: webhookUrl(services, channelKey),
    ...(findProvider(provider)?.isStandIn ? { pageUrl: `${services.config.publicUrl}${handsetsPath(channelKey)}` } : {}),
  }
}

/** Whether the caller administers channels, and so sees how they are set up. */
export function seesSettings(actor: Actor): boolean {
  return (actor.roleFlag & roleBits.AdminIntegration) !== 0
}

/** The inbox, which every tenant has and nobody configures. */
export const inboxChannel: Channel = {
  channelId: null,
  internalName: 'inbox',
  channel: 'inbox',
  provider: 'builtIn',
  carries: carriesOf.inbox,
}

/** A channel as everybody who may send sees it. */
export function toChannel({ channelId, internalName, channel, provider }: ChannelRow): Channel {
  return { channelId, internalName, channel, provider, carries: carriesOf[channel] }
}
