/** How many calls each tenant makes a day: counted here, and added up in the database now and then, so that no call waits for it. */
import { setInterval } from 'node:timers'

import { kept } from './kept.ts'
import type { Services } from './services.ts'

const everyMs = 10_000

const countersOf = kept(
  (services) => {
    const calls = new Map<number, number>()
    const timer = setInterval(() => void flush(services, calls), everyMs).unref()
    return { calls, end: () => clearInterval(timer) }
  },
  ({ end }) => end(),
)

export function countCall(services: Services, tenantId: number): void {
  const { calls } = countersOf(services)
  calls.set(tenantId, (calls.get(tenantId) ?? 0) + 1)
}

/** Adds up what this process has counted. */
export async function flushCalls(services: Services): Promise<void> {
  await flush(services, countersOf(services).calls)
}

async function flush({ databases, log }: Services, calls: Map<number, number>): Promise<void> {
  if (calls.size === 0) return
  const counted = [...calls]
  calls.clear()
  try {
    await databases.lookUp(
      (tx) => tx`
        insert into platform.tenant_calls as c (tenant_id, day, calls)
        select t.tenant_id, (now() at time zone 'UTC')::date, n.calls
        from unnest(${counted.map(([tenantId]) => tenantId)}::int[], ${counted.map(([, n]) => n)}::int[]) n (tenant_id, calls)
          join platform.tenant t on t.tenant_id = n.tenant_id
        order by t.tenant_id
        on conflict (tenant_id, day) do update set calls = c.calls + excluded.calls`,
    )
  } catch (error) {
    for (const [tenantId, n] of counted) calls.set(tenantId, (calls.get(tenantId) ?? 0) + n)
    log.debug({ err: error }, 'calls could not be added up')
  }
}
