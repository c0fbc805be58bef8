/**
 * One clock for all who wait. A word of a change may be lost with the line that carries it, so each is looked at again once in so long: in rounds, many in one
 * question, so that ten thousand who wait cost what a handful does.
 */
import type { Logger } from './log.ts'

export interface Waiting {
  /** By `performance.now()`: when the question was last asked for it. */
  lookedAt: number
  /** When it must be asked for it again, however short ago that was. */
  dueAt?: number | undefined
}

export interface Rounds<W extends Waiting> {
  readonly all: ReadonlySet<W>
  add(waiting: W): void
  remove(waiting: W): void
  /** All of them are looked at now: something has changed. Those who come to it while a round is under way are looked at after it. */
  hurry(): void
  end(): void
}

export interface RoundsOptions<W extends Waiting> {
  /** None goes for longer without a look, as long as looks succeed. */
  readonly againMs: number
  /** How often the clock asks who is due; a second unless told. */
  readonly tickMs?: number | undefined
  /** Goes before each round, as long as anybody waits, and may say who is due; not where all are looked at. Where it throws they are, in a moment. */
  readonly before?: ((all: ReadonlySet<W>) => Promise<void>) | undefined
  /** Looks at so many at most. Where it throws they are looked at again in a moment. */
  readonly look: (some: readonly W[]) => Promise<void>
  readonly log: Logger
  /** What the log says where it throws. */
  readonly complaint: string
}

const atOnce = 1_000

/** Nobody waits yet, and no clock runs. */
export function createRounds<W extends Waiting>(options: RoundsOptions<W>): Rounds<W> {
  const { againMs, tickMs = 1_000, look, log, complaint } = options
  const all = new Set<W>()
  let clock: NodeJS.Timeout | undefined
  let isUnderWay = false
  let isHurried = false

  const due = () => {
    // Whoever would be late by the next round is looked at in this one.
    const now = performance.now()
    const before = now - againMs + tickMs
    return [...all].filter(({ lookedAt, dueAt = Infinity }) => lookedAt <= before || dueAt <= now)
  }

  async function lookAt(waiting: readonly W[]): Promise<void> {
    for (let from = 0; from < waiting.length; from += atOnce) {
      const some = waiting.slice(from, from + atOnce).filter((one) => all.has(one))
      const began = performance.now()
      if (some.length > 0) await look(some)
      for (const one of some) one.lookedAt = Math.max(one.lookedAt, began)
    }
  }

  async function round(): Promise<void> {
    if (isUnderWay) return
    isUnderWay = true
    try {
      do {
        if (options.before && !isHurried) await options.before(all)
        const wanted = isHurried ? [...all] : due()
        isHurried = false
        await lookAt(wanted)
      } while (isHurried)
    } catch (error) {
      log.warn({ err: error }, complaint)
      isHurried = true
    } finally {
      isUnderWay = false
    }
  }

  function stop(): void {
    clearInterval(clock)
    clock = undefined
  }

  return {
    all,
    add(waiting) {
      all.add(waiting)
      clock ??= setInterval(() => void round(), tickMs).unref()
    },
    remove(waiting) {
      all.delete(waiting)
      if (all.size === 0) stop()
    },
    hurry() {
      if (all.size === 0) return
      isHurried = true
      void round()
    },
    end() {
      all.clear()
      stop()
    },
  }
}
