/** Counts what slow queries ask of records: in the process first, and now and then for all. */
import { kept } from '#platform/kept.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'

import type { Source } from './source.rules.ts'
import type { QueryNode, SortKey } from './tree.types.ts'
import { type Use, useOf } from './uses.rules.ts'
import { addUses } from './uses.store.ts'

/** What takes less is no reason for an index: a small table is read whole in that time. */
const slowMs = 5
const flushEveryMs = 10_000
/** Of as many different uses a process keeps count at a time. Others wait for the next time. */
const mostUses = 2_000

interface Counted {
  readonly tenantId: number
  readonly entityId: number
  readonly use: Use
  times: number
  costMs: number
}

interface Counting {
  readonly counts: Map<string, Counted>
  timer: NodeJS.Timeout | undefined
}

const countingOf = kept<Counting>(
  () => ({ counts: new Map(), timer: undefined }),
  (counting) => clearTimeout(counting.timer),
)

/** Notes that a query took so long. Only slow ones count. */
export function noteUse(
  context: Pick<TxContext, 'services' | 'tenantId'>,
  source: Source,
  query: { readonly filter: QueryNode | undefined; readonly sort?: readonly SortKey[] | undefined },
  tookMs: number,
): void {
  if (tookMs < slowMs) return
  const use = useOf(source, query.filter, query.sort ?? [])
  if (!use) return
  const { services, tenantId } = context
  const { entityId } = source.entity
  const counting = countingOf(services)
  const name = JSON.stringify([tenantId, entityId, use])
  const counted = counting.counts.get(name)
  if (counted) {
    counted.times++
    counted.costMs += tookMs
  } else if (counting.counts.size < mostUses) counting.counts.set(name, { tenantId, entityId, use, times: 1, costMs: tookMs })
  counting.timer ??= setTimeout(() => {
    flushUses(services).catch((error: unknown) => services.log.warn({ err: error }, 'what queries asked could not be counted'))
  }, flushEveryMs).unref()
}

/** Writes what this process has counted. What cannot be written is lost: it is asked again. */
export async function flushUses(services: Services): Promise<void> {
  const counting = countingOf(services)
  clearTimeout(counting.timer)
  counting.timer = undefined
  const all = [...counting.counts.values()]
  counting.counts.clear()
  for (const [tenantId, uses] of Map.groupBy(all, (counted) => counted.tenantId))
    await services.databases.transact({ tenantId }, ({ tx }) => addUses(tx, tenantId, uses))
}
