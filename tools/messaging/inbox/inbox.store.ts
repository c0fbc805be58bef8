/** The SQL of people's inboxes. */
import { fetchPage } from '#platform/db/pages.ts'
import type { Tx } from '#platform/db/pool.ts'
import type { Found } from '#platform/paging.ts'

import { rankOf } from '../messaging.rules.ts'
import type { Card } from '../messaging.schema.ts'

/** The next number in a user's inbox; its counter is locked from here to the commit. Taken after the conversation's, always. */
export async function takeInboxSeq(tx: Tx, tenantId: number, tenantUserId: number): Promise<number> {
  const [row] = await tx<[{ lastSeq: number }]>`
    insert into platform.inbox_counter as i (tenant_id, tenant_user_id, last_seq) values (${tenantId}, ${tenantUserId}, 1)
    on conflict (tenant_id, tenant_user_id) do update set last_seq = i.last_seq + 1
    returning last_seq`
  return row.lastSeq
}

export interface InboxRow {
  readonly inboxSeq: number
  readonly messageId: number
  readonly conversationId: number
  readonly seq: number
  readonly from: string
  readonly fromTenantUserId: number | null
  readonly text: string
  readonly card: Card | null
  readonly assetKeys: readonly string[]
  readonly eiRecordId: number | null
  readonly at: string
  readonly isRead: boolean
  readonly answeredDate: string | null
  readonly conversationState: 'open' | 'ended'
  readonly direction: 'outbound' | 'inbound'
}

const columns = (tx: Tx) => tx`
  m.inbox_seq, m.message_id, m.conversation_id, m.seq, coalesce(m.from_address, f.display_name, '') as "from", m.from_user_id as from_tenant_user_id, m.text, m.card, m.asset_keys,
  c.ei_record_id, m.at, m.status = 'read' as is_read, m.answered_date, c.state as conversation_state, m.direction`

const around = (tx: Tx) => tx`
  join platform.conversation c on c.tenant_id = m.tenant_id and c.conversation_id = m.conversation_id
  left join platform.tenant_user f on f.tenant_id = m.tenant_id and f.tenant_user_id = m.from_user_id`

/** Ascending after a number; without one, the newest first. */
export async function listInbox(
  tx: Tx,
  tenantId: number,
  tenantUserId: number,
  afterInboxSeq: number | undefined,
  page: { readonly pageSize: number; readonly bytes: number },
): Promise<Found<InboxRow>> {
  return fetchPage<InboxRow>(
    tx,
    { ...page, offset: 0 },
    tx`
      select ${columns(tx)} from platform.message m ${around(tx)}
      where m.tenant_id = ${tenantId} and m.to_user_id = ${tenantUserId} and m.inbox_seq > ${afterInboxSeq ?? 0}
      order by ${afterInboxSeq === undefined ? tx`m.inbox_seq desc` : tx`m.inbox_seq`}`,
  )
}

export async function countUnread(tx: Tx, tenantId: number, tenantUserId: number): Promise<number> {
  const [row] = await tx<[{ n: number }]>`
    select count(*)::int as n from platform.message
    where tenant_id = ${tenantId} and to_user_id = ${tenantUserId} and inbox_seq is not null and status = 'delivered'`
  return row.n
}

/** A message in this user's own inbox; nobody else's is found. */
export async function findInboxMessage(tx: Tx, tenantId: number, tenantUserId: number, messageId: number): Promise<InboxRow | undefined> {
  const [row] = await tx<InboxRow[]>`
    select ${columns(tx)} from (
      -- By its key alone: the index of the inbox would read all of it where PostgreSQL knows too little of the table.
      select * from platform.message where tenant_id = ${tenantId} and message_id = ${messageId} limit 1
    ) m ${around(tx)}
    where m.to_user_id = ${tenantUserId} and m.inbox_seq is not null`
  return row
}

/** Marks everything up to a number read; answers the conversations in which something changed. */
export async function markReadUpTo(
  tx: Tx,
  tenantId: number,
  tenantUserId: number,
  inboxSeq: number,
  stamp: string,
): Promise<{ messageId: number }[]> {
  return tx<{ messageId: number }[]>`
    update platform.message set status = 'read', status_rank = ${rankOf('read')}, read_date = ${stamp}
    where tenant_id = ${tenantId} and to_user_id = ${tenantUserId} and inbox_seq <= ${inboxSeq} and status = 'delivered'
    returning message_id`
}

export async function markAnswered(tx: Tx, tenantId: number, messageId: number, stamp: string): Promise<void> {
  await tx`
    update platform.message
    set answered_date = coalesce(answered_date, ${stamp}), status = 'read', status_rank = ${rankOf('read')}, read_date = coalesce(read_date, ${stamp})
    where tenant_id = ${tenantId} and message_id = ${messageId}`
}
