import { z } from 'zod'

import { defineStagedOperation, reads } from '#platform/operation.ts'

import { pageEntry } from './docs.schema.ts'
import { corpus } from './service.ts'

export const docsIndex = defineStagedOperation({
  ...reads(z.object({ pages: z.array(pageEntry) })),
  name: 'docs_index',
  title: 'Table of contents of the documentation',
  description:
    'Every page of the documentation, in reading order: guides, the reference of every tool, decisions. Read one with docs_read; for a question call docs_search instead.',
  method: 'POST',
  path: '/api/v1/docs/index',
  roles: 'any',
  input: z.object({}),
  errors: [],
  examples: [
    {
      title: 'The first page',
      input: {},
      output: {
        pages: [
          {
            path: 'guides/getting-started.md',
            title: 'Getting started',
            summary: 'From a fresh clone to the first answered call.',
          },
        ],
      },
    },
  ],
  stagedHandler: () => Promise.resolve({ pages: corpus.pages().map(({ path, title, summary }) => ({ path, title, summary })) }),
})
