import { z } from 'zod'

import { maxSteps } from '../definition/grammar.schema.ts'
import { anyValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const parallel = defineStepType({
  stepTypeId: 8,
  internalName: 'parallel',
  description: 'Carries out lanes of steps beside each other; goes on when all have ended, or with any the first that ends well.',
  kind: 'lanes',
  isQuick: true,
  config: z.strictObject({
    lanes: z
      .array(z.strictObject({ internalName: z.string().min(1).max(64), steps: z.array(z.looseObject({})).min(1).max(maxSteps) }))
      .min(1)
      .max(20),
    join: z.enum(['all', 'any']).optional(),
  }),
  result: anyValue,
  roles: [],
  names: {},
  example: {
    join: 'all',
    lanes: [
      { internalName: 'office', steps: [{ internalName: 'invoice', stepType: 'approval', config: { question: 'Is the invoice right?' } }] },
      { internalName: 'site', steps: [{ internalName: 'visit', stepType: 'approval', config: { question: 'Is the site clean?' } }] },
    ],
  },
})
