import { z } from 'zod'

import { idOrName } from '#platform/names.ts'

import { dynamic } from '../definition/grammar.schema.ts'
import { anyValue, numberValue, object, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const runWorkflow = defineStepType({
  stepTypeId: 17,
  internalName: 'runWorkflow',
  description:
    'Starts a workflow as it is published then, about the record of the run unless told, and with wait goes on when that has ended, with its result.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({
    workflow: idOrName,
    input: z.record(z.string().max(64), z.unknown()).optional(),
    eiRecordId: dynamic(z.int().min(1)).optional(),
    wait: z.boolean().optional(),
  }),
  result: object({ workflowInstanceId: numberValue, state: textValue, result: anyValue }),
  roles: ['DataEdit'],
  names: { workflow: 'workflow' },
  example: { workflow: 'OrderParts', input: { order: '[[Inspection.externalKey]]' }, wait: true },
})
