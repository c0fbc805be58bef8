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

import { every, keepLooking, type Looking } from './looking.ts'

export interface Starter extends Looking {
  /** Resolves once nothing is due. For tests, which drain instead of sleeping. */
  drain(): Promise<void>
}

const pauseMs = 1_000
const sweepMs = 3_600_000
/** Nothing pokes it: what comes due comes by itself. */
const datesTopic = 'dates'

export function startStarter(
  services: Services,
  { findVersion = findFlowVersion, isIdle = false }: { readonly findVersion?: FindFlowVersion; readonly isIdle?: boolean } = {},
): Starter {
  const sweep = every(sweepMs, () => dropOldCauses(services))
  async function work(): Promise<number> {
    await sweep()
    return (await fireDue(services, findVersion)) + (await releaseHeld(services, findVersion))
  }
  const look = () => lookForDates(services, findVersion)
  const common = { pauseMs, complaint: 'runs to be started could not be looked for' }
  // Dates are looked for beside: many of them hold up no run that is to be started.
  const running = isIdle
    ? []
    : [
        keepLooking(services, { ...common, topic: startsTopic, once: work }),
        keepLooking(services, { ...common, topic: datesTopic, once: look }),
      ]
  return {
    async drain() {
      while ((await look()) + (await work()) > 0);
    },
    async stop() {
      await Promise.all(running.map((one) => one.stop()))
    },
  }
}
