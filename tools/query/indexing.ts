/** Indexes follow use: what slow queries ask for again and again gets one, and what nothing uses any more loses it. Nobody sets anything. */
import { LRUCache } from 'lru-cache'

import { type Indexing, type IndexedTable, indexName, withIndexing } from '#platform/db/record-indexes.ts'
import { sqlState } from '#platform/db/transaction.ts'
import { kept } from '#platform/kept.ts'
import { observeIndexes } from '#platform/metrics.ts'
import type { Services } from '#platform/services.ts'

import { type CountedUse, type IndexPlan, planIndexes } from './uses.rules.ts'
import { builtIndexes, forgetBuilt, noteBuilt, recentUses } from './uses.store.ts'

const rememberedDays = 7
/** Of one tenant at a look: the others' tables come before its further ones. */
const mostBuilds = 2
const patienceMs = 5 * 60_000

/** What could not be built, or took too long, is not begun again at every look. */
const givenUpOf = kept(() => new LRUCache<string, true>({ max: 10_000, ttl: 3_600_000 }))

const placeOf = ({ tenantId, entityId }: Pick<IndexedTable, 'tenantId' | 'entityId'>, name: string) => `${tenantId}:${entityId}:${name}`

interface Kept {
  readonly built: readonly string[]
  readonly dropped: readonly string[]
  readonly failed: readonly string[]
}

/**
 * Looks once at what was asked of all records and brings their indexes after it, one after the other. Undefined where another process does so now. Writes
 * are not held up meanwhile; a build that a change of schema ends is begun again at the next look, with what else its table wants.
 */
export async function keepIndexes(services: Services, signal?: AbortSignal): Promise<Kept | undefined> {
  return withIndexing(
    services.databases,
    async (indexing) => {
      const used = await recentUses(indexing.sql, rememberedDays)
      const usesOf = new Map(used.map(({ tenantId, entityId, uses }) => [`${tenantId}:${entityId}`, uses]))
      const places = new Map([...used, ...(await indexing.indexed())].map((place) => [`${place.tenantId}:${place.entityId}`, place]))
      const outcome = { built: [] as string[], dropped: [] as string[], failed: [] as string[] }
      const builds = new Map<number, number>()
      let count = 0
      for (const table of await indexing.tables([...places.values()])) {
        if (signal?.aborted) break
        const plan = await planOf(indexing, table, usesOf.get(`${table.tenantId}:${table.entityId}`) ?? [])
        for (const name of plan.drop) await drop(services, indexing, table, name, outcome)
        for (const wanted of plan.build) {
          const begun = builds.get(table.tenantId) ?? 0
          if (signal?.aborted || begun >= mostBuilds) break
          if (givenUpOf(services).has(placeOf(table, indexName(wanted.index)))) continue
          builds.set(table.tenantId, begun + 1)
          // Whoever needed the table is not to wait for its next index as well.
          if ((await build(services, indexing, table, wanted, outcome)) === 'gaveWay') break
        }
        count += table.indexes.length
      }
      observeIndexes({
        built: outcome.built.length,
        dropped: outcome.dropped.length,
        failed: outcome.failed.length,
        present: count + outcome.built.length - outcome.dropped.length,
      })
      return outcome
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
  outcome: { dropped: string[]; failed: string[] },
): Promise<void> {
  const { tenantId, entityId } = table
  try {
    await indexing.drop(table, name)
    await forgetBuilt(indexing.sql, tenantId, entityId, name)
    outcome.dropped.push(name)
    services.log.info({ tenantId, entityId, index: name }, 'an index that nothing uses was dropped')
  } catch (error) {
    outcome.failed.push(name)
    services.log.warn({ err: error, tenantId, entityId, index: name }, 'an index could not be dropped')
  }
}

async function build(
  services: Services,
  indexing: Indexing,
  table: IndexedTable,
  { index, use }: IndexPlan['build'][number],
  outcome: { built: string[]; failed: string[] },
): Promise<'built' | 'failed' | 'gaveWay'> {
  const { tenantId, entityId } = table
  const name = indexName(index)
  const startedAt = performance.now()
  try {
    await indexing.build(table, index)
    const buildMs = performance.now() - startedAt
    await noteBuilt(indexing.sql, { tenantId, entityId, name, use, buildMs })
    outcome.built.push(name)
    services.log.info({ tenantId, entityId, index: name, use, buildMs }, 'an index was built')
    return 'built'
  } catch (error) {
    outcome.failed.push(name)
    // A change of schema that needs the table ends a build at once, and is no reason to wait.
    const gaveWay = sqlState(error) === '57014' && performance.now() - startedAt < patienceMs
    if (!gaveWay) givenUpOf(services).set(placeOf(table, name), true)
    services.log.warn({ err: error, tenantId, entityId, index: name }, 'an index could not be built; it is tried again later')
    return gaveWay ? 'gaveWay' : 'failed'
  }
}
