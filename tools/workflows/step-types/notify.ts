import { z } from 'zod'

import { card, recipient, text } from '../definition/grammar.schema.ts'
import { numberValue, object, someOf } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const notify = defineStepType({
  stepTypeId: 4,
  internalName: 'notify',
  description: 'Sends a message and goes on; to a role or people, one to each of them.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({
    to: recipient,
    channel: z.string().min(1).max(64).optional(),
    text: text.optional(),
    template: z.string().min(1).max(64).optional(),
    params: z.record(z.string().max(64), z.unknown()).optional(),
    card: card.optional(),
  }),
  result: object({ messageId: numberValue }),
  roles: ['DataEdit'],
  names: { to: 'recipient', channel: 'channel', template: 'messageTemplate' },
  check: (config) => someOf(config, ['text', 'template', 'card']),
  example: { to: { role: 'BuilderAdmin' }, text: 'Inspection [[Inspection.externalKey]] was approved.' },
})
