/**
 * Carries a run of any definition: it hands out what the logic of runs says, tells it what came of that and who acted, and waits in between. What a step
 * does, whom it asks and what it holds stand in the database.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  type RetryPolicy,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow'

import { advance, beginRun, nextWake } from '#platform/flow/advance.ts'
import type { Plan, PlanStep } from '#platform/flow/plan.types.ts'
import type { Command, Outcome, RunEvent, RunState } from '#platform/flow/run.types.ts'
import { type FlowActivities, type FlowRunInput, flowSignals, type StepOrder } from '#platform/shapes/flow-runs.ts'
import { taskQueues } from '#platform/shapes/queues.ts'

/** Without a limit: a step counts its own tries and says when they are over, and what has ended must be recorded, however long the database is away. */
const retry: RetryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' }

const { performStep, compensateNext } = proxyActivities<FlowActivities>({
  taskQueue: taskQueues.activities,
  // A try ends itself before this.
  startToCloseTimeout: '6m',
  // A killed worker is noticed after this long.
  heartbeatTimeout: '10s',
  retry,
})

const { withdrawStep, finishRun } = proxyActivities<FlowActivities>({
  taskQueue: taskQueues.activities,
  startToCloseTimeout: '10s',
  retry,
})

/** Tried once, where the workflow is: a task of a queue costs three times as much. What does not end so goes by the queue. */
const beside = proxyLocalActivities<FlowActivities>({ startToCloseTimeout: '10s', retry: { maximumAttempts: 1 } })

/**
 * Steps beside the workflow, one after the other: the next one goes by the queue, where tenants take turns, and the workflow hears meanwhile who acted.
 */
const mostInARow = 10

const poked = defineSignal<[number]>(flowSignals.poked)
const paused = defineSignal(flowSignals.paused)
const resumed = defineSignal(flowSignals.resumed)
const cancelled = defineSignal(flowSignals.cancelled)

/** The longest that one timer runs; whoever wakes by it looks again. */
const longestWaitMs = 30 * 86_400_000

type Finish = Extract<Command, { kind: 'finish' }>

export async function flowRun(input: FlowRunInput): Promise<void> {
  // Who cancels it at Temporal cancels the run: what was done is undone, and its end is recorded.
  const { cancelRequested } = CancellationScope.current()
  await CancellationScope.nonCancellable(() => carry(input, cancelRequested))
}

async function carry(input: FlowRunInput, cancelRequested: Promise<never>): Promise<void> {
  const { tenantId, runId, plan, expiresAtMs } = input
  const ref = { tenantId, runId }
  const told: RunEvent[] = []
  setHandler(poked, (no) => void told.push({ kind: 'poked', no }))
  setHandler(paused, () => void told.push({ kind: 'paused' }))
  setHandler(resumed, () => void told.push({ kind: 'resumed' }))
  setHandler(cancelled, () => void told.push({ kind: 'cancelled' }))

  cancelRequested.catch(() => void told.push({ kind: 'cancelled' }))

  let broken: unknown
  let underWay = 0
  const follow = <T>(work: Promise<T>, then: (one: T) => void) => {
    underWay++
    void work.then(
      (one) => {
        underWay--
        then(one)
      },
      // Tried without a limit, so only a workflow that is ended from outside comes here.
      (error: unknown) => {
        underWay--
        broken = error
      },
    )
  }
  const tell = (event: Promise<RunEvent>) => follow(event, (one) => told.push(one))
  const quick = new Set(input.isLocal ? quickSteps(plan) : [])
  let inARow = 0
  const perform = async (order: StepOrder): Promise<Outcome> => {
    if (!quick.has(order.path.step) || inARow >= mostInARow) {
      inARow = 0
      return performStep(order)
    }
    inARow++
    try {
      return await beside.performStep(order)
    } catch (error) {
      const waitMs = pauseOf(error)
      if (waitMs > 0) await sleep(waitMs)
      return performStep(order)
    }
  }
  const undoNext = async (): Promise<RunEvent> => {
    const { hasMore, waitMs = 0 } = await compensateNext(ref)
    if (waitMs > 0) await sleep(waitMs)
    return { kind: 'compensated', hasMore }
  }
  const isLong = () => workflowInfo().continueAsNewSuggested
  /** Of a workflow whose history is long enough: the next one of the run carries it out, once nothing of this one is under way. */
  const held: Command[] = []
  const ends: Finish[] = []
  const carryOut = (command: Command): void => {
    switch (command.kind) {
      case 'perform': {
        if (isLong()) return void held.push(command)
        const { kind: _kind, ...order } = command
        return tell(perform({ ...ref, ...order }).then((outcome) => ({ kind: 'ended', no: order.no, outcome })))
      }
      case 'withdraw':
        return follow(here(input, { ...ref, no: command.no }, beside.withdrawStep, withdrawStep), () => {})
      case 'compensate':
        if (isLong()) return void held.push(command)
        return tell(undoNext())
      case 'finish':
        ends.push(command)
    }
  }

  let state: RunState
  const take = (next: { readonly state: RunState; readonly commands: readonly Command[] }): void => {
    ;({ state } = next)
    for (const command of next.commands) carryOut(command)
  }
  if (!input.state) take(beginRun(plan))
  else if (input.isRetried) take(advance(plan, input.state, { kind: 'retried' }))
  else take({ state: input.state, commands: input.held ?? [] })

  while (ends.length === 0) {
    if (isLong() && underWay === 0 && told.length === 0 && broken === undefined)
      await continueAsNew<typeof flowRun>({ ...input, state: state!, held, isRetried: false })
    // A workflow's clock is Temporal's, and shows the same in a replay.
    const untilMs = Math.min(nextWake(state!) ?? Infinity, state!.ending ? Infinity : expiresAtMs)
    const waitMs = Math.min(untilMs - Date.now(), longestWaitMs)
    const isTold = () => told.length > 0 || broken !== undefined || (held.length > 0 && underWay === 0)
    if (waitMs > 0) await condition(isTold, waitMs)
    if (broken !== undefined) throw broken
    if (told.length === 0 && held.length > 0 && underWay === 0) continue
    const event = told.shift() ?? dueAt(Date.now(), expiresAtMs)
    take(advance(plan, state!, event))
  }
  // What is withdrawn is recorded first: nobody acts on it any more.
  await condition(() => underWay === 0)
  for (const { state: end, because, hadFailures } of ends)
    await here(input, { ...ref, epoch: input.epoch, state: end, because, hadFailures, flow: state! }, beside.finishRun, finishRun)
}

/** Beside the workflow where its history knows of that, else by the queue. */
function here<T>(
  { isLocal }: FlowRunInput,
  given: T,
  local: (given: T) => Promise<void>,
  queued: (given: T) => Promise<void>,
): Promise<void> {
  return isLocal ? local(given).catch(() => queued(given)) : queued(given)
}

function* quickSteps({ steps }: Plan): Generator<string> {
  for (const { name, isQuick, lanes, body } of steps) {
    if (isQuick) yield name
    for (const inner of [...(lanes ?? []), { steps: body ?? ([] as readonly PlanStep[]) }]) yield* quickSteps(inner)
  }
}

/** How long a step says that is to be waited before its next try. */
function pauseOf(error: unknown): number {
  const told = error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause.details?.[0] : undefined
  return typeof told === 'number' ? told : 0
}

function dueAt(nowMs: number, expiresAtMs: number): RunEvent {
  return nowMs >= expiresAtMs ? { kind: 'expired' } : { kind: 'woke', atMs: nowMs }
}
