import { z } from 'zod'

import { idOrName } from '#platform/names.ts'

import { dynamic } from '../definition/grammar.schema.ts'
import { numberValue, object, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

const keyPart = z.string().min(1).max(400)

export const saveRecord = defineStepType({
  stepTypeId: 11,
  internalName: 'saveRecord',
  description: 'Saves a record by its id or key: what is there is changed, what is not is made.',
  kind: 'act',
  isQuick: true,
  config: z.strictObject({
    entity: idOrName,
    key1: keyPart.optional(),
    key2: keyPart.optional(),
    key3: keyPart.optional(),
    eiRecordId: dynamic(z.int().min(1)).optional(),
    values: z.record(z.string().min(1).max(64), z.unknown()),
    parentEIRecordId: dynamic(z.int().min(1)).optional(),
  }),
  result: object({ eiRecordId: numberValue, outcome: textValue }),
  roles: ['DataEdit'],
  names: { entity: 'entity', values: { valuesOf: 'entity' } },
  example: { entity: 'Inspection', eiRecordId: '[[Inspection.eiRecordId]]', values: { Status: 'closed' } },
})
