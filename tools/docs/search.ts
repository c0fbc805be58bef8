/** Search over the corpus: sections that answer a question, guides before the reasons and the lists that say the same in passing. */
import { embedderOf, type Embedder } from '#platform/embeddings/embedder.ts'
import type { Logger } from '#platform/log.ts'
import { createSearch } from '#platform/search/search.ts'
import { namesIn } from '#platform/search/words.rules.ts'

import type { Page } from './markdown.rules.ts'
import { nameGains, worthOf } from './order.rules.ts'
import { findable, type Place, placesOf } from './sections.rules.ts'

export interface Hit {
  readonly place: Place
  /** Higher is better; comparable within one answer. */
  readonly score: number
}

export interface DocsSearch {
  /** The best sections, at most two of a page. Never waits for a model to be fetched. */
  find(query: string, limit: number): Promise<{ readonly hits: readonly Hit[]; readonly by: 'meaning' | 'words'; readonly isSure: boolean }>
  /** Fetches the model and computes what is missing; answers whether search goes by meaning from now on. */
  prepare(): Promise<boolean>
}

export interface DocsSearchOptions {
  readonly pages: readonly Page[]
  /** By path and anchor (`guides/records.md#delete`) the questions that a section answers. */
  readonly asked: ReadonlyMap<string, readonly string[]>
  /** The per-user cache, for the model and the vectors. */
  readonly cacheDir: string
  readonly log: Logger
  /** The one of this process unless told. */
  readonly embedder?: Embedder
}

const mostPerPage = 2

/** Starts nothing yet: the first search begins to prepare, in the background. */
export function createDocsSearch({ pages, asked, cacheDir, log, embedder }: DocsSearchOptions): DocsSearch {
  const places = placesOf(pages)
  const list = places.map((place) => findable(place, asked.get(`${place.page.path}#${place.section.anchor}`) ?? []))
  const search = createSearch({ list, name: 'docs', cacheDir, log, embedder: embedder ?? embedderOf({ cacheDir, log }) })
  return {
    prepare: search.prepare,
    async find(query, limit) {
      const { scores, by, isSure } = await search.rank(query)
      const gains = nameGains(places, namesIn(query))
      const scoreOf = (place: Place, index: number) => (scores[index] ?? 0) + worthOf(place.page.path) + (gains.get(index) ?? 0)
      const ordered = places.map((place, index) => ({ place, score: scoreOf(place, index) })).toSorted((a, b) => b.score - a.score)
      return { hits: fewOfAPage(ordered, limit), by, isSure }
    },
  }
}

function fewOfAPage(ordered: readonly Hit[], limit: number): Hit[] {
  const hits: Hit[] = []
  const taken = new Map<string, number>()
  for (const hit of ordered) {
    const { path } = hit.place.page
    const ofPage = (taken.get(path) ?? 0) + 1
    taken.set(path, ofPage)
    if (ofPage <= mostPerPage) hits.push(hit)
    if (hits.length === limit) break
  }
  return hits
}
