/**
 * The floor for what happens by itself at times: a definition's schedule is kept, shown and turned off here, and fired by `firing.ts`. It has no operations
 * of its own; each kind of work says what one due time queues.
 */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { dropAssets } from '#tools/assets/service.ts'

import { beginningOf, type ByCron, type Every, neverComes, type Running } from './schedules.rules.ts'
import {
  addFile,
  deleteOtherParts,
  deleteSchedule,
  listSchedules,
  lockSchedule,
  type ScheduleOf,
  type ScheduleRow,
  switchOff,
  upsertSchedule,
} from './schedules.store.ts'

export { type DueTime, fireDue, lookAgain, type ScheduleKind, type ScheduleKinds } from './firing.ts'
export { maxEveryMinutes, whyNoCron } from './schedules.rules.ts'
export { workInShares } from './shares.ts'

/** Poked after a commit that turned a schedule on. */
export const schedulesTopic = 'schedules'

export interface Schedule {
  readonly definitionId: number
  readonly isOn: boolean
  /** ISO 8601; null where it is off. */
  readonly nextDue: string | null
  readonly timing: Every | ByCron
  readonly input: unknown
  /** Why it stopped by itself. */
  readonly stoppedReason: string | null
}

function saidTiming({ everyMinutes, cron, timeZone }: ScheduleRow): Every | ByCron {
  if (everyMinutes !== null) return { everyMinutes }
  if (cron === null || timeZone === null) throw new Error('A schedule has neither an interval nor a cron expression')
  return { cron, timeZone }
}

function toSchedule(row: ScheduleRow): Schedule {
  const { definitionId, nextDue, input, stoppedReason } = row
  return { definitionId, isOn: nextDue !== null, nextDue, timing: saidTiming(row), input, stoppedReason }
}

/** By definition. */
export async function schedulesOf(
  { tx, tenantId }: TxContext,
  of: Omit<ScheduleOf, 'definitionId'>,
  definitionIds: readonly number[],
): Promise<ReadonlyMap<number, Schedule>> {
  const rows = await listSchedules(tx, tenantId, of, definitionIds)
  return new Map(rows.map((row) => [row.definitionId, toSchedule(row)]))
}

const msOf = (at: string | null) => (at === null ? undefined : Date.parse(at))
const isoOf = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())

function runningOf(row: ScheduleRow | undefined): Running | undefined {
  const nextDue = msOf(row?.nextDue ?? null)
  if (!row || nextDue === undefined) return undefined
  return { timing: saidTiming(row), countedFrom: msOf(row.countedFrom), nextDue, firedAt: msOf(row.firedAt) }
}

/** Turns a schedule on, in the caller's name and with the roles of the call. Saying the same twice does nothing twice. Throws 400 for what never comes. */
export async function turnOn(
  context: TxContext,
  of: ScheduleOf,
  timing: Every | ByCron,
  input: unknown,
  { startsLater = false }: { /** An interval is first due once it is over. */ readonly startsLater?: boolean } = {},
): Promise<void> {
  const { tx, tenantId, actor, stamp } = context
  const present = await lockSchedule(tx, tenantId, of)
  const beginning = beginningOf(timing, Date.parse(stamp), runningOf(present), startsLater)
  if (!beginning) throw new AppError('invalid_input', neverComes)
  await upsertSchedule(tx, tenantId, {
    ...of,
    ownerId: actor.tenantUserId,
    roleFlag: actor.roleFlag,
    everyMinutes: 'cron' in timing ? null : timing.everyMinutes,
    countedFrom: isoOf(beginning.countedFrom),
    cron: 'cron' in timing ? timing.cron : null,
    timeZone: 'cron' in timing ? timing.timeZone : null,
    input,
    nextDue: new Date(beginning.nextDue).toISOString(),
  })
  context.afterCommit(() => context.services.wake.poke(schedulesTopic))
}

/** Turns a schedule off; its timing is kept for the next time. Nothing where there is none. */
export async function turnOff({ tx, tenantId }: TxContext, of: ScheduleOf): Promise<void> {
  await switchOff(tx, tenantId, of)
}

/** Takes all of a kind away that a definition has, but these parts. */
export async function keepParts({ tx, tenantId }: TxContext, of: Omit<ScheduleOf, 'part'>, parts: readonly string[]): Promise<void> {
  await deleteOtherParts(tx, tenantId, of, parts)
}

/** Takes a schedule away. False where there was none. */
export async function removeSchedule({ tx, tenantId }: TxContext, of: ScheduleOf): Promise<boolean> {
  return (await deleteSchedule(tx, tenantId, of)) > 0
}

/** How many of the files that a schedule makes are kept: a file every minute would fill any store. */
const keptFiles = 10

/**
 * Keeps a file that the schedule made, in the transaction that shows it; the oldest of too many goes, but none of the `together` newest, which one due time
 * made.
 */
export async function keepFile(context: TxContext, of: ScheduleOf, assetKey: string, together = 1): Promise<void> {
  await dropAssets(context, await addFile(context.tx, context.tenantId, of, assetKey, Math.max(keptFiles, together)))
}
