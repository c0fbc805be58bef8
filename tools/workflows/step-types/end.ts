import { z } from 'zod'

import { object } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const end = defineStepType({
  stepTypeId: 20,
  internalName: 'end',
  description: 'Ends the run as completed or failed, with its result.',
  kind: 'end',
  isQuick: true,
  config: z.strictObject({
    state: z.enum(['completed', 'failed']),
    message: z.string().max(2_000).optional(),
    output: z.unknown().optional(),
  }),
  result: object({}),
  roles: [],
  names: {},
  example: { state: 'completed', output: { approved: true } },
})
