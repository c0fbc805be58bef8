/** What is told outside of runs: that one has begun, that a step of it is over, and how it ended. */
import type { Tx } from '#platform/db/pool.ts'
import { type AboutRecord, type Teller, tellIn } from '#platform/event-log.ts'

import type { RunRow, StepRow } from './runs.types.ts'

type ToldRun = Pick<
  RunRow,
  | 'runId'
  | 'workflowId'
  | 'internalName'
  | 'version'
  | 'entityId'
  | 'eiRecordId'
  | 'depth'
  | 'startedBy'
  | 'pack'
  | 'packVersion'
  | 'hadFailures'
>

interface Told {
  readonly tenantId: number
  readonly at: string
}

// What it starts was led to by the run: chains of runs that start each other are cut by their depth.
function tellerOf(tx: Tx, { tenantId, at }: Told, { runId, depth }: ToldRun, by: number | null): Teller {
  return { tx, tenantId, at, by, origin: { kind: 'workflow', id: runId, depth: depth + 1 } }
}

function aboutOf({ entityId, eiRecordId }: ToldRun): AboutRecord | undefined {
  return entityId === null || eiRecordId === null ? undefined : { entityId, eiRecordId }
}

const factsOf = ({ runId, workflowId, internalName, version }: ToldRun) => ({
  workflowInstanceId: runId,
  workflowId,
  internalName,
  version,
})

const kinds = {
  running: 'workflow.started',
  completed: 'workflow.completed',
  cancelled: 'workflow.completed',
  failed: 'workflow.failed',
} as const

/** The end of an action run, in its own words; of its beginning and its steps nothing is told. */
function tellAction(tx: Tx, told: Told, run: ToldRun, actionPack: string, state: keyof typeof kinds): Promise<boolean> {
  if (state === 'running') return Promise.resolve(false)
  const word = state === 'completed' ? (run.hadFailures ? 'partly' : 'succeeded') : state
  const facts = { actionRunId: run.runId, installId: run.workflowId, actionPack, version: run.packVersion ?? '', state: word }
  const kind = state === 'failed' ? 'action.failed' : 'action.completed'
  return tellIn(tellerOf(tx, told, run, run.startedBy), kind, facts, aboutOf(run))
}

/** Tells what has become of a run, in the name of whoever started it. Answers whether somebody watches for it. */
export function tellRun(tx: Tx, told: Told, run: ToldRun, state: keyof typeof kinds): Promise<boolean> {
  if (run.pack !== null) return tellAction(tx, told, run, run.pack, state)
  return tellIn(tellerOf(tx, told, run, run.startedBy), kinds[state], { ...factsOf(run), state }, aboutOf(run))
}

/** Tells that a step is over; `by` who did it, null where nobody acted. */
export function tellStep(
  tx: Tx,
  told: Told & { readonly by: number | null },
  run: ToldRun,
  { step, stepType }: Pick<StepRow, 'step' | 'stepType'>,
  state: 'done' | 'failed',
): Promise<boolean> {
  if (run.pack !== null) return Promise.resolve(false)
  return tellIn(tellerOf(tx, told, run, told.by), 'workflow.stepCompleted', { ...factsOf(run), step, stepType, state }, aboutOf(run))
}
