import type { Step } from './step.ts'

export const steps: readonly Step[] = [
  { operation: 'docs_index' },
  { operation: 'docs_read', input: { path: 'guides/records.md', section: 'records' } },
  { operation: 'docs_search', input: { query: 'how do I import a file', limit: 3 } },
]
