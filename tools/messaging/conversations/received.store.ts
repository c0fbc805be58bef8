/** SQL of what came in, for whoever acts on it. */
import type { Tx } from '#platform/db/pool.ts'

export interface ReceivedRow {
  readonly conversationId: number
  /** Its kind, and the name of what the conversation goes by; null for the inbox. */
  readonly channel: string
  readonly channelName: string | null
  readonly from: string
  readonly text: string
  readonly assetKeys: readonly string[]
  /** Files that are still fetched. */
  readonly pendingMedia: number
  /** It was a word that the product obeys by itself. */
  readonly keyword: string | null
  /** It came into a conversation in which its sender had been written to. */
  readonly isReply: boolean
  /** It came after the end of its conversation. */
  readonly isLate: boolean
  readonly eiRecordId: number | null
  readonly tenantUserId: number | null
  readonly assignedTo: number | null
}

export async function findReceivedRow(tx: Tx, tenantId: number, messageId: number): Promise<ReceivedRow | undefined> {
  const [row] = await tx<ReceivedRow[]>`
    select m.conversation_id, m.channel, h.internal_name as channel_name, coalesce(m.from_address, f.display_name, '') as "from", m.text, m.asset_keys, m.keyword,
      c.ei_record_id, c.tenant_user_id, c.assigned_to, coalesce(c.ended_date <= m.at, false) as is_late,
      exists (
        select from platform.message o
        where o.tenant_id = ${tenantId} and o.conversation_id = m.conversation_id and o.seq < m.seq and o.direction = 'outbound') as is_reply,
      (select count(*)::int from platform.message_media d
        where d.tenant_id = ${tenantId} and d.message_id = m.message_id and d.asset_key is null and d.failed_at is null) as pending_media
    from platform.message m
      join platform.conversation c on c.tenant_id = ${tenantId} and c.conversation_id = m.conversation_id
      left join platform.channel h on h.tenant_id = ${tenantId} and h.channel_id = c.channel_id and h.channel = m.channel
      left join platform.tenant_user f on f.tenant_id = ${tenantId} and f.tenant_user_id = m.from_user_id
    where m.tenant_id = ${tenantId} and m.message_id = ${messageId} and m.direction = 'inbound'`
  return row
}
