/** The portal of a world on a port of its own, and visitors who keep cookies and press buttons as a browser does. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll } from 'vitest'

import { createLog } from '#platform/log.ts'
import { filePages } from '#server/pages/index.ts'
import type { PortalParts } from '#server/portal/portal.types.ts'
import { createPortal, type Portal } from '#server/portal/server.ts'
import { handOverMails, localMails } from '#server/worker/mailer.ts'

import { newAddress } from './persons.ts'
import { freePort } from './ports.ts'
import { openWorld, type World } from './world.ts'

export interface TestPortal {
  readonly world: World
  readonly portal: Portal
  readonly url: string
}

/** With a proxy in front that is trusted, so that each visitor may come from an address of their own. */
export function usePortal(
  env: Record<string, string> = {},
  more: (world: World) => Partial<PortalParts> | Promise<Partial<PortalParts>> = () => ({}),
): TestPortal {
  let opened: TestPortal | undefined
  beforeAll(async () => {
    const port = await freePort()
    const world = await openWorld({ PORTAL_PORT: String(port), TRUSTED_PROXIES: '127.0.0.0/8', ...env })
    const { config } = world
    const { services, pipeline } = world.platform
    const log = createLog(process.env['LOG_LEVEL'] ?? 'silent')
    const portal = await createPortal({ services, pipeline, config, log, files: filePages(), ...(await more(world)) })
    await portal.listen()
    opened = { world, portal, url: `http://localhost:${port}` }
  })
  afterAll(async () => {
    await opened?.portal.close()
    await opened?.world.close()
  })
  const now = () => {
    if (!opened) throw new Error('The portal is not open yet: look at it in a hook or a test.')
    return opened
  }
  return {
    get world() {
      return now().world
    },
    get portal() {
      return now().portal
    },
    get url() {
      return now().url
    },
  }
}

export interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where a redirect leads. */
  readonly location: string | undefined
}

export interface Visitor {
  readonly cookies: Map<string, string>
  ask(path: string, init?: RequestInit): Promise<Shown>
  /** As a browser opens an address. */
  open(path: string, headers?: Record<string, string>): Promise<Shown>
  /** Presses the button of the form that goes there, with what the page hid in it. Throws where the page has none. */
  submit(page: Shown, action: string, fields?: Record<string, string>, headers?: Record<string, string>): Promise<Shown>
  /** As a script of the page calls the API of a tenant. */
  call(subDomain: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Shown>
  signIn(person: { readonly userName: string; readonly password: string }, query?: string): Promise<Shown>
}

const unescaped = (text: string) => text.replace(/&#(\d+);/g, (_whole, code: string) => String.fromCharCode(Number(code)))

/** What a form of the page would send by itself. */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const form = page.split('<form ').find((part) => part.includes(`action="${action}"`))
  if (form === undefined) throw new Error(`The page has no form for ${action}: ${page.slice(0, 2_000)}`)
  const inputs = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescaped(value)]))
}

export const fromOurs = { 'sec-fetch-site': 'same-origin' } as const

export function newVisitor(url: string, address = newAddress()): Visitor {
  const cookies = new Map<string, string>()
  async function ask(path: string, init: RequestInit = {}): Promise<Shown> {
    const headers = new Headers(init.headers)
    if (cookies.size > 0 && !headers.has('cookie')) headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '))
    if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', address)
    const response = await fetch(url + path, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const { status } = response
    return { status, headers: response.headers, text: await response.text(), location: response.headers.get('location') ?? undefined }
  }
  const asBrowser = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' }
  const visitor: Visitor = {
    cookies,
    ask,
    open: (path, headers = {}) => ask(path, { headers: { ...asBrowser, 'sec-fetch-site': 'none', ...headers } }),
    submit(page, action, fields = {}, headers = {}) {
      const body = new URLSearchParams({ ...hiddenFields(page.text, action), ...fields })
      return ask(action, { method: 'POST', body, headers: { ...asBrowser, ...fromOurs, ...headers } })
    },
    call: (subDomain, path, body = {}, headers = {}) =>
      ask(`/t/${subDomain}/api/v1/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...fromOurs, ...headers },
      }),
    async signIn({ userName, password }, query = '') {
      return visitor.submit(await visitor.open(`/login${query}`), '/login', { username: userName, password })
    },
  }
  return visitor
}

interface Mail {
  readonly to: string
  readonly text: string
}

/** What the last mail to the address says. */
async function lastMailTo({ platform, config }: World, address: string): Promise<string> {
  while ((await handOverMails(platform.services)) > 0);
  const folder = localMails(config.dataDir)
  const names = (await readdir(folder)).toSorted((a, b) => (a < b ? -1 : 1))
  const mails = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Mail))
  const mail = mails.findLast(({ to }) => to === address)
  if (!mail) throw new Error(`No mail went to ${address}`)
  return mail.text
}

async function inMailTo(world: World, address: string, wanted: RegExp): Promise<string> {
  const found = wanted.exec(await lastMailTo(world, address))?.[1]
  if (found === undefined) throw new Error(`The last mail to ${address} holds nothing of ${wanted}`)
  return found
}

/** The link of the last mail that went to the address. */
export const linkTo = (world: World, address: string) => inMailTo(world, address, /^(http:\S+)$/m)

/** The code of the last mail that went to the address. */
export const codeTo = (world: World, address: string) => inMailTo(world, address, /\b(\d{6})\b/)

export async function subDomainOfTenant(world: World, { tenantId }: { readonly tenantId: number }): Promise<string> {
  const [row] = await world.sql<
    { subDomain: string }[]
  >`select lower(sub_domain) as sub_domain from platform.tenant where tenant_id = ${tenantId}`
  return row?.subDomain ?? ''
}
