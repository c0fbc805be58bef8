/** The documentation for other rooms: its pages as resources, and its search. */
import type { Services } from '#platform/services.ts'

import { corpusPages } from './corpus.ts'
import type { Page } from './markdown.rules.ts'
import { createDocsSearch, type DocsSearch } from './search.ts'

export { readPage, type Page } from './markdown.rules.ts'

/** The committed pages, read at first use. Paths are relative to the corpus; `docs://`, a leading `/docs/` and a missing `.md` are forgiven. */
export const corpus = {
  pages: (): readonly Page[] => corpusPages(),
  page(path: string): Page | undefined {
    const plain = path.replace(/^docs:\/\//, '').replace(/^\/?(?:docs(?:-corpus)?\/)?/, '')
    return corpusPages().find((page) => page.path === plain || page.path === `${plain}.md`)
  },
  /** As the MCP resources read it. */
  read: (path: string): { readonly title: string; readonly markdown: string } | undefined => corpus.page(path),
}

// One index for each cache of this process, which is one: its thread and its vectors are worth sharing.
const searches = new Map<string, DocsSearch>()

/** The search of this process. Call `prepare()` on it to have the model ready before the first question. */
export function searchOf({ config, log }: Pick<Services, 'config' | 'log'>): DocsSearch {
  const known = searches.get(config.cacheDir)
  if (known) return known
  const made = createDocsSearch({ pages: corpusPages(), cacheDir: config.cacheDir, log })
  searches.set(config.cacheDir, made)
  return made
}
