/** The log of what happened, written in the transaction that does it. Who watches for it is asked afterwards, by whoever carries events on. */
import type { Tx } from './db/pool.ts'
import { authorOf, type TxContext } from './operation.ts'
import type { EventFacts, RecordEventKind } from './shapes/event-kinds.ts'
import type { Origin } from './shapes/origin.ts'

/** Poked after a commit that told of something that somebody watches for. */
export const eventsTopic = 'events'

/** Records of one entity that a transaction has changed the same way. */
export interface ChangedRecords {
  readonly kind: RecordEventKind
  readonly ids: readonly number[]
  /** The version that the change made of each. */
  readonly versions: readonly number[]
  readonly isWatched: boolean
}

/** A record that something is about, or that it has brought forth: then with the version that it made. */
export interface AboutRecord {
  readonly entityId: number
  readonly eiRecordId: number
  readonly version?: number
}

const toldAtOnce = 1_000

interface Row {
  readonly kind: string
  readonly ids?: readonly number[]
  readonly versions?: readonly number[]
  readonly data?: unknown
  /** Absent: the database is asked. */
  readonly isWatched?: boolean
}

/** Who tells of something, when, and what for. */
export interface Teller {
  readonly tx: Tx
  readonly tenantId: number
  readonly at: string
  /** Null: the product. */
  readonly by: number | null
  readonly origin: Origin
}

/** Whether somebody watches for one of them. */
async function insertEvents({ tx, tenantId, at, by, origin }: Teller, entityId: number, rows: readonly Row[]): Promise<boolean> {
  const told = await tx<{ isWaiting: boolean }[]>`
    insert into platform.event (tenant_id, kind, at, by_user, entity_id, record_ids, versions, data, origin_kind, origin_id, depth, is_waiting, batch, starts_nothing)
    select ${tenantId}::int, kind, ${at}::timestamptz, ${by}::int, ${entityId}::int, ids, versions, data,
      ${origin.kind}, ${origin.id ?? null}::bigint, ${origin.depth}::smallint,
      coalesce("isWatched", exists (select from platform.event_watcher w where w.tenant_id = ${tenantId} and kind = any(w.event_kinds))),
      pg_current_xact_id()::text::bigint, ${origin.startsNothing ?? false}::boolean
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as told(kind text, ids bigint[], versions int[], data jsonb, "isWatched" boolean)
    returning is_waiting`.execute()
  return told.some(({ isWaiting }) => isWaiting)
}

/** Sent at once; the answer comes before the commit. */
async function insertOf(context: TxContext, entityId: number, rows: readonly Row[]): Promise<void> {
  const { tx, tenantId, stamp, actor, origin, services, afterCommit } = context
  const teller = { tx, tenantId, at: stamp, by: authorOf(actor) || null, origin }
  if (await insertEvents(teller, entityId, rows)) afterCommit(() => services.wake.poke(eventsTopic))
}

/** Tells of changed records of an entity. */
export function tellChanges(context: TxContext, entityId: number, changes: readonly ChangedRecords[]): void {
  if (changes.length > 0) context.assume(insertOf(context, entityId, changes))
}

function rowOf<Kind extends keyof EventFacts>(kind: Kind, facts: EventFacts[Kind], { eiRecordId, version }: Partial<AboutRecord>): Row {
  return {
    kind,
    data: facts,
    ...(eiRecordId === undefined ? {} : { ids: [eiRecordId] }),
    ...(version === undefined ? {} : { versions: [version] }),
  }
}

/** Tells what happened, and the record that it is about where it is about one. */
export function tell<Kind extends keyof EventFacts>(context: TxContext, kind: Kind, facts: EventFacts[Kind], about?: AboutRecord): void {
  context.assume(insertOf(context, about?.entityId ?? 0, [rowOf(kind, facts, about ?? {})]))
}

/** The same in a transaction that another domain began. True where somebody watches for it: whoever commits may poke them, who else look by themselves. */
export async function tellIn<Kind extends keyof EventFacts>(
  teller: Teller,
  kind: Kind,
  facts: EventFacts[Kind],
  about?: AboutRecord,
): Promise<boolean> {
  return insertEvents(teller, about?.entityId ?? 0, [rowOf(kind, facts, about ?? {})])
}

/** Of many things of one kind that happened at once, in a statement for each entity and some thousand of them. */
export function tellMany<Kind extends keyof EventFacts>(
  context: TxContext,
  kind: Kind,
  told: readonly { readonly facts: EventFacts[Kind]; readonly about?: AboutRecord | undefined }[],
): void {
  for (const [entityId, those] of Map.groupBy(told, ({ about }) => about?.entityId ?? 0)) {
    for (let from = 0; from < those.length; from += toldAtOnce) {
      const rows = those.slice(from, from + toldAtOnce).map(({ facts, about }) => rowOf(kind, facts, about ?? {}))
      context.assume(insertOf(context, entityId, rows))
    }
  }
}
