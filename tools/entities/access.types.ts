/** What the operations on access rules ask of the floor that reads records. It stands on entities, and so is handed in when the product is put together. */
import type { TxContext } from '#platform/operation.ts'
import type { Finding } from '#platform/validation.ts'

import type { OwnAccess } from './access.schema.ts'
import type { Catalog, CatalogEntity } from './catalog.types.ts'

export interface AccessFloor {
  /** What is wrong with a filter of the entity's records that stands at `path`; `hasTokens` says that values may be tokens of the caller. */
  readonly findFilterIssues: (catalog: Catalog, entity: CatalogEntity, filter: unknown, path: string, hasTokens: boolean) => Finding[]
  /** Those of these records of the entity that the caller sees. */
  readonly seenAmong: (context: TxContext, catalog: Catalog, entity: CatalogEntity, ids: readonly number[]) => Promise<ReadonlySet<number>>
  /** What the caller may do with records of the entity. */
  readonly ownAccessOf: (context: TxContext, catalog: Catalog, entity: CatalogEntity) => Promise<OwnAccess>
}
