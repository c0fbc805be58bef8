import { z } from 'zod'

import { anyValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const callOperation = defineStepType({
  stepTypeId: 19,
  internalName: 'callOperation',
  description: 'Calls any tool that the roles of the run admit, but those that issue a secret or wait.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({ operation: z.string().min(1).max(100), input: z.record(z.string().max(64), z.unknown()).optional() }),
  result: anyValue,
  // Those of the operation, which checking looks up.
  roles: [],
  names: { operation: 'operation' },
  example: { operation: 'aggregate_instances', input: { entity: 'Defect', aggregates: [{ fn: 'COUNT', alias: 'open' }] } },
})
