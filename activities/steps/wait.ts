import { AppError } from '#platform/errors.ts'
import { addDuration, dayAt, instantOf, printInstant, readDuration, readTime, wallOf } from '#platform/tokens/zoned.ts'

import type { Perform, StepContext } from './step.types.ts'

const dayMs = 86_400_000

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

async function endOf({ config, open, scope }: StepContext): Promise<number> {
  const fromMs = Date.parse(open.row.begunAt)
  const { timeZone } = await scope()
  if (config['for'] !== undefined) {
    const duration = readDuration(config['for'])
    const time = duration && addDuration({ kind: 'instant', ms: fromMs }, duration, timeZone)
    if (!time) throw new AppError('unprocessable', 'What is to be waited for is no duration, such as PT5M or P1D.')
    return time.ms
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

export const wait: Perform = async (step) => {
  const { wakeAt } = step.open.row
  const untilMs = wakeAt === null ? await endOf(step) : Date.parse(wakeAt)
  const at = printInstant(untilMs)
  if (untilMs <= Date.now()) return { kind: 'done', result: { at } }
  return { kind: 'waiting', untilMs, wait: { wakeAt: at } }
}
