import { z } from 'zod'

import { card, text } from '../definition/grammar.schema.ts'
import { anyValue, object, textValue, timeValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const approval = defineStepType({
  stepTypeId: 2,
  internalName: 'approval',
  description: 'A person answers a question by one of the actions of the step: approve and reject unless told.',
  kind: 'wait',
  isQuick: true,
  config: z.strictObject({ question: text, card: card.optional() }),
  result: object({ action: textValue, comment: textValue, by: anyValue, at: timeValue }),
  roles: [],
  actions: ['approve', 'reject'],
  names: {},
  example: { question: 'Is inspection [[Inspection.externalKey]] complete?' },
})
