/** The query tree: conditions and orders on fields of sources. */
import type { CatalogProperty, DataType } from '#tools/entities/catalog.types.ts'
import type { Operator, SystemField } from '#tools/properties/operators.types.ts'
import type { Scalar } from '#tools/properties/service.ts'

import type { Link } from './relations.rules.ts'
import type { Source } from './source.rules.ts'

/** What a rule or a sort is about, and of which records. */
export type Field = RecordField | OutputField

/** A field of the records of a source. */
export type RecordField = { readonly source: Source; readonly dataType: DataType } & (
  | { readonly system: SystemField }
  | { readonly property: CatalogProperty }
)

/** A column of a report's result. */
export interface OutputField {
  readonly source: Source
  readonly dataType: DataType
  /** As an expression. */
  readonly output: string
  readonly name: string
  readonly sqlType: string
  /** The property whose values stand in it as they are, with its options. */
  readonly of?: CatalogProperty | undefined
}

export interface RuleNode {
  readonly kind: 'rule'
  readonly field: Field
  readonly op: Exclude<Operator, 'under'> | 'notBetween'
  /** Canonical; absent for isEmpty and isNotEmpty, two values for between. */
  readonly values: readonly Scalar[]
}
export interface GroupNode {
  readonly kind: 'group'
  readonly logic: 'AND' | 'OR'
  readonly nodes: readonly QueryNode[]
}
/** What one rule asks of a record: as a group of rules where it holds a time against several days. */
export type Comparison = RuleNode | GroupNode
/** A condition on the records that are related to one of another source. */
export interface RelatedNode {
  readonly kind: 'related'
  readonly from: Source
  /** The related records, by whichever way they are reached. */
  readonly source: Source
  readonly ways: readonly { readonly link: Link; readonly through: readonly Source[] }[]
  /** How many of them fulfil the condition; where there are none, `none` and `every` hold. */
  readonly has: 'some' | 'none' | 'every'
  readonly node: QueryNode
  /** Which one of its query it is, from 1. */
  readonly nth: number
}
export type QueryNode = RuleNode | GroupNode | RelatedNode

export interface SortKey {
  readonly field: Field
  readonly direction: 'asc' | 'desc'
  /** Where the field is one of a parent: how that is reached. */
  readonly reached?: ReachedParent | undefined
}
/** Chains of parents, from that of a record of `from` to the one that is meant. A record stands below one of them at most. */
export interface ReachedParent {
  readonly from: Source
  readonly chains: readonly (readonly Source[])[]
}
