import type { Domain } from '#platform/operation.ts'

import { docsIndex } from './docs-index.ts'
import { docsRead } from './docs-read.ts'
import { docsSearch } from './docs-search.ts'
import { docsPhrases } from './docs.phrases.ts'

export const docsDomain: Domain = {
  name: 'docs',
  title: 'Documentation',
  summary: 'The documentation of the product: its pages, and a search that finds the one that answers a question.',
  operations: [docsIndex, docsRead, docsSearch],
  phrases: docsPhrases,
}
