/** The ticker: looks once a second for schedules and messages that are due. Several of them, in several processes, do each once. */
import type { Services } from '#platform/services.ts'
import { sendDueMessages } from '#tools/messaging/service.ts'
import { fireDue, lookAgain, type ScheduleKinds, schedulesTopic } from '#tools/schedules/service.ts'

export interface Ticker {
  stop(): Promise<void>
}

const pauseMs = 1_000
const sweepMs = 60_000

export function startTicker(services: Services, kinds: ScheduleKinds): Ticker {
  const { wake, log } = services
  const stopping = new AbortController()
  let sweptAt: number | undefined

  async function loop(): Promise<void> {
    const poked = wake.listen(schedulesTopic)
    while (!stopping.signal.aborted) {
      try {
        if (sweptAt === undefined || performance.now() - sweptAt > sweepMs) {
          await lookAgain(services)
          sweptAt = performance.now()
        }
        const found = await Promise.all([fireDue(services, kinds), sendDueMessages(services)])
        if (found.some((count) => count > 0)) continue
      } catch (error) {
        log.warn({ err: error }, 'the ticker could not look for what is due')
      }
      await poked.next(pauseMs, stopping.signal)
    }
    poked.close()
  }

  const running = loop()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
