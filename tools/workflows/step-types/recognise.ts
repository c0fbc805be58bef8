import { z } from 'zod'

import { list, numberValue, object, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const recognise = defineStepType({
  stepTypeId: 15,
  internalName: 'recognise',
  description: 'Reads the text of a file, and what a picture shows.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({
    asset: z.string().min(1).max(400),
    ocr: z.boolean().optional(),
    classify: z.boolean().optional(),
    languages: z.array(z.string().min(2).max(20)).max(10).optional(),
  }),
  result: object({ text: textValue, labels: list(object({ label: textValue, score: numberValue })) }),
  roles: ['DataView'],
  names: {},
  example: { asset: '[[Inspection.Photo]]', ocr: true, languages: ['eng'] },
})
