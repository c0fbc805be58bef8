/** What every statement on an entity's records begins with: the catalog it is compiled for, and the columns that exist. */
import { AppError } from '#platform/errors.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog, confirmCatalog, keptCatalog } from '#tools/entities/service.ts'

import { columnsSeen } from './columns-seen.ts'
import { type Asker, clockOf } from './reach.ts'
import { sightOf } from './sight.ts'
import type { Readable } from './source.rules.ts'

export interface ReadFrame extends Readable {
  readonly catalog: Catalog
  /** Whether the entity has a table at all: without one it has no records. */
  readonly hasTable: boolean
}

/** The entity that a path names: 404 where there is none, with the nearest name that there is. */
export function entityInPath(catalog: Catalog, idOrName: IdOrName): CatalogEntity {
  const found = catalog.byIdOrName.get(String(idOrName).toLowerCase())
  if (found) return found
  if (readIdOrName(idOrName).name === null) throw new AppError('not_found', 'No such entity.')
  const names = catalog.entities.map((entity) => entity.internalName)
  throw new AppError('not_found', 'No such entity.', { issues: [unknownName('$.entity', 'entity', idOrName, names, 'list_entities')] })
}

/** Prepares a read of an entity named in the path. */
export async function readFrame(context: TxContext, idOrName: IdOrName): Promise<ReadFrame> {
  const kept = keptCatalog(context)
  // The question after its version travels with the read itself.
  if (kept) context.assume(confirmCatalog(context, kept))
  const catalog = kept ?? (await cachedCatalog(context))
  return readFrameOf(context, catalog, entityInPath(catalog, idOrName))
}

/** An entity as its tables stand, as the caller sees it. */
export async function tablesOf(context: TxContext, catalog: Catalog, entity: CatalogEntity): Promise<Readable> {
  const wanted = entity.properties.map((property) => `c${property.columnId}`)
  const present = await columnsSeen(context, entity, wanted)
  return { catalog, entity, present, sight: entity.access && (await sightOf(context, catalog, entity, present)) }
}

export async function readFrameOf(context: TxContext, catalog: Catalog, entity: CatalogEntity): Promise<ReadFrame> {
  const { present, sight } = await tablesOf(context, catalog, entity)
  const sensitive = entity.properties.filter((property) => property.isSensitive).map((property) => property.internalName)
  if (sensitive.length > 0) context.audit({ entity: entity.internalName, sensitive })
  return { catalog, entity, present, hasTable: present.size > 0, sight }
}

/** The caller, who reads of other entities what they see of them, at their time. */
export function callerOf(context: TxContext, catalog: Catalog): Asker {
  return { look: (entity) => tablesOf(context, catalog, entity), clock: () => clockOf(context) }
}
