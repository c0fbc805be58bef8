/**
 * What callers share: connections, bytes. While others wait, what comes free goes to the one that holds least, so a tenant that floods waits for itself. A
 * part is kept for callers that hold nothing, so that nobody waits for another's slow calls; and one caller may be kept from having all of it, where
 * what is shared is scarcer than it looks.
 */
import { AppError } from './errors.ts'

export interface Share {
  /** From now on it is another amount: less frees at once, more is taken without waiting. */
  resize(amount: number): void
  /** Gives it back; a second time does nothing. */
  release(): void
}

export interface Shares {
  /** Waits for its turn. Throws AppError `unavailable` after the time or while too many wait, `rate_limited` where the caller itself has too many waiting. */
  take(caller: string, amount?: number, signal?: AbortSignal): Promise<Share>
  /** Takes without waiting, also beyond the capacity: of what is there already. */
  claim(caller: string, amount: number): Share
  /** Refuses whoever waits, and whoever comes. */
  close(refusal: AppError): void
  readonly stats: () => { readonly taken: number; readonly waiting: number }
}

export interface SharesOptions {
  readonly capacity: number
  /** Beyond the capacity, for callers that hold nothing. */
  readonly reserve: number
  /** The most that one caller may hold, while it is alone and while others take too. All of it where this is absent. */
  readonly ofCaller?: { readonly alone: number; readonly amongOthers: number }
  readonly waitMs: number
  /** How many may wait, of one caller and in all. */
  readonly waitingOfCaller: number
  readonly waitingInAll: number
  /** What there is too little of, for the sentence: "database connection". */
  readonly what: string
}

interface Waiter {
  readonly amount: number
  readonly grant: () => void
  readonly refuse: (error: AppError) => void
}

interface Caller {
  taken: number
  readonly waiting: Set<Waiter>
}

/** Others that took something so lately are likely to come again. */
const othersMs = 10_000

export function createShares(options: SharesOptions): Shares {
  const { capacity, reserve, ofCaller, waitMs, waitingOfCaller, waitingInAll, what } = options
  const callers = new Map<string, Caller>()
  let taken = 0
  let waiting = 0
  let closed: AppError | undefined
  let lastCaller: string | undefined
  let othersUntil = -Infinity

  function noteCaller(name: string): void {
    if (!ofCaller || name === lastCaller) return
    if (lastCaller !== undefined) othersUntil = performance.now() + othersMs
    lastCaller = name
  }

  const mostOfOne = () => (ofCaller ? (performance.now() < othersUntil ? ofCaller.amongOthers : ofCaller.alone) : Infinity)

  const fits = (caller: Caller, amount: number) =>
    (taken + amount <= (caller.taken === 0 ? capacity + reserve : capacity) && caller.taken + amount <= mostOfOne()) ||
    // One that is larger than everything there is gets it alone.
    taken === 0

  function callerOf(name: string): Caller {
    const known = callers.get(name)
    if (known) return known
    const made: Caller = { taken: 0, waiting: new Set() }
    callers.set(name, made)
    return made
  }

  function change(name: string, caller: Caller, amount: number): void {
    taken += amount
    caller.taken += amount
    if (caller.taken === 0 && caller.waiting.size === 0) callers.delete(name)
  }

  /** Of those who wait the one that holds least, the longest in the line among equals. */
  function neediest(): Caller | undefined {
    let found: Caller | undefined
    if (waiting === 0) return found
    for (const caller of callers.values()) {
      if (caller.waiting.size > 0 && caller.taken < (found?.taken ?? Infinity)) found = caller
    }
    return found
  }

  function serve(): void {
    if (closed) return
    for (let next = neediest(); next; next = neediest()) {
      const [first] = next.waiting
      if (!first || !fits(next, first.amount)) return
      first.grant()
    }
  }

  function shareOf(name: string, caller: Caller, amount: number): Share {
    let held = amount
    const resize = (to: number) => {
      const difference = to - held
      held = to
      if (difference !== 0) change(name, caller, difference)
      if (difference < 0) serve()
    }
    let isReleased = false
    return {
      resize: (to) => {
        if (!isReleased) resize(to)
      },
      release() {
        if (isReleased) return
        isReleased = true
        resize(0)
      },
    }
  }

  function refusal(caller: Caller): AppError | undefined {
    if (closed) return closed
    if (caller.waiting.size >= waitingOfCaller) {
      return new AppError('rate_limited', `${caller.waiting.size} calls of this tenant wait for a ${what} already. Send fewer at a time.`, {
        retryAfterSeconds: 1,
      })
    }
    return waiting >= waitingInAll ? busy() : undefined
  }

  const busy = () => new AppError('unavailable', `No ${what} came free in time. Try again.`, { retryAfterSeconds: 1 })

  function waitFor(name: string, caller: Caller, amount: number, signal: AbortSignal | undefined): Promise<Share> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        caller.waiting.delete(waiter)
        waiting--
      }
      const waiter: Waiter = {
        amount,
        grant() {
          leave()
          change(name, caller, amount)
          resolve(shareOf(name, caller, amount))
        },
        refuse(error) {
          leave()
          change(name, caller, 0)
          reject(error)
          // Whoever waits behind it may want less.
          serve()
        },
      }
      const giveUp = () => waiter.refuse(busy())
      const timer = setTimeout(giveUp, waitMs)
      signal?.addEventListener('abort', giveUp)
      caller.waiting.add(waiter)
      waiting++
    })
  }

  return {
    take(name, amount = 1, signal) {
      noteCaller(name)
      const caller = callerOf(name)
      // Nobody overtakes one who waits and holds no more: a large wish would else wait for ever among small ones.
      const first = neediest()
      if (!closed && fits(caller, amount) && !(first && first.taken <= caller.taken)) {
        change(name, caller, amount)
        return Promise.resolve(shareOf(name, caller, amount))
      }
      const refused = refusal(caller)
      if (!refused) return waitFor(name, caller, amount, signal)
      change(name, caller, 0)
      return Promise.reject(refused)
    },
    claim(name, amount) {
      const caller = callerOf(name)
      change(name, caller, amount)
      return shareOf(name, caller, amount)
    },
    close(error) {
      closed = error
      for (const caller of callers.values()) for (const waiter of caller.waiting) waiter.refuse(error)
    },
    stats: () => ({ taken, waiting }),
  }
}
