/** How a worker looks for what is due: again at once where it found something, else after a pause, or sooner where somebody pokes it. */
import type { Services } from '#platform/services.ts'

export interface Looking {
  /** Resolves once the look under way has ended. */
  stop(): Promise<void>
}

export interface Look {
  /** Who pokes it. */
  readonly topic: string
  readonly pauseMs: number
  /** Does what is due now, some of it at a time; answers how much. What it throws is told, and it is asked again after the pause. */
  once(): Promise<number>
  /** What the log says where it throws. */
  readonly complaint: string
}

/** The rows are the truth: several of these, in several processes, do each thing once. */
export function keepLooking({ wake, log }: Pick<Services, 'wake' | 'log'>, { topic, pauseMs, once, complaint }: Look): Looking {
  const stopping = new AbortController()
  async function loop(): Promise<void> {
    const poked = wake.listen(topic)
    while (!stopping.signal.aborted) {
      try {
        if ((await once()) > 0) continue
      } catch (error) {
        log.warn({ err: error, topic }, complaint)
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

/** Does work at most once in so long, at first at once. What fails is done at the next time: what it stands beside goes on meanwhile. */
export function every(ms: number, work: () => Promise<unknown>): () => Promise<void> {
  let doneAt: number | undefined
  return async () => {
    if (doneAt !== undefined && performance.now() - doneAt <= ms) return
    doneAt = performance.now()
    await work()
  }
}
