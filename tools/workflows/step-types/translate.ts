import { z } from 'zod'

import { object, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

const language = z.string().min(2).max(400)

export const translate = defineStepType({
  stepTypeId: 16,
  internalName: 'translate',
  description: 'Translates a text; unavailable where no translator is installed.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({ text: z.string().min(1).max(16_000), to: language, from: language.optional() }),
  result: object({ text: textValue }),
  roles: [],
  names: {},
  example: { text: '[[Inspection.Remarks]]', to: 'en' },
})
