/** The page of a link to a task: its buttons, a comment where one is needed, and the same care for what was pressed as for what was typed. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { createPages } from '#server/pages/index.ts'

import { openBrowser } from './support/browser.ts'
import { startHttpServer, type TestServer } from './support/http-server.ts'
import { type TakingCalls, takingCalls } from './support/link-form.ts'

const axe = readFileSync(resolve(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')

let browser: Browser
let server: TestServer
let calls: TakingCalls
let context: BrowserContext
let links = 0
let token = ''

const actions = [
  { internalName: 'approve', label: 'approve', requiresComment: false },
  { internalName: 'reject', label: 'reject', requiresComment: true },
]
const question = {
  workflowInstanceId: 77,
  workflow: 'Review',
  step: 'check',
  question: 'Is order 4 complete?',
  actions,
  isQuestion: true as const,
}

beforeAll(async () => {
  calls = takingCalls()
  server = await startHttpServer({ pages: createPages({ calls, onFailure: () => {} }) })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})
beforeEach(() => {
  token = `task${links++}`
  calls.taken.length = 0
  calls.refuse = undefined
  calls.task = question
})
afterEach(() => context?.close())

async function open(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
  context = await browser.newContext({ viewport: { width: 390, height: 800 }, ...options })
  const page = await context.newPage()
  await page.goto(`${server.url}/l/${token}`)
  if (options.javaScriptEnabled !== false) await page.locator('form[data-is-ready]').waitFor()
  return page
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
const thanks = (page: Page) => page.getByRole('heading', { name: 'Thank you' }).waitFor()

describe('the page of a question', () => {
  it('leaves nobody out, wide and narrow, light and dark, right and refused', async () => {
    for (const look of [
      { viewport: { width: 1440, height: 900 } },
      { viewport: { width: 320, height: 800 } },
      { colorScheme: 'dark' as const },
    ]) {
      calls.task = { ...question, question: 'Two lines\nof a question?', dueDate: '2026-11-30T09:00:00.000Z' }
      const page = await open(look)
      await press(page, 'Reject')
      await page.getByRole('alert').waitFor()
      await page.evaluate(axe)
      const { violations, passes } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
      expect([look, violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)]).toEqual([look, []])
      expect(passes.length).toBeGreaterThan(10)
      expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0)
      await context.close()
    }
  })

  it('asks for the comment that an answer needs, and sends what was pressed with it', async () => {
    const page = await open()
    await page.getByRole('heading', { name: 'Is order 4 complete?' }).waitFor()
    await press(page, 'Reject')
    await page.getByText('“Reject” needs a comment.').waitFor()
    expect(calls.taken).toEqual([])
    await page.getByLabel('Comment').fill('Two are missing')
    await press(page, 'Reject')
    await thanks(page)
    expect(calls.taken).toMatchObject([{ act: { action: 'reject', comment: 'Two are missing' }, values: {} }])
  })

  it('works without script, and keeps the comment where something is wrong', async () => {
    calls.task = { ...question, actions: actions.map((one) => ({ ...one, requiresComment: true })) }
    const page = await open({ javaScriptEnabled: false })
    await press(page, 'Approve')
    await page.getByText('“Approve” needs a comment.').waitFor()
    await page.getByLabel('Comment').fill('<All> there')
    await press(page, 'Approve')
    await thanks(page)
    expect(calls.taken).toMatchObject([{ act: { action: 'approve', comment: '<All> there' } }])
  })

  it('holds what was pressed without network, also when it is opened again, and counts it once', async () => {
    const page = await open()
    await page.getByLabel('Comment').fill('From the cellar')
    await page.route('**/l/*', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await press(page, 'Approve')
    await page.getByText('will be sent as soon as the network is back').waitFor()
    await page.unrouteAll()
    await page.reload()
    await thanks(page)
    expect(calls.taken).toMatchObject([{ act: { action: 'approve', comment: 'From the cellar' } }])
  })

  it('takes another press for another answer than the one that waits', async () => {
    const page = await open()
    const keyNow = () => page.locator('input[name="k"]').inputValue()
    await page.getByLabel('Comment').fill('Hm')
    await context.setOffline(true)
    await press(page, 'Approve')
    await page.getByText('will be sent as soon as the network is back').waitFor()
    const first = await keyNow()
    await press(page, 'Reject')
    await expect.poll(keyNow).not.toBe(first)
    await context.setOffline(false)
    await thanks(page)
    expect(calls.taken).toMatchObject([{ act: { action: 'reject' } }])
  })

  it('asks which one is meant where nothing says so', async () => {
    const body = new FormData()
    body.append('comment', 'Well')
    const response = await fetch(`${server.url}/l/${token}`, { method: 'POST', body })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Please choose one: Approve, Reject.')])
    expect(calls.taken).toEqual([])
  })
})

describe('the page of a form task', () => {
  it('is a form whose one button does the task', async () => {
    calls.task = {
      workflowInstanceId: 77,
      workflow: 'Review',
      step: 'fill',
      actions: [{ internalName: 'submit', label: 'submit', requiresComment: false }],
    }
    const page = await open()
    await page.getByLabel('Inspected by').fill('Ana Ruiz')
    await page.getByRole('radio', { name: 'Open' }).check()
    await page.getByRole('radio', { name: 'Yes' }).check()
    await page.getByLabel('Or type your name as your signature').fill('Ana Ruiz')
    expect(await page.getByLabel('Comment').count()).toBe(0)
    await press(page, 'Send')
    await thanks(page)
    expect(calls.taken).toMatchObject([{ act: { action: 'submit', comment: '' }, values: { Inspector: 'Ana Ruiz', State: 'open' } }])
  })
})

describe('a task that is over', () => {
  it('says who did it, and when', async () => {
    const response = await fetch(`${server.url}/l/done-by-ana`)
    const text = await response.text()
    expect([response.status, text.includes('Ana &#60;Ruiz&#62; did it on November 22, 2026')]).toEqual([410, true])
  })
})
