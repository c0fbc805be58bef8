import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ownMarkdown, pageHtml } from '#server/docs/index.ts'
import { corpus } from '#tools/docs/service.ts'

import { openBrowser } from './support/browser.ts'
import { startHttpServer, type TestServer } from './support/http-server.ts'

const axe = readFileSync(resolve(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')
const publicUrl = 'https://ops.example.test'

let browser: Browser
let server: TestServer

beforeAll(async () => {
  const pages = corpus.pages().map((page) => ({
    ...page,
    markdown: ownMarkdown(page.markdown, publicUrl),
    html: () => pageHtml(page, publicUrl),
  }))
  const hits = pages.slice(0, 3).map(({ path, title, summary }) => ({ path, title, anchor: '', section: title, excerpt: summary }))
  const search = () => Promise.resolve({ hits })
  server = await startHttpServer({ docs: { texts: new Map(), site: { pages, search } } })
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  await server?.close()
})

/** What a page complained about, and the requests that it made of others. */
async function open(path: string, look: { width: number; colorScheme: 'light' | 'dark' }): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width: look.width, height: 800 }, colorScheme: look.colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(server.url) && !url.startsWith('data:')) complaints.push(`asked ${url}`)
  })
  await page.goto(server.url + path)
  return { page, complaints }
}

const looks = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

describe('the pages in a browser', () => {
  const paths = [
    '/',
    '/docs',
    '/docs/guides/architecture',
    '/docs/reference/tools/instances',
    '/docs/reference/roles',
    '/docs/search?q=gate',
  ]

  it.for(paths)('%s fits, wide and narrow, light and dark, and leaves nobody out', async (path) => {
    for (const look of looks) {
      const { page, complaints } = await open(path, look)
      await page.evaluate(axe)
      // As text: these run in the page, whose names are not those of the tests.
      const { violations, passes } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
      const named = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect([look, named, overflow, complaints]).toEqual([look, [], 0, []])
      expect(passes.length).toBeGreaterThan(10)
      await page.context().close()
    }
  })

  it('are read with the keyboard alone: the first tab skips to the content, and what is wide scrolls', async () => {
    const { page } = await open('/docs/reference/roles', { width: 390, colorScheme: 'light' })
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.locator('.table').last().focus()
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(() =>
        page
          .locator('.table')
          .last()
          .evaluate((table) => table.scrollLeft),
      )
      .toBeGreaterThan(0)
    await page.context().close()
  })

  it('search from the form at the top', async () => {
    const { page, complaints } = await open('/docs', { width: 390, colorScheme: 'light' })
    await page.locator('input[type=search]').fill('is the gate open')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/search\?q=is\+the\+gate\+open$/)
    await expect.poll(() => page.locator('.hits li').count()).toBe(3)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
