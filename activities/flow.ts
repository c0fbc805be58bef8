/** The activities of runs: they carry steps out, undo them, and record how a run ended. */
import { setInterval } from 'node:timers'

import { ApplicationFailure, Context } from '@temporalio/activity'

import { runAs } from '#platform/acting.ts'
import { AppError, errorCatalogue } from '#platform/errors.ts'
import type { Outcome, Phase } from '#platform/flow/run.types.ts'
import type { Services } from '#platform/services.ts'
import type { FlowActivities, StepOrder } from '#platform/shapes/flow-runs.ts'
import { isSuspended, refuseSuspended } from '#platform/tenant-state.ts'
import { openSealed } from '#tools/action-packs/service.ts'
import {
  actingFor,
  type Done,
  type FindVersion,
  findStepType,
  fixInput,
  foresee,
  isObject,
  isResolved,
  keepItems,
  leadOn,
  nextUndone,
  type OpenStep,
  openStep,
  ownConfig,
  recordDone,
  recordEnding,
  recordFailed,
  recordOutcome,
  recordRunEnd,
  recordSkipped,
  recordTry,
  recordUndone,
  recordWaiting,
  recordWithdrawn,
  refuseLargeInput,
  type RunError,
  type Said,
  type Scope,
  scopeOf,
  takeKeptSignal,
  triesOf,
  waitAfter,
} from '#tools/workflows/service.ts'

import { performers } from './steps/index.ts'
import type { StepContext, StepEnd } from './steps/step.types.ts'

export interface FlowActivityOptions {
  readonly services: Services
  readonly findVersion: FindVersion
  /** Between the tries of a step that failed, instead of the definition's: for tests. */
  readonly retryDelayMs?: number
}

const heartbeatMs = 2_000
/** Between looks whether a suspended tenant is let in again. */
const suspendedMs = 15_000
/** The same of a run that is being undone: each look stands in the history of its workflow. */
const undoingSuspendedMs = 60_000
/** A try unless its definition says less; the workflow's limit lies above the most. */
const trySeconds = 120
const mostTrySeconds = 300

/**
 * Running any of these twice is harmless. A step's row is made once for its number, its input is fixed before anything of a try can be seen, an effect
 * carries a key of the run and that number, and what came of it is committed with the effect: a second run finds the record and answers the same.
 */
export function createFlowActivities(options: FlowActivityOptions): FlowActivities {
  const { services, findVersion, retryDelayMs } = options

  /** Beats while it works, and gives up when the worker goes or the time of a try is over. */
  async function alive<T>(seconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const context = Context.current()
    // Beside a workflow nobody listens for it.
    const beating = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(), heartbeatMs)
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(new AppError('timeout', `The step took longer than ${seconds} seconds.`)), seconds * 1_000)
    const signal = AbortSignal.any([context.cancellationSignal, ending.signal])
    try {
      return await work(signal)
    } catch (error) {
      context.cancellationSignal.throwIfAborted()
      throw ending.signal.aborted ? ending.signal.reason : error
    } finally {
      clearInterval(beating)
      clearTimeout(timer)
    }
  }

  async function failed(open: OpenStep, error: unknown): Promise<Outcome> {
    const { row, found } = open
    const known = error instanceof AppError ? error : undefined
    // It goes on where it stands once the tenant is let in again, and this is no try.
    if (known?.code === 'tenant_suspended') {
      const waitMs = retryDelayMs ?? suspendedMs
      throw ApplicationFailure.create({ message: known.message, type: 'step', nextRetryDelay: waitMs, details: [waitMs] })
    }
    if (!known) services.log.warn({ err: error, ...open.order }, 'a step of a run failed')
    const told: RunError = { code: known?.code ?? 'internal', message: known?.message ?? 'Something failed on our side.', step: found.name }
    const mayBeMended = !known || known.code === 'internal' || errorCatalogue[known.code].retryable
    const tries = triesOf(found.said)
    const failures = row.failures + 1
    // What was refused has not happened; of what broke nobody knows; and what is done, of which nobody can say to what it leads, has.
    if (!mayBeMended || failures >= tries.attempts) return recordFailed(services, open, told, mayBeMended || row.state === 'done')
    await recordTry(services, open, told)
    // For the server, and for a workflow that tried it beside itself.
    const waitMs = retryDelayMs ?? waitAfter(tries, failures)
    throw ApplicationFailure.create({ message: told.message, type: 'step', nextRetryDelay: waitMs, details: [waitMs] })
  }

  async function conclude(
    open: OpenStep,
    end: StepEnd,
    scope: () => Promise<Scope>,
    again: (phase: Phase) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { order, found } = open
    const ref = { tenantId: order.tenantId, runId: order.runId }
    switch (end.kind) {
      case 'done': {
        const known = await foresee(open, scope, end)
        const told = await services.databases.transact(ref, ({ tx }) => recordDone(tx, open, end, known))
        return told ?? again('resume')
      }
      case 'recorded':
        return end.outcome ?? again('resume')
      case 'waiting': {
        const { untilMs } = end
        if (order.phase !== 'begin') return { kind: 'waiting', ...(untilMs === undefined ? {} : { untilMs }) }
        const found = await recordWaiting(services, open, end.wait, async (context) => {
          await end.begin?.(context)
          return takeKeptSignal(context, open, end.wait.awaits)
        })
        return found === 'answered' ? again('resume') : { kind: 'waiting', ...(untilMs === undefined ? {} : { untilMs }) }
      }
      case 'lanes':
        return recordOutcome(services, open, { kind: 'lanes' })
      case 'items':
        return recordOutcome(services, open, { kind: 'items', count: await keepItems(services, open, end.items) })
      case 'failed':
        return recordFailed(services, open, { code: end.code, message: end.message, step: found.name }, false, end.result)
      case 'endRun':
        return (await recordEnding(services, open, end)) ?? again('resume')
    }
  }

  async function carryOut(order: StepOrder, signal: AbortSignal): Promise<Outcome> {
    const opened = await openStep(services, findVersion, order)
    if (!opened) throw ApplicationFailure.nonRetryable(`There is no run ${order.runId}`)
    const again = (phase: Phase) => carryOut({ ...order, phase }, signal)
    const { row, found, run } = opened
    // Its signal is on its way and is not heard beside the workflow; the queue lets it pass.
    if (Context.current().info.isLocal && (run.isPaused || run.isCancelling))
      throw ApplicationFailure.create({ message: 'The run is held or cancelled', type: 'turned' })
    let inHand = opened
    // A try that was interrupted after it had begun to wait.
    if (row.state === 'active' && order.phase === 'begin' && row.isWaiting) return waitingOutcome(opened)
    if (row.state === 'active' && order.phase !== 'join' && isGoingOn(row.outcome)) return row.outcome
    try {
      if (row.state !== 'active') return await endedOutcome(opened)
      await refuseSuspended(services, order.tenantId)
      let scope: Promise<Scope> | undefined
      const scopeNow = () => (scope ??= scopeOf(services, opened))
      const { when } = found.said
      if (order.phase === 'begin' && row.input === null && when !== undefined && !(await (await scopeNow()).holds(when)))
        return await recordSkipped(services, opened)
      const config = row.input ?? (await resolved(opened, scopeNow))
      const open: OpenStep = { ...opened, row: { ...row, input: config } }
      inHand = open
      const perform = performers.get(found.stepType)
      if (!perform)
        throw new AppError('unprocessable', `This installation has nothing that carries out steps of the type ${found.stepType}.`)
      const who = actingFor(order.tenantId, open.run)
      const seconds = trySecondsOf(found.said)
      const limit = AbortSignal.timeout(seconds * 1_000)
      const step: StepContext = {
        services,
        open,
        ...(await sendable(open, config)),
        phase: order.phase,
        joined: order.joined,
        who,
        signal: AbortSignal.any([signal, limit]),
        scope: scopeNow,
        async call(operation, input, doneOf: (answer: unknown) => Done, shownIn) {
          const recorded: { outcome?: Outcome | undefined; isSo: boolean } = { isSo: false }
          const record = async (tx: Parameters<typeof recordDone>[0], answer: unknown) => {
            recorded.outcome = await recordDone(tx, open, doneOf(answer))
            recorded.isSo = true
          }
          const answer = await runAs(services, who, operation, input, {
            key: `step:${row.effectNo}`,
            signal: step.signal,
            shownIn,
            commitWith: record,
            onReplay: () => (recorded.isSo = false),
          }).catch((error: unknown) => {
            // What was given up for its time says so, whatever it broke with.
            throw limit.aborted && !signal.aborted ? new AppError('timeout', `The step took longer than ${seconds} seconds.`) : error
          })
          // Of an answer that was kept, another try may have recorded nothing.
          if (!recorded.isSo) await services.databases.transact({ tenantId: order.tenantId }, ({ tx }) => record(tx, answer))
          return { kind: 'recorded', outcome: recorded.outcome }
        },
      }
      return await conclude(open, await perform(step), scopeNow, again)
    } catch (error) {
      if (error instanceof ApplicationFailure || Context.current().cancellationSignal.aborted) throw error
      return failed(inHand, error)
    }
  }

  /** What is kept of a step holds marks for sensitive settings of an install; what it sends outside holds these. */
  async function sendable({ order, run, found }: OpenStep, config: Said): Promise<Pick<StepContext, 'config' | 'sealed'>> {
    if (run.pack === null || found.stepType !== 'callHttp') return { config, sealed: [] }
    return openSealed(services, order.tenantId, run.workflowId, config)
  }

  async function resolved(open: OpenStep, scope: () => Promise<Scope>): Promise<Said> {
    const { found } = open
    const own = ownConfig(found)
    const config = isResolved(found) ? await (await scope()).resolve(own) : own
    const input = isObject(config) ? config : {}
    refuseLargeInput(open, input)
    if (isFixedFirst(found)) await fixInput(services, open, input)
    return input
  }

  function endedOutcome(open: OpenStep): Promise<Outcome> | Outcome {
    const { row } = open
    if (row.outcome !== null) return row.outcome as Outcome
    return row.state === 'done' ? leadOn(services, open) : { kind: 'failed' }
  }

  function waitingOutcome({ row }: OpenStep): Outcome {
    const times = [row.wakeAt, row.overdueAt === null ? row.dueAt : null].flatMap((at) => (at === null ? [] : [Date.parse(at)]))
    return { kind: 'waiting', ...(times.length > 0 ? { untilMs: Math.min(...times) } : {}) }
  }

  return {
    performStep: (order) => alive(mostTrySeconds, (signal) => carryOut(order, signal)),
    async withdrawStep({ tenantId, runId, no }) {
      await recordWithdrawn(services, tenantId, runId, no)
    },
    async compensateNext(ref) {
      return alive(trySeconds, async (signal) => {
        // Of a tenant that is gone there is no run either, and nothing to wait for.
        const undo = await nextUndone(services, findVersion, ref)
        if (!undo) return { hasMore: false }
        // It goes on with this step once the tenant is let in again, and this is no try.
        const later = { hasMore: true, waitMs: retryDelayMs ?? undoingSuspendedMs }
        if (await isSuspended(services, ref.tenantId)) return later
        const { open, found } = undo
        try {
          const scope = await scopeOf(services, open)
          const config = await scope.resolve(ownConfig(found))
          const perform = performers.get(found.stepType)
          if (!perform) throw new AppError('unprocessable', `Nothing carries out steps of the type ${found.stepType}.`)
          const who = actingFor(ref.tenantId, open.run)
          const undoing = { ...open, found }
          const end = await perform({
            services,
            open: undoing,
            ...(await sendable(undoing, isObject(config) ? config : {})),
            phase: 'begin',
            joined: undefined,
            who,
            signal,
            scope: () => Promise.resolve(scope),
            async call(operation, input) {
              const record = (tx: Parameters<typeof recordUndone>[0]) => recordUndone(tx, open)
              await runAs(services, who, operation, input, { key: `undo:${open.row.stepNo}`, signal, commitWith: record })
              await services.databases.transact({ tenantId: ref.tenantId }, ({ tx }) => record(tx))
              return { kind: 'recorded' }
            },
          })
          if (end.kind !== 'recorded')
            await services.databases.transact({ tenantId: ref.tenantId }, ({ tx }) =>
              recordUndone(tx, open, end.kind === 'done' ? (end.set ?? {}) : {}),
            )
        } catch (error) {
          if (Context.current().cancellationSignal.aborted) throw error
          const known = error instanceof AppError ? error : undefined
          if (known?.code === 'tenant_suspended') return later
          if (known && errorCatalogue[known.code].retryable && Context.current().info.attempt < 10) throw error
          // A run that is cancelled ends, whatever cannot be undone; the log says what that is.
          const told = {
            code: known?.code ?? 'internal',
            message: known?.message ?? 'Something failed on our side.',
            step: open.found.name,
          }
          await services.databases.transact({ tenantId: ref.tenantId }, ({ tx }) => recordUndone(tx, open, {}, told))
        }
        return { hasMore: true }
      })
    },
    async finishRun(end) {
      await recordRunEnd(services, end)
    },
  }
}

/** What a quick step does is committed together with its record, and that holds what it was resolved to; of others a try may have been seen outside. */
function isFixedFirst({ stepType }: OpenStep['found']): boolean {
  const type = findStepType(stepType)
  return !type?.isQuick || type.kind === 'lanes' || type.kind === 'loop'
}

/** How long one try of a step may take. */
function trySecondsOf({ timeoutSeconds }: Said): number {
  return Math.min(typeof timeoutSeconds === 'number' ? timeoutSeconds : trySeconds, mostTrySeconds)
}

function isGoingOn(outcome: unknown): outcome is Outcome {
  return isObject(outcome) && (outcome['kind'] === 'lanes' || outcome['kind'] === 'items')
}
