import { z } from 'zod'

import { idOrName } from '#platform/names.ts'

import { dynamic } from '../definition/grammar.schema.ts'
import { numberValue, object } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const deleteRecord = defineStepType({
  stepTypeId: 12,
  internalName: 'deleteRecord',
  description: 'Deletes a record with what stands below it; its history stays.',
  kind: 'act',
  isQuick: true,
  config: z.strictObject({ entity: idOrName, eiRecordId: dynamic(z.int().min(1)) }),
  result: object({ eiRecordId: numberValue }),
  roles: ['DataDelete'],
  names: { entity: 'entity' },
  example: { entity: 'Draft', eiRecordId: '[[$steps.made.eiRecordId]]' },
})
