/** The SQL of conversations. */
import { countPage, fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found, PageRequest, Total } from '#platform/paging.ts'

import type { Card, ChannelKind, Conversation } from '../messaging.schema.ts'

/** A conversation as the domain works with it. */
export interface ConversationRow extends Conversation {
  readonly subject: string | null
  readonly lastOutboundSeq: number
  readonly awaitedBy: Awaiting | null
}

/** The step of a run that waits for replies. */
export interface Awaiting {
  /** Temporal's. */
  readonly workflowId: string
  readonly no: number
}

export interface NewConversation {
  readonly channel: ChannelKind
  readonly channelId: number | null
  readonly tenantUserId: number | null
  readonly address: string | null
  readonly eiRecordId: number | null
  readonly subject: string | null
  readonly startedBy: number | null
}

const shown = (tx: Tx) => tx`
  c.conversation_id, c.state, c.channel, c.channel_id, c.tenant_user_id, c.address, c.ei_record_id, c.last_seq, c.last_inbound_seq, c.created_date,
  c.last_message_date, c.ended_date, c.assigned_to, (
    select min(s.send_at) from platform.scheduled_message s
    where s.tenant_id = c.tenant_id and s.conversation_id = c.conversation_id and s.state = 'scheduled'
  ) as next_scheduled_date`

const columns = (tx: Tx) => tx`${shown(tx)}, c.subject, c.last_outbound_seq, c.awaited_by`

export async function insertConversation(tx: Tx, tenantId: number, stamp: string, made: NewConversation): Promise<ConversationRow> {
  const [row] = await tx<[ConversationRow]>`
    insert into platform.conversation as c (tenant_id, channel, channel_id, tenant_user_id, address, ei_record_id, subject, started_by, created_date, last_message_date)
    values (${tenantId}, ${made.channel}, ${made.channelId}, ${made.tenantUserId}, ${made.address}, ${made.eiRecordId}, ${made.subject}, ${made.startedBy}, ${stamp}, ${stamp})
    returning ${columns(tx)}`
  return row
}

export async function findConversation(tx: Tx, tenantId: number, conversationId: number): Promise<ConversationRow | undefined> {
  const [row] = await tx<ConversationRow[]>`
    select ${columns(tx)} from platform.conversation c where c.tenant_id = ${tenantId} and c.conversation_id = ${conversationId}`
  return row
}

/** The same, and nobody else adds to it or ends it before this transaction does. */
export async function lockConversation(tx: Tx, tenantId: number, conversationId: number): Promise<ConversationRow | undefined> {
  const [row] = await tx<ConversationRow[]>`
    select ${columns(tx)} from platform.conversation c where c.tenant_id = ${tenantId} and c.conversation_id = ${conversationId}
    for no key update`
  return row
}

/** By conversation the record that it is about, of those that are about one. */
export async function listRecordsOf(tx: Tx, tenantId: number, conversationIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await tx<{ conversationId: number; eiRecordId: number }[]>`
    select conversation_id, ei_record_id from platform.conversation
    where tenant_id = ${tenantId} and conversation_id = any(${[...conversationIds]}::bigint[]) and ei_record_id is not null`
  return new Map(rows.map(({ conversationId, eiRecordId }) => [conversationId, eiRecordId]))
}

/** The next number of a message; the row is locked from here to the commit. */
export async function takeSeq(
  tx: Tx,
  tenantId: number,
  conversationId: number,
  direction: 'outbound' | 'inbound',
  stamp: string,
): Promise<number> {
  const [row] = await tx<[{ lastSeq: number }]>`
    update platform.conversation
    set last_seq = last_seq + 1, last_message_date = greatest(last_message_date, ${stamp}::timestamptz),
      last_inbound_seq = case when ${direction === 'inbound'} then last_seq + 1 else last_inbound_seq end,
      last_outbound_seq = case when ${direction === 'outbound'} then last_seq + 1 else last_outbound_seq end
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}
    returning last_seq`
  return row.lastSeq
}

/** Who waits for what comes in from now on. */
export async function setAwaited(tx: Tx, tenantId: number, conversationIds: readonly number[], by: Awaiting): Promise<void> {
  await tx`
    update platform.conversation set awaited_by = ${JSON.stringify(by)}::text::jsonb
    where tenant_id = ${tenantId} and conversation_id = any (${[...conversationIds]}::bigint[])`
}

/** The way that a conversation goes from now on. */
export async function setWay(
  tx: Tx,
  tenantId: number,
  conversationId: number,
  { channel, channelId, tenantUserId, address }: Pick<NewConversation, 'channel' | 'channelId' | 'tenantUserId' | 'address'>,
): Promise<void> {
  await tx`
    update platform.conversation
    set channel = ${channel}, channel_id = ${channelId}, tenant_user_id = ${tenantUserId}, address = ${address}
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}`
}

/** A way that a conversation goes, or went. */
export type WayRow = Pick<NewConversation, 'channel' | 'channelId' | 'address'>

/** Remembers the way that it goes now. */
export async function keepWay(tx: Tx, tenantId: number, { conversationId, channel, channelId, address }: ConversationRow): Promise<void> {
  await tx`
    insert into platform.conversation_way (tenant_id, conversation_id, channel, channel_id, address)
    values (${tenantId}, ${conversationId}, ${channel}, ${channelId}, ${address})
    on conflict do nothing`
}

/** An earlier way of it, through this channel or one of this kind. */
export async function findEarlierWay(
  tx: Tx,
  tenantId: number,
  conversationId: number,
  by: { readonly channel: string; readonly channelId?: number | undefined },
): Promise<WayRow | undefined> {
  const [row] = await tx<WayRow[]>`
    select channel, channel_id, address from platform.conversation_way
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and channel = ${by.channel}
      and (${by.channelId ?? null}::int is null or channel_id = ${by.channelId ?? null})
    limit 1`
  return row
}

export async function setAssigned(tx: Tx, tenantId: number, conversationId: number, to: number | null): Promise<void> {
  await tx`update platform.conversation set assigned_to = ${to} where tenant_id = ${tenantId} and conversation_id = ${conversationId}`
}

export async function setEnded(tx: Tx, tenantId: number, conversationId: number, stamp: string): Promise<void> {
  await tx`
    update platform.conversation set state = 'ended', ended_date = ${stamp}
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and state = 'open'`
}

/** Ends it where it is open and silent since the given seconds. True where it is ended now, by this or before. */
export async function endIdle(
  tx: Tx,
  tenantId: number,
  conversationId: number,
  stamp: string,
  idleSeconds: number,
): Promise<{ isEnded: boolean; isNew: boolean }> {
  const ended = await tx`
    update platform.conversation set state = 'ended', ended_date = ${stamp}
    where tenant_id = ${tenantId} and conversation_id = ${conversationId} and state = 'open'
      and last_message_date <= ${stamp}::timestamptz - make_interval(secs => ${idleSeconds}::float8)
      and not exists (select from platform.scheduled_message s
        where s.tenant_id = ${tenantId} and s.conversation_id = ${conversationId} and s.state = 'scheduled')`
  if (ended.count > 0) return { isEnded: true, isNew: true }
  const found = await findConversation(tx, tenantId, conversationId)
  return { isEnded: found?.state !== 'open', isNew: false }
}

export interface OpenConversation {
  readonly conversationId: number
  /** Of its last question, where nothing has come in since. */
  readonly choices: NonNullable<Card['choices']> | null
}

/** The open ones with this address on this channel, first the one in which we spoke last: what a reply without a thread may belong to. */
export async function listOpenByAddress(tx: Tx, tenantId: number, channelId: number, address: string): Promise<OpenConversation[]> {
  return tx<OpenConversation[]>`
    select c.conversation_id, case when q.seq > c.last_inbound_seq then q.card -> 'choices' end as choices
    from platform.conversation c
      left join platform.message m on m.tenant_id = c.tenant_id and m.conversation_id = c.conversation_id and m.seq = c.last_outbound_seq
      left join lateral (
        select a.seq, a.card from platform.message a
        where a.tenant_id = c.tenant_id and a.conversation_id = c.conversation_id and a.direction = 'outbound' and a.card -> 'choices' is not null
        order by a.seq desc limit 1
      ) q on true
    where c.tenant_id = ${tenantId} and c.state = 'open'
      and c.conversation_id in (
        select o.conversation_id from platform.conversation o
        where o.tenant_id = ${tenantId} and o.channel_id = ${channelId} and o.address = ${address} and o.state = 'open'
        union all
        select w.conversation_id from platform.conversation_way w
        where w.tenant_id = ${tenantId} and w.channel_id = ${channelId} and w.address = ${address})
      -- One whose first message is still to come was not written to yet.
      and c.last_seq > 0
    order by m.message_id desc nulls last, c.conversation_id desc
    limit 20`
}

/** The conversation of the message with this vendor's id: of a thread's earlier e-mail. */
export async function findByProviderId(tx: Tx, tenantId: number, providerId: string): Promise<number | undefined> {
  const [row] = await tx<{ conversationId: number }[]>`
    select conversation_id from platform.message where tenant_id = ${tenantId} and provider_id = ${providerId} order by message_id desc limit 1`
  return row?.conversationId
}

export interface ConversationFilter {
  readonly state?: string | undefined
  readonly tenantUserId?: number | undefined
  readonly address?: string | undefined
  readonly channel?: string | undefined
  readonly eiRecordId?: number | undefined
  readonly isScheduled?: boolean | undefined
  readonly assignedTo?: number | undefined
}

const matching = (tx: Tx, tenantId: number, by: ConversationFilter) => tx`
  c.tenant_id = ${tenantId}
  ${by.state === undefined ? tx`` : tx`and c.state = ${by.state}`}
  ${by.tenantUserId === undefined ? tx`` : tx`and c.tenant_user_id = ${by.tenantUserId}`}
  ${by.address === undefined ? tx`` : tx`and c.address = ${by.address}`}
  ${by.channel === undefined ? tx`` : tx`and c.channel = ${by.channel}`}
  ${by.eiRecordId === undefined ? tx`` : tx`and c.ei_record_id = ${by.eiRecordId}`}
  ${by.assignedTo === undefined ? tx`` : tx`and c.assigned_to = ${by.assignedTo}`}
  ${
    by.isScheduled === undefined
      ? tx``
      : tx`and ${by.isScheduled}::boolean = exists (
    select from platform.scheduled_message s
    where s.tenant_id = c.tenant_id and s.conversation_id = c.conversation_id and s.state = 'scheduled')`
  }`

/** The newest first. `before` is the last of the page before. */
export async function listConversations(
  tx: Tx,
  tenantId: number,
  page: PageRequest,
  by: ConversationFilter,
  before: number | null,
): Promise<Found<Conversation>> {
  return fetchPage<Conversation>(
    tx,
    page,
    tx`
      select ${shown(tx)} from platform.conversation c
      where ${matching(tx, tenantId, by)} ${before === null ? tx`` : tx`and c.conversation_id < ${before}`}
      order by c.conversation_id desc`,
  )
}

export async function countConversations(tx: Tx, tenantId: number, page: PageRequest, by: ConversationFilter): Promise<Total> {
  return countPage(tx, page, tx`from platform.conversation c where ${matching(tx, tenantId, by)}`)
}
