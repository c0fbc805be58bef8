/** The SQL of messages that go out on another channel where they do not arrive. */
import type { Tx } from '#platform/db/pool.ts'

import type { Content } from '../conversations/content.ts'

/** What is said again on the next channel. */
export interface KeptContent extends Content {
  /** One of many at once. */
  readonly isToMany?: boolean | undefined
}

export interface FallbackRow {
  readonly messageId: number
  readonly conversationId: number
  readonly channels: readonly string[]
  readonly afterSeconds: number
  readonly content: KeptContent
  readonly ownerId: number
  readonly roleFlag: number
}

export interface DueFallback {
  readonly tenantId: number
  readonly messageId: number
}

const columns = (tx: Tx) => tx`message_id, conversation_id, channels, after_seconds, content, owner_id, role_flag`

/** Looked at after so many seconds, or at once. */
export async function insertFallback(tx: Tx, tenantId: number, made: FallbackRow, inSeconds: number): Promise<void> {
  await tx`
    insert into platform.message_fallback (tenant_id, message_id, conversation_id, channels, after_seconds, content, owner_id, role_flag, next_look)
    values (${tenantId}, ${made.messageId}, ${made.conversationId}, ${[...made.channels]}, ${made.afterSeconds}, ${JSON.stringify(made.content)}::text::jsonb,
      ${made.ownerId}, ${made.roleFlag}, now() + make_interval(secs => ${inSeconds}::float8))`
}

/** Of all tenants but those that are passed over, the longest due first. As the look-up role. */
export async function listDueFallbacks(tx: Tx, passed: readonly number[], limit: number): Promise<DueFallback[]> {
  return tx<DueFallback[]>`
    select tenant_id, message_id from platform.message_fallback
    where next_look <= now() and tenant_id <> all(${tx.array([...passed])}::int[])
    order by next_look, message_id
    limit ${limit}`
}

/** Takes one that is due, for so long. Undefined where it is not, or another process has it. */
export async function takeDueFallback(tx: Tx, tenantId: number, messageId: number, leaseSeconds: number): Promise<FallbackRow | undefined> {
  const [row] = await tx<FallbackRow[]>`
    update platform.message_fallback set next_look = now() + make_interval(secs => ${leaseSeconds}::int)
    where tenant_id = ${tenantId} and message_id = ${messageId} and next_look <= now()
    returning ${columns(tx)}`
  return row
}

/** Held until the transaction ends; false where it is over. Taken after the message, as whoever moves that on takes it. */
export async function lockFallback(tx: Tx, tenantId: number, messageId: number): Promise<boolean> {
  const [row] = await tx`
    select from platform.message_fallback
    where tenant_id = ${tenantId} and message_id = ${messageId} and next_look is not null
    for no key update`
  return row !== undefined
}

/** Whether the message goes in place of one that did not arrive. */
export async function isInPlace(tx: Tx, tenantId: number, messageId: number): Promise<boolean> {
  const [row] = await tx`
    select from platform.message_fallback where tenant_id = ${tenantId} and next_message_id = ${messageId}`
  return row !== undefined
}

/** Whether the same was said again later in the conversation, which goes on from there: a reminder of a question. */
export async function isSaidAgain(tx: Tx, tenantId: number, { messageId, conversationId }: FallbackRow): Promise<boolean> {
  const [row] = await tx`
    select from platform.message_fallback f join platform.message_fallback later on later.tenant_id = ${tenantId} and later.conversation_id = ${conversationId}
      and later.message_id > f.message_id and later.next_look is not null and later.content = f.content
    where f.tenant_id = ${tenantId} and f.message_id = ${messageId}
    limit 1`
  return row !== undefined
}

export async function endFallback(tx: Tx, tenantId: number, messageId: number, nextMessageId: number | null): Promise<void> {
  await tx`
    update platform.message_fallback set next_look = null, next_message_id = ${nextMessageId}
    where tenant_id = ${tenantId} and message_id = ${messageId}`
}

export async function putOffFallback(tx: Tx, tenantId: number, messageId: number, seconds: number): Promise<void> {
  await tx`
    update platform.message_fallback set next_look = now() + make_interval(secs => ${seconds}::float8)
    where tenant_id = ${tenantId} and message_id = ${messageId} and next_look is not null`
}

/** Has those looked at now that are known not to arrive. */
export async function hastenFallbacks(tx: Tx, tenantId: number, messageIds: readonly number[]): Promise<void> {
  await tx`
    update platform.message_fallback set next_look = least(next_look, now())
    where tenant_id = ${tenantId} and message_id = any(${[...messageIds]}::bigint[]) and next_look is not null`
}
