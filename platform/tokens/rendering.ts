/** For whom and where a text is resolved: language, time zone, the time that it is, and what the text becomes part of. */
import { LRUCache } from 'lru-cache'

import { type Budget, spend } from './budget.ts'
import { dayAt, printDay, printInstant } from './zoned.ts'

export type Format = 'text' | 'markdown' | 'html' | 'url'

export interface Rendering {
  /** BCP 47. */
  readonly locale: string
  /** IANA. */
  readonly timeZone: string
  /** Milliseconds since the epoch; fixed by the caller, so that resolving again gives the same. */
  readonly nowMs: number
  /** What a list of options calls a value, in the reader's language. `names` are the token's, without indexes and with what was plucked. */
  readonly labelOf?: ((names: readonly string[], value: string) => string | undefined) | undefined
}

function orElse<T>(make: () => T | undefined, other: T): T {
  try {
    return make() ?? other
  } catch {
    return other
  }
}

/** A rendering whose language and zone exist: an unknown language reads as en-US, an unknown zone as UTC. */
export function renderingOf({ locale, timeZone, nowMs, labelOf }: Rendering): Rendering {
  return {
    locale: orElse(() => Intl.getCanonicalLocales(locale)[0], 'en-US'),
    timeZone: orElse(() => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone, 'UTC'),
    nowMs,
    labelOf,
  }
}

/** The roots that tell the time: `$now` and `$today`. */
export function timeRoots({ nowMs, timeZone }: Rendering): { readonly $now: string; readonly $today: string } {
  return { $now: printInstant(nowMs), $today: printDay(dayAt(nowMs, timeZone)) }
}

/** Making one takes as long as formatting some hundred values. */
const formatterUnits = 10_000
const formatters = new LRUCache<string, object>({ max: 500 })

/** A formatter of Intl that is made once for equal options. */
export function formatterOf<T extends object>(budget: Budget, kind: string, locale: string, options: object, make: () => T): T {
  const key = `${kind} ${locale} ${JSON.stringify(options)}`
  const known = formatters.get(key)
  // What lies under the key was made by the same call of the same kind.
  if (known) return known as T
  spend(budget, formatterUnits)
  const fresh = make()
  formatters.set(key, fresh)
  return fresh
}
