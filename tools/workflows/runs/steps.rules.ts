/** The steps of a definition, found by their names wherever they stand. */
import { AppError } from '#platform/errors.ts'
import { quoted } from '#platform/suggest.ts'

import { findStepType } from '../step-types/registry.rules.ts'
import type { RunRow, Said, StepRow } from './runs.types.ts'

/** What runs hold in place of the value of a sensitive setting. */
export const sealedMark = /⟦sealed:[A-Za-z0-9_-]{32}⟧/g

/** As many people as one task may be for. */
export const maxPeople = 200

export interface FoundStep {
  readonly said: Said
  readonly name: string
  readonly stepType: string
  readonly config: Said
  /** The loop that it stands in, the innermost. */
  readonly loop: string | undefined
  /** Where it goes on unless something leads elsewhere: `next`, else the step behind it in its list, else `end`. */
  readonly next: string
}

export function isObject(value: unknown): value is Said {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Every step, those of lanes and loops behind the step that holds them. */
export function* stepsIn(steps: readonly unknown[], loop?: string): Generator<FoundStep> {
  for (const [index, said] of steps.entries()) {
    if (!isObject(said)) continue
    const behind = steps[index + 1]
    const next = textIn(said['next']) ?? (isObject(behind) ? String(behind['internalName']) : 'end')
    const name = String(said['internalName'])
    const config = isObject(said['config']) ? said['config'] : {}
    const stepType = String(said['stepType'])
    yield { said, name, stepType, config, loop, next }
    if (stepType === 'forEach') yield* stepsIn(listIn(config['steps']), name)
    if (stepType === 'parallel') for (const lane of listIn(config['lanes'])) if (isObject(lane)) yield* stepsIn(listIn(lane['steps']), loop)
  }
}

export function mustFindStep(steps: readonly unknown[], name: string): FoundStep {
  for (const step of stepsIn(steps)) if (step.name === name) return step
  throw new AppError('unprocessable', `The definition of this run has no step ${name}.`)
}

/** What of a configuration is a value of this step: the steps inside it resolve their own. */
export function ownConfig({ stepType, config }: FoundStep): Said {
  if (stepType === 'forEach') return Object.fromEntries(Object.entries(config).filter(([name]) => name !== 'steps'))
  return stepType === 'parallel' ? {} : config
}

const hasTokens = (value: unknown) => {
  const text = JSON.stringify(value) ?? ''
  return text.includes('[[') || text.includes('"$expr"')
}

/** Whether the own values of a configuration name others. */
export function isResolved(found: FoundStep): boolean {
  return hasTokens(ownConfig(found))
}

/** Whether a step is certain to ask for values of the run: by a condition, by tokens, or because it decides, asks somebody or waits for a time. */
export function needsScope(found: FoundStep): boolean {
  const { said, stepType } = found
  const kind = findStepType(stepType)?.kind
  return said['when'] !== undefined || kind === 'wait' || kind === 'branch' || isResolved(found)
}

/** The id of a record that a configuration came to. Throws AppError `unprocessable`: nothing is done to another record, or to a new one. */
export function idIn(value: unknown, field: string): number {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 1) return id
  throw new AppError(
    'unprocessable',
    `${field} came to no record: ${quoted(value)}. Name what holds its eiRecordId, or check before with when that there is one.`,
  )
}

/** The record that a form task changes; null where it makes a new one. */
export function recordOfForm({ eiRecordId, new: isNew }: Said, run: Pick<RunRow, 'eiRecordId'>): number | null {
  if (isNew === true) return null
  return eiRecordId === undefined || eiRecordId === null ? run.eiRecordId : idIn(eiRecordId, 'eiRecordId')
}

/** A name or an id, as the tools take it in a path. */
export const slotIn = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

export interface TaskAction {
  readonly internalName: string
  readonly goTo?: string
  readonly requiresComment: boolean
  readonly set: Said
}

const actionsUnlessTold: Readonly<Record<string, readonly string[]>> = { form: ['submit'], approval: ['approve', 'reject'] }

/** What a person may do on a step. */
export function actionsOf({ said, stepType }: Pick<FoundStep, 'said' | 'stepType'>): readonly TaskAction[] {
  const own = listIn(said['actions']).filter(isObject)
  if (own.length === 0)
    return (actionsUnlessTold[stepType] ?? []).map((internalName) => ({ internalName, requiresComment: false, set: {} }))
  return own.map((one) => {
    const goTo = textIn(one['goTo'])
    return {
      internalName: String(one['internalName']),
      requiresComment: one['requiresComment'] === true,
      set: isObject(one['set']) ? one['set'] : {},
      ...(goTo === undefined ? {} : { goTo }),
    }
  })
}

/** The result of every step by its name, as tokens read it. */
export function resultsByStep(rows: readonly Pick<StepRow, 'step' | 'result'>[]): Record<string, unknown> {
  return Object.fromEntries(rows.map(({ step, result }) => [step, result]))
}

export interface Tries {
  readonly attempts: number
  readonly firstMs: number
  readonly longestMs: number
}

/** Ten tries over some minutes, as jobs have: what is away for a minute costs nothing but time. */
const triesUnlessTold: Tries = { attempts: 10, firstMs: 1_000, longestMs: 60_000 }

export function triesOf({ retry }: Said): Tries {
  if (!isObject(retry)) return triesUnlessTold
  const { attempts, firstSeconds, maxSeconds } = retry
  return {
    attempts: typeof attempts === 'number' ? attempts : triesUnlessTold.attempts,
    firstMs: typeof firstSeconds === 'number' ? firstSeconds * 1_000 : triesUnlessTold.firstMs,
    longestMs: typeof maxSeconds === 'number' ? maxSeconds * 1_000 : triesUnlessTold.longestMs,
  }
}

/** How long is waited after so many failures. */
export function waitAfter({ firstMs, longestMs }: Tries, failures: number): number {
  return Math.min(firstMs * 2 ** (failures - 1), Math.max(firstMs, longestMs))
}
