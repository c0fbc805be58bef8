/** When a scheduled message goes out: at a moment, or when a wall shows a time. */
import { instantOf, wallOf } from '#platform/tokens/zoned.ts'
import { type Finding, finding } from '#platform/validation.ts'

const dayMs = 86_400_000
export const mostDays = 366

export interface Said {
  readonly at?: string | undefined
  /** `07:30`, or with its day. */
  readonly localTime?: string | undefined
}

/** `now` is epoch, ms. A time of day alone is the next at which the wall shows it. */
export function readSendAt(
  { at, localTime }: Said,
  timeZone: string,
  now: number,
): { readonly ms: number } | { readonly finding: Finding } {
  if ((at === undefined) === (localTime === undefined)) return { finding: finding('$.at', 'Give either at or localTime.') }
  const path = at === undefined ? '$.localTime' : '$.at'
  const ms = at === undefined ? momentOf(localTime ?? '', timeZone, now) : Date.parse(at)
  if (ms === undefined || Number.isNaN(ms)) return { finding: finding(path, 'There is no such day or time.') }
  if (ms <= now) return { finding: finding(path, 'This time is over. Use send_message, or name a later one.') }
  if (ms > now + mostDays * dayMs) return { finding: finding(path, `At most ${mostDays} days ahead.`) }
  return { ms }
}

function momentOf(localTime: string, timeZone: string, now: number): number | undefined {
  const clock = localTime.slice(-5)
  const minutesMs = (Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))) * 60_000
  if (localTime.length > 5) {
    const day = localTime.slice(0, 10)
    const dayBegins = Date.parse(`${day}T00:00:00Z`)
    // Of a day that no month has the engine makes another.
    if (Number.isNaN(dayBegins) || new Date(dayBegins).toISOString().slice(0, 10) !== day) return undefined
    return instantOf(dayBegins + minutesMs, timeZone)
  }
  const today = Math.floor(wallOf(now, timeZone) / dayMs) * dayMs
  const next = [today, today + dayMs].map((day) => instantOf(day + minutesMs, timeZone))
  return next.find((ms) => ms > now)
}
