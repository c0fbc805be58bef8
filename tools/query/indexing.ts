/** Indexes follow use: what slow queries ask for again and again gets one, and what nothing uses any more loses it. Nobody sets anything. */
import { type Indexing, type IndexedTable, indexName, withIndexing } from '#platform/db/record-indexes.ts'
import { observeIndexes } from '#platform/metrics.ts'
import type { Services } from '#platform/services.ts'

import { type CountedUse, type IndexPlan, planIndexes } from './uses.rules.ts'
import { builtIndexes, forgetBuilt, noteBuilt, recentUses } from './uses.store.ts'

const rememberedDays = 7

interface Kept {
  readonly built: readonly string[]
  readonly dropped: readonly string[]
  readonly failed: readonly string[]
}

/**
 * Looks once at what was asked of all records and brings their indexes after it, one after the other. Undefined where another process does so now. Writes
 * are not held up meanwhile; a build that a change of schema ends is begun again at the next look.
 */
export async function keepIndexes(services: Services, signal?: AbortSignal): Promise<Kept | undefined> {
  return withIndexing(
    services.databases,
    async (indexing) => {
      const used = await recentUses(indexing.sql, rememberedDays)
      const usesOf = new Map(used.map(({ tenantId, entityId, uses }) => [`${tenantId}:${entityId}`, uses]))
      const places = new Map([...used, ...(await indexing.indexed())].map((place) => [`${place.tenantId}:${place.entityId}`, place]))
      const kept = { built: [] as string[], dropped: [] as string[], failed: [] as string[] }
      let count = 0
      for (const table of await indexing.tables([...places.values()])) {
        if (signal?.aborted) break
        const plan = await planOf(indexing, table, usesOf.get(`${table.tenantId}:${table.entityId}`) ?? [])
        for (const name of plan.drop) await drop(services, indexing, table, name, kept)
        for (const wanted of plan.build) if (!signal?.aborted) await build(services, indexing, table, wanted, kept)
        count += table.indexes.length
      }
      observeIndexes({
        built: kept.built.length,
        dropped: kept.dropped.length,
        failed: kept.failed.length,
        present: count + kept.built.length - kept.dropped.length,
      })
      return kept
    },
    signal,
  )
}

async function planOf(indexing: Indexing, table: IndexedTable, uses: readonly CountedUse[]): Promise<IndexPlan> {
  const built = await builtIndexes(indexing.sql, table.tenantId, table.entityId)
  const builtAt = new Map(built.map(({ name, builtAtMs }) => [name, builtAtMs]))
  return planIndexes(table, uses, (name) => builtAt.get(name), Date.now())
}

async function drop(
  services: Services,
  indexing: Indexing,
  table: IndexedTable,
  name: string,
  kept: { dropped: string[]; failed: string[] },
): Promise<void> {
  const { tenantId, entityId } = table
  try {
    await indexing.drop(table, name)
    await forgetBuilt(indexing.sql, tenantId, entityId, name)
    kept.dropped.push(name)
    services.log.info({ tenantId, entityId, index: name }, 'an index that nothing uses was dropped')
  } catch (error) {
    kept.failed.push(name)
    services.log.warn({ err: error, tenantId, entityId, index: name }, 'an index could not be dropped')
  }
}

async function build(
  services: Services,
  indexing: Indexing,
  table: IndexedTable,
  { index, use }: IndexPlan['build'][number],
  kept: { built: string[]; failed: string[] },
): Promise<void> {
  const { tenantId, entityId } = table
  const name = indexName(index)
  const startedAt = performance.now()
  try {
    await indexing.build(table, index)
    const buildMs = performance.now() - startedAt
    await noteBuilt(indexing.sql, { tenantId, entityId, name, use, buildMs })
    kept.built.push(name)
    services.log.info({ tenantId, entityId, index: name, use, buildMs }, 'an index was built')
  } catch (error) {
    kept.failed.push(name)
    services.log.warn({ err: error, tenantId, entityId, index: name }, 'an index could not be built; it is tried again')
  }
}
