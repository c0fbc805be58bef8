/**
 * Times in a time zone: what a clock on its wall shows, and how far calendar steps lead there. Days are `YYYY-MM-DD`, times ISO 8601 with their offset.
 * Nothing throws: what is no time, or leaves the years 1 to 9999, is undefined.
 */
import { LRUCache } from 'lru-cache'

const dayMs = 86_400_000

/** A moment, a day without a time, or a time of day. */
export type Time =
  | { readonly kind: 'instant'; readonly ms: number }
  /** `ms` is the day's beginning in UTC. */
  | { readonly kind: 'day'; readonly ms: number }
  /** `ms` after midnight. */
  | { readonly kind: 'clock'; readonly ms: number }

const dayForm = /^(\d{4})-(\d\d)-(\d\d)$/
const instantForm = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/
const clockForm = /^(\d\d):(\d\d)(?::(\d\d))?$/

function isYear(ms: number): boolean {
  const year = new Date(ms).getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** The beginning of a day in UTC; undefined where there is no such day. */
function utcDay(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isReal && year >= 1 ? date.getTime() : undefined
}

function clockMs(hours: number, minutes: number, seconds: number): number | undefined {
  return hours < 24 && minutes < 60 && seconds < 60 ? ((hours * 60 + minutes) * 60 + seconds) * 1000 : undefined
}

export function readTime(text: unknown): Time | undefined {
  if (typeof text !== 'string' || text.length > 40) return undefined
  const day = dayForm.exec(text)
  if (day) {
    const ms = utcDay(Number(day[1]), Number(day[2]), Number(day[3]))
    return ms === undefined ? undefined : { kind: 'day', ms }
  }
  const clock = clockForm.exec(text)
  if (clock) {
    const ms = clockMs(Number(clock[1]), Number(clock[2]), Number(clock[3] ?? 0))
    return ms === undefined ? undefined : { kind: 'clock', ms }
  }
  const [, year, month, date, hours, minutes, seconds = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    instantForm.exec(text) ?? []
  if (year === undefined) return undefined
  const begin = utcDay(Number(year), Number(month), Number(date))
  const since = clockMs(Number(hours), Number(minutes), Number(seconds))
  const offset = clockMs(Number(offsetHours), Number(offsetMinutes), 0)
  if (begin === undefined || since === undefined || offset === undefined) return undefined
  const ms = begin + since + Number(fraction.padEnd(3, '0').slice(0, 3)) - (sign === '-' ? -offset : offset)
  return isYear(ms) ? { kind: 'instant', ms } : undefined
}

const clocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 50 })

function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone)
  if (!clock) {
    const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const
    clock = new Intl.DateTimeFormat('en-US', { ...fields, timeZone, hourCycle: 'h23', calendar: 'gregory', era: 'short' })
    clocks.set(timeZone, clock)
  }
  return clock
}

/** Whether a name is one of a zone. */
export function isTimeZone(name: string): boolean {
  try {
    clockOf(name)
    return true
  } catch {
    return false
  }
}

/** What the wall shows at a moment, as if it were UTC. */
export function wallOf(ms: number, timeZone: string): number {
  if (timeZone === 'UTC') return ms
  const parts = new Map(
    clockOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, value]),
  )
  const field = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type))
  const year = parts.get('era') === 'B' || parts.get('era') === 'BC' ? 1 - field('year') : field('year')
  const date = new Date(0)
  date.setUTCFullYear(year, field('month') - 1, field('day'))
  const milliseconds = ((ms % 1000) + 1000) % 1000
  return date.setUTCHours(field('hour'), field('minute'), field('second'), milliseconds)
}

/** The moment at which the wall shows this: the first where clocks were set back, as far behind the gap as it was in it where they were set forward. */
export function instantOf(wall: number, timeZone: string): number {
  if (timeZone === 'UTC') return wall
  const offsetAt = (ms: number) => wallOf(ms, timeZone) - ms
  // The offsets before and after whatever change is near.
  const [before, after] = [offsetAt(wall - dayMs), offsetAt(wall + dayMs)]
  const early = wall - Math.max(before, after)
  if (wallOf(early, timeZone) === wall) return early
  const late = wall - Math.min(before, after)
  return wallOf(late, timeZone) === wall ? late : wall - before
}

/** The day that the wall's calendar shows, as its beginning in UTC. */
export function dayAt(ms: number, timeZone: string): number {
  return Math.floor(wallOf(ms, timeZone) / dayMs) * dayMs
}

export function printDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function printInstant(ms: number): string {
  return new Date(ms).toISOString()
}

/** A moment with the offset of its zone, to the second. */
export function printZoned(ms: number, timeZone: string): string {
  const wall = wallOf(ms, timeZone)
  const minutes = Math.round((wall - ms) / 60_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const size = Math.abs(minutes)
  const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
  return `${new Date(wall).toISOString().slice(0, 19)}${offset}`
}

export interface Duration {
  readonly months: number
  readonly days: number
  readonly ms: number
}

const durationForm =
  /^([+-])?P(?=\d|T\d)(?:(\d{1,6})Y)?(?:(\d{1,6})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/

/** An ISO 8601 duration, `P1D` or `-PT5M`. */
export function readDuration(text: unknown): Duration | undefined {
  if (typeof text !== 'string' || text.length > 60) return undefined
  const found = durationForm.exec(text)
  if (!found) return undefined
  const sign = found[1] === '-' ? -1 : 1
  const [years, months, weeks, days, hours, minutes, seconds] = found.slice(2).map((part) => sign * Number(part ?? 0)) as [
    // As many as the form has groups.
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return { months: years * 12 + months, days: weeks * 7 + days, ms: (hours * 3600 + minutes * 60 + seconds) * 1000 }
}

/** A day so many months on; the last of its month where that month is shorter. */
function addMonths(wall: number, months: number): number {
  if (months === 0) return wall
  const day = Math.floor(wall / dayMs) * dayMs
  const date = new Date(day)
  const wanted = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const last = new Date(date)
  last.setUTCMonth(last.getUTCMonth() + 1, 0)
  date.setUTCDate(Math.min(wanted, last.getUTCDate()))
  return date.getTime() + (wall - day)
}

/** Months, then days by the calendar of the zone, then hours by the clock. Undefined where the result is no time any more, or a day plus hours. */
export function addDuration(time: Time, duration: Duration, timeZone: string): Time | undefined {
  if (time.kind === 'clock' || (time.kind === 'day' && duration.ms !== 0)) return undefined
  const hasDays = duration.months !== 0 || duration.days !== 0
  const wall = hasDays && time.kind === 'instant' ? wallOf(time.ms, timeZone) : time.ms
  const moved = addMonths(wall, duration.months) + duration.days * dayMs
  if (!Number.isFinite(moved) || !isYear(moved)) return undefined
  const ms = (hasDays && time.kind === 'instant' ? instantOf(moved, timeZone) : moved) + duration.ms
  return isYear(ms) ? { kind: time.kind, ms } : undefined
}

const units = ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const
export type TimeUnit = (typeof units)[number]

export function readUnit(text: unknown): TimeUnit | undefined {
  return units.find((unit) => unit === text || unit.slice(0, -1) === text)
}

const exactMs: Readonly<Partial<Record<TimeUnit, number>>> = { seconds: 1000, minutes: 60_000, hours: 3_600_000 }

/** How many whole units lie between, negative where `to` is earlier. Days and longer ones are those of the zone's calendar. */
export function unitsBetween(from: Time, to: Time, unit: TimeUnit, timeZone: string): number | undefined {
  const isClock = from.kind === 'clock'
  if (isClock !== (to.kind === 'clock')) return undefined
  const exact = exactMs[unit]
  // A day beside a moment is its beginning in the zone.
  const momentOf = (time: Time) => (time.kind === 'day' ? instantOf(time.ms, timeZone) : time.ms)
  const areDays = from.kind === 'day' && to.kind === 'day'
  if (exact !== undefined) return Math.trunc((areDays || isClock ? to.ms - from.ms : momentOf(to) - momentOf(from)) / exact) + 0
  if (isClock) return undefined
  // Between a moment and a day lie days, whatever the time of the moment is.
  const isByDays = from.kind === 'day' || to.kind === 'day'
  const wall = (time: Time) => (time.kind === 'day' ? time.ms : isByDays ? dayAt(time.ms, timeZone) : wallOf(time.ms, timeZone))
  const [a, b] = [wall(from), wall(to)]
  if (unit === 'days' || unit === 'weeks') return Math.trunc((b - a) / (unit === 'days' ? dayMs : 7 * dayMs)) + 0
  return Math.trunc(wholeMonths(a, b) / (unit === 'months' ? 1 : 12)) + 0
}

function wholeMonths(from: number, to: number): number {
  const [a, b] = [new Date(from), new Date(to)]
  const months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth()
  const reached = addMonths(from, months)
  if (to >= from) return reached > to ? months - 1 : months
  return reached < to ? months + 1 : months
}
