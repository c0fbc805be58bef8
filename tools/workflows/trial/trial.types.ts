/** A run of a definition for a look at it: what it is given, what it holds, and what is told of it. */
import type { ActingFor } from '#platform/acting.ts'
import type { Joined } from '#platform/flow/run.types.ts'
import type { Services } from '#platform/services.ts'
import type { Finding } from '#platform/validation.ts'

import type { FlowVersion, RunError, Said } from '../runs/runs.types.ts'
import type { Scope } from '../runs/scope.ts'
import type { FoundStep } from '../runs/steps.rules.ts'

/** What somebody, or something, says in a trial. */
export interface TrialAnswer {
  readonly action?: string | undefined
  readonly text?: string | undefined
  readonly choice?: string | undefined
  readonly values?: Said | undefined
}

export interface Trial {
  readonly version: FlowVersion
  /** The record that it is about. */
  readonly record?: { readonly entityId: number; readonly eiRecordId: number } | undefined
  readonly input: Said
  /** What would have started it; unless told, somebody's hand. */
  readonly trigger?: unknown
  readonly answers: Readonly<Record<string, TrialAnswer>>
  readonly nowMs: number
}

export interface TraceLine {
  readonly step: string
  readonly stepType: string
  readonly event: 'done' | 'skipped' | 'failed' | 'waiting'
  readonly iteration?: number[]
  readonly output?: unknown
  readonly goTo?: string
  readonly error?: RunError
}

export interface Tried {
  /** `running`: the trial ended before the run did. */
  readonly state: 'completed' | 'failed' | 'waiting' | 'running'
  readonly trace: readonly TraceLine[]
  readonly issues: readonly Finding[]
  readonly variables: Said
  readonly output: unknown
}

/** A step of a trial as it is carried out. */
export interface TrialStep {
  readonly services: Services
  readonly who: ActingFor
  readonly signal: AbortSignal
  readonly trial: Trial
  readonly found: FoundStep
  /** Resolved. */
  readonly config: Said
  readonly answer: TrialAnswer | undefined
  readonly nowMs: number
  readonly scope: Scope
  readonly joined: Joined | undefined
  /** How many items a loop may go over yet. */
  readonly room: number
  /** Of a loop, what each iteration brought. */
  iterations(): readonly unknown[]
  tell(severity: 'error' | 'warning', message: string): void
}

export type TrialEnd =
  | {
      readonly kind: 'done'
      readonly result?: unknown
      /** Shown in place of the result. */
      readonly shown?: unknown
      readonly goTo?: string | undefined
      readonly set?: Said | undefined
      /** The time that it is then. */
      readonly nowMs?: number | undefined
    }
  | { readonly kind: 'waiting'; readonly shown: unknown }
  | { readonly kind: 'lanes' }
  | { readonly kind: 'items'; readonly items: readonly unknown[] }
  | { readonly kind: 'failed'; readonly message: string; readonly result?: unknown }
  | { readonly kind: 'endRun'; readonly state: 'completed' | 'failed'; readonly message: string | undefined; readonly output: unknown }
