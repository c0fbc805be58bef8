/** The SQL of handsets: what arrived at them, and what they do with the next message. */
import type { Tx } from '#platform/db/pool.ts'

import type { Card, FailureReason, MessageStatus } from '../messaging.schema.ts'

export interface HandsetOf {
  readonly channelId: number
  readonly address: string
}

export interface HandsetPlan {
  readonly does: 'fail' | 'delay'
  readonly reason: FailureReason | null
  readonly seconds: number | null
}

/** A later plan takes the place of an earlier one. */
export async function savePlan(tx: Tx, tenantId: number, of: HandsetOf, plan: HandsetPlan): Promise<void> {
  await tx`
    insert into platform.handset_plan (tenant_id, channel_id, address, does, reason, seconds)
    values (${tenantId}, ${of.channelId}, ${of.address}, ${plan.does}, ${plan.reason}, ${plan.seconds})
    on conflict (tenant_id, channel_id, address) do update set does = excluded.does, reason = excluded.reason, seconds = excluded.seconds`
}

/** The plan, which holds for one message and is gone with it. */
export async function takePlan(tx: Tx, tenantId: number, of: HandsetOf): Promise<HandsetPlan | undefined> {
  const [row] = await tx<HandsetPlan[]>`
    delete from platform.handset_plan where tenant_id = ${tenantId} and channel_id = ${of.channelId} and address = ${of.address}
    returning does, reason, seconds`
  return row
}

/** Of the latest conversations, since those of years are not counted for a page. */
export async function listHandsets(tx: Tx, tenantId: number, channelId: number): Promise<{ address: string; lastMessageDate: string }[]> {
  return tx<{ address: string; lastMessageDate: string }[]>`
    select address, max(last_message_date) as last_message_date
    from (
      select address, last_message_date from platform.conversation
      where tenant_id = ${tenantId} and channel_id = ${channelId} and address is not null
      order by conversation_id desc limit 1000
    ) latest
    group by address
    order by last_message_date desc, address
    limit 100`
}

export interface HandsetRow {
  readonly messageId: number
  readonly conversationId: number
  readonly direction: 'outbound' | 'inbound'
  readonly subject: string | null
  readonly text: string
  readonly card: Card | null
  readonly assetKeys: readonly string[]
  readonly fromUserId: number | null
  readonly status: MessageStatus
  readonly reason: FailureReason | null
  readonly at: string
}

/** The newest first. */
export async function listHandsetMessages(tx: Tx, tenantId: number, { channelId, address }: HandsetOf): Promise<HandsetRow[]> {
  return tx<HandsetRow[]>`
    select m.message_id, m.conversation_id, m.direction, c.subject, m.text, m.card, m.asset_keys, m.from_user_id, m.status, m.reason, m.at
    from (
      select conversation_id, subject from platform.conversation
      where tenant_id = ${tenantId} and channel_id = ${channelId} and address = ${address}
      order by conversation_id desc limit 50
    ) c join platform.message m on m.tenant_id = ${tenantId} and m.conversation_id = c.conversation_id
    order by m.message_id desc
    limit 50`
}
