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

export function goesByPeople({ said }: Live): boolean {
  return valueAt(said['config'], 'people') !== undefined
}

/** Everybody whom the trigger means now. Not inside a transaction: who is meant by records is asked of these. */
async function peopleOf(services: Services, tenantId: number, { trigger, said }: Live): Promise<readonly number[]> {
  const { triggerId, actsAs, roleFlag } = trigger
  const who = { tenantId, tenantUserId: actsAs, roleFlag, origin: { kind: 'schedule', id: triggerId, depth: 0 } } as const
  const scope = () => Promise.reject(new Error('Nobody is meant by what a run holds: there is none yet'))
  const people = new Set<number>()
  for (const one of listIn(valueAt(said['config'], 'people'))) {
    const assignment = await findAssignment({ services, who, entity: undefined, eiRecordId: null, scope }, one)
    for (const user of await usersOfAssignment(services, tenantId, assignment)) people.add(user)
  }
  return [...people]
}

/** Starts the runs of those whose hour has come since the last look: of several days that have passed, the last one's. */
export async function lookForPeople(services: Services, tenantId: number, live: Live, user: ActingUser): Promise<void> {
  const people = await peopleOf(services, tenantId, live)
  await inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    const { trigger, said } = live
    const { triggerId, liveSince } = trigger
    const clock = await lockClock(tx, tenantId, triggerId)
    if (!clock) return
    const untilMs = Date.parse(stamp)
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
    const nextMs = Math.min(...places.map(({ next }) => next.ms))
    const seconds = Math.ceil((nextMs - untilMs) / 1_000)
    await endWindow(tx, tenantId, triggerId, stamp, Math.max(1, Math.min(mostSecondsBetween, seconds)))
  })
}
