/** The forms of settings that several shipped packs take. What a setting names is held against the tenant when its steps are checked. */
import { z } from 'zod'

import { readDuration } from '#platform/tokens/zoned.ts'
import type { Finding } from '#platform/findings.ts'
import { readDraft } from '#platform/validation.ts'
import { card, recipient } from '#tools/workflows/definition/grammar.schema.ts'

import type { Values } from '../settings.rules.ts'

/** Exactly one of them: whom a message or a task is for. */
export const person = recipient.refine((said) => Object.values(said).filter((one) => one !== undefined).length === 1, {
  error: 'One way to say who it is: {"tenantUserId": 7}, {"role": "DataEdit"}, {"property": "Owner"} or another of the fields.',
})

/** A text with a token is read when a run comes to it. */
export const duration = z.string().refine((text) => text.includes('[[') || readDuration(text) !== undefined, {
  error: 'A duration in ISO 8601 is meant: PT5M, PT4H, P1D.',
})

export const choices = card.shape.choices
  .unwrap()
  .refine((all) => new Set(all.map(({ key }) => key.toLowerCase())).size === all.length, { error: 'Two choices have the same key.' })

/** What is wrong with the settings that a form is given for. */
export function findShapeProblems(forms: Readonly<Record<string, z.ZodType>>, values: Values): readonly Finding[] {
  const given = Object.fromEntries(Object.keys(forms).map((name) => [name, values[name]]))
  const read = readDraft(z.object(forms), given, '$.settings')
  return read.isOk ? [] : read.findings
}
