/** The skeleton of a definition: what leads where. It holds no configuration and no condition, so that it is small and nobody decides by values here. */

export interface Plan {
  readonly steps: readonly PlanStep[]
}

/** Names are unique over the whole plan. A list is the top of the plan, a lane, or the body of a loop. */
export interface PlanStep {
  readonly name: string
  /** A step of the same list, or `end`, which ends the list. The following step unless told. */
  readonly next?: string
  /** Below a second, and harmless to repeat: carried out beside the workflow. */
  readonly isQuick?: true
  /** What a failure leads to: `fail` unless told. */
  readonly onError?: 'continue' | { readonly goTo: string }
  /** Of a parallel step. */
  readonly lanes?: readonly Lane[]
  /** `all` unless told. */
  readonly join?: 'all' | 'any'
  /** Of a loop: carried out for each item. */
  readonly body?: readonly PlanStep[]
  /** Iterations at once; 1 unless told. */
  readonly maxParallel?: number
}

export interface Lane {
  readonly name: string
  readonly steps: readonly PlanStep[]
}
