import { readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, describe, expect, it } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { createEmbedder, type Embedder } from '#platform/embeddings/embedder.ts'
import { createLog } from '#platform/log.ts'
import { buildRegistry } from '#platform/registry.ts'
import { fuse, likenesses } from '#platform/search/ranking.rules.ts'
import { createSearch, type Findable } from '#platform/search/search.ts'
import { createToolSearch } from '#server/mcp/tool-search.ts'
import { type Finder, measure, type Measured, pageFinder, readQuestions, toolFinder, withoutModels } from '#test/support/questions.ts'
import { corpus } from '#tools/docs/service.ts'
import { domains } from '#tools/index.ts'

import { leastMs, longestTurn, spentMs, turnLimitMs } from './support/turns.ts'

const log = createLog('silent')
const { cacheDir } = loadConfig()
const registry = buildRegistry(domains)
const operations = registry.operations.filter((operation) => operation.isTool)
const fixture = (name: string) => readQuestions(join(import.meta.dirname, 'fixtures', name))
const [toolQuestions, pageQuestions] = await Promise.all([fixture('tool-questions.tsv'), fixture('docs-questions.tsv')])

const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

function ending<T extends Finder | Embedder>(one: T): T {
  ends.push(() => one.end())
  return one
}

async function emptyCache(): Promise<string> {
  const folder = await withoutModels()
  ends.push(() => rm(folder, { recursive: true, force: true }))
  return folder
}

function expectShares({ asked, first, withinThree, missed }: Measured, floors: { first: number; withinThree: number }): void {
  expect(withinThree / asked, `missed: ${missed.join('; ')}`).toBeGreaterThanOrEqual(floors.withinThree)
  expect(first / asked, 'first').toBeGreaterThanOrEqual(floors.first)
}

describe('questions in people’s words', { timeout: 400_000 }, () => {
  it('are enough, in four languages, and ask for what there is', () => {
    const tools = new Set(operations.map(({ name }) => name))
    const pages = new Set(corpus.pages().map(({ path }) => path))
    expect(toolQuestions.length).toBeGreaterThanOrEqual(115)
    expect(pageQuestions.length).toBeGreaterThanOrEqual(175)
    expect(new Set(toolQuestions.map(({ language }) => language))).toEqual(new Set(['en', 'de', 'fr', 'es']))
    expect(toolQuestions.flatMap(({ answers }) => answers).filter((name) => !tools.has(name))).toEqual([])
    expect(pageQuestions.flatMap(({ answers }) => answers).filter((path) => !pages.has(path))).toEqual([])
  })

  // Measured: 97 % first and all within three of the tuned ones.
  it('find the tool, nearly always within three', async () => {
    const finder = ending(toolFinder(cacheDir, log))
    expect(await finder.prepare()).toBe(true)
    expectShares(await measure(finder, toolQuestions), { first: 0.82, withinThree: 0.92 })
  })

  // Measured: 98 % first and all within three of the tuned ones.
  it('find the page, nearly always within three', async () => {
    const finder = ending(pageFinder(cacheDir, log))
    expect(await finder.prepare()).toBe(true)
    expectShares(await measure(finder, pageQuestions), { first: 0.85, withinThree: 0.94 })
  })

  // Measured: tools 82 and 93 %, pages 89 and 99 % of the tuned ones.
  it('find most of it by words while no model can be had, or what was fetched is none', async () => {
    const empty = await emptyCache()
    const [tools, pages] = [ending(toolFinder(empty, log)), ending(pageFinder(empty, log))]
    expectShares(await measure(tools, toolQuestions), { first: 0.65, withinThree: 0.82 })
    expectShares(await measure(pages, pageQuestions), { first: 0.72, withinThree: 0.9 })
    expect([await tools.prepare(), await pages.prepare()]).toEqual([false, false])
  })
})

describe('the search for tools', { timeout: 240_000 }, () => {
  const search = async (folder: string) =>
    createToolSearch(registry, { cacheDir: folder, log, embedder: ending(createEmbedder({ cacheDir: folder, log })) })
  const all = { operations }

  it('says that it goes by words, and answers guesses where no word is known', async () => {
    const tools = await search(await emptyCache())
    const found = await tools.find(all, { query: 'zzqx vwkp', limit: 3 })
    expect(found.tools).toHaveLength(3)
    expect(found.isSure).toBe(false)
    expect(found.hint).toContain('words alone')
  })

  it('is sure of a tool that does what was asked, and not of one for what no tool does', async () => {
    const tools = await search(cacheDir)
    expect(await tools.prepare()).toBe(true)
    const found = await tools.find(all, { query: 'excluir um registro', limit: 1 })
    expect(found).toMatchObject({ tools: [{ name: 'delete_instance' }], isSure: true })
    expect(found.hint).toBeUndefined()
    const guessed = await tools.find(all, { query: 'what is the weather tomorrow', limit: 3 })
    expect(guessed.tools).toHaveLength(3)
    expect(guessed).toMatchObject({ isSure: false, hint: expect.stringContaining('Not sure') })
  })

  it('puts a tool that the query names first', async () => {
    const tools = await search(await emptyCache())
    const found = await tools.find(all, { query: 'what does delete_instances_bulk do', limit: 1 })
    expect(found.tools[0]).toEqual({
      name: 'delete_instances_bulk',
      title: 'Delete many records by their keys',
      description: expect.stringMatching(/^Deletes up to 10,000 records [^.]*\.$/),
      toolset: 'instances',
      callWith: 'call_write_tool',
      required: ['entity', 'keys'],
    })
  })

  it('shows only what the caller may call, and names a better one with the roles that it needs', async () => {
    const tools = await search(await emptyCache())
    const reading = { operations: operations.filter(({ effect }) => effect === 'read') }
    const found = await tools.find(reading, { query: 'delete_instances_bulk', limit: 5 })
    expect(found.tools.map(({ callWith }) => callWith)).toEqual(Array.from({ length: 5 }, () => 'call_read_tool'))
    expect(found.hint).toContain('delete_instances_bulk fits better and is not open to this connection; it needs DataDelete.')
    expect(found.isSure).toBe(false)
  })

  it('narrows to a toolset', async () => {
    const tools = await search(await emptyCache())
    const found = await tools.find(all, { query: 'delete', toolset: 'messaging', limit: 5 })
    expect(found.tools[0]?.name).toBe('delete_channel')
    expect(new Set(found.tools.map(({ toolset }) => toolset))).toEqual(new Set(['messaging']))
  })

  it('answers five tools in less than 2,000 bytes, whichever they are, and fifty in less than 16,000', async () => {
    const tools = await search(await emptyCache())
    const sizes: number[] = []
    for (const { title } of operations) {
      const found = await tools.find(all, { query: title, limit: 5 })
      expect(found.tools).toHaveLength(5)
      sizes.push(Buffer.byteLength(JSON.stringify(found)))
    }
    expect(sizes.length).toBeGreaterThan(100)
    expect(Math.max(...sizes)).toBeLessThan(2_000)
    expect(Buffer.byteLength(JSON.stringify(await tools.find(all, { query: 'anything', limit: 50 })))).toBeLessThan(16_000)
  })
})

describe('a search over a list', { timeout: 240_000 }, () => {
  const list = (count: number): Findable[] =>
    operations
      .slice(0, count)
      .map(({ title, description, phrases }) => ({ heading: title, text: description, statements: [title], asked: phrases.slice(0, 1) }))

  it('keeps the vectors, so that the next process needs no model for them, and computes a changed text alone', async () => {
    const folder = await emptyCache()
    const models = join(folder, 'models')
    await rm(models, { recursive: true })
    await symlink(join(cacheDir, 'models'), models)
    const counted: number[] = []
    const embedder = ending(createEmbedder({ cacheDir: folder, log }))
    const counting: Embedder = {
      embed(texts) {
        counted.push(texts.length)
        return embedder.embed(texts)
      },
      end: () => embedder.end(),
    }
    const prepare = (items: readonly Findable[]) =>
      createSearch({ list: items, name: 'few', cacheDir: folder, log, embedder: counting }).prepare()
    expect(await prepare(list(5))).toBe(true)
    expect(counted).toEqual([1, 8, 2])
    counted.length = 0
    expect(await prepare(list(5))).toBe(true)
    expect(counted).toEqual([1])
    counted.length = 0
    expect(await prepare([...list(5), { heading: 'new', text: 'new', statements: ['a new one'], asked: [] }])).toBe(true)
    expect(counted).toEqual([1, 1])
    const [model = ''] = await readdir(join(folder, 'embeddings'))
    expect(await readdir(join(folder, 'embeddings', model))).toHaveLength(2)
  })

  it('goes by words where the vectors are those of another model', async () => {
    const of = (model: string): Embedder => ({
      embed: (texts) => Promise.resolve({ model, vectors: new Float32Array(texts.length * 384).fill(384 ** -0.5) }),
      end: () => Promise.resolve(),
    })
    let current = of('one')
    const embedder: Embedder = { embed: (texts) => current.embed(texts), end: () => current.end() }
    const search = createSearch({ list: list(5), name: 'few', cacheDir: await emptyCache(), log, embedder })
    await search.prepare()
    expect((await search.rank('a question')).by).toBe('meaning')
    current = of('another')
    expect((await search.rank('a second question')).by).toBe('words')
    await search.prepare()
    expect((await search.rank('a third question')).by).toBe('meaning')
  })

  it('holds the event loop for less than 50 ms at a time, while it is made and when it is asked the worst', async () => {
    const alphabet = Array.from({ length: 500 }, (_, index) => String.fromCodePoint(97 + ((index * 7) % 26))).join('')
    const worst = [alphabet.replace(/(.{6})./g, '$1 '), 'a_b c_d '.repeat(62), 'é '.repeat(250), alphabet]
    const spent: Record<string, number> = {}
    for (const [name, finderIn] of Object.entries({ tools: toolFinder, pages: pageFinder })) {
      // The pages are read once for the process, by whoever shows them first; the search is made by its first question.
      const anew = async () => ending(finderIn(await emptyCache(), log))
      let finder: Finder
      const turnOf = async (query: string) => (await longestTurn(() => finder.find(query))).ms
      spent[`${name}: first`] = await leastMs(async () => {
        finder = await anew()
        return turnOf('first')
      })
      for (const query of worst) spent[`${name}: ${query.slice(0, 20)}`] = await leastMs(() => turnOf(query))
    }
    expect(Object.keys(spent)).toHaveLength(2 * (1 + worst.length))
    expect(Object.entries(spent).filter(([, ms]) => ms >= turnLimitMs)).toEqual([])
  })

  it('compares a question with the texts of a thousand tools in a turn of the event loop', async () => {
    const owners = Array.from({ length: 16_000 }, (_, index) => Math.floor(index / 16))
    const [vectors, wanted] = [new Float32Array(owners.length * 384).fill(0.05), new Float32Array(384).fill(0.05)]
    const compare = () => {
      const ranking = fuse({ meaning: likenesses(1_000, owners, vectors, wanted), words: new Map(), terms: 3, model: 'one' })
      expect(ranking.scores).toHaveLength(1_000)
    }
    expect(await leastMs(() => spentMs(compare))).toBeLessThan(turnLimitMs)
  })
})

describe('the registry', () => {
  it('refuses a tool without its words, words without a tool, and says where they stand', () => {
    const [first] = domains
    const { docs_read: _, ...others } = first?.phrases ?? {}
    const without = (phrases: typeof others) => () => buildRegistry(domains.slice(0, 1).map((domain) => ({ ...domain, phrases })))
    expect(without(others)).toThrow(/docs_read: tools\/docs\/docs\.phrases\.ts says in en, de, fr, es nothing/)
    const french = { ...others, docs_read: { en: 'read it', de: 'lesen', fr: ' ', es: 'leer' } }
    expect(without(french)).toThrow(/docs_read: .* says in fr nothing/)
    expect(without({ ...first?.phrases, docs_rid: { en: 'x', de: 'x', fr: 'x', es: 'x' } })).toThrow(/docs_rid, which is no tool of docs/)
  })
})
