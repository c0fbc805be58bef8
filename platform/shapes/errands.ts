/** What the outbox carries to Temporal: a workflow to start, or one to signal. Ids only; whoever acts on one reads fresh. */
import type { FlowRunInput } from './flow-runs.ts'
import type { JobAttempt } from './jobs.ts'
import type { ConversationInput, QueuedDelivery, ReceivedSignal } from './messaging.ts'
import type { AnalysisRun } from './recognition.ts'

/** Each lane is carried by itself: `people`, what somebody waits for; `triggers`, what follows changes; `bulk`, jobs and whatever comes in masses. */
export const lanes = ['people', 'triggers', 'bulk'] as const

export type Lane = (typeof lanes)[number]

/** The workflows that errands start, and what they are given. A test holds it against `workflows/`. */
export interface WorkflowArguments {
  readonly attachmentRecognition: readonly [AnalysisRun]
  readonly conversation: readonly [ConversationInput]
  readonly flowRun: readonly [FlowRunInput]
  readonly job: readonly [JobAttempt]
}

/** The signals that errands send, and what they tell. */
export interface SignalArguments {
  readonly deliver: readonly [QueuedDelivery]
  readonly received: readonly [ReceivedSignal]
  readonly ended: readonly []
  readonly poked: readonly [no: number]
  readonly paused: readonly []
  readonly resumed: readonly []
  readonly cancelled: readonly []
}

interface Order {
  readonly lane: Lane
  /** Errands of one subject go in the order in which they were emitted. Unless told, it is the workflow's id; a start without one is its own. */
  readonly subject?: string
}

type Start = {
  [W in keyof WorkflowArguments]: {
    readonly workflow: W
    /** A second start under it is a no-op, running or closed. Absent: `ownWorkflowId`, so that each errand starts another. */
    readonly workflowId?: string
    readonly args: WorkflowArguments[W]
  }
}[keyof WorkflowArguments]

type Signal = {
  [S in keyof SignalArguments]: {
    readonly workflowId: string
    readonly signal: S
    readonly signalArgs: SignalArguments[S]
  }
}[keyof SignalArguments]

/** Starts a workflow once. */
export type StartErrand = Order & { readonly kind: 'start' } & Start
/** Signals a running workflow; one that is gone is not told, since its end has done what the signal would. */
export type SignalErrand = Order & { readonly kind: 'signal' } & Signal
/** Signals a workflow, starting it first where it does not run. */
export type SignalWithStartErrand = Order & { readonly kind: 'signalWithStart' } & Start & Signal

/** Of a workflow that was started without an id of its own: from the errand, so that carrying it out again is a no-op. */
export function ownWorkflowId({ workflow, tenantId, outboxId }: { workflow: string; tenantId: number; outboxId: number }): string {
  return `${workflow}:${tenantId}:${outboxId}`
}

export type Errand = StartErrand | SignalErrand | SignalWithStartErrand
