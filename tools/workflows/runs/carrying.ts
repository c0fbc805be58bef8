/**
 * What is recorded of a step while it is carried out. Whoever writes holds the run first. Each record is made once: a try after a death finds what the
 * one before it committed, and goes on from there.
 */
import type { Tx } from '#platform/db/pool.ts'
import { eventsTopic } from '#platform/event-log.ts'
import type { Outcome } from '#platform/flow/run.types.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import type { StepOrder } from '#platform/shapes/flow-runs.ts'
import { inSystemTransaction } from '#platform/system.ts'

import { bytesOf, refuseTooMuch } from '../values/bounds.rules.ts'
import { addLogLine, addStepLine, lockedAt, lockRun } from './runs.store.ts'
import type { CarriedVersion, NewLogLine, RunError, RunRow, Said, StepRow } from './runs.types.ts'
import { openScope, readRoots, type Roots, type Scope } from './scope.ts'
import { type FoundStep, isObject, listIn, mustFindStep, needsScope } from './steps.rules.ts'
import { countFailure, endStep, findStep, insertStep, keepInput, reopenStep, setOutcome, type Waiting, beginWait } from './steps.store.ts'
import { tellRun, tellStep } from './told.ts'

/** Finds the version that a run follows. */
export type FindVersion = (context: TxContext, workflowId: number, version: number) => Promise<CarriedVersion | undefined>

/** A step in hand. */
export interface OpenStep {
  readonly order: StepOrder
  readonly run: RunRow
  readonly version: CarriedVersion
  readonly found: FoundStep
  readonly row: StepRow
  /** What its tokens name, where it was clear that some do. */
  readonly roots?: Roots
}

/** The step, begun where it was not. Undefined where there is no such run. */
export async function openStep(services: Services, findVersion: FindVersion, order: StepOrder): Promise<OpenStep | undefined> {
  const { tenantId, runId, no, path } = order
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx } = context
    const run = await lockRun(tx, tenantId, runId)
    const version = run && (await findVersion(context, run.workflowId, run.version))
    if (!run || !version) return undefined
    const found = mustFindStep(version.steps, path.step)
    const begun = order.phase === 'begin' ? await beginStep(context, order, found) : undefined
    const row =
      begun ?? (order.phase === 'join' ? await reopenStep(tx, tenantId, runId, no) : undefined) ?? (await findStep(tx, tenantId, runId, no))
    if (!row) throw new Error('A step goes on that was not begun')
    // With its first step of all: one that is retried began long ago.
    const isFirst = begun !== undefined && run.startedDate === null
    if (isFirst && (await tellRun(tx, { tenantId, at: context.stamp }, run, 'running')))
      context.afterCommit(() => services.wake.poke(eventsTopic))
    const open = { order, run, version, found, row }
    // What it is resolved by, or by which branch it goes on.
    const isAsked = row.state === 'active' ? row.input === null && needsScope(found) : row.state === 'done' && row.outcome === null
    return isAsked ? { ...open, roots: await readRoots(context, placeOf(open)) } : open
  })
}

/** Undefined where it was begun before. */
async function beginStep({ tx, stamp }: TxContext, order: StepOrder, found: FoundStep): Promise<StepRow | undefined> {
  const { tenantId, runId, no, path, retryOf } = order
  const failed = retryOf === undefined ? undefined : await findStep(tx, tenantId, runId, retryOf)
  // What may have happened is asked for again under the same key and with the same input, so that it does not happen twice.
  const again = failed?.isUnsure ? failed : undefined
  const row = await insertStep(tx, tenantId, runId, {
    stepNo: no,
    step: found.name,
    stepType: found.stepType,
    iteration: path.iteration,
    effectNo: again?.effectNo ?? no,
    input: again?.input ?? null,
    at: stamp,
  })
  if (row) await addStepLine(tx, tenantId, runId, stamp, { event: failed ? 'retried' : 'started', row })
  return row
}

const placeOf = ({ order, run, version, found, row }: Omit<OpenStep, 'roots'>) => {
  const { tenantId, path } = order
  return { tenantId, run, version, path, loop: found.loop, at: row.begunAt }
}

export function scopeOf(services: Services, open: OpenStep): Promise<Scope> {
  return openScope(services, placeOf(open), open.roots)
}

/** Throws `too_large` where a step was resolved to more than it may hold. */
export function refuseLargeInput({ found }: OpenStep, input: Said): void {
  bytesOf(input, `The configuration of ${found.name}`, 'Name narrower values in it.')
}

/** Fixes what a step is carried out with, before what it does can be seen outside of the transaction that records it. */
export async function fixInput(services: Services, { order, row }: OpenStep, input: Said): Promise<void> {
  await inSystemTransaction(services, order.tenantId, ({ tx }) => keepInput(tx, order.tenantId, order.runId, row.stepNo, input))
}

export interface Done {
  readonly result?: unknown
  /** Where it leads by itself, before branches are asked: an action, a timeout. */
  readonly goTo?: string | undefined
  readonly set?: Said | undefined
  readonly by?: number | null | undefined
  readonly comment?: string | undefined
}

const ms = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from))

/**
 * Records what a step brought, in the transaction that made it, and answers what the run is told of it. Undefined where that is not known yet: where it is
 * recorded already, where somebody has answered since the step was read, and where branches are to be asked. Throws `too_large`.
 */
export async function recordDone(tx: Tx, { order, run, found, row }: OpenStep, done: Done, known?: Outcome): Promise<Outcome | undefined> {
  const { tenantId } = order
  const { runId } = run
  const variables = done.set ?? {}
  const narrow = 'Read fewer rows or properties, or pass on ids.'
  const bytes =
    bytesOf(done.result, `The result of ${found.name}`, narrow) +
    Object.entries(variables).reduce((sum, [name, value]) => sum + bytesOf(value, `The variable ${name}`, narrow), 0)
  const at = await lockedAt(tx, tenantId, runId)
  const isOpen = done.goTo === undefined && hasBranches(found)
  const outcome: Outcome | undefined = known ?? (isOpen ? undefined : ledTo(done.goTo))
  const { input, answer } = row
  const end = { state: 'done', result: done.result, outcome, input, isAnswered: answer !== null, at } as const
  if (!(await endStep(tx, tenantId, runId, row.stepNo, end))) return undefined
  const line = {
    event: 'done',
    row,
    input,
    output: done.result,
    by: done.by,
    comment: done.comment,
    attempt: row.failures + 1,
    durationMs: ms(row.begunAt, at),
  } as const
  const told = tellStep(tx, { tenantId, at, by: done.by ?? null }, run, row, 'done')
  const [held] = await Promise.all([addStepLine(tx, tenantId, runId, at, line, { variables, bytes }), told])
  refuseTooMuch(held)
  return outcome
}

const hasBranches = ({ said }: FoundStep) => listIn(said['branches']).length > 0

/** Where the first of its branches leads that holds; undefined where none does. */
export async function branchOf(scope: Scope, { said }: Pick<FoundStep, 'said'>, own?: Said): Promise<string | undefined> {
  for (const branch of listIn(said['branches'])) {
    if (isObject(branch) && (await scope.holds(branch['when'], own))) return String(branch['goTo'])
  }
  return undefined
}

const ledTo = (goTo: string | undefined): Outcome => ({ kind: 'done', ...(goTo === undefined ? {} : { goTo }) })

/** Where a step leads that has done nothing but what is recorded next; undefined where nobody asks. */
export async function foresee(open: OpenStep, scope: () => Promise<Scope>, { goTo, result, set }: Done): Promise<Outcome | undefined> {
  if (goTo !== undefined || !hasBranches(open.found)) return undefined
  const asked = await scope()
  return ledTo(await branchOf(asked, open.found, asked.after(open.found.name, result, set)))
}

/** Where a step leads that is done: the first branch that holds. */
export async function leadOn(services: Services, open: OpenStep): Promise<Outcome> {
  const { order, found, row } = open
  const { tenantId, runId } = order
  const outcome = ledTo(await branchOf(await scopeOf(services, open), found))
  await inSystemTransaction(services, tenantId, ({ tx }) => setOutcome(tx, tenantId, runId, row.stepNo, outcome))
  return outcome
}

interface Ended {
  readonly state: 'skipped' | 'failed' | 'withdrawn'
  readonly outcome: Outcome
  readonly line: NewLogLine
  readonly result?: unknown
  readonly error?: RunError
  readonly isUnsure?: boolean
}

async function recordEnd(services: Services, { order, run, row }: OpenStep, end: Ended): Promise<Outcome> {
  const { tenantId, runId } = order
  return inSystemTransaction(services, tenantId, async ({ tx, stamp }) => {
    await lockRun(tx, tenantId, runId)
    if (await endStep(tx, tenantId, runId, row.stepNo, { ...end, input: row.input, at: stamp })) {
      await addStepLine(tx, tenantId, runId, stamp, end.line)
      if (end.state === 'failed') await tellStep(tx, { tenantId, at: stamp, by: null }, run, row, 'failed')
      return end.outcome
    }
    const known = await findStep(tx, tenantId, runId, row.stepNo)
    // The outcome was written by one of these functions.
    return (known?.outcome as Outcome | undefined) ?? end.outcome
  })
}

export function recordSkipped(services: Services, open: OpenStep): Promise<Outcome> {
  return recordEnd(services, open, { state: 'skipped', outcome: { kind: 'skipped' }, line: { event: 'skipped', row: open.row } })
}

/** `isUnsure`: whether it happened is not known. */
export function recordFailed(services: Services, open: OpenStep, error: RunError, isUnsure: boolean, result?: unknown): Promise<Outcome> {
  const { row } = open
  return recordEnd(services, open, {
    state: 'failed',
    outcome: { kind: 'failed' },
    error,
    isUnsure,
    result,
    line: { event: 'failed', row, input: row.input, error, attempt: row.failures + 1 },
  })
}

/** Records that a try failed and another one follows. */
export async function recordTry(services: Services, { order, row }: OpenStep, error: RunError): Promise<void> {
  const { tenantId, runId } = order
  await inSystemTransaction(services, tenantId, async ({ tx, stamp }) => {
    await lockRun(tx, tenantId, runId)
    await countFailure(tx, tenantId, runId, row.stepNo, row.input)
    await addLogLine(tx, tenantId, runId, stamp, { event: 'retried', row, error, attempt: row.failures + 1 })
  })
}

/** Keeps what the run is told, of a step that goes on inside or ends the run. */
export async function recordOutcome(services: Services, { order, row }: OpenStep, outcome: Outcome): Promise<Outcome> {
  const { tenantId, runId } = order
  await inSystemTransaction(services, tenantId, ({ tx }) => setOutcome(tx, tenantId, runId, row.stepNo, outcome))
  return outcome
}

/** The step waits from now on. `take` may find that what it waits for is there already: then it is answered, and the run is told at once. */
export async function recordWaiting(
  services: Services,
  { order, row }: OpenStep,
  wait: Waiting,
  take?: (context: TxContext) => Promise<boolean>,
): Promise<'waiting' | 'answered'> {
  const { tenantId, runId } = order
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    await lockRun(tx, tenantId, runId)
    await beginWait(tx, tenantId, runId, row.stepNo, wait, row.input)
    if (await take?.(context)) return 'answered'
    await addStepLine(tx, tenantId, runId, stamp, { event: 'waiting', row, output: wait.dueAt ? { dueDate: wait.dueAt } : undefined })
    return 'waiting'
  })
}
