/** Whose a target's value is: recognition's, which other results may take the place of, or somebody's, which stays. */
import { hash } from 'node:crypto'

/** `run`: recognition wrote it. `save`: it was there when the files came, before anything was read in them. */
export interface TargetState {
  readonly hash: string
  readonly by: 'run' | 'save'
}

/** By entityPropertyId of the target. One without an entry was empty when the files came. */
export type TargetStates = Readonly<Record<string, TargetState>>

/** Of a value in canonical form. A single value and a list of it alone are the same: a property may turn from one into the other. */
export function valueHash(value: unknown): string {
  const list = value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]
  return hash('sha1', JSON.stringify(list), 'base64')
}

const isEmpty = (value: unknown) => value === null || value === undefined

/** Whether results may be written over the value. */
export function isReplaceable(state: TargetState | undefined, value: unknown): boolean {
  return state ? state.hash === valueHash(value) : isEmpty(value)
}

/** Whether the value is what recognition wrote. */
export function isFromRun(state: TargetState | undefined, value: unknown): boolean {
  return state?.by === 'run' && state.hash === valueHash(value)
}

/** Why results are not written over a value. */
export function whyKept(state: TargetState | undefined): string {
  if (!state) return 'It has a value that recognition did not write.'
  return state.by === 'run'
    ? 'Somebody changed it after recognition had written it.'
    : 'Somebody changed it since the attachment was saved.'
}

/**
 * What is to be noted of a target when files come, undefined where nothing is. The value of that moment may be replaced by what is read in them,
 * unless somebody changed it while some of the files were there: then it stays theirs until they empty it.
 */
export function stateOnArrival(
  state: TargetState | undefined,
  value: unknown,
  arrival: { readonly hasOthers: boolean },
): TargetState | undefined {
  if (isReplaceable(state, value)) return undefined
  if (arrival.hasOthers && state && !isEmpty(value)) return undefined
  return { hash: valueHash(value), by: 'save' }
}
