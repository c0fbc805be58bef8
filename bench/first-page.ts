/**
 * What a slow phone waits for: `npm run bench -- page`. Chromium with four times less processor, 1.6 Mbit/s and 150 ms to the server for each request, as Lighthouse
 * takes a phone to be, and with nothing in its cache. Bytes and requests as they travel; when something is drawn first; and when all that the page shows is there
 * and it answers. Medians of the rounds, and the slowest of them, since a machine with other work adds its own.
 */
import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'

import type { Browser, BrowserContextOptions } from 'playwright-core'

import { freePort } from '#server/boot/ports.ts'
import { openBrowser } from '#test/support/browser.ts'

import { openStack } from '../test/day/stack.ts'
import { median } from './statistics.ts'

const phone = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8, offline: false } as const
const timesSlower = 4
const screen = { width: 390, height: 844 } as const
/** What is later than this is not there. */
const mostMs = 60_000

interface Load {
  readonly requests: number
  readonly bytes: number
  readonly firstPaintMs: number
  readonly usableMs: number
}

// As text: it runs in the page. Notes when the heading stands and nothing waits, the last time that this began to be so, one frame later.
const watch = `(() => {
  let isThere = false
  const look = () => {
    const isNow = document.querySelector('main h1') !== null && document.querySelector('.waiting') === null
    if (isNow && !isThere) requestAnimationFrame(() => setTimeout(() => (window.usableAt = performance.now())))
    isThere = isNow
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
  addEventListener('DOMContentLoaded', look)
})()`

async function loadOnce(browser: Browser, options: BrowserContextOptions, address: string): Promise<Load> {
  const context = await browser.newContext({ viewport: screen, ...options })
  try {
    const page = await context.newPage()
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    await devtools.send('Network.emulateNetworkConditions', phone)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: timesSlower })
    let [requests, bytes] = [0, 0]
    devtools.on('Network.requestWillBeSent', ({ request }) => void (requests += request.url.startsWith('http') ? 1 : 0))
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength))
    await page.addInitScript(watch)
    await page.goto(address, { waitUntil: 'networkidle' })
    // Asked for from outside: the pages' policy lets no text become script.
    const until = Date.now() + mostMs
    while (Date.now() < until && !(await page.evaluate<boolean>('window.usableAt !== undefined')))
      await new Promise((next) => setTimeout(next, 50))
    await page.waitForLoadState('networkidle')
    if (new URL(page.url()).pathname !== new URL(address).pathname) throw new Error(`${address} led to ${page.url()}`)
    const [firstPaintMs, usableMs] = await page.evaluate<[number, number]>(
      "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, window.usableAt ?? NaN]",
    )
    if (Number.isNaN(firstPaintMs) || Number.isNaN(usableMs)) throw new Error(`${address} showed nothing`)
    return { requests, bytes, firstPaintMs, usableMs }
  } finally {
    await context.close()
  }
}

/** The portal answers after the API, later still where its application is built first. */
async function answering(address: string): Promise<void> {
  const until = Date.now() + mostMs
  while (
    !(await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (Date.now() > until) throw new Error(`${address} does not answer.`)
    await new Promise((next) => setTimeout(next, 200))
  }
}

async function signedIn(browser: Browser, portalUrl: string, password: string): Promise<BrowserContextOptions> {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(mostMs)
  await page.goto(`${portalUrl}/login`)
  await page.locator('#username').fill('admin')
  await page.locator('#password').fill(password)
  await page.locator('form[action="/login"] button').click()
  await page.waitForURL(`${portalUrl}/t/demo`)
  const storageState = await context.storageState()
  await context.close()
  return { storageState }
}

/** Of what `npm start` starts, or of the product at `portalUrl` with the password of its first administrator. */
export async function measureFirstPage(
  say: (text: string) => void,
  {
    rounds,
    portalUrl,
    password,
  }: { readonly rounds: number; readonly portalUrl?: string | undefined; readonly password?: string | undefined },
): Promise<void> {
  const portalPort = await freePort()
  const stack = portalUrl === undefined ? await openStack({ PORTAL_PORT: String(portalPort) }) : undefined
  const browser = await openBrowser()
  try {
    await stack?.ready({ needsTemporal: false })
    const own = portalUrl ?? `http://localhost:${portalPort}`
    await answering(`${own}/login`)
    const secret = password ?? (stack ? await readFile(join(stack.dataDir, 'bootstrap-password'), 'utf8') : '')
    const person = await signedIn(browser, own, secret.trim())
    say(`| page | requests | KB | first paint, ms | slowest | usable, ms | slowest |\n|---|---|---|---|---|---|---|`)
    for (const [path, options] of [
      ['/login', {}],
      ['/t/demo', person],
      ['/t/demo/records', person],
      ['/t/demo/users', person],
      ['/profile', person],
    ] as const) {
      const loads: Load[] = []
      // The first is thrown away: the server meets the page for the first time as well.
      for (let round = 0; round <= rounds; round++) loads.push(await loadOnce(browser, options, own + path))
      const of = (part: keyof Load) => loads.slice(1).map((load) => load[part])
      const times = (['firstPaintMs', 'usableMs'] as const).flatMap((part) => [median(of(part)), Math.max(...of(part))]).map(Math.round)
      say(`| ${[path, median(of('requests')), (median(of('bytes')) / 1_000).toFixed(1), ...times].join(' | ')} |`)
    }
    say(`\nLoad of the machine over the last minute: ${loadavg()[0]?.toFixed(1)}; ${rounds} rounds.`)
  } finally {
    await browser.close()
    await stack?.stop()
  }
}
