/** The log of what happened, written in the transaction that does it. Who watches for it is asked afterwards, by whoever carries events on. */
import { authorOf, type TxContext } from './operation.ts'
import type { EventFacts, RecordEventKind } from './shapes/event-kinds.ts'

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

interface Row {
  readonly kind: string
  readonly ids?: readonly number[]
  readonly versions?: readonly number[]
  readonly data?: unknown
  /** Absent: the database is asked. */
  readonly isWatched?: boolean
}

/** Sent at once; the answer comes before the commit. */
async function insertEvents(context: TxContext, entityId: number, rows: readonly Row[]): Promise<void> {
  const { tx, tenantId, stamp, actor, origin, services } = context
  const told = await tx<{ isWaiting: boolean }[]>`
    insert into platform.event (tenant_id, kind, at, by_user, entity_id, record_ids, versions, data, origin_kind, origin_id, depth, is_waiting, batch, starts_nothing)
    select ${tenantId}::int, kind, ${stamp}::timestamptz, ${authorOf(actor) || null}::int, ${entityId}::int, ids, versions, data,
      ${origin.kind}, ${origin.id ?? null}::bigint, ${origin.depth}::smallint,
      coalesce("isWatched", exists (select from platform.event_watcher w where w.tenant_id = ${tenantId} and kind = any(w.event_kinds))),
      pg_current_xact_id()::text::bigint, ${origin.startsNothing ?? false}::boolean
    from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as told(kind text, ids bigint[], versions int[], data jsonb, "isWatched" boolean)
    returning is_waiting`.execute()
  if (told.some(({ isWaiting }) => isWaiting)) context.afterCommit(() => services.wake.poke(eventsTopic))
}

/** Tells of changed records of an entity. */
export function tellChanges(context: TxContext, entityId: number, changes: readonly ChangedRecords[]): void {
  if (changes.length > 0) context.assume(insertEvents(context, entityId, changes))
}

/** Tells what happened, and the record that it is about where it is about one. */
export function tell<Kind extends keyof EventFacts>(context: TxContext, kind: Kind, facts: EventFacts[Kind], about?: AboutRecord): void {
  const { entityId = 0, eiRecordId, version } = about ?? {}
  const record = { ...(eiRecordId === undefined ? {} : { ids: [eiRecordId] }), ...(version === undefined ? {} : { versions: [version] }) }
  context.assume(insertEvents(context, entityId, [{ kind, data: facts, ...record }]))
}
