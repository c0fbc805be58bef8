/** What a run, its driver and its steps tell each other. All of it is JSON, so that a run outlives the process that carries it. */

/** Which step of which iteration: of the loops around it, the outermost first. */
export interface StepPath {
  readonly step: string
  readonly iteration: readonly number[]
}

/** begin: carry it out. resume: somebody acted, replied or signalled. wake: its time has come. join: its lanes or iterations are over. */
export type Phase = 'begin' | 'resume' | 'wake' | 'join'

/** How the lanes or iterations of a step ended. */
export interface Joined {
  readonly isFailed: boolean
  /** Of a parallel step, by the name of the lane. */
  readonly lanes?: Readonly<Record<string, 'ended' | 'failed' | 'stopped'>>
  /** Of a loop: the iterations that were begun and those in which a step failed. */
  readonly begun?: number
  readonly failed?: number
}

export type Command =
  /** `no` counts what a run carries out; a step that is carried out again has another one. `retryOf` is the `no` of the try that failed. */
  | {
      readonly kind: 'perform'
      readonly no: number
      readonly path: StepPath
      readonly phase: Phase
      readonly joined?: Joined
      readonly retryOf?: number
    }
  /** What waits is not awaited any more. */
  | { readonly kind: 'withdraw'; readonly no: number; readonly path: StepPath }
  /** Undo what was done last and is not undone yet. */
  | { readonly kind: 'compensate' }
  | { readonly kind: 'finish'; readonly state: EndState; readonly because: EndReason; readonly hadFailures: boolean }

export type EndState = 'completed' | 'failed' | 'cancelled'

/** done: the last step of the plan. endStep: a step that ends the run. step: one failed. */
export type EndReason = 'done' | 'endStep' | 'step' | 'cancelled' | 'expired' | 'neverWaits' | 'tooManySteps' | 'noSuchStep'

export type Outcome =
  | { readonly kind: 'done'; readonly goTo?: string }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed' }
  /** Until somebody acts, or until then. */
  | { readonly kind: 'waiting'; readonly untilMs?: number }
  | { readonly kind: 'lanes' }
  | { readonly kind: 'items'; readonly count: number }
  | { readonly kind: 'endRun'; readonly state: 'completed' | 'failed' }

export type RunEvent =
  | { readonly kind: 'begun' }
  | { readonly kind: 'ended'; readonly no: number; readonly outcome: Outcome }
  | { readonly kind: 'poked'; readonly no: number }
  | { readonly kind: 'woke'; readonly atMs: number }
  | { readonly kind: 'paused' }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'cancelled' }
  /** The run took longer than it may. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'compensated'; readonly hasMore: boolean }
  /** Of a run that failed: goes on from the step that failed. */
  | { readonly kind: 'retried' }

export interface RunState {
  readonly root: Cursor
  /** How many steps were begun. */
  readonly begun: number
  readonly isPaused: boolean
  /** Set once nothing more is to be begun. */
  readonly ending?: { readonly state: EndState; readonly because: EndReason }
  readonly isCompensating: boolean
  readonly isFinished: boolean
}

/**
 * Where a list is. ready: its step is to be begun. performing: a try of its step is on its way. inside: lanes or iterations of its step are.
 * stopped: before its step, which a retry begins. failed: with its step, likewise.
 */
export type CursorPhase = 'ready' | 'performing' | 'waiting' | 'inside' | 'ended' | 'failed' | 'stopped'

export interface Cursor {
  readonly at: string
  readonly phase: CursorPhase
  /** Of the step that it is at, once begun. */
  readonly no?: number
  readonly retryOf?: number
  readonly untilMs?: number
  /** What is to be performed as soon as the run may. */
  readonly due?: Phase
  /** Somebody acted while a try was on its way. */
  readonly isPoked?: boolean
  readonly isStopping?: boolean
  /** A step of it failed and it went on. */
  readonly hadFailure?: boolean
  /** Ways back to an earlier step since it last waited. */
  readonly ways: number
  readonly lanes?: readonly LaneCursor[]
  readonly loop?: LoopCursor
}

export interface LaneCursor {
  readonly lane: string
  readonly cursor: Cursor
}

export interface LoopCursor {
  readonly count: number
  /** The index of the next iteration to begin. */
  readonly next: number
  readonly failed: number
  readonly running: readonly { readonly index: number; readonly cursor: Cursor }[]
}
