/** What a run's workflow, its activities and whoever starts or wakes it agree on. Values stay in the database: a plan and ids go through Temporal. */
import type { Plan } from '../flow/plan.types.ts'
import type { Command, EndReason, EndState, Joined, Outcome, Phase, RunState, StepPath } from '../flow/run.types.ts'

export interface FlowRunRef {
  readonly tenantId: number
  readonly runId: number
}

/** The argument of the workflow `flowRun`. */
export interface FlowRunInput extends FlowRunRef {
  readonly plan: Plan
  /** From 1; each retry of a run that failed is a workflow of its own. */
  readonly epoch: number
  /** Milliseconds since the epoch: a run that takes longer fails. */
  readonly expiresAtMs: number
  /** What is quick is carried out beside the workflow, without a queue. Absent in runs that began before that was so: their histories hold tasks. */
  readonly isLocal?: true
  /** Of a run that goes on from where another workflow of it stood. */
  readonly state?: RunState
  /** What the workflow before it has left to be carried out. */
  readonly held?: readonly Command[]
  /** It goes on because somebody retried it. */
  readonly isRetried?: boolean
}

/** Of the workflow `flowRun`, so that a second start of it is a no-op. */
export function flowRunWorkflowId({ tenantId, runId }: FlowRunRef, epoch: number): string {
  return `flowRun:${tenantId}:${runId}:${epoch}`
}

/** The signals of the workflow. `poked` tells the `no` of the step that somebody acted on. */
export const flowSignals = { poked: 'poked', paused: 'paused', resumed: 'resumed', cancelled: 'cancelled' } as const

/** One step that is to be carried out, or to be taken up again. */
export interface StepOrder extends FlowRunRef {
  /** Counts what the run carries out; the same one is the same step of the same pass. */
  readonly no: number
  readonly path: StepPath
  readonly phase: Phase
  readonly joined?: Joined
  /** The `no` of the pass that failed and is retried. */
  readonly retryOf?: number
}

export interface RunEnd extends FlowRunRef {
  /** Of the workflow that ends. */
  readonly epoch: number
  readonly state: EndState
  readonly because: EndReason
  readonly hadFailures: boolean
  /** Where the run stood, for a retry. */
  readonly flow: RunState
}

/** Carried by the worker of `taskQueues.activities`. */
export interface FlowActivities {
  /** Carries a step out, and answers what came of it once that is committed. Fails where it is to be tried again. */
  performStep(order: StepOrder): Promise<Outcome>
  /** A wait, a task or a question is not awaited any more. */
  withdrawStep(step: FlowRunRef & { readonly no: number }): Promise<void>
  /** Undoes what was done last and is not undone yet. With `waitMs` it has undone nothing, and is asked again after that. */
  compensateNext(run: FlowRunRef): Promise<{ readonly hasMore: boolean; readonly waitMs?: number }>
  /** Records the end of a run. */
  finishRun(end: RunEnd): Promise<void>
}
