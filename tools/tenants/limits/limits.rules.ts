/** Limits as they are shown. */
import type { Limits } from './limits.schema.ts'

/** With those that there are not, as null. */
export function shownLimits(kept: Partial<Limits>): Limits {
  const { callsPerMinute = null, records = null, bytes = null, users = null, messagesPerDay = null } = kept
  return { callsPerMinute, records, bytes, users, messagesPerDay }
}

const day = 86_400_000

/** The last 30 days unless told, to the end of the range. */
export function rangeOf(now: number, from: string | undefined, to: string | undefined): { readonly from: string; readonly to: string } {
  const end = to === undefined ? now : Date.parse(to)
  const begin = from === undefined ? end - 30 * day : Date.parse(from)
  return { from: new Date(begin).toISOString(), to: new Date(end).toISOString() }
}
