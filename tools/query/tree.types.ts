/** The query tree: conditions and orders on fields of sources. */
import type { CatalogProperty, DataType } from '#tools/entities/catalog.schema.ts'
import type { Operator, SystemField } from '#tools/properties/operators.schema.ts'
import type { Scalar } from '#tools/properties/service.ts'

import type { Source } from './source.rules.ts'

/** What a rule or a sort is about, and of which records. */
export type Field = { readonly source: Source; readonly dataType: DataType } & (
  | { readonly system: SystemField }
  | { readonly property: CatalogProperty }
)

export interface RuleNode {
  readonly kind: 'rule'
  readonly field: Field
  readonly op: Operator
  /** Canonical; absent for isEmpty and isNotEmpty, two values for between. */
  readonly values: readonly Scalar[]
}
export interface GroupNode {
  readonly kind: 'group'
  readonly logic: 'AND' | 'OR'
  readonly nodes: readonly QueryNode[]
}
export type QueryNode = RuleNode | GroupNode

export interface SortKey {
  readonly field: Field
  readonly direction: 'asc' | 'desc'
}
