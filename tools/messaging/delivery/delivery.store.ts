/** The SQL of deliveries to vendors: what is claimed, what came of it, and files that are fetched from them. */
import type { Tx } from '#platform/db/pool.ts'

import type { MessageMail } from '#tools/mails/mails.schema.ts'

import { rankOf } from '../messaging.rules.ts'
import type { MovedMessage } from '../conversations/messages.store.ts'
import type { Card, ChannelKind, FailureReason, MessageStatus } from '../messaging.schema.ts'

/** An outbound message as whoever delivers it needs it. */
export interface DueMessage {
  readonly messageId: number
  readonly conversationId: number
  readonly channel: ChannelKind
  readonly channelId: number | null
  readonly to: string
  readonly text: string
  readonly card: Card | null
  readonly assetKeys: readonly string[]
  readonly status: MessageStatus
  readonly reason: FailureReason | null
  readonly isUrgent: boolean
  readonly providerId: string | null
  /** Of the whole conversation, since mail programs show a reply with another subject as another thread. */
  readonly subject: string | null
  readonly seq: number
  readonly tenantUserId: number | null
  readonly fromUserId: number | null
  /** Of a message to many: when its turn is. */
  readonly notBefore: string | null
  /** Which mail it is; null: none that a tenant words. */
  readonly mailType: MessageMail['type'] | null
  readonly mailTitle: string | null
}

/** The message, locked: of two deliverers at once the second waits and then sees what the first claimed. */
export async function lockDue(tx: Tx, tenantId: number, messageId: number): Promise<DueMessage | undefined> {
  const [row] = await tx<DueMessage[]>`
    select m.message_id, m.conversation_id, m.channel, m.channel_id, coalesce(m.to_address, '') as "to", m.text, m.card, m.asset_keys, m.status, m.reason,
      m.is_urgent, m.provider_id, m.seq, c.tenant_user_id, m.from_user_id, m.not_before, m.mail_type, m.mail_title,
      coalesce(c.subject, (
        select first.card->>'title' from platform.message first
        where first.tenant_id = m.tenant_id and first.conversation_id = m.conversation_id and first.direction = 'outbound'
        order by first.seq limit 1
      )) as subject
    from platform.message m join platform.conversation c on c.tenant_id = m.tenant_id and c.conversation_id = m.conversation_id
    where m.tenant_id = ${tenantId} and m.message_id = ${messageId} and m.direction = 'outbound'
    for no key update of m`
  return row
}

export interface Attempt {
  readonly attemptNo: number
  readonly claimedAt: string
  /** Null: the call may have happened. */
  readonly outcome: 'sent' | 'notSent' | 'refused' | 'unknown' | null
  readonly ageMs: number
}

export async function findLastAttempt(tx: Tx, tenantId: number, messageId: number): Promise<Attempt | undefined> {
  const [row] = await tx<Attempt[]>`
    select attempt_no, claimed_at, outcome, (extract(epoch from clock_timestamp() - claimed_at) * 1000)::float8 as age_ms
    from platform.message_attempt
    where tenant_id = ${tenantId} and message_id = ${messageId}
    order by attempt_no desc limit 1`
  return row
}

export async function insertAttempt(tx: Tx, tenantId: number, messageId: number, attemptNo: number): Promise<string> {
  const [row] = await tx<[{ claimedAt: string }]>`
    insert into platform.message_attempt (tenant_id, message_id, attempt_no) values (${tenantId}, ${messageId}, ${attemptNo}) returning claimed_at`
  return row.claimedAt
}

/** Notes what came of an attempt; what is certain is never made uncertain again. */
export async function setOutcome(
  tx: Tx,
  tenantId: number,
  messageId: number,
  attemptNo: number,
  outcome: NonNullable<Attempt['outcome']>,
  detail: string | null,
): Promise<void> {
  await tx`
    update platform.message_attempt set outcome = ${outcome}, detail = ${detail}
    where tenant_id = ${tenantId} and message_id = ${messageId} and attempt_no = ${attemptNo} and (outcome is null or outcome = 'unknown')`
}

/** Other messages to the same address with the same words whose own outcome is open: what a vendor's list shows may be theirs. */
export async function countRivals(tx: Tx, tenantId: number, due: DueMessage): Promise<number> {
  const [row] = await tx<[{ n: number }]>`
    select count(*)::int as n from platform.message m
    where m.tenant_id = ${tenantId} and m.channel_id = ${due.channelId} and m.to_address = ${due.to} and m.direction = 'outbound' and m.message_id <> ${due.messageId}
      and m.provider_id is null and m.text = ${due.text} and m.card is not distinct from ${due.card === null ? null : JSON.stringify(due.card)}::text::jsonb
      and exists (select from platform.message_attempt a
        where a.tenant_id = m.tenant_id and a.message_id = m.message_id and (a.outcome is null or a.outcome = 'unknown'))`
  return row.n
}

/** Fails what waits for a channel that is no more, whatever it waits for. A message whose call may be under way is left to whoever makes it. */
export async function failQueued(tx: Tx, tenantId: number, channelId: number): Promise<MovedMessage[]> {
  return tx<MovedMessage[]>`
    update platform.message m set status = 'failed', status_rank = ${rankOf('failed')}, reason = 'channelDeleted'
    where m.tenant_id = ${tenantId} and m.channel_id = ${channelId} and m.direction = 'outbound' and m.status = 'queued'
      and not exists (select from platform.message_attempt a
        where a.tenant_id = m.tenant_id and a.message_id = m.message_id and (a.outcome is null or a.outcome = 'unknown'))
    returning m.conversation_id, m.message_id, m.seq, m.channel, m.from_user_id`
}

/** Those of the vendor's ids that belong to messages of ours already. */
export async function listKnownProviderIds(tx: Tx, tenantId: number, providerIds: readonly string[]): Promise<string[]> {
  const rows = await tx<{ providerId: string }[]>`
    select provider_id from platform.message where tenant_id = ${tenantId} and provider_id = any(${[...providerIds]})`
  return rows.map((row) => row.providerId)
}

/** The Message-IDs of a conversation's thread so far, oldest first, at most twenty; what it said on other channels is in no thread of mails. */
export async function listThread(
  tx: Tx,
  tenantId: number,
  { conversationId, seq, channel }: Pick<DueMessage, 'conversationId' | 'seq' | 'channel'>,
): Promise<{ providerId: string }[]> {
  const rows = await tx<{ providerId: string }[]>`
    select provider_id from platform.message
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and seq < ${seq} and channel = ${channel} and provider_id is not null
    order by seq desc limit 20`
  return rows.toReversed()
}

export async function insertMedia(
  tx: Tx,
  tenantId: number,
  messageId: number,
  media: readonly { url: string; mimeType: string }[],
): Promise<void> {
  await tx`
    insert into platform.message_media (tenant_id, message_id, position, url, mime_type)
    select ${tenantId}, ${messageId}, n, url, mime_type
    from unnest(${media.map((one) => one.url)}::text[], ${media.map((one) => one.mimeType)}::text[]) with ordinality m (url, mime_type, n)`
}

export interface PendingMedia {
  readonly messageId: number
  readonly position: number
  readonly url: string
  readonly mimeType: string
  readonly channelId: number | null
}

/** Files of a conversation's messages that are not fetched yet. */
export async function listPendingMedia(tx: Tx, tenantId: number, conversationId: number): Promise<PendingMedia[]> {
  return tx<PendingMedia[]>`
    select d.message_id, d.position, d.url, d.mime_type, m.channel_id
    from platform.message m join platform.message_media d on d.tenant_id = m.tenant_id and d.message_id = m.message_id
    where m.tenant_id = ${tenantId} and m.conversation_id = ${conversationId} and d.asset_key is null and d.failed_at is null
    order by d.message_id, d.position`
}

/** Adds a fetched file to its message. False where it had been added before: then this copy is nobody's. */
export async function attachMedia(
  tx: Tx,
  tenantId: number,
  at: { messageId: number; position: number },
  assetKey: string,
): Promise<boolean> {
  const { count } = await tx`
    update platform.message_media set asset_key = ${assetKey}
    where tenant_id = ${tenantId} and message_id = ${at.messageId} and position = ${at.position} and asset_key is null`
  if (count === 0) return false
  await tx`
    update platform.message
    set asset_keys = (select array_agg(asset_key order by position) from platform.message_media
      where tenant_id = ${tenantId} and message_id = ${at.messageId} and asset_key is not null)
    where tenant_id = ${tenantId} and message_id = ${at.messageId}`
  return true
}

export async function setMediaFailed(tx: Tx, tenantId: number, at: { messageId: number; position: number }, stamp: string): Promise<void> {
  await tx`
    update platform.message_media set failed_at = ${stamp}
    where tenant_id = ${tenantId} and message_id = ${at.messageId} and position = ${at.position} and asset_key is null`
}

/** Of a message that was just sent. */
export async function setMail(tx: Tx, tenantId: number, messageId: number, { type, title }: MessageMail): Promise<void> {
  await tx`update platform.message set mail_type = ${type}, mail_title = ${title} where tenant_id = ${tenantId} and message_id = ${messageId}`
}

/** What the thread is called from its first mail on. */
export async function setSubject(tx: Tx, tenantId: number, conversationId: number, subject: string): Promise<void> {
  await tx`update platform.conversation set subject = ${subject} where tenant_id = ${tenantId} and conversation_id = ${conversationId}`
}
