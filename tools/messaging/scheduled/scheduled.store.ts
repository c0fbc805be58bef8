/** The SQL of scheduled messages. */
import type { Tx } from '#platform/db/pool.ts'

import type { Content } from '../conversations/content.ts'
import type { Fallback } from '../fallback/falling-back.ts'
import type { Recipient } from '../messaging.schema.ts'
import type { ScheduledState } from './scheduled.schema.ts'

export interface ScheduledRow {
  readonly scheduledMessageId: number
  readonly conversationId: number
  readonly state: ScheduledState
  readonly recipient: Recipient | null
  readonly channel: string | null
  /** What send_message is called with. */
  readonly content: Content & Fallback
  readonly sendAt: string
  readonly timeZone: string | null
  readonly ownerId: number
  readonly roleFlag: number
  readonly messageId: number | null
  readonly reason: string | null
  readonly createdDate: string
}

export type NewScheduled = Omit<ScheduledRow, 'scheduledMessageId' | 'state' | 'messageId' | 'reason' | 'createdDate'>

export interface DueMessage {
  readonly tenantId: number
  readonly scheduledMessageId: number
}

const columns = (tx: Tx) => tx`
  scheduled_message_id, conversation_id, state, recipient, channel, content, send_at, time_zone, owner_id, role_flag, message_id, reason, created_date`

/** Undefined where that many of the tenant wait already. */
export async function insertScheduled(
  tx: Tx,
  tenantId: number,
  stamp: string,
  most: number,
  made: NewScheduled,
): Promise<ScheduledRow | undefined> {
  const recipient = made.recipient === null ? null : JSON.stringify(made.recipient)
  const [row] = await tx<ScheduledRow[]>`
    insert into platform.scheduled_message (tenant_id, conversation_id, recipient, channel, content, send_at, time_zone, owner_id, role_flag, next_look, created_date)
    select ${tenantId}, ${made.conversationId}, ${recipient}::text::jsonb, ${made.channel}, ${JSON.stringify(made.content)}::text::jsonb,
      ${made.sendAt}, ${made.timeZone}, ${made.ownerId}, ${made.roleFlag}, ${made.sendAt}, ${stamp}
    where (select count(*) from platform.scheduled_message where tenant_id = ${tenantId} and state = 'scheduled') < ${most}
    returning ${columns(tx)}`
  return row
}

/** The latest first, at most so many. */
export async function listScheduled(tx: Tx, tenantId: number, conversationId: number, limit: number): Promise<ScheduledRow[]> {
  return tx<ScheduledRow[]>`
    select ${columns(tx)} from platform.scheduled_message
    where tenant_id = ${tenantId} and conversation_id = ${conversationId}
    order by state = 'scheduled' desc, send_at desc, scheduled_message_id desc
    limit ${limit}`
}

/** Held until the transaction ends: whoever sends it and whoever cancels it go one after the other. */
export async function lockScheduled(tx: Tx, tenantId: number, scheduledMessageId: number): Promise<ScheduledRow | undefined> {
  const [row] = await tx<ScheduledRow[]>`
    select ${columns(tx)} from platform.scheduled_message
    where tenant_id = ${tenantId} and scheduled_message_id = ${scheduledMessageId}
    for no key update`
  return row
}

/** Of all tenants but those that are passed over, the longest due first. As the look-up role. */
export async function listDueScheduled(tx: Tx, passed: readonly number[], limit: number): Promise<DueMessage[]> {
  return tx<DueMessage[]>`
    select tenant_id, scheduled_message_id from platform.scheduled_message
    where next_look <= now() and tenant_id <> all(${tx.array([...passed])}::int[])
    order by next_look, scheduled_message_id
    limit ${limit}`
}

/** Takes one that is due, for so long. Undefined where it is not, or another process has it. */
export async function takeDue(
  tx: Tx,
  tenantId: number,
  scheduledMessageId: number,
  leaseSeconds: number,
): Promise<ScheduledRow | undefined> {
  const [row] = await tx<ScheduledRow[]>`
    update platform.scheduled_message set next_look = now() + make_interval(secs => ${leaseSeconds}::int)
    where tenant_id = ${tenantId} and scheduled_message_id = ${scheduledMessageId} and next_look <= now()
    returning ${columns(tx)}`
  return row
}

/** False where it does not wait any more. */
export async function markSent(tx: Tx, tenantId: number, scheduledMessageId: number, messageId: number): Promise<boolean> {
  const { count } = await tx`
    update platform.scheduled_message set state = 'sent', message_id = ${messageId}, next_look = null, ended_date = now()
    where tenant_id = ${tenantId} and scheduled_message_id = ${scheduledMessageId} and state = 'scheduled'`
  return count > 0
}

/** Ends one that waits, unsent. */
export async function endScheduled(
  tx: Tx,
  tenantId: number,
  scheduledMessageId: number,
  to: { readonly state: 'cancelled' | 'failed'; readonly reason?: string },
): Promise<void> {
  await tx`
    update platform.scheduled_message set state = ${to.state}, reason = ${to.reason ?? null}, next_look = null, ended_date = now()
    where tenant_id = ${tenantId} and scheduled_message_id = ${scheduledMessageId} and state = 'scheduled'`
}

export async function putOffScheduled(tx: Tx, tenantId: number, scheduledMessageId: number, seconds: number): Promise<void> {
  await tx`
    update platform.scheduled_message set next_look = now() + make_interval(secs => ${seconds}::int)
    where tenant_id = ${tenantId} and scheduled_message_id = ${scheduledMessageId} and state = 'scheduled'`
}

export async function hasScheduled(tx: Tx, tenantId: number, conversationId: number): Promise<boolean> {
  const [row] = await tx<[{ isThere: boolean }]>`
    select exists (select from platform.scheduled_message
      where tenant_id = ${tenantId} and conversation_id = ${conversationId} and state = 'scheduled') as is_there`
  return row.isThere
}
