/** A definition as it is stored: whatever was drafted, faulty too. A checked one has the form of the grammar. */
import type { IdOrName } from '#platform/names.ts'
import type { RoleName } from '#platform/roles.ts'

export type Said = Readonly<Record<string, unknown>>
export type Place = readonly (string | number)[]

export interface Display {
  readonly languageRegionId: number
  readonly languageCode: string
  readonly name: string
  readonly description: string
}

export interface Variable {
  readonly name: string
  readonly dataType: string
  readonly isList?: boolean
  readonly isRequired?: boolean
  readonly value?: unknown
}

/** The pack of which a definition is an install. */
export interface PackOf {
  readonly name: string
  readonly version: string
}

/** The body of a stored workflow; its name and description stand beside it. */
export interface WorkflowBody {
  readonly displays: readonly Display[]
  readonly categoryId?: number | null
  readonly entity?: IdOrName | null
  readonly roles?: readonly RoleName[]
  readonly variables?: readonly Variable[]
  readonly input?: readonly Variable[]
  readonly maxDurationDays?: number
  readonly concurrency?: 'parallel' | 'queue' | 'skipIfRunning'
  /** With `stepId`, their actions with `actionId` and branches with `branchId`; those inside lanes and loops without. */
  readonly steps: readonly Said[]
  /** With `triggerId`. */
  readonly triggers: readonly Said[]
  /** Of an install: its pack, and what `$settings` may name and holds; in place of sensitive ones their marks. */
  readonly pack?: PackOf
  readonly settings?: readonly Variable[]
  readonly settingValues?: Said
}

export function isObject(value: unknown): value is Said {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** What stands at a path of names with dots. */
export function valueAt(said: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), said)
}
