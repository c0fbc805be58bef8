/** The types of steps and triggers as get_schema shows them. */
import type { z } from 'zod'

import { toJsonSchema } from '#platform/json-schema.ts'
import type { Shape } from '#platform/tokens/shape.ts'

import { stepTypes } from './step-types/registry.rules.ts'
import { triggerTypes } from './trigger-types.rules.ts'

const schemaOf = (config: z.ZodObject) => ({ ...toJsonSchema(config, 'input') })

/** The names that a token may go on with. */
const namesIn = (shape: Shape): string[] => (shape.kind === 'object' ? Object.keys(shape.fields) : [])

export const stepTypeVocabulary = stepTypes.map(
  ({ stepTypeId, internalName, description, kind, config, result, actions, roles, example }) => ({
    stepTypeId,
    internalName,
    description,
    kind,
    config: schemaOf(config),
    result: namesIn(result),
    actions: [...(actions ?? [])],
    roles: [...(typeof roles === 'function' ? [] : roles)],
    example: { ...example },
  }),
)

export const triggerTypeVocabulary = triggerTypes.map(({ triggerTypeId, internalName, description, config, payload, example }) => ({
  triggerTypeId,
  internalName,
  description,
  config: schemaOf(config),
  payload: Object.keys(payload({ kind: 'any' })),
  example: { ...example },
}))
