import { z } from 'zod'

import { card, duration, recipient, text } from '../definition/grammar.schema.ts'
import { valueAt } from '../definition/definition.types.ts'
import { anyValue, list, object, someOf, textValue, timeValue } from '../shapes.rules.ts'
import { defineStepType, type StepConfig } from '../step-type.types.ts'

const channel = z.string().min(1).max(64)

/** An answer would not tell which of two was meant. */
function sameKeys({ choices }: StepConfig) {
  const keys = Array.isArray(choices) ? choices.map((one: unknown) => String(valueAt(one, 'key'))) : []
  return keys.flatMap((key, index) =>
    keys.indexOf(key) < index ? [{ field: `choices[${index}].key`, message: 'Another choice has this key.' }] : [],
  )
}

export const ask = defineStepType({
  stepTypeId: 3,
  internalName: 'ask',
  description: 'Asks people over their channels and waits: the first answer counts, the others are told.',
  kind: 'wait',
  isQuick: false,
  config: z.strictObject({
    to: recipient,
    channel: channel.optional(),
    text: text.optional(),
    template: z.string().min(1).max(64).optional(),
    params: z.record(z.string().max(64), z.unknown()).optional(),
    card: card.optional(),
    choices: z
      .array(z.strictObject({ key: z.string().min(1).max(64), label: z.string().min(1).max(400) }))
      .min(1)
      .max(20)
      .optional(),
    reminders: z.array(duration).max(20).optional(),
    fallback: z.array(channel).max(5).optional(),
    fallbackAfter: duration.optional(),
  }),
  result: object({ text: textValue, choice: textValue, assetKeys: list(textValue), by: anyValue, at: timeValue }),
  roles: ['DataEdit'],
  names: {
    to: 'recipient',
    channel: 'channel',
    template: 'messageTemplate',
    reminders: 'duration',
    fallback: 'channel',
    fallbackAfter: 'duration',
  },
  check: (config) => [...someOf(config, ['text', 'template', 'card']), ...sameKeys(config)],
  example: {
    to: { property: 'Inspector' },
    text: 'Can you visit [[Inspection.externalKey]] today?',
    choices: [
      { key: 'yes', label: 'Yes' },
      { key: 'no', label: 'No' },
    ],
    reminders: ['PT4H'],
  },
})
