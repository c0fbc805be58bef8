/** Numbers and times as people of a language and a time zone write them, by Intl. */
import { type Budget, spend } from './budget.ts'
import { formatterOf, type Rendering } from './rendering.ts'
import { dayAt, printDay, printZoned, readTime, type Time } from './zoned.ts'

type Style = 'short' | 'medium' | 'long' | 'full'

/** What one formatting takes, about a microsecond. */
export const formatUnits = 50

export function formatNumber(value: number, options: Intl.NumberFormatOptions, { locale }: Rendering, budget: Budget): string {
  const make = () => new Intl.NumberFormat(locale, options)
  return formatterOf(budget, 'number', locale, options, make).format(value)
}

/** As many decimals as asked for, or as the number has. */
export function decimals(digits: number | undefined, least: number, most: number): Intl.NumberFormatOptions {
  return digits === undefined
    ? { minimumFractionDigits: least, maximumFractionDigits: most }
    : { minimumFractionDigits: digits, maximumFractionDigits: digits }
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

export function formatBytes(value: number, rendering: Rendering, budget: Budget): string {
  const power = Math.min(byteUnits.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3)))
  const options = {
    style: 'unit',
    unit: byteUnits[power] ?? 'byte',
    maximumFractionDigits: 1,
    unitDisplay: power === 0 ? 'long' : 'short',
  } as const
  return formatNumber(value / 1000 ** power, options, rendering, budget)
}

/** What showing a time takes beside its characters: Intl is slower with times than with anything else. */
const timeUnits = 100

function formatTime(ms: number, timeZone: string, options: Intl.DateTimeFormatOptions, { locale }: Rendering, budget: Budget): string {
  spend(budget, timeUnits)
  const zoned = { ...options, timeZone }
  return formatterOf(budget, 'time', locale, zoned, () => new Intl.DateTimeFormat(locale, zoned)).format(ms)
}

export interface TimeStyle {
  readonly shows: 'date' | 'time' | 'datetime'
  readonly style: Style | 'iso' | undefined
  readonly zone: string | undefined
}

function isoOf(time: Time, shows: TimeStyle['shows'], zone: string): string {
  if (time.kind === 'day') return printDay(time.ms)
  if (time.kind === 'clock') return new Date(time.ms).toISOString().slice(11, 19)
  const zoned = printZoned(time.ms, zone)
  return shows === 'date' ? zoned.slice(0, 10) : shows === 'time' ? zoned.slice(11, 19) : zoned
}

/** A time as text; undefined for what is no time, and for the date of a time of day or the time of a day. */
export function formatTimeValue(
  value: unknown,
  { shows, style, zone }: TimeStyle,
  rendering: Rendering,
  budget: Budget,
): string | undefined {
  const time = readTime(value)
  if (!time) return undefined
  if ((time.kind === 'clock' && shows === 'date') || (time.kind === 'day' && shows === 'time')) return undefined
  if (style === 'iso') return isoOf(time, shows, zone ?? rendering.timeZone)
  const dateStyle = time.kind !== 'clock' && shows !== 'time' ? { dateStyle: style ?? 'medium' } : {}
  const timeStyle = time.kind !== 'day' && shows !== 'date' ? ({ timeStyle: shows === 'time' ? (style ?? 'short') : 'short' } as const) : {}
  // A day and a time of day are the same in every zone.
  const timeZone = time.kind === 'instant' ? (zone ?? rendering.timeZone) : 'UTC'
  return formatTime(time.ms, timeZone, { ...dateStyle, ...timeStyle }, rendering, budget)
}

const steps = [
  ['year', 365.25 * 86_400],
  ['month', 30.4375 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** "in 3 days", "yesterday"; a day is counted by days from today. Undefined for a time of day. */
export function formatRelative(value: unknown, rendering: Rendering, budget: Budget): string | undefined {
  const time = readTime(value)
  if (!time || time.kind === 'clock') return undefined
  const now = time.kind === 'day' ? dayAt(rendering.nowMs, rendering.timeZone) : rendering.nowMs
  const seconds = Math.round((time.ms - now) / 1000)
  const size = Math.abs(seconds)
  const least = time.kind === 'day' ? 86_400 : 1
  const [unit, length] =
    steps.find(([, one]) => size >= one && one >= least) ?? (time.kind === 'day' ? (['day', 86_400] as const) : (['second', 1] as const))
  const options = { numeric: 'auto' } as const
  const make = () => new Intl.RelativeTimeFormat(rendering.locale, options)
  return formatterOf(budget, 'relative', rendering.locale, options, make).format(Math.round(seconds / length), unit)
}
