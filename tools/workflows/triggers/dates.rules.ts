/** When dates of records come due, at an offset and an hour of the day, and which dates may come due within a time. */
import {
  addDuration,
  dayAt,
  type Duration,
  instantOf,
  printDay,
  printInstant,
  readDuration,
  readTime,
  wallOf,
} from '#platform/tokens/zoned.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** What came due while nobody looked is caught up with for so long. */
export const caughtUpMs = 7 * dayMs

export interface DueTiming {
  readonly offset: Duration
  /** Milliseconds into the day; undefined: as the value says. */
  readonly atMs: number | undefined
  readonly timeZone: string
  readonly isDay: boolean
}

/** How far into the day an hour as 07:00 lies; undefined for what is none. */
function msInto(said: unknown): number | undefined {
  const at = typeof said === 'string' ? /^(\d\d):(\d\d)$/.exec(said) : null
  return at ? Number(at[1]) * hourMs + Number(at[2]) * 60_000 : undefined
}

export interface HourOfDay {
  /** As the zone's calendar has it. */
  readonly day: string
  readonly ms: number
}

/** When an hour of the day came last in a zone, up to a moment, and when it comes next; undefined for what is no hour. */
export function hourAround(
  said: unknown,
  ms: number,
  timeZone: string,
): { readonly last: HourOfDay; readonly next: HourOfDay } | undefined {
  const into = msInto(said)
  if (into === undefined) return undefined
  const today = dayAt(ms, timeZone)
  // Around a change of the clock a day has its hour earlier or later than a day's length from the others.
  const days = [-2, -1, 0, 1, 2].map((count) => {
    const day = today + count * dayMs
    return { day: printDay(day), ms: instantOf(day + into, timeZone) }
  })
  const last = days.findLast((one) => one.ms <= ms)
  const next = days.find((one) => one.ms > ms)
  return last && next && { last, next }
}

/** Undefined where the offset cannot be read. */
export function timingOf(
  config: { readonly offset?: unknown; readonly at?: unknown; readonly timeZone?: unknown },
  { isDay, zone }: { readonly isDay: boolean; readonly zone: string },
): DueTiming | undefined {
  const offset = readDuration(config.offset)
  if (!offset) return undefined
  const atMs = msInto(config.at)
  return { offset, atMs, timeZone: typeof config.timeZone === 'string' ? config.timeZone : zone, isDay }
}

/** When a value comes due; undefined for one that is no time. */
export function dueOf(value: unknown, { offset, atMs, timeZone }: DueTiming): number | undefined {
  const time = readTime(value)
  if (!time || time.kind === 'clock') return undefined
  const { months, days, ms } = offset
  if (time.kind === 'day') {
    const day = addDuration(time, { months, days, ms: 0 }, timeZone)
    return day && instantOf(day.ms + (atMs ?? 0), timeZone) + ms
  }
  const moved = addDuration(time, offset, timeZone)
  if (!moved) return undefined
  return atMs === undefined ? moved.ms : instantOf(dayAt(moved.ms, timeZone) + atMs, timeZone)
}

export interface Between {
  readonly from: string
  readonly to: string
}

/** A moment of which the offset leads to this one, and how far beside it others may lie that do, too: months are not of one length, nor are days. */
function before(ms: number, { offset, timeZone }: DueTiming): { readonly ms: number; readonly slackMs: number } {
  const { months, days } = offset
  const moved = ms - offset.ms
  if (months === 0 && days === 0) return { ms: moved, slackMs: 0 }
  const wall = wallOf(moved, timeZone) - days * dayMs
  const back = addDuration({ kind: 'instant', ms: wall }, { months: -months, days: 0, ms: 0 }, 'UTC')?.ms ?? wall
  const from = instantOf(back, timeZone)
  const hasLongMonths = months !== 0 && Math.max(new Date(wall).getUTCDate(), new Date(back).getUTCDate()) >= 28
  const offsetAt = (at: number) => wallOf(at, timeZone) - at
  const isMoved = [from - dayMs, from + dayMs, moved - dayMs, moved + dayMs].some((at) => offsetAt(at) !== offsetAt(from))
  return { ms: from, slackMs: hasLongMonths ? 4 * dayMs : isMoved ? 3 * hourMs : 0 }
}

/**
 * Between which values those lie that come due after `from` and until `until`; undefined where none does. More may lie there: each is to be asked when it
 * comes due.
 */
export function valuesDue(from: number, until: number, timing: DueTiming): Between | undefined {
  if (until <= from) return undefined
  const [first, last] = [before(from, timing), before(until, timing)]
  const isByDay = timing.isDay || timing.atMs !== undefined
  const lo = first.ms - first.slackMs - (isByDay ? 2 * dayMs : 0)
  const hi = last.ms + last.slackMs + (isByDay ? 2 * dayMs : 0)
  if (!isByDay) return { from: printInstant(lo), to: printInstant(hi) }
  const days: number[] = []
  for (let day = Math.floor(lo / dayMs) * dayMs; day <= hi; day += dayMs) {
    // Of a moment the day of the zone counts, from its first to its last.
    const begins = timing.isDay ? printDay(day) : printInstant(day)
    const ends = timing.isDay ? begins : printInstant(day + dayMs - 1)
    // A day that UTC shows is two at most of any zone, so that these are all of its due times.
    const isDue = [begins, ends].some((value) => {
      const due = dueOf(value, timing)
      return due !== undefined && due > from && due <= until
    })
    if (isDue) days.push(day)
  }
  const [least, most] = [days[0], days.at(-1)]
  if (least === undefined || most === undefined) return undefined
  return timing.isDay ? { from: printDay(least), to: printDay(most) } : { from: printInstant(least), to: printInstant(most + dayMs - 1) }
}
