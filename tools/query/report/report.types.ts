/** A report as it is read: the records that are joined, what the result shows of them, and how it is filtered and ordered. */
import type { Aggregate } from '#tools/properties/operators.types.ts'

import type { Link } from '../relations.rules.ts'
import type { Source } from '../source.rules.ts'
import type { OutputField, QueryNode, RecordField, SortKey } from '../tree.types.ts'
import type { cadences, DatePart } from './report.schema.ts'

export interface Join {
  readonly source: Source
  /** The records that these belong to. */
  readonly from: Source
  readonly link: Link
  readonly mode: 'inner' | 'left'
}

/** What is joined, from the first records on. */
export interface Tables {
  readonly root: Source
  readonly joins: readonly Join[]
  /** By what a definition calls them, in lower case. */
  readonly sources: ReadonlyMap<string, Source>
  /** What each is called in names of columns. */
  readonly names: ReadonlyMap<Source, string>
}

/** What a column of the result is made of. */
export type Made =
  | { readonly kind: 'column'; readonly field: RecordField }
  | { readonly kind: 'group'; readonly field: RecordField; readonly datePart: DatePart | undefined }
  | {
      readonly kind: 'aggregate'
      readonly fn: Aggregate
      /** Undefined: it counts rows, or where `of` says so those that have a record of it. */
      readonly field: RecordField | undefined
      readonly of: Source | undefined
      readonly isDistinct: boolean
      readonly filter: QueryNode | undefined
    }

/** A column of the result. */
export interface Output {
  readonly made: Made
  /** `Entity_Property`. */
  readonly pivotName: string
  /** The alias, else the same. */
  readonly name: string
  readonly isAliased: boolean
  /** The column as filters and orders of the result name it. */
  readonly result: OutputField
}

export interface Variance {
  /** ISO 8601. */
  readonly from: string
  readonly to: string
  readonly cadence: (typeof cadences)[number]
}

export interface Report {
  readonly tables: Tables
  readonly outputs: readonly Output[]
  /** Whether a row is a group, and not what was joined. */
  readonly isGrouped: boolean
  readonly filter: QueryNode | undefined
  readonly having: QueryNode | undefined
  readonly sort: readonly SortKey[]
  /** Of the caller, for parts of dates. */
  readonly timeZone: string
  readonly variance: Variance | undefined
}
