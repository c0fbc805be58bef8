/** The SQL of what may have come in unheard. */
import type { Tx } from '#platform/db/pool.ts'

export interface Sleeping {
  readonly tenantId: number
  readonly conversationId: number
  readonly afterSeq: number
}

/** Those of these conversations in which something came in after the number, or that have ended or are gone. As the look-up role. */
export async function listStirred(tx: Tx, sleeping: readonly Sleeping[]): Promise<number[]> {
  const rows = await tx<{ conversationId: number }[]>`
    select distinct s.conversation_id
    from unnest(${sleeping.map((one) => one.tenantId)}::int[], ${sleeping.map((one) => one.conversationId)}::bigint[], ${sleeping.map((one) => one.afterSeq)}::int[])
        s (tenant_id, conversation_id, after_seq)
      left join platform.conversation c on c.tenant_id = s.tenant_id and c.conversation_id = s.conversation_id
    where c.conversation_id is null or c.state = 'ended' or c.last_inbound_seq > s.after_seq`
  return rows.map(({ conversationId }) => conversationId)
}
