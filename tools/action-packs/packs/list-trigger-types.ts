import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { triggerTypeVocabulary } from '#tools/workflows/service.ts'

const triggerType = z.object({
  triggerTypeId: z.int(),
  internalName: z.string(),
  description: z.string(),
  config: z.looseObject({}).describe('JSON Schema'),
  payload: z.array(z.string()).describe('What $trigger holds'),
  example: z.looseObject({}),
})

const [exampleType] = triggerTypeVocabulary

export const listTriggerTypes = defineOperation({
  ...reads(z.array(triggerType)),
  errors: [],
  name: 'list_trigger_types',
  title: 'List the types of triggers',
  description: 'The 10 types that fire packs and workflows, each with the schema of its config and what $trigger holds then.',
  method: 'POST',
  path: '/api/v1/action-packs/trigger-types',
  roles: 'any',
  input: z.object({}),
  examples: [{ title: 'All of them', input: {}, output: exampleType ? [exampleType] : [] }],
  handler: () => Promise.resolve(triggerTypeVocabulary.map((one) => ({ ...one }))),
})
