/** What a type of step says of itself. One literal each in step-types/; everything else reads them there. */
import type { z } from 'zod'

import type { RoleName } from '#platform/roles.ts'
import type { Shape } from '#platform/tokens/shape.ts'
import type { DataType } from '#tools/properties/properties.schema.ts'

/** What a field of a config names. */
export type NameUse =
  | 'form'
  | 'entity'
  | 'report'
  | 'view'
  | 'workflow'
  | 'messageTemplate'
  | 'operation'
  /** Kinds of channels, or channels by name. */
  | 'channel'
  | 'assignee'
  | 'recipient'
  | 'duration'
  | 'time'
  /** The keys are variables of the workflow. */
  | 'variables'
  /** The values are names of secrets. */
  | 'secrets'
  /** A condition that asks `$response` too. */
  | 'response'
  /** A step of the same list, or `end`. */
  | 'step'
  | 'trigger'
  | { readonly filterOf: string }
  /** The keys are properties. */
  | { readonly valuesOf: string }
  /** A property, or properties, of the entity that this field names; with `types` one value of these, and no system field. */
  | { readonly propertyOf: string; readonly types?: readonly DataType[] }
  /** An entity that is a child of the one that this field names; of the workflow's own where it is empty. */
  | { readonly childOf: string }
  /** A definition of the kind that this field names, where that is a kind of stored definition. */
  | { readonly kindIn: string }

/** What carries a step: `act` at once; `wait` for a person, a time or an event; `branch` decides; `lanes` and `loop` hold steps; `end` ends the run. */
export type StepKind = 'act' | 'wait' | 'branch' | 'lanes' | 'loop' | 'end'

export type StepConfig = Readonly<Record<string, unknown>>

export interface StepType {
  readonly stepTypeId: number
  readonly internalName: string
  readonly description: string
  readonly kind: StepKind
  /** Inside PostgreSQL and below a second. */
  readonly isQuick: boolean
  readonly config: z.ZodObject
  /** What `[[$steps.<name>.…]]` holds afterwards. */
  readonly result: Shape
  /** The entity whose record a field of the result holds: the field of the config that names it. */
  readonly recordIn?: { readonly result: string; readonly entity: string }
  /** What the run must hold to carry it out. */
  readonly roles: readonly RoleName[] | ((config: StepConfig) => readonly RoleName[])
  /** The actions of a step for people that names none. */
  readonly actions?: readonly [string, ...string[]]
  /** By the path of the field in the config, with dots. */
  readonly names: Readonly<Record<string, NameUse>>
  /** What else is wrong with a config, by field: whatever its schema cannot tell. */
  readonly check?: (config: StepConfig) => readonly { readonly field: string; readonly message: string; readonly suggestion?: string }[]
  readonly example: StepConfig
}

export function defineStepType(type: StepType): StepType {
  return type
}
