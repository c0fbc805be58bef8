/** The purger: looks once a minute for tenants whose time to be kept is over, and removes them. It may take hours, so that nothing else waits for it. */
import type { Services } from '#platform/services.ts'
import { purgeDueTenants } from '#tools/tenants/service.ts'

import { keepLooking, type Looking } from './looking.ts'

export function startPurger(services: Services): Looking {
  const stopping = new AbortController()
  const looking = keepLooking(services, {
    topic: 'purges',
    pauseMs: 60_000,
    complaint: 'the purger could not look for tenants to remove',
    async once() {
      await purgeDueTenants(services, stopping.signal)
      return 0
    },
  })
  return {
    async stop() {
      stopping.abort()
      await looking.stop()
    },
  }
}
