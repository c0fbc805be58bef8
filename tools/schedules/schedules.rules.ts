/** When something is due: every so many minutes from a moment, or by a cron expression as the wall of a zone shows it. */
import { Cron } from 'croner'

export const maxEveryMinutes = 366 * 24 * 60
const minuteMs = 60_000
export const neverComes = 'No day ever fulfils this cron expression. Correct its day or month.'

/** Five fields: minute, hour, day of month, month, day of week. */
const cronForm = /^\S+(?: +\S+){4}$/
const maxCronCharacters = 120

export interface Every {
  readonly everyMinutes: number
}

export interface ByCron {
  readonly cron: string
  readonly timeZone: string
}

/** `countedFrom` is the moment that an interval is counted from. */
export type Timing = (Every & { readonly countedFrom: number }) | ByCron

function timesOf({ cron, timeZone }: ByCron): Cron {
  return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true })
}

/** Why no schedule can be made of these, as a sentence; undefined where one can. `now` is a moment to look from. */
export function whyNoCron(said: ByCron, now: number): string | undefined {
  const form = 'Send minute, hour, day of month, month and day of week: "30 7 * * 1-5" is half past seven from Monday to Friday.'
  if (said.cron.length > maxCronCharacters || !cronForm.test(said.cron)) return `This is no cron expression of five fields. ${form}`
  try {
    new Intl.DateTimeFormat('en', { timeZone: said.timeZone })
  } catch {
    return 'There is no such time zone. list_time_zones shows them.'
  }
  try {
    return timesOf(said).nextRun(new Date(now)) === null ? neverComes : undefined
  } catch {
    return `This cron expression cannot be read. ${form}`
  }
}

/**
 * The first due time after a moment; undefined where none comes. What clocks leave out when they are set forward is due right behind it, and what they show
 * twice is due once, unless it is due every hour or oftener.
 */
export function dueAfter(timing: Timing, moment: number): number | undefined {
  if ('cron' in timing) return timesOf(timing).nextRun(new Date(moment))?.getTime()
  const stepMs = timing.everyMinutes * minuteMs
  return timing.countedFrom + (Math.floor((moment - timing.countedFrom) / stepMs) + 1) * stepMs
}

/** What of a schedule that is on counts where it is turned on again. */
export interface Running {
  readonly timing: Every | ByCron
  readonly countedFrom: number | undefined
  readonly nextDue: number
  readonly firedAt: number | undefined
}

export interface Beginning {
  readonly nextDue: number
  /** Of an interval. */
  readonly countedFrom: number | undefined
}

function isSame(a: Every | ByCron, b: Every | ByCron): boolean {
  if ('cron' in a) return 'cron' in b && a.cron === b.cron && a.timeZone === b.timeZone
  return 'everyMinutes' in b && a.everyMinutes === b.everyMinutes
}

/**
 * Where a schedule begins: an interval at once, a cron expression with its next time; undefined where none comes. What is on already goes on with the same
 * timing, and with another interval from the time that it was last due, lest each change of it does the work once more.
 */
export function beginningOf(timing: Every | ByCron, now: number, running: Running | undefined, startsLater = false): Beginning | undefined {
  if (running && isSame(timing, running.timing)) return { nextDue: running.nextDue, countedFrom: running.countedFrom }
  if ('cron' in timing) {
    const nextDue = dueAfter(timing, now)
    return nextDue === undefined ? undefined : { nextDue, countedFrom: undefined }
  }
  const countedFrom = Math.min(running?.firedAt ?? now, now)
  const isNew = running?.firedAt === undefined
  if (isNew && startsLater) return { countedFrom, nextDue: countedFrom + timing.everyMinutes * minuteMs }
  return { countedFrom, nextDue: isNew ? now : Math.max(now, countedFrom + timing.everyMinutes * minuteMs) }
}

/** The first so many of each tenant, in their order. */
export function shareOut<T extends { readonly tenantId: number }>(due: readonly T[], ofEach: number): T[][] {
  return [...Map.groupBy(due, ({ tenantId }) => tenantId).values()].map((ones) => ones.slice(0, ofEach))
}
