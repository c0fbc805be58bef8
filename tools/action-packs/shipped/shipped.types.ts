/** A pack that ships with the product. */
import type { Finding } from '#platform/validation.ts'
import type { DataType } from '#tools/properties/properties.schema.ts'

import type { Manifest } from '../manifest.schema.ts'
import type { Values } from '../settings.rules.ts'

type Steps = Manifest['steps']

/** A property of the entity in the setting `entity` that a setting names. */
export interface NamedProperty {
  /** Where it stands, behind `$.settings.` */
  readonly at: string
  readonly name: unknown
  /** Which it may be; any unless told. */
  readonly types?: readonly DataType[]
  /** What is written to it: of a form that its type has. */
  readonly value?: unknown
  /** What may be written to it, and where that stands. */
  readonly written?: readonly { readonly at: string; readonly value: unknown }[]
}

export interface ShippedPack {
  /** Below 1,000, and never another pack's. */
  readonly packId: number
  readonly manifest: Manifest
  /** Of a pack whose steps are as many as a setting says: those for these settings. */
  readonly stepsFor?: (values: Values) => Steps
  /** What is wrong with settings of the type Json beyond their type. */
  readonly findProblems?: (values: Values) => readonly Finding[]
  /** The properties that its settings name. */
  readonly propertiesIn?: (values: Values) => readonly NamedProperty[]
}
