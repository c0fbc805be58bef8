/** Triggers that are live, and what they matched. */
import type { LoggedEvent } from '#tools/events/events.types.ts'

import type { FlowVersion, Said } from '../runs/runs.types.ts'

/** A definition whose triggers are live: a published workflow, an install of a pack. */
export interface LiveFlow {
  readonly definitionId: number
  readonly version: number
  /** As whom its triggers look. */
  readonly actsAs: number
  /** With which roles. */
  readonly roleFlag: number
  /** With their `triggerId`, under today's names. */
  readonly triggers: readonly Said[]
}

/** A trigger as it stands in its table. */
export interface TriggerRow {
  readonly triggerId: number
  readonly definitionId: number
  readonly version: number
  readonly triggerType: string
  readonly entityId: number | null
  readonly actsAs: number
  readonly roleFlag: number
  /** ISO 8601. */
  readonly liveSince: string
}

/** A trigger that fires, with the version whose runs it starts. */
export interface Live {
  readonly trigger: TriggerRow
  readonly version: FlowVersion
  readonly said: Said
}

/** An event as a firing keeps it, whatever becomes of the log. */
export type FiredEvent = Omit<LoggedEvent, 'recordIds' | 'versions' | 'startsNothing'>

/** What a part of a definition matched and has not started yet. */
export interface Firing {
  readonly firingId: number
  readonly definitionId: number
  readonly part: string
  readonly event: FiredEvent
  readonly recordIds: readonly number[]
  /** None where the event is about records and changed none. */
  readonly versions: readonly number[]
  /** How many records were looked at. */
  readonly done: number
  /** Of a batch: those that count. Of a wait: its place. */
  readonly keptIds: readonly number[]
  readonly tries: number
}

/** Of steps that wait for what a trigger would fire on. */
export const waitWatcherKind = 'triggerWait'
export const waitPartOf = (version: number, step: string) => `wait:${version}:${step}`
/** Undefined for a part that is no wait. */
export function waitOf(part: string): { readonly version: number; readonly step: string } | undefined {
  const found = /^wait:(\d+):(.+)$/.exec(part)
  return found?.[2] === undefined ? undefined : { version: Number(found[1]), step: found[2] }
}
/** How far a firing of a wait came: the look, and the step behind which it goes on. */
export interface WaitPlace {
  readonly look: number
  readonly after: { readonly runId: number; readonly stepNo: number }
}
export function placeOfWait({ keptIds: [look = 0, runId = 0, stepNo = 0] }: Pick<Firing, 'keptIds'>): WaitPlace {
  return { look, after: { runId, stepNo } }
}
/** What a waiting step is found by. */
export const awaitedName = ({ workflowId, version }: Pick<FlowVersion, 'workflowId' | 'version'>, step: string) =>
  `${workflowId}:${version}:${step}`

export const triggerWatcherKind = 'trigger'
export const partOf = (triggerId: number) => `trigger:${triggerId}`
/** Undefined for a part that is no trigger. */
export function triggerIdOf(part: string): number | undefined {
  return part.startsWith('trigger:') ? Number(part.slice('trigger:'.length)) : undefined
}
