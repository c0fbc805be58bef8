import { beforeAll, afterAll, describe, expect, it } from 'vitest'

import { corpusFolder, readAsked } from '#tools/docs/corpus.ts'
import { unaskedSections } from '#tools/docs/service.ts'
import { openWorld, type World } from '#test/support/world.ts'

describe('the documentation as tools', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world.close())

  it('lists every page with a title and a summary, the guides first and in their order', async () => {
    const { pages } = await world.call('docs_index')
    expect(pages.length).toBeGreaterThan(30)
    expect(pages.slice(0, 3).map((page: { path: string }) => page.path)).toEqual([
      'guides/getting-started.md',
      'guides/connect-an-agent.md',
      'guides/the-day.md',
    ])
    const bare = pages.filter((page: { title: string; summary: string }) => page.title === '' || page.summary.length < 30)
    expect(bare).toEqual([])
  })

  it('answers a whole page, and one section of it with what stands under it', async () => {
    const whole = await world.call('docs_read', { path: 'guides/messaging.md' })
    expect(whole.title).toBe('Messaging')
    expect(whole.markdown).toContain('## Quiet hours and preferences')
    const part = await world.call('docs_read', { path: 'guides/messaging.md', section: 'stop-start-and-help' })
    expect(part.markdown).toMatch(/^## STOP, START and HELP\n/)
    expect(part.markdown).not.toContain('## Quiet hours')
    expect(part.sections).toEqual(whole.sections)
  })

  it('has a section for every tool on the reference page of its domain', async () => {
    const tools = world.platform.pipeline.registry.operations.filter((operation) => operation.isTool)
    expect(tools.length).toBeGreaterThan(100)
    const homeless: string[] = []
    for (const { name, domain } of tools) {
      const { markdown } = await world.call('docs_read', { path: `reference/tools/${domain}.md`, section: name })
      if (!markdown.startsWith(`## ${name}\n`)) homeless.push(name)
    }
    expect(homeless).toEqual([])
  })

  it('forgives how a path is written', async () => {
    for (const path of ['guides/records', '/guides/records.md', 'docs://guides/records.md', 'docs-corpus/guides/records.md']) {
      expect((await world.call('docs_read', { path })).path).toBe('guides/records.md')
    }
  })

  it('names the nearest page and section where there is none of that name', async () => {
    await expect(world.call('docs_read', { path: 'guides/recods.md' })).rejects.toMatchObject({
      code: 'not_found',
      issues: [{ path: '$.path', suggestion: 'guides/records.md' }],
    })
    await expect(world.call('docs_read', { path: 'guides/messaging.md', section: 'quiet-hours-and-preference' })).rejects.toMatchObject({
      code: 'not_found',
      issues: [{ path: '$.section', suggestion: 'quiet-hours-and-preferences' }],
    })
  })

  it('cannot be led out of the corpus by a path', async () => {
    for (const path of ['../package.json', 'guides/../../README.md', '/etc/passwd']) {
      await expect(world.call('docs_read', { path })).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  it('answers hits that docs_read can read, at most as many as asked for', async () => {
    const { hits } = await world.call('docs_search', { query: 'how do I send a message and wait for the answer', limit: 4 })
    expect(hits.length).toBe(4)
    for (const { path, anchor, excerpt } of hits) {
      expect(excerpt.length).toBeGreaterThan(20)
      expect(excerpt.length).toBeLessThanOrEqual(250)
      const { sections } = await world.call('docs_read', { path, section: anchor })
      expect(sections.map((section: { anchor: string }) => section.anchor)).toContain(anchor)
    }
  })

  it('answers its best guesses to a question that no page answers, and takes no question longer than 500 characters', async () => {
    const { hits } = await world.call('docs_search', { query: 'zzqx vwkp', limit: 3 })
    expect(hits).toHaveLength(3)
    await expect(world.call('docs_search', { query: 'x'.repeat(501) })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('finds a name by itself, whatever stands beside it', async () => {
    for (const name of ['list_instances_changed_since', 'watermark_reset', 'DATABASE_DIRECT_URL', 'allowedFileTypes']) {
      const { hits } = await world.call('docs_search', { query: `${name}?`, limit: 1 })
      const { markdown } = await world.call('docs_read', { path: hits[0].path, section: hits[0].anchor })
      expect(markdown).toContain(name)
    }
  })
})

describe('the questions that sections answer', () => {
  it('are kept for every section of a guide and for every decision, at sections that exist', () => {
    expect(unaskedSections()).toEqual([])
  })

  it('are many, each short enough for a sentence', () => {
    const asked = readAsked(corpusFolder)
    expect(asked.size).toBeGreaterThan(140)
    expect([...asked.values()].flat().filter((question) => question.length > 120)).toEqual([])
  })
})
