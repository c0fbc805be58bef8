/** What every statement on an entity's records begins with: the catalog it is compiled for, the columns that exist, and the lock of writers. */
import type { Databases } from '#platform/db/databases.ts'
import { ensureTables, presentColumns } from '#platform/db/records.ts'
import { compareEpoch, readEpoch } from '#platform/db/epoch.ts'
import { lockEntityShared } from '#platform/db/entity-lock.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { AppError } from '#platform/errors.ts'
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { unknownName } from '#platform/validation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.schema.ts'
import { cachedCatalog, confirmCatalog, keptCatalog } from '#tools/entities/service.ts'

import { columnsOf, createParameters } from './compile.rules.ts'
import { everythingOf, type Showing, type Shown } from './document.rules.ts'

/** Columns by tenant and entity, for each database. Columns are only ever added, so what was once seen stays true; a missing one is looked for again. */
const seenColumns = new WeakMap<Databases, Map<string, Set<string>>>()

export interface ReadFrame {
  readonly catalog: Catalog
  readonly entity: CatalogEntity
  readonly present: ReadonlySet<string>
  /** Whether the entity has a table at all: without one it has no records. */
  readonly hasTable: boolean
}

export interface WriteFrame extends ReadFrame {
  readonly epoch: number
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
async function columnsSeen(context: TxContext, entity: CatalogEntity, wanted: readonly string[]): Promise<Set<string>> {
  const { databases } = context.services
  const known = seenColumns.get(databases) ?? new Map<string, Set<string>>()
  seenColumns.set(databases, known)
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

/** The epoch of each database as it was last seen; a write goes on with it while it asks. */
const seenEpochs = new WeakMap<Databases, number>()

/** The epoch to write in, and the question whether it still is. Sent at once. */
async function confirmEpoch({ tx, services: { databases } }: TxContext): Promise<number> {
  const found = await readEpoch(tx)
  const seen = seenEpochs.get(databases)
  if (found) seenEpochs.set(databases, found.epoch)
  if (!found) throw new StaleRead('the cluster was restarted', () => compareEpoch(databases))
  if (seen !== undefined && found.epoch !== seen) throw new StaleRead('a new epoch has begun', async () => {})
  return found.epoch
}

/**
 * Prepares a write: takes the entities' locks shared, then asks whether the catalog is still the one compiled for and the cluster in the known
 * epoch, in this order and without waiting for the answers, which come before the commit; the tables must have every column, and what is missing is
 * made outside of this transaction, which then runs again.
 */
export async function writeFrame(
  context: TxContext,
  choose: (catalog: Catalog) => CatalogEntity,
  alsoLocked?: (catalog: Catalog, entity: CatalogEntity) => readonly number[],
): Promise<WriteFrame> {
  const { tx, tenantId, services } = context
  const catalog = keptCatalog(context) ?? (await cachedCatalog(context))
  let entity: CatalogEntity
  try {
    entity = choose(catalog)
  } catch (error) {
    // An entity that the kept catalog does not know may have been made since.
    await confirmCatalog(context, catalog)
    throw error
  }
  const locked = [...new Set([entity.entityId, ...(alsoLocked?.(catalog, entity) ?? [])])].sort((a, b) => a - b)
  for (const entityId of locked) context.assume(lockEntityShared(tx, tenantId, entityId))
  context.assume(confirmCatalog(context, catalog))
  const seenEpoch = seenEpochs.get(services.databases)
  const confirmed = confirmEpoch(context)
  context.assume(confirmed)
  const epoch = seenEpoch ?? (await confirmed)
  const columns = columnsOf(entity)
  const wanted = [
    'created_by',
    ...columns.flatMap(({ columnId, isNumbered }) => [`c${columnId}`, ...(isNumbered === true ? [`u${columnId}`] : [])]),
  ]
  const present = await columnsSeen(context, entity, wanted)
  if (wanted.some((column) => !present.has(column))) {
    throw new StaleRead('a table is missing', () => ensureTables(services.databases, tenantId, entity.entityId, columns))
  }
  return { catalog, entity, present, hasTable: true, epoch }
}

const columnNumber = /^c\d+$/

/**
 * Whether the records may hold what the entity no longer has, in columns of properties that were detached or changed between one value and many. Their
 * hashes, made before that, then differ from those of the same values now.
 */
export function outlivesProperties({ entity, present }: ReadFrame): boolean {
  let columns = 0
  for (const column of present) if (columnNumber.test(column)) columns++
  return columns > entity.properties.length
}

/** A fresh compilation of a statement on the entity, with its record row under `e`. */
export function compiling({ catalog, entity, present }: ReadFrame, shown: Shown = everythingOf(entity)): Showing {
  return { tenantId: catalog.tenantId, entity, present, parameters: createParameters(), alias: 'e', shown }
}
