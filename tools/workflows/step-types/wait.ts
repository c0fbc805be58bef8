import { z } from 'zod'

import { duration, dynamic } from '../definition/grammar.schema.ts'
import { object, oneOf, timeValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const wait = defineStepType({
  stepTypeId: 5,
  internalName: 'wait',
  description: 'Waits for a duration, until a time, or for business days: Monday to Friday in the zone of the tenant.',
  kind: 'wait',
  isQuick: true,
  config: z.strictObject({
    for: dynamic(duration).optional(),
    until: dynamic(z.string().min(4).max(400)).optional(),
    businessDays: dynamic(z.int().min(1).max(1_000)).optional(),
  }),
  result: object({ at: timeValue }),
  roles: [],
  names: { for: 'duration', until: 'time' },
  check: (config) => oneOf(config, ['for', 'until', 'businessDays']),
  example: { for: 'P1D' },
})
