/** The SQL of messages. */
import { fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found } from '#platform/paging.ts'
import type { MessageMail } from '#tools/mails/mails.schema.ts'

import { rankOf } from '../messaging.rules.ts'
import type { Card, ChannelKind, FailureReason, MessageStatus } from '../messaging.schema.ts'

/** A message with what its readers need of its conversation and its people. */
export interface MessageRow {
  readonly messageId: number
  readonly conversationId: number
  readonly seq: number
  readonly direction: 'outbound' | 'inbound'
  readonly channel: ChannelKind
  readonly from: string
  readonly fromTenantUserId: number | null
  readonly to: string
  readonly text: string
  readonly card: Card | null
  readonly choice: string | null
  readonly keyword: 'stop' | 'start' | 'help' | null
  readonly assetKeys: readonly string[]
  readonly pendingMedia: number
  readonly status: MessageStatus
  readonly reason: FailureReason | null
  readonly at: string
}

const columns = (tx: Tx) => tx`
  m.message_id, m.conversation_id, m.seq, m.direction, m.channel, coalesce(m.from_address, f.display_name, '') as "from", m.from_user_id as from_tenant_user_id,
  coalesce(m.to_address, t.display_name, '') as "to", m.text, m.card, m.choice, m.keyword, m.asset_keys, m.status, m.reason, m.at,
  (select count(*)::int from platform.message_media d
    where d.tenant_id = m.tenant_id and d.message_id = m.message_id and d.asset_key is null and d.failed_at is null) as pending_media`

const people = (tx: Tx) => tx`
  left join platform.tenant_user f on f.tenant_id = m.tenant_id and f.tenant_user_id = m.from_user_id
  left join platform.tenant_user t on t.tenant_id = m.tenant_id and t.tenant_user_id = m.to_user_id`

export interface NewMessage {
  readonly conversationId: number
  readonly seq: number
  readonly direction: 'outbound' | 'inbound'
  readonly channel: ChannelKind
  readonly channelId: number | null
  readonly from: string | null
  readonly to: string | null
  readonly fromUserId: number | null
  readonly toUserId: number | null
  readonly inboxSeq: number | null
  readonly text: string
  readonly card: Card | null
  readonly choice: string | null
  readonly keyword: string | null
  readonly assetKeys: readonly string[]
  readonly status: MessageStatus
  readonly reason: FailureReason | null
  readonly providerId: string | null
  readonly isUrgent: boolean
  readonly authentication: Readonly<Record<string, string>> | null
  /** Which mail it is where it goes by e-mail. */
  readonly mail?: MessageMail | undefined
}

/** Outbound messages of the last 24 hours. */
export async function countSentToday(tx: Tx, tenantId: number): Promise<number> {
  const [row] = await tx<[{ n: number }]>`
    select count(*)::int as n from platform.message where tenant_id = ${tenantId} and direction = 'outbound' and at > now() - interval '24 hours'`
  return row.n
}

export async function insertMessage(tx: Tx, tenantId: number, stamp: string, made: NewMessage): Promise<number> {
  const { card, authentication } = made
  const [row] = await tx<[{ messageId: number }]>`
    insert into platform.message (tenant_id, conversation_id, seq, direction, channel, channel_id, from_address, to_address, from_user_id, to_user_id, inbox_seq,
      text, card, choice, keyword, asset_keys, status, status_rank, reason, provider_id, is_urgent, authentication, at, delivered_date, mail_type, mail_title)
    values (${tenantId}, ${made.conversationId}, ${made.seq}, ${made.direction}, ${made.channel}, ${made.channelId}, ${made.from}, ${made.to}, ${made.fromUserId},
      ${made.toUserId}, ${made.inboxSeq}, ${made.text}, ${card === null ? null : JSON.stringify(card)}::text::jsonb, ${made.choice}, ${made.keyword},
      ${[...made.assetKeys]}, ${made.status}, ${rankOf(made.status)}, ${made.reason}, ${made.providerId}, ${made.isUrgent},
      ${authentication === null ? null : JSON.stringify(authentication)}::text::jsonb, ${stamp}, ${made.status === 'delivered' ? stamp : null},
      ${made.mail?.type ?? null}, ${made.mail?.title ?? null})
    returning message_id`
  return row.messageId
}

export async function listMessages(
  tx: Tx,
  tenantId: number,
  conversationId: number,
  afterSeq: number,
  page: { readonly pageSize: number; readonly bytes: number },
): Promise<Found<MessageRow>> {
  return fetchPage<MessageRow>(
    tx,
    { ...page, offset: 0 },
    tx`
      select ${columns(tx)} from platform.message m ${people(tx)}
      where m.tenant_id = ${tenantId} and m.conversation_id = ${conversationId} and m.seq > ${afterSeq}
      order by m.seq`,
  )
}

export interface Watched {
  readonly conversationId: number
  /** Null: after the last outbound message. */
  readonly afterSeq: number | null
}

export interface RepliedBy {
  /** Whom the conversation is with wrote it, and nobody else who holds its address or stands in copy. */
  readonly isOfReceiver: boolean
}

/** Whether whom the conversation `c` is with wrote the message `m`: the user, or who holds an address that it went to; and nothing says that it is forged. */
const byReceiver = (tx: Tx, tenantId: number) => tx`
  coalesce(m.authentication ->> 'dmarc', '') <> 'fail' and coalesce(case
    when c.tenant_user_id is not null then m.from_user_id = c.tenant_user_id
    else m.from_address = c.address or exists (
      select from platform.conversation_way v
      where v.tenant_id = ${tenantId} and v.conversation_id = c.conversation_id and v.address = m.from_address) end, false)`

/** Whether whom the conversation is with has written in it since. */
export async function isAnsweredSince(tx: Tx, tenantId: number, conversationId: number, afterSeq: number): Promise<boolean> {
  const [row] = await tx`
    select from platform.conversation c join platform.message m on m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id
    where c.tenant_id = ${tenantId} and c.conversation_id = ${conversationId} and m.seq > ${afterSeq} and m.direction = 'inbound'
      and ${byReceiver(tx, tenantId)}
    limit 1`
  return row !== undefined
}

/**
 * What has come in after each cursor, of each as many as fit into its bytes, the first one always: one statement for as many conversations as wait.
 * Conversations that are gone are left out. Sent at once.
 */
export function listReplies(
  tx: Tx,
  tenantId: number,
  watched: readonly Watched[],
  each: { readonly limit: number; readonly bytes: number },
): Promise<(MessageRow & RepliedBy & { n: number })[]> {
  return tx<(MessageRow & RepliedBy & { n: number })[]>`
    select w.n::int as n, ${columns(tx)},
      ${byReceiver(tx, tenantId)} as is_of_receiver
    from unnest(${watched.map((one) => one.conversationId)}::bigint[], ${watched.map((one) => one.afterSeq)}::int[]) with ordinality w (conversation_id, after_seq, n)
      cross join lateral (
        -- The limit keeps it to one look by its key each: joined, all of the tenant's would be read where PostgreSQL knows too little of the table.
        select * from platform.conversation c where c.tenant_id = ${tenantId} and c.conversation_id = w.conversation_id limit 1
      ) c
      cross join lateral (
        select i.*, row_number() over (order by i.seq) as row_no, sum(octet_length(to_json(i.text)::text)) over (order by i.seq) as bytes
        from (
          select * from platform.message i
          where i.tenant_id = ${tenantId} and i.conversation_id = w.conversation_id and i.seq > coalesce(w.after_seq, c.last_outbound_seq) and i.direction = 'inbound'
          order by i.seq limit ${each.limit}
        ) i
      ) m
      ${people(tx)}
    where m.row_no = 1 or m.bytes <= ${each.bytes}
    order by w.n, m.seq`.execute()
}

export interface StateRow {
  readonly conversationId: number
  readonly state: 'open' | 'ended'
  readonly lastOutboundSeq: number
  readonly eiRecordId: number | null
  readonly tenantUserId: number | null
  readonly assignedTo: number | null
}

/** The states of these conversations. Sent at once. */
export function listStates(tx: Tx, tenantId: number, conversationIds: readonly number[]): Promise<StateRow[]> {
  return tx<StateRow[]>`
    select conversation_id, state, last_outbound_seq, ei_record_id, tenant_user_id, assigned_to from platform.conversation
    where tenant_id = ${tenantId} and conversation_id = any(${[...conversationIds]}::bigint[])`.execute()
}

export interface StatusRow {
  readonly messageId: number
  readonly conversationId: number
  readonly seq: number
  readonly channel: ChannelKind
  readonly status: MessageStatus
  readonly reason: FailureReason | null
  readonly vendorCode: string | null
  readonly providerId: string | null
  readonly attempts: number
  readonly fellBackTo: number | null
  readonly at: string
  readonly sentDate: string | null
  readonly deliveredDate: string | null
  readonly readDate: string | null
}

export async function findStatus(tx: Tx, tenantId: number, messageId: number): Promise<StatusRow | undefined> {
  const [row] = await tx<StatusRow[]>`
    select m.message_id, m.conversation_id, m.seq, m.channel, m.status, m.reason, m.vendor_code, m.provider_id, m.at, m.sent_date, m.delivered_date, m.read_date,
      (select count(*)::int from platform.message_attempt a where a.tenant_id = m.tenant_id and a.message_id = m.message_id) as attempts,
      (select b.next_message_id from platform.message_fallback b where b.tenant_id = m.tenant_id and b.message_id = m.message_id) as fell_back_to
    from platform.message m
    where m.tenant_id = ${tenantId} and m.message_id = ${messageId}`
  return row
}

/** The question that is answered by its vendor's id, else the newest of the conversation that offers choices: what a bare "2" answers. */
export async function findAskedCard(
  tx: Tx,
  tenantId: number,
  conversationId: number,
  inReplyTo: readonly string[],
): Promise<Card | undefined> {
  const [row] = await tx<{ card: Card }[]>`
    select card from platform.message
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and direction = 'outbound' and card -> 'choices' is not null
    order by coalesce(provider_id = any(${[...inReplyTo]}), false) desc, seq desc limit 1`
  return row?.card
}

/** Where a message stands, as others are told. */
export interface MovedMessage {
  readonly conversationId: number
  readonly messageId: number
  readonly seq: number
  readonly channel: string
  readonly fromUserId: number | null
}

/** Moves a message on to a status of a higher rank. False, and nothing changed, where it is there or beyond. */
export async function advanceStatus(
  tx: Tx,
  tenantId: number,
  messageId: number,
  to: {
    status: MessageStatus
    stamp: string
    reason?: FailureReason | undefined
    vendorCode?: string | undefined
    providerId?: string | undefined
  },
): Promise<MovedMessage | undefined> {
  const { status, stamp } = to
  const isSent = status === 'sent' || status === 'delivered' || status === 'read'
  const isDelivered = status === 'delivered' || status === 'read'
  const [moved] = await tx<MovedMessage[]>`
    update platform.message
    set status = ${status}, status_rank = ${rankOf(status)}, reason = ${to.reason ?? null}, vendor_code = ${to.vendorCode ?? null},
      provider_id = coalesce(provider_id, ${to.providerId ?? null}),
      sent_date = case when ${isSent} then coalesce(sent_date, ${stamp}) else sent_date end,
      delivered_date = case when ${isDelivered} then coalesce(delivered_date, ${stamp}) else delivered_date end,
      read_date = case when ${status === 'read'} then coalesce(read_date, ${stamp}) else read_date end
    where tenant_id = ${tenantId} and message_id = ${messageId} and status_rank < ${rankOf(status)}
    returning conversation_id, message_id, seq, channel, from_user_id`
  return moved
}

/** Notes the vendor's id; an id once noted stays. */
export async function noteProviderId(tx: Tx, tenantId: number, messageId: number, providerId: string): Promise<void> {
  await tx`
    update platform.message set provider_id = ${providerId}
    where tenant_id = ${tenantId} and message_id = ${messageId} and provider_id is null`
}

/** The outbound message of this channel that a vendor's callback tells of: by our id in the callback's address, else by the vendor's. */
export async function findCalledBack(
  tx: Tx,
  tenantId: number,
  channelId: number,
  by: { messageId: number | undefined; providerId: string },
): Promise<{ messageId: number; conversationId: number; providerId: string | null; to: string } | undefined> {
  const [row] = await tx<{ messageId: number; conversationId: number; providerId: string | null; to: string }[]>`
    select message_id, conversation_id, provider_id, coalesce(to_address, '') as "to" from platform.message
    where tenant_id = ${tenantId} and channel_id = ${channelId} and direction = 'outbound'
      and (provider_id = ${by.providerId} or (message_id = ${by.messageId ?? null}::bigint and (provider_id is null or provider_id = ${by.providerId})))
    order by message_id limit 1`
  return row
}

export async function hasInbound(tx: Tx, tenantId: number, conversationId: number, providerId: string): Promise<boolean> {
  const [row] = await tx<[{ isThere: boolean }]>`
    select exists (select from platform.message
      where tenant_id = ${tenantId} and provider_id = ${providerId} and conversation_id = ${conversationId} and direction = 'inbound') as is_there`
  return row.isThere
}

export interface Resendable {
  readonly status: MessageStatus
  readonly text: string
  readonly card: Card | null
  readonly assetKeys: readonly string[]
  readonly isUrgent: boolean
  readonly resentAs: number | null
}

/** An outbound message, locked: of two who send it again the second sees what the first did. */
export async function lockForResend(tx: Tx, tenantId: number, messageId: number): Promise<Resendable | undefined> {
  const [row] = await tx<Resendable[]>`
    select status, text, card, asset_keys, is_urgent, resent_as from platform.message
    where tenant_id = ${tenantId} and message_id = ${messageId} and direction = 'outbound'
    for no key update`
  return row
}

export async function noteResent(tx: Tx, tenantId: number, messageId: number, resentAs: number): Promise<void> {
  await tx`update platform.message set resent_as = ${resentAs} where tenant_id = ${tenantId} and message_id = ${messageId}`
}

/** Inbound messages from a number on that nobody has answered, oldest first, at most so many: the newest of them. */
export async function listUnanswered(
  tx: Tx,
  tenantId: number,
  conversationId: number,
  fromSeq: number,
  limit: number,
): Promise<{ messageId: number; assetKeys: readonly string[] }[]> {
  const rows = await tx<{ messageId: number; assetKeys: readonly string[] }[]>`
    select message_id, asset_keys from platform.message
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and direction = 'inbound' and seq >= ${fromSeq} and answered_date is null
    order by seq desc limit ${limit}`
  return rows.toReversed()
}

export async function putIntoInbox(tx: Tx, tenantId: number, messageId: number, tenantUserId: number, inboxSeq: number): Promise<void> {
  await tx`
    update platform.message
    set to_user_id = ${tenantUserId}, inbox_seq = ${inboxSeq}, status = 'delivered', status_rank = ${rankOf('delivered')}, read_date = null
    where tenant_id = ${tenantId} and message_id = ${messageId} and direction = 'inbound'`
}

/** Inbound messages of a conversation that were put into an inbox and are not answered. */
export async function takeOutOfInbox(tx: Tx, tenantId: number, conversationId: number): Promise<void> {
  await tx`
    update platform.message set to_user_id = null, inbox_seq = null
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and direction = 'inbound' and inbox_seq is not null and answered_date is null`
}

/** Gives a message its turn behind those that have theirs on the channel, at so many a second. */
export async function takeTurn(tx: Tx, tenantId: number, channelId: number, messageId: number, perSecond: number): Promise<void> {
  await tx`
    with turn as (
      update platform.channel set next_turn = greatest(next_turn, now()) + make_interval(secs => ${1 / perSecond}::float8)
      where tenant_id = ${tenantId} and channel_id = ${channelId}
      returning greatest(old.next_turn, now()) as at
    )
    update platform.message m set not_before = turn.at from turn
    where m.tenant_id = ${tenantId} and m.message_id = ${messageId}`
}
