import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'
import { recognitionModels } from '#platform/shapes/recognition.ts'

const listedModel = z.object({
  modelId: z.string(),
  kind: z.enum(['classification', 'text']),
  version: z.string(),
  licence: z.string(),
  labelCount: z.int().describe('How many labels it can give; 0 where it reads text'),
  source: z.string().describe('The package that its weights come from'),
})

export const listModels = defineOperation({
  ...reads(z.array(listedModel)),
  name: 'list_models',
  title: 'List recognition models',
  description:
    'Answers the models that recognition reads with. The modelId of a classification model is what classify_image and set_attachment_analysis take as model.',
  method: 'POST',
  path: '/api/v1/intelligence/models/list',
  roles: 'any',
  input: z.object({}),
  errors: [],
  examples: [{ title: 'All of them', input: {}, output: [...recognitionModels] }],
  async handler() {
    return [...recognitionModels]
  },
})
