/** Triggers that come due by a cron expression, or every so often: each has a schedule, which the ticker fires. */
import type { TxContext } from '#platform/operation.ts'
import { readDuration } from '#platform/tokens/zoned.ts'
import { keepParts, type ScheduleKind, turnOn } from '#tools/schedules/service.ts'

import { valueAt } from '../definition/definition.types.ts'
import type { FindFlowVersion } from '../runs/versions.ts'
import type { Said } from '../runs/runs.types.ts'
import { startRuns } from '../runs/starting.ts'
import { fulfilling } from './asking.ts'
import { findLiveTrigger } from './triggers.store.ts'
import type { LiveFlow } from './triggers.types.ts'

export const triggerScheduleKind = 'trigger'

function timingOf(config: unknown) {
  const [cron, timeZone, every] = [valueAt(config, 'cron'), valueAt(config, 'timeZone'), readDuration(valueAt(config, 'every'))]
  if (typeof cron === 'string') return { cron, timeZone: typeof timeZone === 'string' ? timeZone : 'UTC' }
  return every ? { everyMinutes: (every.days * 86_400_000 + every.ms) / 60_000 } : undefined
}

/** The schedules of a definition's triggers. One that says the same as before goes on as it is. */
export async function keepTimes(
  context: TxContext,
  { definitionId, actsAs, roleFlag }: LiveFlow,
  triggers: readonly { readonly triggerId: number; readonly triggerType: string; readonly body: Said }[],
): Promise<void> {
  const timed = triggers.flatMap(({ triggerId, triggerType, body }) => {
    const timing = triggerType === 'schedule' ? timingOf(body['config']) : undefined
    return timing ? [{ triggerId, timing }] : []
  })
  const of = { kind: triggerScheduleKind, definitionId }
  await keepParts(
    context,
    of,
    timed.map(({ triggerId }) => String(triggerId)),
  )
  const asUser: TxContext = { ...context, actor: { ...context.actor, tenantUserId: actsAs, roleFlag } }
  for (const { triggerId, timing } of timed)
    await turnOn(asUser, { ...of, part: String(triggerId) }, timing, { triggerId }, { startsLater: true })
}

export async function endTimes(context: TxContext, definitionId: number): Promise<void> {
  await keepParts(context, { kind: triggerScheduleKind, definitionId }, [])
}

/** Starts the run of a due time, in the transaction that moves the schedule on. */
export function triggerSchedule(findVersion: FindFlowVersion): ScheduleKind {
  return {
    needs: 'any',
    async queue(context, { input, dueAt, scheduleId }) {
      const { tx, tenantId } = context
      const triggerId = Number(valueAt(input, 'triggerId'))
      const trigger = await findLiveTrigger(tx, tenantId, triggerId)
      const version = trigger && (await findVersion(context, trigger.definitionId, trigger.version))
      const said = version?.triggers?.find((one) => one['triggerId'] === triggerId)
      if (!trigger || !version || !said) return {}
      const candidate = { payload: { scheduledFor: dueAt } }
      const asUser: TxContext = { ...context, actor: { ...context.actor, roleFlag: trigger.roleFlag }, audit: () => {} }
      const found = await fulfilling(asUser, { frame: undefined, filter: said['filter'], by: null }, [candidate])
      const starts = found.map(({ payload }) => ({
        input: {},
        trigger: payload,
        triggerType: trigger.triggerType,
        startedBy: null,
        startKey: `schedule:${triggerId}:${dueAt}`,
        origin: { kind: 'schedule' as const, id: scheduleId, depth: 0 },
      }))
      await startRuns(context, { version, lane: 'triggers' }, starts)
      return {}
    },
  }
}
