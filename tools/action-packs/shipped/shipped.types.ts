/** A pack that ships with the product. */
import type { Finding } from '#platform/validation.ts'

import type { Manifest } from '../manifest.schema.ts'
import type { Values } from '../settings.rules.ts'

type Steps = Manifest['steps']

export interface ShippedPack {
  /** Below 1,000, and never another pack's. */
  readonly packId: number
  readonly manifest: Manifest
  /** Of a pack whose steps are as many as a setting says: those for these settings. */
  readonly stepsFor?: (values: Values) => Steps
  /** What is wrong with settings of the type Json beyond their type. */
  readonly findProblems?: (values: Values) => readonly Finding[]
}
