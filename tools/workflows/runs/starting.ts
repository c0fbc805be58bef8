/** How runs begin, and what tells them to go on: rows and errands of one transaction. */
import { AppError, type ErrorCode } from '#platform/errors.ts'
import { eventsTopic } from '#platform/event-log.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import type { Lane, StartErrand } from '#platform/shapes/errands.ts'
import { flowRunWorkflowId } from '#platform/shapes/flow-runs.ts'
import type { Origin } from '#platform/shapes/origin.ts'
import { setLastRuns } from '#tools/instances/service.ts'

import { bytesOf } from '../values/bounds.rules.ts'
import type { FlowVersion, HeldFor, RunError, RunRow, Said } from './runs.types.ts'
import { findBusy, insertFirstLines, insertRuns, listChain, lockStarts, type NewRun } from './starts.store.ts'
import { tellRun } from './told.ts'

/** Poked where runs are to be started, or let go. */
export const startsTopic = 'starts'

const daysUnlessTold = 365
/** So many runs may lead to each other. */
export const maxDepth = 16

export interface NewStart {
  /** The record that it is about. */
  readonly entityId?: number | undefined
  readonly eiRecordId?: number | undefined
  readonly input: Said
  readonly trigger?: unknown
  /** The person who starts it. */
  readonly startedBy: number | null
  /** The type of the trigger that fired. */
  readonly triggerType?: string | undefined
  /** An event starts each definition once. */
  readonly startKey?: string | undefined
  /** What caused it, where that is not what the transaction works for. */
  readonly origin?: Origin | undefined
  /** Why it cannot be started: it has failed before it began. */
  readonly refusal?: RunError | undefined
}

export interface RunStart extends NewStart {
  readonly version: FlowVersion
  readonly lane: Lane
}

export interface Started {
  readonly runId: number
  readonly isRefused: boolean
  readonly isHeld: boolean
  readonly state: 'queued' | 'running' | 'failed'
}

/** What is not held begins after the commit, unless nobody is there to carry it: then it waits. */
export const beginsNow = ({ temporal }: Pick<Services, 'temporal'>) => (temporal.isAway() ? 'queued' : 'running')

/**
 * The run, which begins after the commit; undefined where the same event has started the definition before, or it skips what comes while one is
 * under way. Throws where it cannot be started.
 */
export async function startRun(context: TxContext, { version, lane, ...start }: RunStart): Promise<Started | undefined> {
  const { refusal } = await weighed(context, version, start)
  // Its codes are those of this floor.
  if (refusal) throw new AppError(refusal.code as ErrorCode, refusal.message)
  const [started] = await startRuns(context, { version, lane }, [start])
  return started
}

/** What of a start is kept, and why it cannot be one. */
async function weighed(context: TxContext, version: FlowVersion, start: NewStart): Promise<{ valueBytes: number; refusal?: RunError }> {
  const { depth, id, kind } = start.origin ?? context.origin
  if (depth > maxDepth) {
    const byRun = kind === 'workflow' || kind === 'actionPack'
    const chain = byRun && id !== undefined ? await listChain(context.tx, context.tenantId, id, maxDepth + 2) : []
    const names = [...chain.map(({ internalName, runId }) => `${internalName} (run ${runId})`), version.internalName].join(' → ')
    const message = `${version.internalName} is not started: ${depth} runs led here, and at most ${maxDepth} may. They started each other: ${names}.`
    return { valueBytes: 0, refusal: { code: 'unprocessable', message } }
  }
  try {
    const narrow = 'Send less.'
    const variables = variablesOf(version)
    const valueBytes =
      bytesOf(start.input, 'The input', narrow) +
      bytesOf(start.trigger, 'What triggers it', narrow) +
      bytesOf(variables, 'Its variables', narrow)
    return { valueBytes }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { valueBytes: 0, refusal: { code: error.code, message: error.message } }
  }
}

const variablesOf = ({ variables = [] }: FlowVersion) => Object.fromEntries(variables.map(({ name, value = null }) => [name, value]))

/** Those that begin now, those that wait for their turn, and those that are left out, as the definition says of a record. */
async function turnsOf(
  context: TxContext,
  { concurrency = 'parallel', workflowId }: FlowVersion,
  starts: readonly NewStart[],
): Promise<readonly (HeldFor | 'left' | null)[]> {
  if (concurrency === 'parallel') return starts.map(() => null)
  const { tx, tenantId } = context
  await lockStarts(tx, tenantId, workflowId)
  // A definition that is about no record has one turn.
  const recordOf = ({ eiRecordId = 0 }: NewStart) => eiRecordId
  const busy = new Set(await findBusy(tx, tenantId, workflowId, [...new Set(starts.map(recordOf))]))
  return starts.map((start) => {
    if (start.refusal) return null
    const isBusy = busy.has(recordOf(start))
    busy.add(recordOf(start))
    return !isBusy ? null : concurrency === 'queue' ? 'turn' : 'left'
  })
}

const waitsFor: Readonly<Record<HeldFor, string>> = {
  rate: 'Too many runs of this workflow began within a minute: it begins as soon as the rate allows.',
  turn: 'Another run about the same record is under way: it begins after that.',
}

/**
 * Starts many runs of one version, in the order of the list: each begins after the commit, or is held until it may, or has failed where it cannot be
 * started. Undefined for one that the same event has started before, or that is skipped while another is under way.
 */
export async function startRuns(
  context: TxContext,
  { version, lane }: Pick<RunStart, 'version' | 'lane'>,
  starts: readonly NewStart[],
): Promise<readonly (Started | undefined)[]> {
  if (starts.length === 0) return []
  const { tx, tenantId, stamp, services } = context
  const { workflowId, internalName, actsAs, roleFlag, maxDurationDays = daysUnlessTold } = version
  if (starts.length > 1) await lockStarts(tx, tenantId, workflowId)
  const turns = await turnsOf(context, version, starts)
  const wanted: { start: NewStart; row: NewRun; at: number }[] = []
  for (const [at, start] of starts.entries()) {
    const turn = turns[at] ?? null
    if (turn === 'left') continue
    const { valueBytes, refusal } = start.refusal ? { valueBytes: 0, refusal: start.refusal } : await weighed(context, version, start)
    const origin = start.origin ?? context.origin
    const isTooLarge = refusal?.code === 'too_large'
    const row: NewRun = {
      entityId: start.entityId ?? null,
      eiRecordId: start.eiRecordId ?? null,
      depth: origin.depth,
      startedBy: start.startedBy,
      causedBy: origin.kind === 'call' ? null : origin,
      startKey: start.startKey ?? null,
      triggerType: start.triggerType ?? null,
      input: isTooLarge ? {} : start.input,
      trigger: isTooLarge ? null : (start.trigger ?? null),
      valueBytes,
      error: refusal ?? null,
      heldFor: turn,
    }
    wanted.push({ start, row, at })
  }
  const expiresAt = new Date(Date.parse(stamp) + maxDurationDays * 86_400_000).toISOString()
  const of = {
    workflowId,
    version: version.version,
    internalName,
    pack: version.pack,
    actsAs,
    roleFlag,
    variables: variablesOf(version),
    expiresAt,
    at: stamp,
  }
  const { startsPerMinute } = services.config.limits
  const begins = beginsNow(services)
  const rows = await insertRuns(
    tx,
    tenantId,
    { ...of, startsPerMinute, begins },
    wanted.map(({ row }) => row),
  )
  const made = rows.flatMap(({ place, ...run }) => {
    const one = wanted[place]
    return one ? [{ ...run, ...one }] : []
  })
  await insertFirstLines(
    tx,
    tenantId,
    stamp,
    made.map(({ runId, heldFor, start, row }) => {
      if (row.error) return { runId, event: 'failed', by: row.startedBy, error: row.error }
      if (heldFor !== null) return { runId, event: 'waiting', by: row.startedBy, comment: waitsFor[heldFor] }
      return { runId, event: 'started', by: row.startedBy, input: start.trigger ?? start.input }
    }),
  )
  const begun = made.filter(({ row, heldFor }) => !row.error && heldFor === null)
  await context.emitMany(begun.map(({ runId }) => errandOf(tenantId, version, lane, { runId, expiresAt })))
  await noteRecords(
    context,
    made.filter(({ row }) => !row.error),
  )
  if (made.some(({ heldFor }) => heldFor !== null)) context.afterCommit(() => services.wake.poke(startsTopic))
  await tellRefused(context, version, made)
  const results: (Started | undefined)[] = starts.map(() => undefined)
  for (const { at, runId, row, heldFor } of made) {
    const [isRefused, isHeld] = [row.error !== null, heldFor !== null]
    results[at] = { runId, isRefused, isHeld, state: isRefused ? 'failed' : isHeld ? 'queued' : begins }
  }
  return results
}

/** A run that was refused has failed. Of one that too many led to nothing is told: what its failure starts would be refused likewise, and so on. */
async function tellRefused(
  { tx, tenantId, stamp, services, afterCommit }: TxContext,
  { workflowId, version, internalName, pack }: FlowVersion,
  made: readonly { readonly runId: number; readonly row: NewRun }[],
): Promise<void> {
  const refused = made.filter(({ row }) => row.error !== null && row.depth <= maxDepth)
  const of = { workflowId, version, internalName, pack: pack?.name ?? null, packVersion: pack?.version ?? null, hadFailures: false }
  const told = refused.map(({ runId, row }) => tellRun(tx, { tenantId, at: stamp }, { ...row, runId, ...of }, 'failed'))
  if ((await Promise.all(told)).includes(true)) afterCommit(() => services.wake.poke(eventsTopic))
}

/** What starts a run at Temporal. */
export function errandOf(
  tenantId: number,
  { plan }: Pick<FlowVersion, 'plan'>,
  lane: Lane,
  { runId, expiresAt }: { readonly runId: number; readonly expiresAt: string },
): StartErrand {
  return {
    kind: 'start',
    lane,
    workflow: 'flowRun',
    workflowId: flowRunWorkflowId({ tenantId, runId }, 1),
    args: [{ tenantId, runId, plan, epoch: 1, expiresAtMs: Date.parse(expiresAt), isLocal: true }],
  }
}

/** The records show the last run about them. */
async function noteRecords({ tx, tenantId }: TxContext, made: readonly { readonly runId: number; readonly row: NewRun }[]): Promise<void> {
  const about = made.flatMap(({ runId, row: { entityId, eiRecordId } }) =>
    entityId === null || eiRecordId === null ? [] : [{ entityId, eiRecordId, runId }],
  )
  for (const [entityId, some] of Map.groupBy(about, (one) => one.entityId)) await setLastRuns(tx, tenantId, entityId, some)
}

/** Goes on from where a run stood that failed. */
export async function emitRetry(context: TxContext, run: RunRow, version: FlowVersion, epoch: number): Promise<void> {
  const { tenantId } = context
  const { runId, flow, expiresAt } = run
  if (!flow) throw new Error('A run that failed says where it stood')
  await context.emit({
    kind: 'start',
    lane: 'people',
    workflow: 'flowRun',
    workflowId: flowRunWorkflowId({ tenantId, runId }, epoch),
    args: [{ tenantId, runId, plan: version.plan, epoch, expiresAtMs: Date.parse(expiresAt), isLocal: true, state: flow, isRetried: true }],
  })
}

/** Wakes the run: somebody acted on a step. */
export async function emitPoke(
  context: Pick<TxContext, 'tenantId' | 'emit'>,
  { runId, epoch }: Pick<RunRow, 'runId' | 'epoch'>,
  stepNo: number,
): Promise<void> {
  const workflowId = flowRunWorkflowId({ tenantId: context.tenantId, runId }, epoch)
  await context.emit({ kind: 'signal', lane: 'people', workflowId, signal: 'poked', signalArgs: [stepNo] })
}

/** Holds the run, lets it go on, or ends it. */
export async function emitTurn(context: TxContext, { runId, epoch }: RunRow, signal: 'paused' | 'resumed' | 'cancelled'): Promise<void> {
  const workflowId = flowRunWorkflowId({ tenantId: context.tenantId, runId }, epoch)
  await context.emit({ kind: 'signal', lane: 'people', workflowId, signal, signalArgs: [] })
}

/** Ends these runs. */
export async function emitEnds(context: TxContext, runs: readonly Pick<RunRow, 'runId' | 'epoch'>[]): Promise<void> {
  const { tenantId } = context
  await context.emitMany(
    runs.map(({ runId, epoch }) => ({
      kind: 'signal',
      lane: 'people',
      workflowId: flowRunWorkflowId({ tenantId, runId }, epoch),
      signal: 'cancelled',
      signalArgs: [],
    })),
  )
}
