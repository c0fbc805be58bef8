import { z } from 'zod'

import { object } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const set = defineStepType({
  stepTypeId: 18,
  internalName: 'set',
  description: 'Gives variables of the workflow new values.',
  kind: 'act',
  isQuick: true,
  config: z.strictObject({ values: z.record(z.string().min(1).max(64), z.unknown()) }),
  result: object({}),
  roles: [],
  names: { values: 'variables' },
  example: { values: { tries: { $expr: ['+', '[[$vars.tries]]', 1] } } },
})
