/** Times that a filter names by words, and whole days, in the zone of whoever asks. */
import { nearest } from '#platform/suggest.ts'
import { addDuration, dayAt, instantOf, printDay, printInstant, readTime, wallOf } from '#platform/tokens/zoned.ts'

export interface Clock {
  readonly nowMs: number
  readonly timeZone: string
}

/** The first and the last millisecond of a day. */
export interface Span {
  readonly begin: string
  readonly end: string
}

const dayMs = 86_400_000
const days = { yesterday: -1, today: 0, tomorrow: 1 } as const
const periods = ['Day', 'Week', 'Month', 'Quarter', 'Year'] as const
type Period = (typeof periods)[number]

const words = ['now', ...Object.keys(days), ...periods.flatMap((period) => [`startOf${period}`, `endOf${period}`])]
const shift = /^([+-])(\d{1,6})(h|d|w|mo|y)$/

export function isTimeWord(text: string): boolean {
  return words.includes(text) || shift.test(text)
}

/** The word that was meant, where a text is one but for its spelling. */
export function nearestTimeWord(text: string): string | undefined {
  return /^[A-Za-z]{2,20}$/.test(text) ? nearest(text, words) : undefined
}

/** The first day of a period, or of a later one; days are their beginnings in UTC. */
function firstDay(day: number, period: Period, later: number): number {
  const date = new Date(day)
  if (period === 'Day') return day + later * dayMs
  if (period === 'Week') return day - ((date.getUTCDay() + 6) % 7) * dayMs + later * 7 * dayMs
  const months = { Month: 1, Quarter: 3, Year: 12 }[period]
  const month = Math.floor(date.getUTCMonth() / months) * months
  date.setUTCDate(1)
  return date.setUTCMonth(month + later * months)
}

/** A moment and the day that it is in; `isDay`: the whole day is meant. */
interface Moment {
  readonly ms: number
  readonly day: number
  readonly isDay: boolean
}

function shifted(text: string, { nowMs, timeZone }: Clock): Moment | undefined {
  const [, sign, digits, unit] = shift.exec(text) ?? []
  const size = Number(`${sign}${digits}`)
  const duration = {
    months: unit === 'y' ? size * 12 : unit === 'mo' ? size : 0,
    days: unit === 'w' ? size * 7 : unit === 'd' ? size : 0,
    ms: unit === 'h' ? size * 3_600_000 : 0,
  }
  const time = addDuration({ kind: 'instant', ms: nowMs }, duration, timeZone)
  return time && { ms: time.ms, day: dayAt(time.ms, timeZone), isDay: false }
}

function momentOf(word: string, clock: Clock): Moment | undefined {
  const { nowMs, timeZone } = clock
  if (shift.test(word)) return shifted(word, clock)
  const today = dayAt(nowMs, timeZone)
  if (word === 'now') return { ms: nowMs, day: today, isDay: false }
  const apart = Object.entries(days).find(([name]) => name === word)?.[1]
  if (apart !== undefined) return { ms: 0, day: today + apart * dayMs, isDay: true }
  const period = periods.find((one) => word.endsWith(one)) ?? 'Day'
  if (word.startsWith('start')) {
    const day = firstDay(today, period, 0)
    return { ms: instantOf(day, timeZone), day, isDay: false }
  }
  const next = firstDay(today, period, 1)
  return { ms: instantOf(next, timeZone) - 1, day: next - dayMs, isDay: false }
}

/**
 * The times from one to another at which an hour, a day, a week or a month begins in a zone, after the first and before the last, which are there too; at
 * most so many.
 */
export function beginningsBetween(
  from: string,
  to: string,
  every: 'hour' | 'day' | 'week' | 'month',
  timeZone: string,
  most: number,
): string[] {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const times = [first]
  const period = every === 'day' ? 'Day' : every === 'week' ? 'Week' : 'Month'
  // Hours begin together all over a zone but where clocks are changed by part of one.
  const hourMs = 3_600_000
  const wall = wallOf(first, timeZone)
  const firstHour = first - (wall - Math.floor(wall / hourMs) * hourMs)
  const day = dayAt(first, timeZone)
  for (let later = 1; times.length < most; later++) {
    const at = every === 'hour' ? firstHour + later * hourMs : instantOf(firstDay(day, period, later), timeZone)
    if (at >= last) break
    if (at > first) times.push(at)
  }
  if (last > first && times.length < most) times.push(last)
  return times.map((ms) => printInstant(ms))
}

function spanOf(day: number, timeZone: string): Span {
  return { begin: printInstant(instantOf(day, timeZone)), end: printInstant(instantOf(day + dayMs, timeZone) - 1) }
}

/** What a word means for a field of dates, or of times. Undefined where it leads out of the years that there are. */
export function meaningOf(word: string, dataType: 'DateOnly' | 'DateTime', clock: Clock): string | Span | undefined {
  const moment = momentOf(word, clock)
  if (!moment) return undefined
  if (dataType === 'DateOnly') return printDay(moment.day)
  return moment.isDay ? spanOf(moment.day, clock.timeZone) : printInstant(moment.ms)
}

/** Whether the text is a day, which a time is held against as a whole. */
export function isDay(text: string): boolean {
  return readTime(text)?.kind === 'day'
}

export function wholeDay(text: string, { timeZone }: Clock): Span | undefined {
  const time = readTime(text)
  return time?.kind === 'day' ? spanOf(time.ms, timeZone) : undefined
}
