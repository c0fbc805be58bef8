/** Which records a caller sees, of those that something else than a query has found. */
import { entitiesOfRecords, inRecords } from '#platform/db/records.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { columnsSeen } from './columns-seen.ts'
import { readFrameOf } from './frame.ts'
import { listHoldings } from './holdings.store.ts'
import { type Holding, holdingRules, isKeyShown, seesEveryRow, showingRules, type Sight, type SightRule } from './sight.rules.ts'
import { sightOf } from './sight.ts'
import type { Readable } from './source.rules.ts'

/** Which of the caller's rules hold for these records. */
export async function holdingsOf(
  { tx, tenantId }: TxContext,
  readable: Readable,
  access: Sight,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Holding>> {
  if (ids.length === 0) return new Map()
  return inRecords(tx, tenantId, () => listHoldings(tx, readable, access, ids))
}

/** Those of these records of an entity, deleted ones too, that the caller sees. */
export async function seenAmong(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  return amongThose(context, catalog, entity, ids, (rules) => rules.length > 0)
}

/** Those of them that the caller sees with their key: one that follows from a withheld property names no record to them. */
export async function seenByKey(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  return amongThose(context, catalog, entity, ids, (rules) => rules.length > 0 && isKeyShown(entity, rules))
}

async function amongThose(
  context: TxContext,
  catalog: Catalog,
  entity: CatalogEntity,
  ids: readonly number[],
  isAmong: (reading: readonly SightRule[]) => boolean,
): Promise<ReadonlySet<number>> {
  if (!entity.access || ids.length === 0) return new Set(ids)
  const frame = await readFrameOf(context, catalog, entity)
  const { sight } = frame
  if (!sight || !frame.hasTable) return new Set(ids)
  const holdings = await holdingsOf(context, frame, sight, ids)
  return new Set(ids.filter((id) => isAmong(holdingRules(sight, holdings.get(id) ?? [], 'read'))))
}

/** Whether any entity has rules: without, everything is seen by role. */
export async function hasAccessRules(context: TxContext): Promise<boolean> {
  return (await cachedCatalog(context)).entities.some((entity) => entity.access !== undefined)
}

// Of a call: a page of runs asks for each.
const everything = new WeakMap<TxContext, Promise<boolean>>()

/** Whether no rule withholds anything from the caller: they see every row of every entity, and every property of it. */
export function seesEverything(context: TxContext): Promise<boolean> {
  const known = everything.get(context) ?? findWithheld(context).then((isWithheld) => !isWithheld)
  everything.set(context, known)
  return known
}

async function findWithheld(context: TxContext): Promise<boolean> {
  const catalog = await cachedCatalog(context)
  for (const entity of catalog.entities) {
    const sight = entity.access && (await sightOf(context, catalog, entity, await columnsSeen(context, entity, [])))
    if (sight && !(seesEveryRow(sight) && entity.properties.every((property) => showingRules(sight, property) === 'everywhere')))
      return true
  }
  return false
}

/** Those of these records, of whichever entities, that the caller sees. */
export async function seenOf(context: TxContext, catalog: Catalog, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0 || catalog.entities.every((entity) => entity.access === undefined)) return new Set(ids)
  const entityOf = await entitiesOfRecords(context.tx, context.tenantId, ids)
  const seen = new Set<number>()
  for (const [entityId, group] of Map.groupBy(ids, (id) => entityOf.get(id))) {
    const entity = catalog.byIdOrName.get(String(entityId))
    for (const id of entity ? await seenAmong(context, catalog, entity, group) : group) seen.add(id)
  }
  return seen
}
