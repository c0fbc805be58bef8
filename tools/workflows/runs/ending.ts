/** What is recorded around the steps of a run: what is withdrawn and undone, and how it ends. */
import type { Tx } from '#platform/db/pool.ts'
import { AppError } from '#platform/errors.ts'
import { eventsTopic } from '#platform/event-log.ts'
import type { Outcome } from '#platform/flow/run.types.ts'
import type { Services } from '#platform/services.ts'
import type { FlowRunRef, RunEnd } from '#platform/shapes/flow-runs.ts'
import { inSystemTransaction } from '#platform/system.ts'
import type { TxContext } from '#platform/operation.ts'
import { findUserOfRecord } from '#tools/entities/service.ts'
import { flatRecord } from '#tools/query/service.ts'
import { findUserByAddress } from '#tools/users/service.ts'

import { bytesOf, maxRunBytes, refuseTooMuch } from '../values/bounds.rules.ts'
import { withdrawQuestion } from './asking.ts'
import { tellWaiting } from './awaited-runs.ts'
import { type FindVersion, type OpenStep, recordDone } from './carrying.ts'
import { addLogLine, addStepLine, addValues, endRun, findRun, lockedAt, lockRun, setOutput, takeSignal } from './runs.store.ts'
import type { Assignment, RunError, Said } from './runs.types.ts'
import { startsTopic } from './starting.ts'
import { type FoundStep, isObject, maxPeople, mustFindStep, stepsIn } from './steps.rules.ts'
import {
  answerStep,
  assignStep,
  endStep,
  type FailedIteration,
  findLastError,
  findStep,
  findUndone,
  listFailedIterations,
  listIterations,
  markUndone,
  setItems,
  setOverdue,
} from './steps.store.ts'
import { tellTaskAnew } from './telling.ts'
import { findUsersOfRole, findPresentUsers } from './people.store.ts'
import { tellRun } from './told.ts'

export async function recordWithdrawn(services: Services, tenantId: number, runId: number, stepNo: number): Promise<void> {
  await inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    const run = await lockRun(tx, tenantId, runId)
    const row = await findStep(tx, tenantId, runId, stepNo)
    if (!run || !row || !(await endStep(tx, tenantId, runId, stepNo, { state: 'withdrawn', outcome: { kind: 'skipped' }, at: stamp })))
      return
    await withdrawQuestion(context, run, stepNo)
    await addStepLine(tx, tenantId, runId, stamp, { event: 'skipped', row })
  })
}

/** The step that is to be undone, and what undoes it. */
export async function nextUndone(
  services: Services,
  findVersion: FindVersion,
  { tenantId, runId }: FlowRunRef,
): Promise<{ readonly open: OpenStep; readonly found: FoundStep } | undefined> {
  return inSystemTransaction(services, tenantId, async (context) => {
    const { tx } = context
    const run = await findRun(tx, tenantId, runId)
    const version = run && (await findVersion(context, run.workflowId, run.version))
    if (!run || !version) return undefined
    const names = [...stepsIn(version.steps)].flatMap(({ name, said }) => (isObject(said['compensate']) ? [name] : []))
    const row = names.length > 0 ? await findUndone(tx, tenantId, runId, names) : undefined
    if (!row) return undefined
    const found = mustFindStep(version.steps, row.step)
    const compensate = isObject(found.said['compensate']) ? found.said['compensate'] : {}
    const config: Said = isObject(compensate['config']) ? compensate['config'] : {}
    const order = { tenantId, runId, no: row.stepNo, path: { step: row.step, iteration: row.iteration }, phase: 'begin' as const }
    return {
      open: { order, run, version, found, row },
      found: { said: compensate, name: row.step, stepType: String(compensate['stepType']), config, loop: found.loop, next: found.next },
    }
  })
}

/** Undone, or as far as it goes: `error` says what could not be. Once, in the transaction that undid it. */
export async function recordUndone(tx: Tx, { order, row }: OpenStep, set: Said = {}, error?: RunError): Promise<void> {
  const { tenantId, runId } = order
  const at = await lockedAt(tx, tenantId, runId)
  if (!(await markUndone(tx, tenantId, runId, row.stepNo))) return
  if (Object.keys(set).length > 0) await addValues(tx, tenantId, runId, { variables: set, bytes: 0 })
  await addLogLine(tx, tenantId, runId, at, { event: error ? 'failed' : 'compensated', row, error })
}

/** What a loop goes over, once and for all; answers how many they are, of those that were kept first. */
export async function keepItems(services: Services, { order, found, row }: OpenStep, items: readonly unknown[]): Promise<number> {
  const { tenantId, runId } = order
  if (items.length > 10_000) throw new AppError('too_large', `${found.name} goes over more than 10,000 items. Narrow it, or set its limit.`)
  if (bytesOver(items))
    throw new AppError('too_large', `What ${found.name} goes over is larger than ${maxRunBytes / 1024 / 1024} MB. Narrow it.`)
  return inSystemTransaction(services, tenantId, ({ tx }) => setItems(tx, tenantId, runId, row.stepNo, items))
}

function bytesOver(items: readonly unknown[]): boolean {
  let left = maxRunBytes
  for (const item of items) if ((left -= bytesOf(item, 'An item', 'Name fewer properties.')) < 0) return true
  return false
}

/** Of the failures of a loop so many say why. */
const mostFailures = 50

export interface Iterations {
  readonly items: readonly unknown[]
  readonly errors: readonly FailedIteration[]
}

/** What the last step of each iteration brought, shortened where that is long, and why the first ones of those that failed did. */
export async function iterationsOf(services: Services, { order, found, row }: OpenStep, count: number): Promise<Iterations> {
  const { tenantId, runId } = order
  const steps = [...stepsIn(Array.isArray(found.config['steps']) ? found.config['steps'] : [])].map(({ name }) => name)
  const of = { steps, iteration: row.iteration, after: row.stepNo }
  return inSystemTransaction(services, tenantId, async ({ tx }) => ({
    items: await listIterations(tx, tenantId, runId, { ...of, count, bytes: 1_024 }),
    errors: await listFailedIterations(tx, tenantId, runId, { ...of, limit: mostFailures }),
  }))
}

/** An end step is done, with what it says of the whole run. */
export async function recordEnding(
  services: Services,
  open: OpenStep,
  { state, message, output }: { readonly state: 'completed' | 'failed'; readonly message?: string | undefined; readonly output?: unknown },
): Promise<Outcome | undefined> {
  const { order, found } = open
  const { tenantId, runId } = order
  const bytes = bytesOf(output, `The output of ${found.name}`, 'Name narrower values.')
  const error =
    state === 'failed' ? { code: 'unprocessable', message: message ?? 'The workflow ended this run as failed.', step: found.name } : null
  return inSystemTransaction(services, tenantId, async ({ tx }) => {
    const told = await recordDone(tx, open, { result: null }, { kind: 'endRun', state })
    refuseTooMuch(await addValues(tx, tenantId, runId, { variables: {}, bytes }))
    await setOutput(tx, tenantId, runId, { output, error })
    return told
  })
}

const reasons: Readonly<Record<RunEnd['because'], RunError | null>> = {
  done: null,
  endStep: null,
  step: null,
  cancelled: null,
  expired: { code: 'timeout', message: 'The run took longer than it may. Raise maxDurationDays of the workflow.' },
  neverWaits: { code: 'unprocessable', message: 'The run went back to an earlier step 1,000 times without waiting.' },
  tooManySteps: { code: 'unprocessable', message: 'The run began more steps than it may.' },
  noSuchStep: { code: 'unprocessable', message: 'A step leads to one that its list does not have.' },
}

export async function recordRunEnd(services: Services, end: RunEnd): Promise<void> {
  const { tenantId, runId, epoch, state, because, hadFailures, flow } = end
  await inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp, afterCommit } = context
    const run = await lockRun(tx, tenantId, runId)
    // Of a workflow that somebody's retry has followed, the end is known.
    if (!run || run.finishedDate !== null || run.epoch !== epoch) return
    const failed = because === 'step' ? await findFailed(tx, tenantId, runId) : null
    const error = run.error ?? reasons[because] ?? failed
    const ended = await endRun(tx, tenantId, runId, { state, error: state === 'failed' ? error : null, flow, hadFailures, at: stamp })
    if (ended?.isAwaited) afterCommit(() => services.wake.poke(startsTopic))
    if (ended) await tellWaiting(context, ended)
    if (await tellRun(tx, { tenantId, at: stamp }, { ...run, hadFailures }, state)) afterCommit(() => services.wake.poke(eventsTopic))
  })
}

/** What went wrong last. */
async function findFailed(tx: Tx, tenantId: number, runId: number): Promise<RunError | null> {
  return (await findLastError(tx, tenantId, runId)) ?? { code: 'internal', message: 'A step failed.' }
}

/** A signal that came before the step awaited it. */
export async function takeKeptSignal(
  { tx, tenantId }: TxContext,
  { order, row }: OpenStep,
  awaits: string | null | undefined,
): Promise<boolean> {
  if (awaits === null || awaits === undefined || row.stepType !== 'waitForEvent') return false
  const kept = await takeSignal(tx, tenantId, order.runId, awaits)
  if (!kept) return false
  return answerStep(tx, tenantId, order.runId, row.stepNo, { kind: 'signalled', by: kept.byUser, at: kept.at, payload: kept.payload })
}

/** Once for each step; whom it is given to now is told. */
export async function markOverdue(services: Services, open: OpenStep, to: Assignment | undefined): Promise<void> {
  const { order, row } = open
  const { tenantId, runId } = order
  await inSystemTransaction(services, tenantId, async (context) => {
    const { tx, stamp } = context
    await lockRun(tx, tenantId, runId)
    if (!(await setOverdue(tx, tenantId, runId, row.stepNo, stamp))) return
    if (to) {
      await assignStep(tx, tenantId, runId, row.stepNo, to)
      await tellTaskAnew(context, { ...open, input: row.input ?? {} }, to)
    }
    await addLogLine(tx, tenantId, runId, stamp, { event: 'overdue', row })
  })
}

/** Users by what names them: ids, addresses, or records that are linked to them. */
export async function findAssignees(
  services: Services,
  tenantId: number,
  by: { readonly values?: readonly unknown[]; readonly eiRecordIds?: readonly number[] },
): Promise<readonly number[]> {
  return inSystemTransaction(services, tenantId, async ({ tx }) => {
    const found = new Set<number>()
    for (const value of by.values ?? []) {
      if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31) found.add(value)
      const user = typeof value === 'string' ? await findUserByAddress(tx, tenantId, value.trim().toLowerCase()) : undefined
      if (user !== undefined) found.add(user)
    }
    for (const id of by.eiRecordIds ?? []) {
      const user = Number.isSafeInteger(id) ? await findUserOfRecord(tx, tenantId, id) : undefined
      if (user !== undefined) found.add(user)
    }
    return findPresentUsers(tx, tenantId, [...found])
  })
}

/** Everybody that an assignment means, of a role the first `most`. */
export async function usersOfAssignment(
  services: Services,
  tenantId: number,
  { user, users, role }: Assignment,
  most = maxPeople,
): Promise<readonly number[]> {
  if (user !== null) return [user]
  if (users !== null) return users
  return inSystemTransaction(services, tenantId, ({ tx }) => findUsersOfRole(tx, tenantId, role ?? 0, most))
}

/** A record as tokens read it. */
export function flatOf(document: unknown): unknown {
  return isObject(document) ? flatRecord(document).record : null
}
