/** The outbox: errands committed with the rows that they come from, carried out by the relay (`server/worker/relay.ts`). */
import type { Tx } from './db/pool.ts'
import { type Errand, type Lane, lanes } from './shapes/errands.ts'
import { activeTraceparent } from './trace.ts'

/** Poked after a commit that wrote errands, with whose they are and in which lane. */
export const outboxTopic = 'outbox'

/** A tenant in a lane: what the relay goes by. */
export interface Turn {
  readonly lane: Lane
  readonly tenantId: number
}

/** As the detail of a poke. */
export function turnText({ lane, tenantId }: Turn): string {
  return `${lane} ${tenantId}`
}

/** Undefined where it is none. */
export function readTurn(text: string): Turn | undefined {
  const [name, id] = text.split(' ')
  const [lane, tenantId] = [lanes.find((one) => one === name), Number(id)]
  return lane !== undefined && Number.isSafeInteger(tenantId) ? { lane, tenantId } : undefined
}

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

/** How far the relay is behind in a lane, over all tenants. */
interface LaneBacklog {
  /** Errands that were not carried out yet. */
  readonly waiting: number
  /** The age of the oldest of them in seconds; 0 where there is none. Minutes mean that no worker runs, or that Temporal is away. */
  readonly oldestSeconds: number
}

export interface OutboxBacklog {
  readonly lanes: Readonly<Record<Lane, LaneBacklog>>
  /** Errands that were refused too often and will not be tried again. */
  readonly givenUp: number
}

/** Read as the look-up role. */
export async function outboxBacklog(tx: Tx): Promise<OutboxBacklog> {
  const none = { waiting: 0, oldestSeconds: 0 }
  // Two indexes hold what waits: what may go, and what must wait for its time.
  const rows = await tx<(LaneBacklog & { lane: Lane })[]>`
    select lane, count(*) as waiting, greatest(extract(epoch from now() - min(created_at)), 0)::float8 as oldest_seconds
    from (
      select lane, created_at from platform.outbox where next_at is null and sent_at is null and dead_at is null
      union all
      select lane, created_at from platform.outbox where next_at is not null and sent_at is null and dead_at is null
    ) waiting
    group by lane`
  const [dead] = await tx<{ count: number }[]>`select count(*) from platform.outbox where dead_at is not null`
  const of = new Map(rows.map(({ lane, waiting, oldestSeconds }) => [lane, { waiting, oldestSeconds }]))
  return {
    lanes: { people: of.get('people') ?? none, triggers: of.get('triggers') ?? none, bulk: of.get('bulk') ?? none },
    givenUp: dead?.count ?? 0,
  }
}
