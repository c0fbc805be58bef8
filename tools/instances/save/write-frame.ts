/** What every write to an entity's records begins with, beside what a read does: the lock of writers, the epoch, and tables that have every column. */
import { ensureTables } from '#platform/db/records.ts'
import { compareEpoch, readEpoch } from '#platform/db/epoch.ts'
import { lockEntityShared } from '#platform/db/entity-lock.ts'
import { StaleRead } from '#platform/db/transaction.ts'
import { kept } from '#platform/kept.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog, confirmCatalog, keptCatalog } from '#tools/entities/service.ts'
import { columnsOf, columnsSeen, type ReadFrame, type Sight, sightOf } from '#tools/query/service.ts'

/** A save compares with all that a record holds: what its caller may see and do is asked apart. */
export interface WriteFrame extends ReadFrame {
  readonly sight: undefined
  /** Undefined: everything, by role. */
  readonly access: Sight | undefined
  readonly epoch: number
  /** Rows are only tried: nothing is locked, drawn or written. */
  readonly isDry?: true
}

/** The epoch as it was last seen; a write goes on with it while it asks. */
const epochSeenOf = kept((): { epoch: number | undefined } => ({ epoch: undefined }))

/** The epoch to write in, and the question whether it still is. Sent at once. */
async function confirmEpoch({ tx, services }: TxContext): Promise<number> {
  const found = await readEpoch(tx)
  const seen = epochSeenOf(services)
  const { epoch } = seen
  if (!found) throw new StaleRead('the cluster was restarted', () => compareEpoch(services.databases))
  seen.epoch = found.epoch
  if (epoch !== undefined && found.epoch !== epoch) throw new StaleRead('a new epoch has begun', async () => {})
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
  const seenEpoch = epochSeenOf(services).epoch
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
  const access = entity.access && (await sightOf(context, catalog, entity, present))
  return { catalog, entity, present, hasTable: true, sight: undefined, access, epoch }
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
