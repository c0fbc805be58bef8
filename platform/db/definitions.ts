/** Changes of definitions: serialised within a tenant, shut off from the writers of the entities they touch, and visible as a new catalog version. */
import { AppError } from '../errors.ts'
import type { TxContext } from '../operation.ts'
import { readDefinitionSize, refuseTooManyDefinitions } from './definition-limits.ts'
import { entityLockKey } from './entity-lock.ts'
import type { Tx } from './pool.ts'
import { sqlState } from './transaction.ts'

const lockMs = 200
const lockAttempts = 25

export interface DefinitionVersions {
  /** Of what records are compiled for: entities, properties, options. */
  readonly version: number
  /** Of all other definitions, which may be kept under both. */
  readonly otherVersion: number
  /** Whether this transaction has raised one of them and may still roll back. */
  readonly isOwn: boolean
}

/** The versions of the tenant's definitions. */
export async function readCatalogVersion(tx: Tx, tenantId: number): Promise<DefinitionVersions> {
  const [row] = await tx<DefinitionVersions[]>`
    select catalog_version as version, other_definitions_version as other_version,
      coalesce(xmin = pg_current_xact_id_if_assigned()::xid, false) as is_own
    from platform.tenant where tenant_id = ${tenantId}`.execute()
  return row ?? { version: 0, otherVersion: 0, isOwn: false }
}

/** New ids for properties, options, entities and what they are composed of. */
export async function takeCatalogIds(tx: Tx, count: number): Promise<number[]> {
  if (count === 0) return []
  const rows = await tx<{ id: number }[]>`select nextval('platform.catalog_id')::int as id from generate_series(1, ${count}::int)`
  return rows.map((row) => row.id)
}

/**
 * Runs a change of definitions that records are compiled for. Raises the catalog version first, which makes changes of one tenant follow each other, so
 * that `find` and `work` read what stays true; then takes the exclusive lock of each entity that `find` names, so that no record is written for the old definition after the
 * commit. Throws AppError `unavailable` when an entity is written without a gap for some five seconds, `too_large` past what a tenant may define.
 */
export async function changeDefinitions<T>(context: TxContext, find: () => Promise<readonly number[]>, work: () => Promise<T>): Promise<T> {
  const { tx, tenantId } = context
  await tx`update platform.tenant set catalog_version = catalog_version + 1 where tenant_id = ${tenantId}`
  const entityIds = [...new Set(await find())].sort((a, b) => a - b)
  if (entityIds.length > 0) await lockEntities(tx, tenantId, entityIds)
  return withinLimits(context, work)
}

/**
 * Runs a change of definitions that shape no record: names, categories, views, forms. Saves go on with the catalog that they have kept; one such change
 * follows another, and those of `changeDefinitions`, as these do.
 */
export async function changeOtherDefinitions<T>(context: TxContext, work: () => Promise<T>): Promise<T> {
  const { tx, tenantId } = context
  await tx`update platform.tenant set other_definitions_version = other_definitions_version + 1 where tenant_id = ${tenantId}`
  return withinLimits(context, work)
}

async function withinLimits<T>({ tx, tenantId }: TxContext, work: () => Promise<T>): Promise<T> {
  const before = await readDefinitionSize(tx, tenantId)
  const result = await work()
  refuseTooManyDefinitions(before, await readDefinitionSize(tx, tenantId))
  return result
}

/** Exclusively, in the order of their ids. Each try is short, because writers queue behind a waiting exclusive lock. */
async function lockEntities(tx: Tx, tenantId: number, entityIds: readonly number[]): Promise<void> {
  const keys = JSON.stringify(entityIds.map((entityId) => entityLockKey(tenantId, entityId)))
  for (let attempt = 1; ; attempt++) {
    await tx.unsafe('savepoint lock_entities')
    try {
      await tx.unsafe(`set local lock_timeout = '${lockMs}ms'`)
      await tx`select pg_advisory_xact_lock(key::bigint) from json_array_elements_text(${keys}::text::json) as key`
      await tx.unsafe('set local lock_timeout to default')
      await tx.unsafe('release savepoint lock_entities')
      return
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error
      await tx.unsafe('rollback to savepoint lock_entities')
      if (attempt >= lockAttempts) {
        throw new AppError('unavailable', 'Records of the entity are being written without a pause. Try again in a moment.', {
          cause: error,
          retryAfterSeconds: 2,
        })
      }
      await new Promise((resolve) => setTimeout(resolve, 10 * Math.min(attempt, 5)))
    }
  }
}
