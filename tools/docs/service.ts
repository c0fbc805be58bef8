/** The documentation for other rooms: its pages as resources, and its search. */
import { termOf, wordsOf } from '#platform/search/words.rules.ts'
import type { Services } from '#platform/services.ts'

import { corpusFolder, corpusPages, readAsked } from './corpus.ts'
import type { Page } from './markdown.rules.ts'
import { createDocsSearch, type DocsSearch } from './search.ts'
import { excerptOf } from './sections.rules.ts'

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

// One index for each cache of this process, which is one: its vectors are worth sharing.
const searches = new Map<string, DocsSearch>()

function searchOf({ config, log }: Pick<Services, 'config' | 'log'>): DocsSearch {
  const known = searches.get(config.cacheDir)
  if (known) return known
  const made = createDocsSearch({ pages: corpusPages(), asked: readAsked(corpusFolder), cacheDir: config.cacheDir, log })
  searches.set(config.cacheDir, made)
  return made
}

export interface DocsHit {
  readonly path: string
  /** Of the page. */
  readonly title: string
  readonly anchor: string
  readonly section: string
  readonly excerpt: string
  readonly score: number
}

/** The sections that answer a question, the best first and never none; `hint` says where they may not. */
export async function searchDocs(
  services: Pick<Services, 'config' | 'log'>,
  query: string,
  limit: number,
): Promise<{ readonly hits: readonly DocsHit[]; readonly hint?: string }> {
  const { hits, by, isSure } = await searchOf(services).find(query, limit)
  const words = wordsOf(query).flatMap((word) => termOf(word) ?? [])
  const shown = hits.map(({ place: { page, section, text }, score }) => ({
    path: page.path,
    title: page.title,
    anchor: section.anchor,
    section: section.title,
    excerpt: excerptOf(text, words),
    score: Math.round(score * 1000) / 1000,
  }))
  if (by === 'words')
    return { hits: shown, hint: 'Found by words alone, since the sentence model is not there: try other words, in English.' }
  return isSure ? { hits: shown } : { hits: shown, hint: 'Not sure that one of these is meant: ask in other words, or look at docs_index.' }
}

/** What the search would find badly: sections of guides, and decisions, without questions, and questions of sections that there are not. */
export function unaskedSections(): string[] {
  const asked = readAsked(corpusFolder)
  const sections = corpusPages().flatMap((page) => page.sections.map(({ anchor, level }) => ({ place: `${page.path}#${anchor}`, level })))
  const isWanted = (place: string, level: number) => place.startsWith('guides/') || (place.startsWith('decisions/') && level === 1)
  const silent = sections.filter(({ place, level }) => isWanted(place, level) && (asked.get(place) ?? []).length === 0)
  const known = new Set(sections.map(({ place }) => place))
  return [...silent.map(({ place }) => place), ...[...asked.keys()].filter((place) => !known.has(place))]
}
