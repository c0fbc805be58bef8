/** When a wait is over. */
import { AppError } from '#platform/errors.ts'
import { addDuration, dayAt, instantOf, readDuration, readTime, wallOf } from '#platform/tokens/zoned.ts'

import type { Said } from './runs.types.ts'

const dayMs = 86_400_000

/** A duration after a moment; undefined where it is none. */
export function after(fromMs: number, duration: unknown, timeZone: string): number | undefined {
  const read = readDuration(duration)
  return read && addDuration({ kind: 'instant', ms: fromMs }, read, timeZone)?.ms
}

/** Monday to Friday, at the same time of the day. */
function afterBusinessDays(fromMs: number, days: number, timeZone: string): number {
  let wall = wallOf(fromMs, timeZone)
  for (let left = days; left > 0;) {
    wall += dayMs
    const weekday = new Date(wall).getUTCDay()
    if (weekday !== 0 && weekday !== 6) left--
  }
  return instantOf(wall, timeZone)
}

/** The end of a step of the type wait, by its resolved configuration. Throws AppError `unprocessable`. */
export function endOfWait(config: Said, fromMs: number, timeZone: string): number {
  if (config['for'] !== undefined) {
    const endMs = after(fromMs, config['for'], timeZone)
    if (endMs === undefined) throw new AppError('unprocessable', 'What is to be waited for is no duration, such as PT5M or P1D.')
    return endMs
  }
  if (typeof config['businessDays'] === 'number') {
    if (config['businessDays'] > 1_000) throw new AppError('unprocessable', 'At most 1,000 business days can be waited for.')
    return afterBusinessDays(fromMs, config['businessDays'], timeZone)
  }
  const time = readTime(config['until'])
  if (time?.kind === 'instant') return time.ms
  if (time?.kind === 'day') return instantOf(time.ms, timeZone)
  // The next time that the clock shows this.
  if (time?.kind === 'clock') {
    const today = instantOf(dayAt(fromMs, timeZone) + time.ms, timeZone)
    return today > fromMs ? today : instantOf(dayAt(fromMs, timeZone) + dayMs + time.ms, timeZone)
  }
  throw new AppError('unprocessable', 'What is to be waited until is no time, such as 2026-03-01T08:00:00Z or 08:00.')
}

/** When a wait for an event is given up; undefined where it never is. Throws AppError `unprocessable`. */
export function endOfTimeout({ timeout }: Said, fromMs: number, timeZone: string): number | undefined {
  if (timeout === undefined) return undefined
  const endMs = after(fromMs, timeout, timeZone)
  if (endMs === undefined) throw new AppError('unprocessable', 'The timeout is no duration, such as P7D.')
  return endMs
}
