/**
 * The application for browsers over a world, without the portal's sign-in: a small server that gives its files, its page at every path, and the API in the session
 * that the test chose. What it does not do is the portal's, which has tests of its own.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'

import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { openWeb } from '#server/boot/web.ts'
import { createHttpServer } from '#server/http/server.ts'
import { pageHeaders } from '#server/pages/page.ts'

import { noBacklog } from './backlog.ts'
import type { World } from './world.ts'

/** Where the product keeps what it builds. */
export const { cacheDir } = loadConfig()

export interface ApplicationServer {
  readonly url: string
  /** As whom the API is called; undefined: as nobody. */
  session: string | undefined
  language: 'en' | 'de'
  /** What the sign-in page answers: the page, and the session that its form gives. */
  readonly signInAgain: (session: string) => void
  close(): Promise<void>
}

const signInPage = `<!doctype html><html lang="en"><title>Sign in</title><main><h1>Sign in</h1><form method="post" action="/login">
<label for="password">Password of the test</label><input id="password" name="password" type="password"><button>Sign in</button></form></main></html>`

export async function startApplication(world: World, subDomain = 'demo'): Promise<ApplicationServer> {
  const { pipeline, services } = world.platform
  const api = await createHttpServer({
    pipeline,
    config: { ...world.config, port: 0 },
    log: services.log,
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    backlog: async () => noBacklog,
    docs: { texts: new Map() },
  })
  const { port } = await api.listen()
  const web = await openWeb({ cacheDir })
  let nextSession: string | undefined

  function relay(incoming: IncomingMessage, answer: ServerResponse, path: string): void {
    const headers = { ...incoming.headers, ...(state.session === undefined ? {} : { authorization: `Bearer ${state.session}` }) }
    const outgoing = request({ port, path, method: incoming.method ?? 'GET', headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(answer)
    })
    incoming.pipe(outgoing)
  }

  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? '/'
    const file = web.files.get(path)
    const called = /^\/t\/[^/]+(\/api\/v1\/.*)$/.exec(path)?.[1]
    if (file) answer.writeHead(200, { 'content-type': file.type, 'content-encoding': 'gzip' }).end(file.compressed)
    else if (path.endsWith('/theme.css')) answer.writeHead(200, { 'content-type': 'text/css' }).end()
    else if (called !== undefined) relay(incoming, answer, called)
    else if (path.startsWith('/login') && incoming.method === 'POST' && nextSession !== undefined) {
      state.session = nextSession
      incoming.resume()
      answer.writeHead(303, { location: '/' }).end()
    } else if (path.startsWith('/login')) answer.writeHead(200, pageHeaders).end(signInPage)
    else answer.writeHead(200, pageHeaders).end(web.page({ path: new URL(path, state.url).pathname, language: state.language, subDomain }))
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo.
  const own = server.address() as AddressInfo
  const state: ApplicationServer = {
    url: `http://127.0.0.1:${own.port}`,
    session: undefined,
    language: 'en',
    signInAgain: (session) => void (nextSession = session),
    async close() {
      server.closeAllConnections()
      server.close()
      await api.close()
    },
  }
  return state
}

const axe = readFileSync(resolve(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')

/** A page of the application in a window of its own, once its data are there, and what it complained about. */
export async function openPage(
  browser: Browser,
  server: ApplicationServer,
  path: string,
  { width = 1280, colorScheme = 'light' }: { width?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) complaints.push(`asked ${request.url()}`)
  })
  await page.goto(server.url + path)
  await page.locator('h1').waitFor()
  await expect.poll(() => page.locator('.waiting').count()).toBe(0)
  return { page, complaints }
}

/** axe finds nothing, and nothing is wider than the window. */
export async function leavesNobodyOut(page: Page): Promise<void> {
  await page.evaluate(axe)
  // As text: these run in the page, whose names are not those of the tests.
  const { violations, passes } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([])
  expect(passes.length).toBeGreaterThan(10)
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0)
}

/** For whoever wants to look: into the folder that SCREENSHOTS names. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
