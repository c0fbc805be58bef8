/** How runs begin, and what tells them to go on: rows and errands of one transaction. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import type { Lane } from '#platform/shapes/errands.ts'
import { flowRunWorkflowId } from '#platform/shapes/flow-runs.ts'

import { bytesOf } from '../values/bounds.rules.ts'
import { addLogLine, insertRun } from './runs.store.ts'
import type { FlowVersion, RunRow, Said } from './runs.types.ts'

const daysUnlessTold = 365
/** So many runs may lead to each other. */
export const maxDepth = 16

export interface RunStart {
  readonly version: FlowVersion
  /** The record that it is about. */
  readonly entityId?: number | undefined
  readonly eiRecordId?: number | undefined
  readonly input: Said
  readonly trigger?: unknown
  /** The person who starts it. */
  readonly startedBy: number | null
  /** An event starts each definition once. */
  readonly startKey?: string | undefined
  readonly lane: Lane
}

/** The id of the run, which begins after the commit; undefined where the same event has started the definition before. */
export async function startRun(context: TxContext, start: RunStart): Promise<number | undefined> {
  const { tx, tenantId, origin, stamp } = context
  const { version, input, trigger } = start
  const { workflowId, internalName, actsAs, roleFlag, plan, maxDurationDays = daysUnlessTold } = version
  if (origin.depth > maxDepth)
    throw new AppError(
      'unprocessable',
      `${internalName} is not started: ${origin.depth} runs led here, and at most ${maxDepth} may. Look for workflows that start each other.`,
    )
  const variables = Object.fromEntries((version.variables ?? []).map(({ name, value = null }) => [name, value]))
  const narrow = 'Send less.'
  const expiresAt = new Date(Date.parse(stamp) + maxDurationDays * 86_400_000).toISOString()
  const valueBytes =
    bytesOf(input, 'The input', narrow) + bytesOf(trigger, 'What triggers it', narrow) + bytesOf(variables, 'Its variables', narrow)
  const runId = await insertRun(tx, tenantId, {
    workflowId,
    version: version.version,
    internalName,
    entityId: start.entityId ?? null,
    eiRecordId: start.eiRecordId ?? null,
    actsAs,
    roleFlag,
    depth: origin.depth,
    startedBy: start.startedBy,
    causedBy: origin.kind === 'call' ? null : origin,
    startKey: start.startKey ?? null,
    input,
    trigger,
    variables,
    valueBytes,
    expiresAt,
    at: stamp,
  })
  if (runId === undefined) return undefined
  await addLogLine(tx, tenantId, runId, stamp, { event: 'started', by: start.startedBy, input })
  await context.emit({
    kind: 'start',
    lane: start.lane,
    workflow: 'flowRun',
    workflowId: flowRunWorkflowId({ tenantId, runId }, 1),
    args: [{ tenantId, runId, plan, epoch: 1, expiresAtMs: Date.parse(expiresAt), isLocal: true }],
  })
  return runId
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
export async function emitPoke(context: Pick<TxContext, 'tenantId' | 'emit'>, { runId, epoch }: RunRow, stepNo: number): Promise<void> {
  const workflowId = flowRunWorkflowId({ tenantId: context.tenantId, runId }, epoch)
  await context.emit({ kind: 'signal', lane: 'people', workflowId, signal: 'poked', signalArgs: [stepNo] })
}

/** Holds the run, lets it go on, or ends it. */
export async function emitTurn(context: TxContext, { runId, epoch }: RunRow, signal: 'paused' | 'resumed' | 'cancelled'): Promise<void> {
  const workflowId = flowRunWorkflowId({ tenantId: context.tenantId, runId }, epoch)
  await context.emit({ kind: 'signal', lane: 'people', workflowId, signal, signalArgs: [] })
}
