/** The outbox: events committed with the rows that they tell of, carried out by the relay (`server/worker/relay.ts`). */
import type { Tx } from './db/pool.ts'
import { type DomainEvent, subjectOf } from './shapes/events.ts'
import { activeTraceparent } from './trace.ts'

/** Poked after a commit that wrote an outbox row. */
export const outboxTopic = 'outbox'

export async function insertOutboxEvent(tx: Tx, tenantId: number, event: DomainEvent): Promise<void> {
  await tx`
    insert into platform.outbox (tenant_id, subject, event, traceparent)
    values (${tenantId}, ${subjectOf(event)}, ${JSON.stringify(event)}::text::jsonb, ${activeTraceparent() ?? null})`
}
