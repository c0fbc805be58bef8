/**
 * Firing: what one due time queues is committed together with the move to the next one, under the schedule's row lock. So each due time is fired once, whatever
 * dies and however many processes look; after a pause of the whole product the due times that have passed are one.
 */
import { actorOfRun, type ActingUser, findActingUser } from '#platform/acting.ts'
import { AppError, errorCatalogue } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { allows, parseRoles, type RoleExpression, roleWords } from '#platform/roles.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { isUnderWay } from '#tools/jobs/service.ts'

import { dueAfter, neverComes, type Timing } from './schedules.rules.ts'
import {
  type DueSchedule,
  findOwner,
  listDue,
  lockDue,
  lookAtThoseAhead,
  markStopped,
  moveOn,
  putOff,
  type ScheduleRow,
} from './schedules.store.ts'
import { workInShares } from './shares.ts'

/** A due time as its kind sees it. */
export interface DueTime {
  readonly scheduleId: number
  readonly definitionId: number
  readonly input: unknown
  /** ISO 8601. Of several that have passed, the first. */
  readonly dueAt: string
}

/** What of a product happens by itself at times. */
export interface ScheduleKind {
  /** What the owner must hold when it is due. */
  readonly needs: RoleExpression
  /**
   * Queues the job of one due time, as its owner, with the roles that the owner has then; it must do nothing that is not taken back with the transaction.
   * An AppError that no retry can mend stops the schedule with its sentence.
   */
  queue(context: TxContext, due: DueTime): Promise<{ /** Absent: what it does is done with the transaction. */ readonly jobId?: number }>
}

export type ScheduleKinds = Readonly<Record<string, ScheduleKind>>

/** `passed`: it was due, and nothing was queued, since the job of the due time before is under way. */
export type Fired = 'queued' | 'passed' | 'stopped' | 'putOff' | 'nothing'

const suspendedSeconds = 60
const failedSeconds = 30

/** Looks at one schedule and fires it where it is due. Harmless to repeat, and beside others. */
async function fireSchedule(services: Services, kinds: ScheduleKinds, { tenantId, scheduleId }: DueSchedule): Promise<Fired> {
  const inTenant = <T>(work: (context: TxContext) => Promise<T>) => inSystemTransaction(services, tenantId, work)
  const ownerId = await inTenant(({ tx }) => findOwner(tx, tenantId, scheduleId))
  if (ownerId === undefined) return 'nothing'
  const user = await findActingUser(services.databases, { tenantId, tenantUserId: ownerId })
  if (user?.isSuspended) {
    await inTenant(({ tx }) => putOff(tx, tenantId, null, suspendedSeconds))
    return 'putOff'
  }
  try {
    return await inSystemTransaction(
      services,
      tenantId,
      async (context) => {
        const row = await lockDue(context.tx, tenantId, scheduleId, ownerId)
        return row ? fire(context, kinds, row, user) : 'nothing'
      },
      { tenantUserId: ownerId, origin: { kind: 'schedule', id: scheduleId, depth: 0 } },
    )
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal' && !errorCatalogue[error.code].retryable) {
      await inTenant(({ tx }) => markStopped(tx, tenantId, scheduleId, ownerId, error.message))
      return 'stopped'
    }
    services.log.error({ err: error, tenantId, scheduleId }, 'a schedule could not be fired and is tried again')
    await inTenant(({ tx }) => putOff(tx, tenantId, scheduleId, failedSeconds))
    return 'putOff'
  }
}

async function fire(context: TxContext, kinds: ScheduleKinds, row: ScheduleRow, user: ActingUser | undefined): Promise<Fired> {
  const { tx, tenantId, stamp, origin } = context
  const { scheduleId, definitionId, input, nextDue, jobId } = row
  if (nextDue === null) throw new Error('A schedule is to be looked at and has no due time')
  const next = dueAfter(timingOf(row), Date.parse(stamp))
  if (next === undefined) throw new AppError('unprocessable', neverComes)
  const move = (fired?: { at: string; jobId: number | undefined }) =>
    moveOn(tx, tenantId, scheduleId, { nextDue: new Date(next).toISOString(), fired })
  // The database's clock was set back: what lies behind the present time was due before, and what is due from now on is counted anew.
  if (nextDue > stamp) {
    await move()
    return 'passed'
  }
  const kind = Object.hasOwn(kinds, row.kind) ? kinds[row.kind] : undefined
  if (!kind) throw new Error(`Nothing here fires schedules of the kind ${row.kind}`)
  const who = { tenantId, tenantUserId: row.ownerId, roleFlag: row.roleFlag, origin: { ...origin, id: scheduleId } }
  const actor = user && actorOfRun(user, who)
  const held = (user?.actor.roleFlag ?? 0) & row.roleFlag
  if (!actor) throw new AppError('forbidden', 'Whoever turned it on is locked or gone.')
  if (!allows(parseRoles(kind.needs), held))
    throw new AppError('forbidden', `Whoever turned it on does not hold the role ${roleWords(kind.needs)} any more.`)
  // What takes longer than its interval must not pile up.
  if (jobId !== null && (await isUnderWay(tx, tenantId, jobId))) {
    await move()
    return 'passed'
  }
  const queued = await kind.queue({ ...context, actor: { ...actor, roleFlag: held } }, { scheduleId, definitionId, input, dueAt: nextDue })
  await move({ at: stamp, jobId: queued.jobId })
  return 'queued'
}

function timingOf({ everyMinutes, countedFrom, cron, timeZone }: ScheduleRow): Timing {
  if (everyMinutes !== null && countedFrom !== null) return { everyMinutes, countedFrom: Date.parse(countedFrom) }
  if (cron !== null && timeZone !== null) return { cron, timeZone }
  throw new Error('A schedule has neither an interval nor a cron expression')
}

/** Fires some of what is due now of each tenant, and answers how many there were: 0 where nothing is due, or others see to it. */
export async function fireDue(services: Services, kinds: ScheduleKinds): Promise<number> {
  return workInShares(services.databases, listDue, async (due) => (await fireSchedule(services, kinds, due)) !== 'nothing')
}

/** To be done at times: what the database's clock, once it was set back, would leave waiting until it is there again is looked at now. */
export async function lookAgain({ databases }: Services): Promise<void> {
  await databases.lookUp((tx) => lookAtThoseAhead(tx))
}
