/** What people and other systems do to runs. The row decides: of two at once the first wins, and the second is told so, whether Temporal is there or not. */
import { AppError, mustExist } from '#platform/errors.ts'
import { eventsTopic } from '#platform/event-log.ts'
import { finding } from '#platform/findings.ts'
import type { Actor, TxContext } from '#platform/operation.ts'
import { roleBits } from '#platform/roles.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import { bytesOf } from '../values/bounds.rules.ts'
import { tellWaiting } from './awaited-runs.ts'
import {
  addComments,
  addLogLine,
  addStepLine,
  countSignals,
  findRuns,
  keepSignal,
  lockRun,
  reopenRun,
  setAllCancelling,
  setCancelling,
  setPaused,
} from './runs.store.ts'
import type { Answer, FlowVersion, RunRow, Said, StepRow } from './runs.types.ts'
import { emitEnds, emitPoke, emitRetry, emitTurn, startsTopic } from './starting.ts'
import { endAllHeld, endHeld } from './starts.store.ts'
import { actionsOf, listIn, mustFindStep, textIn } from './steps.rules.ts'
import { answerStep, assignStep, findActors, listWaiting } from './steps.store.ts'
import { tellRun } from './told.ts'

const taskTypes = ['form', 'approval']
/** As many signals may wait for steps that take them. */
const maxKeptSignals = 1_000

/** Throws 409 where the run has ended. */
export function refuseEnded({ finishedDate, state, runId }: RunRow): void {
  if (finishedDate !== null) throw new AppError('conflict', `Run ${runId} has ended: it is ${state}.`)
}

export function isAssignee(
  { assigneeUser, assigneeUsers, assigneeRole }: StepRow,
  { tenantUserId, roleFlag }: Pick<Actor, 'tenantUserId' | 'roleFlag'>,
): boolean {
  if (assigneeUser === tenantUserId || assigneeUsers?.includes(tenantUserId)) return true
  return assigneeRole !== null && (roleFlag & assigneeRole) === assigneeRole
}

export interface Act {
  readonly action: string
  readonly step?: string | undefined
  readonly iteration?: readonly number[] | undefined
  readonly comment?: string | undefined
}

type Naming = Pick<Act, 'step' | 'iteration'>

/** Tasks by the name of their step, alone or behind that of what holds it, and by their iteration. */
function namedTasks(rows: readonly StepRow[], { step, iteration }: Naming): readonly StepRow[] {
  const name = step?.slice(step.lastIndexOf('.') + 1).toLowerCase()
  return rows
    .filter(({ stepType }) => taskTypes.includes(stepType))
    .filter((row) => name === undefined || row.step.toLowerCase() === name)
    .filter((row) => iteration === undefined || row.iteration.join() === iteration.join())
}

/** Several wait, and nobody should do another than is meant. */
function whichOne(named: readonly StepRow[]): AppError {
  const names = [...new Set(named.map((row) => row.step))]
  if (names.length > 1)
    return new AppError('invalid_input', 'Several steps wait: say which one in step.', {
      issues: [finding('$.step', `One of ${names.join(', ')}.`)],
    })
  const places = named.slice(0, 20).map((row) => `[${row.iteration.join(', ')}]`)
  return new AppError(
    'invalid_input',
    `${named.length} tasks of ${names.join()} wait: say which one in iteration, as list_my_tasks shows it.`,
    {
      issues: [finding('$.iteration', `One of ${places.join(', ')}.`)],
    },
  )
}

/** The step that an act is for: the one that is named, or the only one, of those the caller may act on. */
export function taskFor(rows: readonly StepRow[], said: Naming, actor: Actor, run: RunRow): StepRow {
  const { step } = said
  const named = namedTasks(rows, said)
  const [first, second] = named
  if (!first)
    throw new AppError(
      'conflict',
      step === undefined ? `Run ${run.runId} waits for nobody now.` : `The step ${step} does not wait now: it has moved on.`,
    )
  if (!second) return first
  const own = named.filter((row) => isAssignee(row, actor))
  const [mine] = own
  if (mine && own.length === 1) return mine
  throw whichOne(own.length > 0 ? own : named)
}

type Asking = Pick<TxContext, 'tx' | 'tenantId'> & { readonly actor: Pick<Actor, 'tenantUserId' | 'roleFlag'> }

/** Throws 403 for whom the task is not. */
export async function refuseStranger(asking: Asking, run: RunRow, row: StepRow, said: Said): Promise<void> {
  const { actor } = asking
  const isOwn = isAssignee(row, actor)
  const mayEdit = (actor.roleFlag & roleBits.DataEdit) !== 0
  if (!isOwn && (said['onlyAssignee'] === true || !mayEdit))
    throw new AppError(
      'forbidden',
      `The step ${row.step} is for its assignee${said['onlyAssignee'] === true ? ' alone' : ', or whoever holds DataEdit'}.`,
    )
  await refuseKeptApart(asking, run, row, said)
}

/** Throws 403 for who did what the definition keeps apart from the task. */
export async function refuseKeptApart({ tx, tenantId, actor }: Asking, run: RunRow, row: StepRow, said: Said): Promise<void> {
  const notBy = listIn(said['notBy']).flatMap((one) => textIn(one) ?? [])
  const isStarter = notBy.includes('startedBy') && run.startedBy === actor.tenantUserId
  const steps = notBy.filter((one) => one !== 'startedBy')
  if (isStarter || (steps.length > 0 && (await findActors(tx, tenantId, run.runId, steps)).includes(actor.tenantUserId)))
    throw new AppError(
      'forbidden',
      `The step ${row.step} is for somebody else than who ${isStarter ? 'started the run' : `did ${steps.join(' or ')}`}.`,
    )
}

export interface Task {
  readonly run: RunRow
  readonly row: StepRow
  readonly said: Said
}

/** The task that an act is for; the run is held. Throws 400, 403, 409 where it may not be done. */
export async function findTask(context: TxContext, version: FlowVersion, run: RunRow, act: Act): Promise<Task> {
  const { tx, tenantId, actor } = context
  refuseEnded(run)
  const row = taskFor(await listWaiting(tx, tenantId, run.runId), act, actor, run)
  const found = mustFindStep(version.steps, row.step)
  await refuseStranger(context, run, row, found.said)
  const actions = actionsOf(found)
  const action = actions.find(({ internalName }) => internalName.toLowerCase() === act.action.toLowerCase())
  if (!action) {
    const names = actions.map(({ internalName }) => internalName)
    const message = `The step ${row.step} has no action ${quoted(act.action)}. It has ${names.join(', ')}.`
    throw new AppError('invalid_input', message, { issues: [finding('$.action', message, { suggestion: nearest(act.action, names) })] })
  }
  if (action.requiresComment && (act.comment ?? '').trim() === '') {
    const message = `The action ${action.internalName} requires a comment.`
    throw new AppError('invalid_input', message, { issues: [finding('$.comment', message)] })
  }
  return { run, row, said: found.said }
}

/** Records the act and wakes the run. Throws 409 where somebody else was first. */
export async function actOn(
  context: Pick<TxContext, 'tx' | 'tenantId' | 'stamp' | 'emit'> & { readonly actor: Pick<Actor, 'tenantUserId'> },
  { run, row }: Pick<Task, 'run' | 'row'>,
  act: Act & { readonly values?: Said | undefined; readonly eiRecordId?: number | undefined; readonly link?: Answer['link'] },
): Promise<void> {
  const { tx, tenantId, actor, stamp } = context
  const { action, comment, values, eiRecordId, link } = act
  // Whom no user stands for is known by the link alone.
  const by = link && link.tenantUserId === undefined ? null : actor.tenantUserId
  const answer = {
    kind: 'acted' as const,
    by,
    at: stamp,
    action,
    ...(comment === undefined ? {} : { comment }),
    ...(values === undefined ? {} : { values }),
    ...(eiRecordId === undefined ? {} : { eiRecordId }),
    ...(link === undefined ? {} : { link }),
  }
  if (values !== undefined) bytesOf(values, 'What was entered', 'Send less.')
  if (!(await answerStep(tx, tenantId, run.runId, row.stepNo, answer)))
    throw new AppError('conflict', `Somebody has acted on ${row.step} already.`)
  const output = { action, ...(link === undefined ? {} : { link }) }
  await addStepLine(tx, tenantId, run.runId, stamp, { event: 'acted', row, by, comment, output })
  await emitPoke(context, run, row.stepNo)
}

/** Delivers a signal to the step that waits for it, or keeps it until one does. */
export async function signalRun(context: TxContext, run: RunRow, event: string, payload: unknown): Promise<void> {
  const { tx, tenantId, actor, stamp } = context
  const by = actor.tenantUserId
  refuseEnded(run)
  bytesOf(payload, 'The payload', 'Send less.')
  const row = (await listWaiting(tx, tenantId, run.runId)).find(({ stepType, awaits }) => stepType === 'waitForEvent' && awaits === event)
  await addLogLine(tx, tenantId, run.runId, stamp, { event: 'signalled', row, by, input: { event, payload: payload ?? null } })
  if (row) {
    await answerStep(tx, tenantId, run.runId, row.stepNo, { kind: 'signalled', by, at: stamp, payload: payload ?? null })
    await emitPoke(context, run, row.stepNo)
    return
  }
  if ((await countSignals(tx, tenantId, run.runId)) >= maxKeptSignals)
    throw new AppError('conflict', `${maxKeptSignals} signals wait already for steps of this run that take them.`)
  await keepSignal(tx, tenantId, run.runId, { event, payload: payload ?? null, by, at: stamp })
}

/** Assigns the task that waits: the named one, or the only one. */
export async function assignTask(context: TxContext, run: RunRow, to: Naming & { readonly tenantUserId: number }): Promise<StepRow> {
  const { tx, tenantId, actor, stamp } = context
  refuseEnded(run)
  const named = namedTasks(await listWaiting(tx, tenantId, run.runId), to)
  const [row, second] = named
  if (!row) throw new AppError('conflict', `Run ${run.runId} has no task that waits${to.step === undefined ? '' : ` at ${to.step}`}.`)
  if (second) throw whichOne(named)
  await assignStep(tx, tenantId, run.runId, row.stepNo, { user: to.tenantUserId, role: null, users: null })
  await addLogLine(tx, tenantId, run.runId, stamp, {
    event: 'assigned',
    row,
    by: actor.tenantUserId,
    output: { tenantUserId: to.tenantUserId },
  })
  return row
}

export async function pauseRun(context: TxContext, run: RunRow): Promise<void> {
  const { tx, tenantId, actor, stamp } = context
  refuseEnded(run)
  if (run.isPaused) throw new AppError('conflict', `Run ${run.runId} is paused already.`)
  if (run.isCancelling) throw new AppError('conflict', `Run ${run.runId} is being cancelled.`)
  await setPaused(tx, tenantId, run.runId, true)
  await addLogLine(tx, tenantId, run.runId, stamp, { event: 'paused', by: actor.tenantUserId })
  await emitTurn(context, run, 'paused')
}

export async function resumeRun(context: TxContext, run: RunRow): Promise<void> {
  const { tx, tenantId, actor, stamp } = context
  refuseEnded(run)
  if (!run.isPaused) throw new AppError('conflict', `Run ${run.runId} is not paused.`)
  await setPaused(tx, tenantId, run.runId, false)
  if (run.heldFor !== null) context.afterCommit(() => context.services.wake.poke(startsTopic))
  await addLogLine(tx, tenantId, run.runId, stamp, { event: 'resumed', by: actor.tenantUserId })
  await emitTurn(context, run, 'resumed')
}

/** What was done is undone, then the run is cancelled. Asked again meanwhile, it changes nothing. */
export async function cancelRun(context: TxContext, run: RunRow): Promise<void> {
  const { tx, tenantId, stamp, services } = context
  refuseEnded(run)
  if (run.isCancelling) return
  // It never began, so nobody carries it and nothing is undone.
  if (run.heldFor !== null && (await endHeld(tx, tenantId, run.runId, stamp))) {
    await tellRun(tx, { tenantId, at: stamp }, run, 'cancelled')
    await tellWaiting(context, { ...run, state: 'cancelled', finishedDate: stamp })
    for (const topic of [startsTopic, eventsTopic]) context.afterCommit(() => services.wake.poke(topic))
    return
  }
  await setCancelling(tx, tenantId, run.runId)
  await emitTurn(context, run, 'cancelled')
}

/** Of many runs that are told of so many at a time: each is a row that is sent. */
const toldAtOnce = 200

/** The same of every run of a definition that is under way; the log of each says why. */
export async function cancelRunsOf(context: TxContext, workflowId: number, comment: string): Promise<void> {
  const { tx, tenantId, stamp, actor, services } = context
  const held = await endAllHeld(tx, tenantId, workflowId, stamp)
  const others = await setAllCancelling(tx, tenantId, workflowId)
  const all = [...held, ...others.map(({ runId }) => runId)]
  await addComments(tx, tenantId, all, { at: stamp, by: actor.tenantUserId, comment })
  for (let from = 0; from < held.length; from += toldAtOnce) {
    const runs = await findRuns(tx, tenantId, held.slice(from, from + toldAtOnce))
    await Promise.all(runs.map((run) => tellRun(tx, { tenantId, at: stamp }, run, 'cancelled')))
    for (const run of runs) await tellWaiting(context, run)
  }
  if (held.length > 0) context.afterCommit(() => services.wake.poke(eventsTopic))
  await emitEnds(context, others)
}

/** Goes on from the step that failed. */
export async function retryRun(context: TxContext, run: RunRow, version: FlowVersion): Promise<void> {
  const { tx, tenantId, actor, stamp } = context
  if (run.state !== 'failed' || !run.flow)
    throw new AppError('conflict', `Run ${run.runId} is ${run.state}: there is no failed step to retry.`)
  if (run.flow.ending?.because === 'endStep')
    throw new AppError('conflict', 'A step of the definition ended this run as failed: there is nothing to retry.')
  if (Date.parse(run.expiresAt) <= Date.parse(stamp)) throw new AppError('conflict', 'The run has taken longer than it may. Start another.')
  const epoch = await reopenRun(tx, tenantId, run.runId)
  await addLogLine(tx, tenantId, run.runId, stamp, { event: 'retried', by: actor.tenantUserId })
  await emitRetry(context, run, version, epoch)
}

/** The run, held until the transaction ends. Throws 404. */
export async function mustLockRun({ tx, tenantId }: TxContext, runId: number): Promise<RunRow> {
  return mustExist(await lockRun(tx, tenantId, runId), 'workflow instance')
}

export async function commentOn({ tx, tenantId, actor, stamp }: TxContext, run: RunRow, comment: string): Promise<void> {
  await addLogLine(tx, tenantId, run.runId, stamp, { event: 'commented', by: actor.tenantUserId, comment })
}
