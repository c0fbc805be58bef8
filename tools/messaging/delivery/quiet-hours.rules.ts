/** When a person's quiet hours end. */
import type { QuietHours } from '../channels/channels.schema.ts'

interface LocalTime {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly minutes: number
}

function localTime(epochMs: number, zone: string): LocalTime {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(epochMs)
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value)
  return { year: part('year'), month: part('month'), day: part('day'), minutes: part('hour') * 60 + part('minute') }
}

const asIfUtc = (local: LocalTime) => Date.UTC(local.year, local.month - 1, local.day, 0, local.minutes)

/**
 * The moment after `now` at which clocks of the zone show this local time: the first of two where they show it twice, unless that is over; where they
 * skip it, as long after the skip as it lay in it.
 */
function momentOf(local: LocalTime, zone: string, now: number): number {
  const wanted = asIfUtc(local)
  // The offsets of a day before and after are all that can hold at the wanted time.
  const dayMs = 86_400_000
  const offsets = [-dayMs, dayMs].map((shift) => asIfUtc(localTime(wanted + shift, zone)) - (wanted + shift))
  const candidates = offsets.map((offset) => wanted - offset).sort((a, b) => a - b)
  const exact = candidates.find((candidate) => candidate > now && asIfUtc(localTime(candidate, zone)) === wanted)
  return exact ?? candidates[1] ?? wanted
}

const minutesOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))

/** Whether the runtime knows the zone. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    // Offsets such as +02:00 are taken by the runtime, but they are no zone and know no summer time.
    return !/^[+-]/.test(zone)
  } catch {
    return false
  }
}

/** The end of the quiet hours that hold at `now` (epoch, ms); undefined where none do. Start and end alike: never quiet. */
export function quietUntil(quiet: QuietHours, now: number): number | undefined {
  const local = localTime(now, quiet.timeZoneIana)
  const start = minutesOf(quiet.start)
  const end = minutesOf(quiet.end)
  const isQuiet =
    start < end ? local.minutes >= start && local.minutes < end : start > end && (local.minutes >= start || local.minutes < end)
  if (!isQuiet) return undefined
  const endsTomorrow = local.minutes >= end
  return momentOf({ ...local, day: local.day + (endsTomorrow ? 1 : 0), minutes: end }, quiet.timeZoneIana, now)
}
