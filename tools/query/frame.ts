/** What every statement on an entity's records begins with: the catalog it is compiled for, and the columns that exist. */
import { LRUCache } from 'lru-cache'

import { presentColumns } from '#platform/db/records.ts'
import { AppError } from '#platform/errors.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import { kept } from '#platform/kept.ts'
import type { TxContext } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.schema.ts'
import { cachedCatalog, confirmCatalog, keptCatalog } from '#tools/entities/service.ts'

import type { Readable } from './source.rules.ts'

/** Columns by tenant and entity. Columns are only ever added, so what was once seen stays true; a missing one is looked for again. */
const columnsSeenOf = kept(() => new LRUCache<string, Set<string>>({ max: 10_000 }))

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

/** The columns of the entity's table; asked again where `wanted` ones are missing from what was seen. */
export async function columnsSeen(context: TxContext, entity: CatalogEntity, wanted: readonly string[]): Promise<Set<string>> {
  const known = columnsSeenOf(context.services)
  const name = `${context.tenantId}:${entity.entityId}`
  const seen = known.get(name)
  if (seen && seen.size > 0 && wanted.every((column) => seen.has(column))) return seen
  const present = await presentColumns(context.tx, context.tenantId, entity.entityId)
  if (present.size > 0) known.set(name, present)
  return present
}

/** Prepares a read of an entity named in the path. */
export async function readFrame(context: TxContext, idOrName: IdOrName): Promise<ReadFrame> {
  const kept = keptCatalog(context)
  // The question after its version travels with the read itself.
  if (kept) context.assume(confirmCatalog(context, kept))
  const catalog = kept ?? (await cachedCatalog(context))
  return readFrameOf(context, catalog, entityInPath(catalog, idOrName))
}

export async function readFrameOf(context: TxContext, catalog: Catalog, entity: CatalogEntity): Promise<ReadFrame> {
  const present = await columnsSeen(
    context,
    entity,
    entity.properties.map((property) => `c${property.columnId}`),
  )
  const sensitive = entity.properties.filter((property) => property.isSensitive).map((property) => property.internalName)
  if (sensitive.length > 0) context.audit({ entity: entity.internalName, sensitive })
  return { catalog, entity, present, hasTable: present.size > 0 }
}
