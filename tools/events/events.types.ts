/** What is told of changed records, and what whoever listens to it is. */
import type { TxContext } from '#platform/operation.ts'
import type { Origin } from '#platform/shapes/origin.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'

export type ChangeKind = 'added' | 'modified' | 'deleted' | 'restored'

/** By entityPropertyId, canonical; a property without a value is null or absent. */
type Values = ReadonlyMap<number, Value>

export interface RecordChange {
  readonly kind: ChangeKind
  readonly id: number
  /** The version that the change made. */
  readonly version: number
  /** What the record held until now. Undefined of a new one, and where no listener compares: it is read for those alone. */
  readonly before: Values | undefined
  /** Undefined of a deleted record. */
  readonly after: Values | undefined
  readonly origin: Origin
}

/** The entity of the changed records, in the catalog that the change was compiled for. */
export interface ChangedEntity {
  readonly catalog: Catalog
  readonly entity: CatalogEntity
}

/** Jobs that a listener has queued, by record. */
export type QueuedJobs = ReadonlyMap<number, readonly number[]>

export interface Listener {
  /** Whether it looks at `before` in changes of this kind. */
  compares(entity: CatalogEntity, kind: ChangeKind): boolean
  /** Acts on changes of one entity, in their transaction and set-based; sends no statement where they are none of its business. */
  hear(context: TxContext, of: ChangedEntity, changes: readonly RecordChange[]): Promise<QueuedJobs | undefined>
}

/** A row of the log. */
export interface LoggedEvent {
  readonly eventId: number
  readonly kind: string
  readonly at: string
  readonly byUser: number | null
  /** 0: it is about no record. */
  readonly entityId: number
  readonly recordIds: readonly number[] | null
  readonly versions: readonly number[] | null
  readonly data: Readonly<Record<string, unknown>> | null
  readonly originKind: string
  readonly originId: number | null
  readonly depth: number
  /** The transaction that told of it. */
  readonly batch: number | null
  /** It starts no run. */
  readonly startsNothing: boolean
}

/** Somebody who watches for what happens: a subscription, or a definition that it starts. */
export interface Watcher {
  readonly watcherId: number
  readonly watcherKind: string
  readonly definitionId: number
  /** What of the definition watches; empty: all of it. */
  readonly part: string
  readonly eventKinds: readonly string[]
  /** Null: records of every entity. */
  readonly entityId: number | null
  /** Null: whatever changed. */
  readonly propertyIds: readonly number[] | null
  /** JSON text of `{filter}`, and of the ids of what it names; null: every record. */
  readonly filter: string | null
  readonly filterRefs: string | null
  /** In whose name it looks, and at most with which roles. */
  readonly ownerId: number
  readonly roleFlag: number
  readonly since: string
}

export type NewWatcher = Omit<Watcher, 'watcherId' | 'definitionId' | 'since'>

/** A record as it was in one version. */
export interface VersionOf {
  readonly id: number
  readonly version: number
}

/** What of an event a watcher wanted: of records those that fulfil its filter, of anything else none. */
export interface Matched {
  readonly watcher: Watcher
  readonly event: LoggedEvent
  readonly records: readonly VersionOf[]
}

/** What watchers of one kind do with what they wanted. */
export interface WatcherKind {
  /** It asks the filters of its watchers again, so that one which cannot be asked wants everything. */
  readonly asksAgain?: true
  /** Takes matches, oldest event first, in the transaction that notes that the events were carried on: what it does not keep there may be done twice. */
  matched(context: TxContext, matches: readonly Matched[]): Promise<void>
}

export type WatcherKinds = Readonly<Record<string, WatcherKind>>
