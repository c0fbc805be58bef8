/** A world in which a week passes: everything that the product does by itself is done as the clock moves, and what waits for a time is woken when it has come. */
import { createActivities } from '#activities/index.ts'
import { taskQueues } from '#platform/shapes/queues.ts'
import { inSystemTransaction } from '#platform/system.ts'
import { carryOut } from '#server/worker/carry-out.ts'
import { startRelay } from '#server/worker/relay.ts'
import { scheduleKinds } from '#server/worker/schedule-kinds.ts'
import { fireDue } from '#tools/schedules/service.ts'
import { emitPoke } from '#tools/workflows/runs/starting.ts'

import { hideClock, type MovedClock, moveClock } from './moved-clock.ts'
import { eventually } from './patience.ts'
import { openTemporal, startTestWorker } from './temporal.ts'
import { openSkipping } from './time-skipping.ts'
import { openTriggers } from './triggers.ts'
import { openWorld, type World } from './world.ts'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** The last Sunday of October of next year, on which Madrid's clocks go back, New York's a week later. */
export function clocksGoBack(now: Date): Date {
  const last = new Date(Date.UTC(now.getUTCFullYear() + 1, 10, 0))
  return new Date(last.getTime() - last.getUTCDay() * dayMs)
}

export interface Week {
  readonly world: World
  readonly clock: MovedClock
  /** Whether Temporal's timers and tries follow the clock. */
  readonly skipsTime: boolean
  /** Until everything that happened and has come due has led to what it leads to, and all that is left waits for people or times. */
  settled(): Promise<void>
  /** Hours go by, `step` at a time, and the product does at each what it does by itself. */
  pass(hours: number, step?: number): Promise<void>
  /** The product is away, and comes back. */
  isAway(hours: number): Promise<void>
  close(): Promise<void>
}

/** Begins at a time that lies ahead. */
export async function openWeek(begins: (now: Date) => Date): Promise<Week> {
  const skipping = await openSkipping()
  const [world, temporal] = await Promise.all([openWorld({}, hideClock), skipping ?? openTemporal()])
  const { services } = world.platform
  const clock = moveClock(world)
  const moveTo = async (at: Date) => {
    const aheadMs = at.getTime() - clock.now().getTime()
    await clock.moveTo(at)
    await skipping?.skip(aheadMs)
  }
  await moveTo(begins(clock.now()))
  services.temporal.connectTo(temporal.address)
  const activities = createActivities(services)
  const { general, messages, recognition, jobs } = activities
  const worker = await startTestWorker(temporal, {
    [taskQueues.activities]: general,
    [taskQueues.messages]: messages,
    [taskQueues.recognition]: recognition,
    [taskQueues.jobs]: jobs,
  })
  const relay = startRelay(services, (errand) => carryOut(services, errand))
  const triggers = openTriggers(world)

  const woken = new Set<string>()

  /** Steps whose time has come. Where time skips, Temporal's own timers have woken them; where it does not, these go by the machine's clock. */
  async function wakeDue(): Promise<number> {
    if (skipping) return 0
    const due = await world.sql<{ tenantId: number; runId: number; epoch: number; stepNo: number; at: string }[]>`
      select r.tenant_id, r.run_id::float8 as run_id, r.epoch, s.step_no, concat(s.wake_at, s.due_at) as at from platform.workflow_step_run s
      join platform.workflow_run r on r.tenant_id = s.tenant_id and r.run_id = s.run_id
      where s.is_waiting and r.finished_date is null
        and (s.wake_at <= now() or (s.due_at <= now() and s.overdue_at is null))`
    let count = 0
    for (const { tenantId, runId, epoch, stepNo, at } of due) {
      const key = `${runId} ${stepNo} ${at}`
      if (woken.has(key)) continue
      woken.add(key)
      count++
      await inSystemTransaction(services, tenantId, (context) => emitPoke(context, { runId, epoch }, stepNo))
    }
    return count
  }

  /** What is on its way. */
  const underWay = () => world.sql<{ what: string }[]>`
    select concat('run ', run_id, ' ', state, (select string_agg(concat(seq, ' ', step, ' ', event, ' ', error), '; ') from platform.workflow_log l where l.run_id = workflow_run.run_id)) as what from platform.workflow_run where state in ('queued', 'running') and held_for is null
    union all select concat('answered step of run ', run_id) from platform.workflow_step_run where state = 'active' and answer is not null
    union all select concat('wait of run ', run_id) from platform.workflow_step_run where is_waiting and step_type = 'wait' and wake_at <= now()
    union all select concat('firing ', part) from platform.trigger_firing where next_at <= now()
    union all select concat('errand ', subject, ' ', last_error) from platform.outbox where sent_at is null and dead_at is null
    limit 20`

  async function settled(): Promise<void> {
    let left = ''
    await eventually(async () => {
      while ((await fireDue(services, scheduleKinds)) > 0);
      await triggers.drain()
      const woken = await wakeDue()
      left = (await underWay()).map(({ what }) => what).join(', ')
      return left === '' && woken === 0
    }, 'everything that was begun has ended or waits').catch((error: unknown) => {
      throw new Error(`On its way still: ${left}`, { cause: error })
    })
  }

  async function forward(hours: number): Promise<void> {
    await moveTo(new Date(clock.now().getTime() + hours * hourMs))
  }

  return {
    world,
    clock,
    skipsTime: skipping !== undefined,
    settled,
    async pass(hours, step = 1) {
      await settled()
      for (let gone = 0; gone < hours; gone += step) {
        await forward(Math.min(step, hours - gone))
        await settled()
      }
    },
    isAway: forward,
    async close() {
      await triggers.stop()
      await relay.stop()
      await worker.stop()
      await activities.close()
      await world.close()
      clock.stop()
      await temporal.close()
    },
  }
}
