import type { Given } from '../arrange.ts'

export const given: Given = {
  docs_index: () => Promise.resolve({ input: {} }),
  docs_read: () => Promise.resolve({ input: { path: 'guides/records.md', section: 'records' } }),
  // Between two calls the search may go over from words to meaning.
  docs_search: () =>
    Promise.resolve({ input: { query: 'how do I import a file' }, varying: ['path', 'title', 'anchor', 'excerpt', 'score'] }),
}
