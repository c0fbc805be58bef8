/** Trials on the wire. */
import { z } from 'zod'

import { issue } from '#platform/validation.ts'

import { anyJson } from '../runs/runs.schema.ts'

export const answers = z
  .record(
    z.string().max(64),
    z.strictObject({
      action: z.string().min(1).max(64).optional(),
      text: z.string().max(16_000).optional().describe('Of ask; of a task the comment'),
      choice: z.string().min(1).max(64).optional(),
      values: z.record(z.string().max(64), z.unknown()).optional().describe('Of a form; what an event or a call outside brings'),
    }),
  )
  .refine((all) => Object.keys(all).length <= 200, { error: 'At most 200 answers' })
  .describe('By step: what people and other systems answer')

export const testedWorkflow = z.object({
  state: z.enum(['completed', 'failed', 'waiting', 'running']).describe('waiting: an answer is missing; running: cut short'),
  trace: z.array(
    z.object({
      step: z.string(),
      stepType: z.string(),
      event: z.enum(['done', 'skipped', 'failed', 'waiting']),
      iteration: z.array(z.int()).optional(),
      output: anyJson.optional().describe('would: what is not done in a trial'),
      goTo: z.string().optional(),
      error: z.object({ code: z.string(), message: z.string(), step: z.string().optional() }).optional(),
    }),
  ),
  issues: z.array(issue),
  variables: z.looseObject({}),
  output: anyJson.optional(),
})
