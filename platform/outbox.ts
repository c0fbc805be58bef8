/** The outbox: errands committed with the rows that they come from, carried out by the relay (`server/worker/relay.ts`). */
import type { Tx } from './db/pool.ts'
import type { Errand } from './shapes/errands.ts'
import { activeTraceparent } from './trace.ts'

/** Poked after a commit that wrote an outbox row. */
export const outboxTopic = 'outbox'

/** So many in one statement; more would hold the event loop while they are written as JSON. */
const rowsAtOnce = 1_000

/** Writes errands in their order. */
export async function insertErrands(tx: Tx, tenantId: number, errands: readonly Errand[]): Promise<void> {
  const traceparent = activeTraceparent() ?? null
  for (let from = 0; from < errands.length; from += rowsAtOnce) {
    const rows = errands.slice(from, from + rowsAtOnce).map(({ lane, subject, ...errand }) => ({
      lane,
      subject: subject ?? errand.workflowId ?? null,
      errand,
    }))
    await tx`
      insert into platform.outbox (tenant_id, lane, subject, errand, traceparent)
      select ${tenantId}::int, one ->> 'lane', one ->> 'subject', one -> 'errand', ${traceparent}
      from jsonb_array_elements(${JSON.stringify(rows)}::text::jsonb) with ordinality as given(one, place)
      order by place`
  }
}

/** How far the relay is behind, over all tenants. */
export interface OutboxBacklog {
  /** Events that were not carried out yet. */
  readonly waiting: number
  /** The age of the oldest of them in seconds; 0 where there is none. Minutes mean that no worker runs, or that Temporal is away. */
  readonly oldestSeconds: number
  /** Events that were refused too often and will not be tried again. */
  readonly givenUp: number
}

/** Read as the look-up role. */
export async function outboxBacklog(tx: Tx): Promise<OutboxBacklog> {
  const [row] = await tx<OutboxBacklog[]>`
    select waiting.count as waiting, waiting.oldest_seconds,
      (select count(*) from platform.outbox where dead_at is not null) as given_up
    from (
      select count(*), greatest(coalesce(extract(epoch from now() - min(created_at)), 0), 0)::float8 as oldest_seconds
      from platform.outbox where sent_at is null and dead_at is null
    ) waiting`
  if (!row) throw new Error('A count answered no row')
  return row
}
