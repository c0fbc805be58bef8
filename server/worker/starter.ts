/** Starts the runs that triggers matched, and lets those go that are held. The rows are the truth: several of them, in several processes, start each once. */
import type { Services } from '#platform/services.ts'
import {
  dropOldCauses,
  findFlowVersion,
  fireDue,
  type FindFlowVersion,
  lookForDates,
  releaseHeld,
  startsTopic,
} from '#tools/workflows/service.ts'

export interface Starter {
  /** Resolves once nothing is due. For tests, which drain instead of sleeping. */
  drain(): Promise<void>
  stop(): Promise<void>
}

const pauseMs = 1_000
const sweepMs = 3_600_000
/** Nothing pokes it: what comes due comes by itself. */
const datesTopic = 'dates'

export function startStarter(
  services: Services,
  { findVersion = findFlowVersion, isIdle = false }: { readonly findVersion?: FindFlowVersion; readonly isIdle?: boolean } = {},
): Starter {
  const { wake, log } = services
  const stopping = new AbortController()
  let sweptAt = -Infinity

  async function work(): Promise<number> {
    if (performance.now() - sweptAt > sweepMs) {
      sweptAt = performance.now()
      await dropOldCauses(services)
    }
    return (await fireDue(services, findVersion)) + (await releaseHeld(services, findVersion))
  }

  const look = () => lookForDates(services, findVersion)

  async function loop(topic: string, once: () => Promise<number>): Promise<void> {
    const poked = wake.listen(topic)
    while (!stopping.signal.aborted) {
      try {
        if ((await once()) > 0) continue
      } catch (error) {
        log.warn({ err: error, topic }, 'runs to be started could not be looked for')
      }
      await poked.next(pauseMs, stopping.signal)
    }
    poked.close()
  }

  // Dates are looked for beside: many of them hold up no run that is to be started.
  const running = isIdle ? [] : [loop(startsTopic, work), loop(datesTopic, look)]
  return {
    async drain() {
      while ((await look()) + (await work()) > 0);
    },
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
