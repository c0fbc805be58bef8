/** Triggers that go by an hour of people's days: each of them has a run once a day, when it is that hour where they are. */
import type { ActingUser } from '#platform/acting.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { listUserPlaces } from '#tools/users/service.ts'

import { listIn, valueAt } from '../definition/definition.types.ts'
import { findAssignment } from '../runs/assigning.ts'
import { usersOfAssignment } from '../runs/ending.ts'
import { startRuns } from '../runs/starting.ts'
import { fulfilling } from './asking.ts'
import { endWindow, lockClock } from './clocks.store.ts'
import { caughtUpMs, hourAround } from './dates.rules.ts'
import type { Live } from './triggers.types.ts'

/** Who has come, or has moved to another zone, is seen so soon. */
const mostSecondsBetween = 300
/** As many as runs that one cause may start. */
const mostPeople = 10_000
/** How many are looked at in one transaction. */
const peopleAtOnce = 500

export function goesByPeople({ said }: Live): boolean {
  return valueAt(said['config'], 'people') !== undefined
}

/** Everybody whom the trigger means now, 10,000 at most. Not inside a transaction: who is meant by records is asked of these. */
async function peopleOf(services: Services, tenantId: number, { trigger, said }: Live): Promise<readonly number[]> {
  const { triggerId, actsAs, roleFlag } = trigger
  const who = { tenantId, tenantUserId: actsAs, roleFlag, origin: { kind: 'schedule', id: triggerId, depth: 0 } } as const
  const scope = () => Promise.reject(new Error('Nobody is meant by what a run holds: there is none yet'))
  const people = new Set<number>()
  for (const one of listIn(valueAt(said['config'], 'people'))) {
    const assignment = await findAssignment({ services, who, entity: undefined, eiRecordId: null, scope, most: mostPeople }, one)
    for (const user of await usersOfAssignment(services, tenantId, assignment, mostPeople)) people.add(user)
  }
  return [...people].slice(0, mostPeople)
}

/** Starts the runs of those whose hour has come since the last look: of several days that have passed, the last one's. */
export async function lookForPeople(services: Services, tenantId: number, live: Live, user: ActingUser): Promise<void> {
  const people = await peopleOf(services, tenantId, live)
  let look: Look | undefined
  // The window ends with the last of them: whoever dies before looks at all of them again, and the key of a start lets nobody have two.
  for (let at = 0; at === 0 || (look && at < people.length); at += peopleAtOnce)
    look = await lookAtSome(services, tenantId, {
      live,
      user,
      people: people.slice(at, at + peopleAtOnce),
      isLast: at + peopleAtOnce >= people.length,
      look,
    })
}

interface Look {
  readonly until: string
  /** When the next hour of those comes who were looked at. */
  readonly nextMs: number
}

interface Some {
  readonly live: Live
  readonly user: ActingUser
  readonly people: readonly number[]
  readonly isLast: boolean
  /** Of those before them. */
  readonly look: Look | undefined
}

/** Undefined where the trigger has gone. */
async function lookAtSome(services: Services, tenantId: number, { live, user, people, isLast, look }: Some): Promise<Look | undefined> {
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    const { trigger, said } = live
    const { triggerId, liveSince } = trigger
    const clock = await lockClock(tx, tenantId, triggerId)
    if (!clock) return undefined
    const until = look?.until ?? stamp
    const untilMs = Date.parse(until)
    const from = Math.max(Date.parse(clock.lookedUntil), Date.parse(liveSince), untilMs - caughtUpMs)
    const places = (await listUserPlaces(tx, tenantId, people)).flatMap((place) => {
      const around = hourAround(valueAt(said['config'], 'at'), untilMs, place.timeZoneIana)
      return around ? [{ ...place, ...around }] : []
    })
    const due = places.filter(({ last }) => last.ms > from)
    const asUser: TxContext = { ...context, actor: { ...user.actor, roleFlag: trigger.roleFlag }, audit: () => {} }
    const candidates = due.map(({ tenantUserId, timeZoneIana, languageCode, last }) => ({
      payload: { scheduledFor: new Date(last.ms).toISOString(), tenantUserId, timeZone: timeZoneIana, languageCode },
      // Whoever flies westward has the same day once more, and no second run of it.
      startKey: `hour:${triggerId}:${tenantUserId}:${last.day}`,
    }))
    const found = await fulfilling(asUser, { frame: undefined, filter: said['filter'], by: null }, candidates)
    const starts = found.map(({ payload, startKey }) => ({
      input: {},
      trigger: payload,
      triggerType: trigger.triggerType,
      startedBy: null,
      startKey,
      origin: { kind: 'schedule' as const, id: triggerId, depth: 0 },
    }))
    await startRuns(context, { version: live.version, lane: 'triggers' }, starts)
    const nextMs = Math.min(look?.nextMs ?? Infinity, ...places.map(({ next }) => next.ms))
    const seconds = Math.ceil((nextMs - untilMs) / 1_000)
    if (isLast) await endWindow(tx, tenantId, triggerId, until, Math.max(1, Math.min(mostSecondsBetween, seconds)))
    return { until, nextMs }
  })
}
