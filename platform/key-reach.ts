/** Whence and when an API key may be used: from addresses, and in hours that the clock on the wall of a zone shows, so that they move with its summer time. */
import { type BlockList, isIP } from 'node:net'

import { isOnList } from './client-address.ts'
import { dayAt, instantOf, printZoned, wallOf } from './tokens/zoned.ts'

/** From Monday, as the week begins. */
export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

/** `HH:MM`; `to` is on the next day where it is not later than `from`. `days` are those on which the hours begin. */
export interface KeyHours {
  readonly from: string
  readonly to: string
  readonly days: readonly (typeof weekdays)[number][]
  readonly timeZoneIana: string
}

const dayMs = 86_400_000
const clockMs = (clock: string) => (Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5))) * 60_000

/** Whether the hours begin on a day, given as its beginning in UTC. The first day of 1970 was a Thursday. */
function beginOn({ days }: KeyHours, day: number): boolean {
  const weekday = weekdays[(((day / dayMs + 3) % 7) + 7) % 7]
  return weekday !== undefined && days.includes(weekday)
}

export function areOpen(hours: KeyHours, now: number): boolean {
  const wall = wallOf(now, hours.timeZoneIana)
  const today = Math.floor(wall / dayMs) * dayMs
  const [from, to] = [clockMs(hours.from), clockMs(hours.to)]
  const length = to > from ? to - from : to + dayMs - from
  return [today, today - dayMs].some((day) => beginOn(hours, day) && wall >= day + from && wall < day + from + length)
}

/** When they begin next; undefined where they never do. */
export function nextOpening(hours: KeyHours, now: number): number | undefined {
  const { from, timeZoneIana } = hours
  const today = dayAt(now, timeZoneIana)
  for (let day = today; day <= today + 7 * dayMs; day += dayMs) {
    const at = beginOn(hours, day) ? instantOf(day + clockMs(from), timeZoneIana) : now
    if (at > now) return at
  }
  return undefined
}

export interface KeyReach {
  /** Undefined: from anywhere. */
  readonly allowedFrom?: BlockList | undefined
  /** Undefined: always. */
  readonly hours?: KeyHours | undefined
}

/** Why a key may not be used now from this address, as a sentence; undefined where it may. */
export function whyOutOfReach({ allowedFrom, hours }: KeyReach, ip: string | undefined, now: number): string | undefined {
  if (allowedFrom && !isOnList(allowedFrom, ip)) {
    const seen = ip !== undefined && isIP(ip) !== 0 ? `The call came from ${ip}` : 'Nothing tells where the call came from'
    return `${seen}, and the key may be used from its allowedAddresses alone. update_api_key changes them.`
  }
  if (!hours || areOpen(hours, now)) return undefined
  const next = nextOpening(hours, now)
  const when = next === undefined ? '' : `, next from ${printZoned(next, hours.timeZoneIana)} (${hours.timeZoneIana})`
  return `The key may be used in its validHours alone${when}. update_api_key changes them.`
}
