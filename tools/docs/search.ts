/** Search over the corpus: by meaning once the sentence model and the passages' vectors are there, by words until then and wherever they are not. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createEmbedder, dimensions, type Embedder, modelId } from '#platform/embeddings/embedder.ts'
import type { Logger } from '#platform/log.ts'

import type { Page } from './markdown.rules.ts'
import { cutIntoPassages, embeddedText, type Passage } from './passages.rules.ts'
import { indexWords, nameGains, namesIn } from './words.rules.ts'

export interface Hit {
  readonly passage: Passage
  /** Higher is better; comparable within one answer. */
  readonly score: number
}

export interface DocsSearch {
  /** The best sections, at most two of a page. Never waits for a model to be fetched. */
  find(query: string, limit: number): Promise<Hit[]>
  /** Fetches the model and computes what is missing; answers whether search goes by meaning from now on. */
  prepare(): Promise<boolean>
  end(): Promise<void>
}

export interface DocsSearchOptions {
  readonly pages: readonly Page[]
  /** The per-user cache, for the model and the passages' vectors. */
  readonly cacheDir: string
  readonly log: Logger
}

const batchSize = 8
const queryTimeoutMs = 1_500
const retryAfterMs = 10 * 60_000
const mostPerPage = 2
// Of the test's 73 questions, 0 found the page first for 47 and within three for 70, 0.2 for 56 and 69, 0.3 for 54 and 69.
const wordShare = 0.2
const keptVectorFiles = 4

/** Starts nothing yet: the first search begins to prepare, in the background. */
export function createDocsSearch({ pages, cacheDir, log }: DocsSearchOptions): DocsSearch {
  const passages = cutIntoPassages(pages)
  const meaningful = [...passages.entries()].filter(([, passage]) => passage.hasMeaning)
  const words = indexWords(passages)
  const embedder = createEmbedder({ cacheDir, log })
  let vectors: Float32Array | undefined
  let preparing: Promise<boolean> | undefined

  function prepare(): Promise<boolean> {
    preparing ??= passageVectors(
      meaningful.map(([, passage]) => passage),
      embedder,
      cacheDir,
    )
      .then((found) => {
        vectors = found
        return true
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'search of the documentation goes by words: the sentence model cannot be had')
        setTimeout(() => (preparing = undefined), retryAfterMs).unref()
        return false
      })
    return preparing
  }

  /** By meaning, with the words as a smaller part: they decide between passages that mean alike. Undefined where there are no vectors yet. */
  async function scoreByMeaning(query: string): Promise<Map<number, number> | undefined> {
    const ready = vectors
    if (!ready) {
      void prepare()
      return undefined
    }
    const wanted = await within(queryTimeoutMs, embedder.embed([query]))
    if (!wanted) return undefined
    const scores = new Map([...words.find(query)].map(([id, score]) => [id, score * wordShare]))
    for (const [index, [id]] of meaningful.entries()) scores.set(id, (scores.get(id) ?? 0) + dot(ready, index * dimensions, wanted))
    return scores
  }

  return {
    prepare,
    async find(query, limit) {
      const scores = (await scoreByMeaning(query)) ?? words.find(query)
      for (const [id, gain] of nameGains(passages, namesIn(query))) scores.set(id, (scores.get(id) ?? 0) + gain)
      return bestSections(passages, scores, limit)
    },
    end: () => embedder.end(),
  }
}

function bestSections(passages: readonly Passage[], scores: ReadonlyMap<number, number>, limit: number): Hit[] {
  const hits: Hit[] = []
  const taken = new Map<string, number>()
  const seen = new Set<Passage['section']>()
  for (const [id, score] of [...scores].toSorted(([, a], [, b]) => b - a)) {
    const passage = passages[id]
    if (!passage || seen.has(passage.section)) continue
    seen.add(passage.section)
    const ofPage = (taken.get(passage.page.path) ?? 0) + 1
    taken.set(passage.page.path, ofPage)
    if (ofPage <= mostPerPage) hits.push({ passage, score })
    if (hits.length === limit) break
  }
  return hits
}

function dot(all: Float32Array, offset: number, one: Float32Array): number {
  let sum = 0
  for (let index = 0; index < dimensions; index += 1) sum += (all[offset + index] ?? 0) * (one[index] ?? 0)
  return sum
}

/** The result, or undefined when it is late or fails. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)))
  return Promise.race([work.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

/** The vectors of all passages: from the cache where this corpus was computed before, else computed a few at a time and kept. */
async function passageVectors(passages: readonly Passage[], embedder: Embedder, cacheDir: string): Promise<Float32Array> {
  const texts = passages.map(embeddedText)
  const folder = join(cacheDir, 'embeddings', modelId)
  const path = join(folder, `${createHash('sha256').update(JSON.stringify(texts)).digest('hex')}.f32`)
  const kept = await readVectors(path, texts.length)
  if (kept) return kept
  const all = new Float32Array(texts.length * dimensions)
  for (let start = 0; start < texts.length; start += batchSize)
    all.set(await embedder.embed(texts.slice(start, start + batchSize)), start * dimensions)
  await keepVectors(folder, path, all)
  return all
}

async function readVectors(path: string, count: number): Promise<Float32Array | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  if (bytes?.length !== count * dimensions * Float32Array.BYTES_PER_ELEMENT) return undefined
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

async function keepVectors(folder: string, path: string, all: Float32Array): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Written aside first: another process must never read half a file.
  const aside = join(folder, `.${randomUUID()}`)
  await writeFile(aside, new Uint8Array(all.buffer))
  await rename(aside, path)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.f32'))
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })))
  const old = aged.toSorted((a, b) => b.at - a.at).slice(keptVectorFiles)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}
