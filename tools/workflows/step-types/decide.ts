import { z } from 'zod'

import { object, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const decide = defineStepType({
  stepTypeId: 7,
  internalName: 'decide',
  description: 'Goes where the first of its branches leads that holds; where none does, to next.',
  kind: 'branch',
  isQuick: true,
  config: z.strictObject({}),
  result: object({ goTo: textValue }),
  roles: [],
  names: {},
  example: {},
})
