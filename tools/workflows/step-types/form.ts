import { z } from 'zod'

import { idOrName } from '#platform/names.ts'

import { dynamic } from '../definition/grammar.schema.ts'
import { anyValue, numberValue, object, textValue, timeValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const form = defineStepType({
  stepTypeId: 1,
  internalName: 'form',
  description: 'A person fills in a form, for the record of the run, another one or a new one.',
  kind: 'wait',
  isQuick: true,
  config: z.strictObject({ form: idOrName, eiRecordId: dynamic(z.int().min(1)).optional(), new: z.boolean().optional() }),
  result: object({ eiRecordId: numberValue, values: anyValue, action: textValue, comment: textValue, by: anyValue, at: timeValue }),
  roles: [],
  actions: ['submit'],
  names: { form: 'form' },
  check: ({ eiRecordId, new: isNew }) =>
    isNew === true && eiRecordId !== undefined
      ? [{ field: 'eiRecordId', message: 'A new record has no id yet: leave it or new out.' }]
      : [],
  example: { form: 'InspectionForm' },
})
