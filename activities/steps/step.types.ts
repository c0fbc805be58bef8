/** How a step is carried out: what its performer is given, and what it may answer. */
import type { ActingFor } from '#platform/acting.ts'
import type { Joined, Outcome, Phase } from '#platform/flow/run.types.ts'
import type { CallContext, TxContext } from '#platform/operation.ts'
import type { Services } from '#platform/services.ts'
import type { Done, OpenStep, Said, Scope, Waiting } from '#tools/workflows/service.ts'

export interface StepContext {
  readonly services: Services
  readonly open: OpenStep
  /** The resolved configuration. */
  readonly config: Said
  /** Sensitive settings that stand in it: shown nowhere. */
  readonly sealed: readonly string[]
  readonly phase: Phase
  readonly joined: Joined | undefined
  readonly who: ActingFor
  readonly signal: AbortSignal
  scope(): Promise<Scope>
  /**
   * Calls an operation in the run's name, once however often it is tried, and records what the step brought together with it.
   */
  call(operation: string, input: unknown, doneOf: (answer: unknown) => Done, shownIn?: CallContext['shownIn']): Promise<StepEnd>
}

export type StepEnd =
  | ({ readonly kind: 'done' } & Done)
  /** It is recorded with its effect; and what the run is told of it, where that is known. */
  | { readonly kind: 'recorded'; readonly outcome?: Outcome | undefined }
  | {
      readonly kind: 'waiting'
      readonly wait: Waiting
      readonly untilMs?: number | undefined
      /** Done in the transaction from which on it waits. */
      readonly begin?: (context: TxContext) => Promise<void>
    }
  | { readonly kind: 'lanes' }
  | { readonly kind: 'items'; readonly items: readonly unknown[] }
  | {
      readonly kind: 'failed'
      readonly code: 'unprocessable' | 'unavailable' | 'internal'
      readonly message: string
      readonly result?: unknown
    }
  | { readonly kind: 'endRun'; readonly state: 'completed' | 'failed'; readonly message?: string | undefined; readonly output?: unknown }

export type Perform = (step: StepContext) => Promise<StepEnd> | StepEnd
