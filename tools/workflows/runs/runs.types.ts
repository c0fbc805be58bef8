/** Runs as they are stored, and the definitions that they follow. */
import type { Plan } from '#platform/flow/plan.types.ts'
import type { RunState } from '#platform/flow/run.types.ts'
import type { Origin } from '#platform/shapes/origin.ts'
import type { Renames } from '#tools/definitions/service.ts'

import type { PackOf } from '../definition/definition.types.ts'
import type { Typed } from '../values/typed.rules.ts'

/** A step as a definition says it: checked when it was published. */
export type Said = Readonly<Record<string, unknown>>

/** A frozen version of a definition. */
export interface CarriedVersion {
  readonly workflowId: number
  readonly version: number
  readonly internalName: string
  /** The name of the entity that its runs are about. */
  readonly entity?: string | undefined
  readonly variables?: readonly { readonly name: string; readonly value?: unknown }[] | undefined
  readonly input?: readonly (Typed & { readonly name: string; readonly isRequired?: boolean | undefined })[] | undefined
  readonly concurrency?: 'parallel' | 'queue' | 'skipIfRunning' | undefined
  readonly maxDurationDays?: number | undefined
  readonly steps: readonly Said[]
  /** What starts its runs, each with its `triggerId`. */
  readonly triggers?: readonly Said[] | undefined
  readonly plan: Plan
  /** Of an install. */
  readonly pack?: PackOf | undefined
  readonly settings?: Said | undefined
  readonly roleFlag: number
  /** What its definition names, and records that its runs have kept, and what has another name today. */
  readonly renames?: Renames | undefined
}

/** The same, and in whose name its runs act: the service user. */
export interface FlowVersion extends CarriedVersion {
  readonly actsAs: number
}

export interface RunError {
  readonly code: string
  readonly message: string
  readonly step?: string
}

/** `rate`: too many runs of its workflow began within a minute. `turn`: another about its record is under way. */
export type HeldFor = 'rate' | 'turn'

export interface RunRow {
  readonly runId: number
  readonly workflowId: number
  readonly version: number
  readonly internalName: string
  readonly state: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'
  readonly isPaused: boolean
  readonly isCancelling: boolean
  /** Of an action run. */
  readonly pack: string | null
  readonly packVersion: string | null
  /** Null: somebody started it. */
  readonly triggerType: string | null
  /** A loop went on past failures. */
  readonly hadFailures: boolean
  readonly entityId: number | null
  readonly eiRecordId: number | null
  readonly actsAs: number
  readonly roleFlag: number
  readonly depth: number
  readonly startedBy: number | null
  readonly causedBy: Origin | null
  readonly input: Readonly<Record<string, unknown>>
  readonly trigger: unknown
  readonly variables: Readonly<Record<string, unknown>>
  readonly output: unknown
  readonly error: RunError | null
  readonly epoch: number
  readonly flow: RunState | null
  /** It does not begin yet. */
  readonly heldFor: HeldFor | null
  readonly expiresAt: string
  readonly createdDate: string
  readonly startedDate: string | null
  readonly finishedDate: string | null
}

/** Who is to act on a step. Nobody named: whoever holds DataEdit. */
export interface Assignment {
  readonly user: number | null
  /** Bits of a role that one must hold. */
  readonly role: number | null
  readonly users: readonly number[] | null
}

/** What somebody did on a step that waited for it. */
export interface Answer {
  readonly kind: 'acted' | 'signalled' | 'replied'
  readonly by: number | null
  readonly at: string
  readonly action?: string
  readonly comment?: string
  readonly values?: Readonly<Record<string, unknown>>
  readonly eiRecordId?: number
  /** The signed link that it came by; of a recipient who is no user the address. */
  readonly link?: {
    readonly tenantUserId?: number | undefined
    readonly address?: string | undefined
    readonly linkId: number
    readonly madeBy: number
  }
  readonly payload?: unknown
  readonly reply?: {
    readonly text: string
    readonly choice: string | null
    readonly assetKeys: readonly string[]
    readonly address?: string
  }
}

/** Somebody whom a step asks. */
export interface AskedPerson {
  /** As send_message takes it. */
  readonly to: Said
  /** The latest last: where one was ended, another was begun. */
  readonly conversations: readonly { readonly conversationId: number; readonly afterSeq: number }[]
  readonly isAskedAgain: boolean
}

export interface Asked {
  readonly people: readonly AskedPerson[]
  /** How many reminders went out. */
  readonly reminded: number
}

export interface StepRow {
  readonly stepNo: number
  readonly step: string
  readonly stepType: string
  readonly iteration: readonly number[]
  readonly state: 'active' | 'done' | 'skipped' | 'failed' | 'compensated' | 'withdrawn'
  readonly isWaiting: boolean
  readonly failures: number
  readonly effectNo: number
  readonly input: Readonly<Record<string, unknown>> | null
  readonly result: unknown
  readonly error: RunError | null
  readonly isUnsure: boolean
  readonly outcome: unknown
  readonly assigneeUser: number | null
  readonly assigneeRole: number | null
  readonly assigneeUsers: readonly number[] | null
  readonly dueAt: string | null
  readonly overdueAt: string | null
  readonly wakeAt: string | null
  readonly awaits: string | null
  readonly answer: Answer | null
  readonly begunAt: string
  readonly endedAt: string | null
}

export type LogEvent =
  | 'started'
  | 'done'
  | 'failed'
  | 'retried'
  | 'skipped'
  | 'waiting'
  | 'acted'
  | 'assigned'
  | 'commented'
  | 'paused'
  | 'resumed'
  | 'signalled'
  | 'compensated'
  | 'overdue'

export interface NewLogLine {
  readonly event: LogEvent
  readonly row?: Pick<StepRow, 'stepNo' | 'step' | 'stepType' | 'iteration'> | undefined
  readonly by?: number | null | undefined
  readonly attempt?: number | undefined
  readonly input?: unknown
  readonly output?: unknown
  readonly error?: RunError | undefined
  readonly comment?: string | undefined
  readonly durationMs?: number | undefined
}

export type WorkflowState = RunRow['state'] | 'paused'

export interface LogRow {
  readonly seq: number
  readonly at: string
  readonly stepNo: number | null
  readonly step: string | null
  readonly stepType: string | null
  readonly iteration: readonly number[] | null
  readonly event: LogEvent
  readonly byUser: number | null
  readonly attempt: number | null
  readonly input: unknown
  readonly output: unknown
  readonly error: RunError | null
  readonly comment: string | null
  readonly durationMs: number | null
}
