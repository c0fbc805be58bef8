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
}
