/** Which columns the tables of entities have. */
import { LRUCache } from 'lru-cache'

import { presentColumns } from '#platform/db/records.ts'
import { kept } from '#platform/kept.ts'
import type { TxContext } from '#platform/operation.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

/** Indexes come and go; who has not heard of it yet reads the same rows, only slower. */
const lookAgainMs = 60_000

/** Columns by tenant and entity, with the indexes. Columns are only ever added, so what was once seen stays true; a missing one is looked for again. */
const columnsSeenOf = kept(() => new LRUCache<string, Set<string>>({ max: 10_000, ttl: lookAgainMs }))

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
