import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { vocabularyParts, wholeVocabulary } from './schema.schema.ts'
import { type FlowVocabulary, vocabularyNow } from './vocabulary.ts'

export const getSchema = (flow: FlowVocabulary) =>
  defineOperation({
    ...reads(wholeVocabulary.partial()),
    errors: [],
    name: 'get_schema',
    title: 'The vocabulary of the product',
    description:
      'What definitions and queries may be made of: data types with their rules, operators and aggregates, cardinalities, channels, storage providers, types of steps and triggers with their config. What the product does not have yet is an empty list. Narrow it with part. For the names of your own entities and properties call get_dictionary.',
    method: 'POST',
    path: '/api/v1/schema',
    roles: 'any',
    input: z.object({ part: z.enum(vocabularyParts).optional().describe('Answers this list alone') }),
    examples: [
      {
        title: 'The aggregates',
        input: { part: 'aggregates' },
        output: {
          aggregates: [
            { internalName: 'COUNT', description: 'How many' },
            { internalName: 'SUM', description: 'Sum of numbers' },
          ],
        },
      },
    ],
    async handler(_context, input) {
      const vocabulary = vocabularyNow(flow)
      return input.part === undefined ? vocabulary : { [input.part]: vocabulary[input.part] }
    },
  })
