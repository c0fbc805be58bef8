/** Times as the person reads them: in their language and zone. */
import { me } from './me.ts'
import { language } from './page.ts'

function zone(): string | undefined {
  return me.value?.profile.timeZoneIana
}

/** The person's own region where its language is the page's: 3/4 is another day in Dublin than in Denver. */
function locale(): string {
  const own = me.value?.profile.languageCode
  return own?.split('-')[0] === language ? own : language
}

export function dateTime(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short', timeZone: zone() }).format(new Date(iso))
}

export function date(iso: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: zone() }).format(new Date(iso))
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago, or how far ahead, in one unit. */
export function fromNow(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.round(seconds / size), unit)
}

/** The ISO 8601 of the end of a day that a date field shows, in the browser's own zone. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59`).toISOString()
}

/** A day without a time is the same one in every zone. */
export function day(isoDay: string): string {
  return new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${isoDay}T00:00:00Z`))
}

/** A day of the week by its number, Monday being 0. */
export function weekday(index: number): string {
  return new Intl.DateTimeFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + index))
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: 15 }).format(value)
}

export const ownZone = () => zone() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
