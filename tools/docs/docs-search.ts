import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'

import { searchHit } from './docs.schema.ts'
import { excerptOf } from './passages.rules.ts'
import { searchOf } from './service.ts'
import { termOf, wordsOf } from './words.rules.ts'

export const docsSearch = defineStagedOperation({
  ...reads(z.object({ hits: z.array(searchHit) })),
  name: 'docs_search',
  title: 'Search the documentation',
  description:
    'The sections of the documentation that answer a question in your own words, or that hold the name of a tool, field, setting or error code. Read a hit with docs_read, its anchor as section.',
  method: 'POST',
  path: '/api/v1/docs/search',
  roles: 'any',
  input: z.object({
    query: z.string().min(1).max(1000).describe('A question or a name, in English'),
    limit: z.int().min(1).max(25).optional().describe('6 unless told'),
  }),
  errors: [],
  examples: [
    {
      title: 'In one’s own words',
      input: { query: 'the person does not want texts any more', limit: 1 },
      output: {
        hits: [
          {
            path: 'guides/messaging.md',
            title: 'Messaging',
            anchor: 'stop-start-and-help',
            excerpt: 'Whoever writes STOP gets no more messages on that channel; a send afterwards answers suppressed at once.',
            score: 0.61,
          },
        ],
      },
    },
  ],
  async stagedHandler({ services }, { query, limit }) {
    const hits = await searchOf(services).find(query, limit ?? 6)
    const words = wordsOf(query).flatMap((word) => termOf(word) ?? [])
    return {
      hits: hits.map(({ passage, score }) => ({
        path: passage.page.path,
        title: passage.page.title,
        anchor: passage.section.anchor,
        excerpt: excerptOf(passage, words),
        score: Math.round(score * 1000) / 1000,
      })),
    }
  },
})
