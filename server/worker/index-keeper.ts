/** Looks now and then whether the indexes of records fit what is asked of them. */
import { setTimeout as pause } from 'node:timers/promises'

import type { Services } from '#platform/services.ts'
import { keepIndexes } from '#tools/query/service.ts'

const everyMs = 60_000

/** Starts looking. One process at a time does; the others ask in vain. */
export function startIndexKeeper(services: Services): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  async function loop(): Promise<void> {
    for (;;) {
      await pause(everyMs, undefined, { signal, ref: false })
      await keepIndexes(services, signal).catch((error: unknown) => services.log.warn({ err: error }, 'indexes could not be kept'))
    }
  }
  const running = loop().catch(() => {})
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
