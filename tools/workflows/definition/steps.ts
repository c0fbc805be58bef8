/** Steps as calls give them. */
import type { z } from 'zod'

import { readDraft, refuseErrors } from '#platform/validation.ts'

import type { step as stepRecord } from '../workflows.schema.ts'
import type { Said } from './definition.types.ts'
import { mustNameType } from './editing.rules.ts'
import { step as stepGrammar } from './grammar.schema.ts'
import { showStep } from './shown.ts'

/** A step of the form that the grammar has, with the name of its type. Throws 400; what it names may be absent still. */
export function readStep(said: Said): Said {
  const named = mustNameType(said)
  const read = readDraft(stepGrammar, named)
  if (!read.isOk) refuseErrors(read.findings, 'The step')
  return named
}

/** The same of a change, in which null takes something away. */
export function readStepChange(said: Said): Said {
  const isTyped = said['stepType'] !== undefined || said['stepTypeId'] !== undefined
  const named = isTyped ? mustNameType(said) : said
  const fields = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null))
  const read = readDraft(stepGrammar.partial(), fields)
  if (!read.isOk) refuseErrors(read.findings, 'The step')
  return named
}

/** The step of an id, as a draft has it. */
export function stepOf(steps: readonly Said[], stepId: number): z.output<typeof stepRecord> {
  const index = steps.findIndex((one) => one['stepId'] === stepId)
  return showStep(steps[index] ?? {}, index)
}
