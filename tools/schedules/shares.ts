/** What is due of many tenants, done in shares: one with thousands of things at nine o'clock takes a share of it, and those of others go between. */
import type { Databases } from '#platform/db/databases.ts'
import type { Tx } from '#platform/db/pool.ts'

import { shareOut } from './schedules.rules.ts'

const seenAtOnce = 200
const ofTenantAtOnce = 5
const tenantsAtOnce = 4

/**
 * Works on some of what is due of each tenant, and answers how many there were: 0 where nothing is due, or others see to it. `list` finds what is due, of all
 * tenants but those that are passed over, as the look-up role; `work` answers whether it found its own still to be done.
 */
export async function workInShares<Due extends { readonly tenantId: number }>(
  databases: Databases,
  list: (tx: Tx, passed: readonly number[], limit: number) => Promise<readonly Due[]>,
  work: (due: Due) => Promise<boolean>,
): Promise<number> {
  const first = await databases.lookUp((tx) => list(tx, [], seenAtOnce))
  const filling = first.length < seenAtOnce ? [] : [...new Set(first.map(({ tenantId }) => tenantId))]
  // Those of the tenants that do not stand in front of everybody else.
  const others = filling.length === 0 ? [] : await databases.lookUp((tx) => list(tx, filling, seenAtOnce))
  const waiting = shareOut([...first, ...others], ofTenantAtOnce).values()
  let found = 0
  const carryOn = async () => {
    for (const share of waiting) for (const due of share) if (await work(due)) found++
  }
  await Promise.all(Array.from({ length: tenantsAtOnce }, carryOn))
  return found
}
