import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'

import { searchHit } from './docs.schema.ts'
import { searchDocs } from './service.ts'

export const docsSearch = defineStagedOperation({
  ...reads(z.object({ hits: z.array(searchHit), hint: z.string().optional().describe('Where the hits may not be what was meant') })),
  name: 'docs_search',
  title: 'Search the documentation',
  description:
    'The sections of the documentation that answer a question in your own words, or that hold the name of a tool, field, setting or error code. Read a hit with docs_read, its anchor as section.',
  method: 'POST',
  path: '/api/v1/docs/search',
  roles: 'any',
  input: z.object({
    query: z.string().min(1).max(500).describe('A question in your words and language, or a name'),
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
    const { hits, ...hint } = await searchDocs(services, query, limit ?? 6)
    return { hits: hits.map(({ path, title, anchor, excerpt, score }) => ({ path, title, anchor, excerpt, score })), ...hint }
  },
})
