import { z } from 'zod'

import { idOrName } from '#platform/names.ts'

import { anyValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const runWorkflow = defineStepType({
  stepTypeId: 17,
  internalName: 'runWorkflow',
  description: 'Starts a workflow as it is published then, and with wait goes on when that has ended, with its result.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({ workflow: idOrName, input: z.record(z.string().max(64), z.unknown()).optional(), wait: z.boolean().optional() }),
  result: anyValue,
  roles: ['DataEdit'],
  names: { workflow: 'workflow' },
  example: { workflow: 'OrderParts', input: { order: '[[Inspection.externalKey]]' }, wait: true },
})
