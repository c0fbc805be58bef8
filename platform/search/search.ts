/** Search over a list: by meaning and words together once the sentence model is there, by words alone until then and wherever it is not. */
import { LRUCache } from 'lru-cache'

import type { Embedder, Embeddings } from '../embeddings/embedder.ts'
import type { Logger } from '../log.ts'
import { fuse, likenesses, rankByWords, type Ranking } from './ranking.rules.ts'
import { vectorsOf } from './vectors.ts'
import { indexWords, type WordIndex, type Wording } from './word-index.ts'
import { termsOf } from './words.rules.ts'

/** What can be found. */
export interface Findable {
  readonly heading: string
  /** Looked at by its words. */
  readonly text: string
  /** Looked at by their meaning, each for itself. */
  readonly statements: readonly string[]
  /** What people say when they mean it, in their words and languages. */
  readonly asked: readonly string[]
}

export interface Search {
  /** Never waits for a model to be fetched. */
  rank(query: string): Promise<Ranking>
  /** Fetches the model and computes what is missing; answers whether search goes by meaning from now on. */
  prepare(): Promise<boolean>
}

export interface SearchOptions {
  readonly list: readonly Findable[]
  /** Of what is searched, in the names of files and in the log. */
  readonly name: string
  /** The per-user cache, for the vectors. */
  readonly cacheDir: string
  readonly embedder: Embedder
  readonly log: Logger
}

// An answer by words now is worth more than one by meaning later.
const patienceMs = 2_500
const retryAfterMs = 10 * 60_000
const keptQueries = 500

/** Starts nothing yet: the first search begins to prepare, in the background. */
export function createSearch({ list, name, cacheDir, embedder, log }: SearchOptions): Search {
  const texts = list.flatMap(({ statements, asked }) => [...statements, ...asked])
  const owners = list.flatMap(({ statements, asked }, place) => Array.from({ length: statements.length + asked.length }, () => place))
  const known = new LRUCache<string, Embeddings>({ max: keptQueries })
  let words: Promise<WordIndex> | undefined
  let ready: Embeddings | undefined
  let preparing: { readonly since: number; readonly isReady: Promise<boolean> } | undefined

  const indexed = () =>
    (words ??= indexWords(list.map(({ heading, text, asked }): Wording => ({ heading, text, asked: asked.join('. ') }))))

  function prepare(): Promise<boolean> {
    const isReady = async () => {
      try {
        ready = await vectorsOf({ texts, name, cacheDir, embedder })
        return true
      } catch (error) {
        log.warn({ err: error, search: name }, 'search goes by words: the sentence model cannot be had')
        setTimeout(() => (preparing = undefined), retryAfterMs).unref()
        return false
      }
    }
    preparing ??= { since: Date.now(), isReady: isReady() }
    return preparing.isReady
  }

  /** The vectors of the list: those who ask early wait a moment, for vectors that are kept are there soon. */
  async function listed(): Promise<Embeddings | undefined> {
    if (ready) return ready
    const isReady = prepare()
    const left = (preparing?.since ?? 0) + patienceMs - Date.now()
    if (left > 0) await within(left, isReady)
    return ready
  }

  /** Of the query, by the model that the list was read with; undefined while that cannot be had. */
  async function vectorOf(query: string, model: string): Promise<Float32Array | undefined> {
    const asked = known.get(query) ?? (await within(patienceMs, embedder.embed([query])))
    if (!asked) return undefined
    known.set(query, asked)
    if (asked.model === model) return asked.vectors
    // The thread was started anew and found another model.
    known.clear()
    ready = undefined
    preparing = undefined
    return undefined
  }

  return {
    prepare,
    async rank(query) {
      const byWords = (await indexed()).find(query)
      const all = await listed()
      const wanted = all && (await vectorOf(query, all.model))
      if (!wanted) return rankByWords(list.length, byWords)
      const meaning = likenesses(list.length, owners, all.vectors, wanted)
      return fuse({ meaning, words: byWords, terms: termsOf(query), model: all.model })
    },
  }
}

/** The result, or undefined when it is late or fails. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)))
  return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
