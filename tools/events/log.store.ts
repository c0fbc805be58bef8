/** SQL of the log of what happened. */
import type { Tx } from '#platform/db/pool.ts'

import type { LoggedEvent } from './events.types.ts'

const head = (tx: Tx) => tx`e.event_id, e.kind, e.at, e.by_user, e.entity_id, e.data, e.origin_kind, e.origin_id, e.depth,
  e.batch, e.starts_nothing`

export interface EventPlace {
  readonly at: string
  readonly eventId: number
}

/** Of a row with ten thousand records no more come along than anybody looks at. */
export const recordsAtOnce = 1_000

export interface EventQuery {
  readonly kinds: readonly string[]
  readonly dateFrom: string | null
  readonly dateTo: string | null
  /** Those that stand before it, itself among them, without the records of it that are behind the reader. */
  readonly upTo: (EventPlace & { readonly done: number }) | null
  readonly limit: number
}

/** The newest first, of each the first of its records. Of each kind the index has them in order. */
export async function listLogged(tx: Tx, tenantId: number, { kinds, dateFrom, dateTo, upTo, limit }: EventQuery): Promise<LoggedEvent[]> {
  const behind = tx`case when e.event_id = ${upTo?.eventId ?? 0}::bigint then ${upTo?.done ?? 0}::int else 0 end`
  const some = tx`[${behind} + 1 : ${behind} + ${recordsAtOnce}::int]`
  return tx<LoggedEvent[]>`
    select found.* from unnest(${tx.array([...kinds])}::text[]) as wanted(kind), lateral (
      select ${head(tx)}, e.record_ids${some} as record_ids, e.versions${some} as versions from platform.event e
      where e.tenant_id = ${tenantId} and e.kind = wanted.kind
        and e.at >= coalesce(${dateFrom}::text::timestamptz, '-infinity') and e.at <= coalesce(${dateTo}::text::timestamptz, 'infinity')
        and (e.at, e.event_id) <= (coalesce(${upTo?.at ?? null}::text::timestamptz, 'infinity'), coalesce(${upTo?.eventId ?? null}::bigint, 9223372036854775807))
      order by e.at desc, e.event_id desc
      limit ${limit}
    ) found
    order by found.at desc, found.event_id desc
    limit ${limit}`
}

/** These events, each by its kind, time and id. */
export async function findLogged(
  tx: Tx,
  tenantId: number,
  places: readonly (EventPlace & { readonly kind: string })[],
): Promise<LoggedEvent[]> {
  if (places.length === 0) return []
  return tx<LoggedEvent[]>`
    select distinct on (e.event_id) ${head(tx)}, e.record_ids, e.versions
    from json_to_recordset(${JSON.stringify(places)}::text::json) as p(kind text, at timestamptz, "eventId" bigint)
      join platform.event e on e.tenant_id = ${tenantId} and e.kind = p.kind and e.at = p.at and e.event_id = p."eventId"
    order by e.event_id`
}
