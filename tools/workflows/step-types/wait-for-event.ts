import { z } from 'zod'

import { config, duration, dynamic } from '../definition/grammar.schema.ts'
import { valueAt } from '../definition/definition.types.ts'
import { anyValue, object, oneOf } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

const notAwaited = ['schedule', 'webhookReceived', 'manual']

export const waitForEvent = defineStepType({
  stepTypeId: 6,
  internalName: 'waitForEvent',
  description: 'Waits for a signal by its name, or for what a trigger would fire on, about the record of the run unless told.',
  kind: 'wait',
  isQuick: true,
  config: z.strictObject({
    event: z.string().min(1).max(64).optional(),
    trigger: z
      .strictObject({ triggerType: z.string().min(1).max(64), config: config.optional(), filter: z.unknown().optional() })
      .optional(),
    timeout: dynamic(duration).optional(),
    onTimeout: z.string().min(1).max(64).optional(),
  }),
  result: object({ payload: anyValue }),
  roles: [],
  names: { trigger: 'trigger', timeout: 'duration', onTimeout: 'step' },
  check: (said) => [
    ...oneOf(said, ['event', 'trigger']),
    ...(notAwaited.includes(String(valueAt(said, 'trigger.triggerType')))
      ? [
          {
            field: 'trigger.triggerType',
            message: 'No event tells of it. Wait for records, forms, files, messages or ends of runs; for a time use a step wait.',
          },
        ]
      : []),
    ...(said['onTimeout'] !== undefined && said['timeout'] === undefined
      ? [{ field: 'onTimeout', message: 'Nothing leads there without a timeout.' }]
      : []),
  ],
  example: { event: 'partsArrived', timeout: 'P7D', onTimeout: 'end' },
})
