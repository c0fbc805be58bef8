/** The portal in a real browser: an invited colleague comes in, a passkey is enough, and every page is for everybody. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

import type { AxeResults } from 'axe-core'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openWeb } from '#server/boot/web.ts'

import { addAuthenticator } from './support/application-visit.ts'
import { openBrowser } from './support/browser.ts'
import { joinTenant, newPerson, type TestPerson } from './support/persons.ts'
import { linkTo, subDomainOfTenant, usePortal } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

const axe = readFileSync(resolve(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')
const cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'fieldloop')

const opened = usePortal({}, async () => ({ application: await openWeb({ cacheDir }) }))
/** To the browser another machine, whose plain HTTP it does not trust: it does not say which page a request comes from, but by its origin. */
const elsewhere = 'portal.test'
let browser: Browser
let tenant: TestTenant
let sub: string
beforeAll(async () => {
  browser = await openBrowser([elsewhere])
  tenant = await opened.world.newTenant()
  sub = await subDomainOfTenant(opened.world, tenant)
})
afterAll(() => browser?.close())

interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly locale?: string
}

const wide: Look = { width: 1280, colorScheme: 'light' }
const narrow: Look = { width: 360, colorScheme: 'dark', locale: 'de-DE' }

async function newPage(
  { width, colorScheme, locale = 'en-GB' }: Look = wide,
  javaScriptEnabled = true,
): Promise<{ page: Page; context: BrowserContext; complaints: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale, javaScriptEnabled })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // Of an answer that is meant.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, context, complaints }
}

/** What is wrong with the page as it stands for anybody. */
async function faultsOf(page: Page): Promise<unknown[]> {
  await page.evaluate(axe)
  // As text: these run in the page, whose names are not those of the tests.
  const { violations, passes } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
  expect(passes.length).toBeGreaterThan(8)
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return [...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`), ...(overflow > 0 ? [`${overflow} px too wide`] : [])]
}

async function signIn(page: Page, { userName, password }: Pick<TestPerson, 'userName' | 'password'>, path = '/login'): Promise<void> {
  await page.goto(opened.url + path)
  await page.locator('#username').fill(userName)
  await page.locator('#password').fill(password)
  await page.locator('form[action="/login"] button').click()
}

const password = 'nine silver herons at dusk'

it('an invited colleague finds the mail, accepts, signs in, and sees the application; the address never holds the link again', async () => {
  const email = 'colleague@example.com'
  const user = { email, userName: 'colleague', displayName: 'Cora Lee', roles: ['DataView'] }
  const { tenantUserId } = await opened.world.call('create_user', user, { key: tenant.key })
  await opened.world.call('invite_user', { tenantUserId }, { key: tenant.key })
  const { page, context, complaints } = await newPage()
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${request.url()}`))
  const link = await linkTo(opened.world, email)
  await page.goto(link)
  await expect.poll(() => page.url()).toBe(`${opened.url}/login/link`)
  await page.getByRole('button', { name: 'Go on' }).click()
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Welcome to ${sub}`)
  expect(await page.locator('#username').inputValue()).toBe('colleague')
  await page.locator('#password').fill(password)
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  await page.locator('#password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${opened.url}/t/${sub}`)
  await expect.poll(() => page.locator('body').textContent()).toContain('My profile')
  expect(asked.filter((one) => one.includes(new URL(link).hash.slice(1)))).toEqual([])
  expect(await page.evaluate<string>('document.cookie')).toBe('')
  expect(complaints).toEqual([])
  await context.close()
})

it('whoever has no script pastes the link, and comes in as well', async () => {
  const email = 'plain@example.com'
  const { tenantUserId } = await opened.world.call('create_user', { email, roles: ['DataView'] }, { key: tenant.key })
  await opened.world.call('invite_user', { tenantUserId }, { key: tenant.key })
  const { page, context } = await newPage(wide, false)
  const link = await linkTo(opened.world, email)
  await page.goto(link)
  await page.locator('#token').fill(link)
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.locator('#password').fill(password)
  await page.getByRole('button', { name: 'Accept', exact: true }).click()
  await page.locator('#username').fill(email)
  await page.locator('#password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL(`${opened.url}/t/${sub}`)
  await context.close()
})

describe('a passkey', () => {
  it('is enrolled in the session of the page, is asked for behind the password, and is enough by itself', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, context, complaints } = await newPage()
    await addAuthenticator(page)
    await signIn(page, person)
    await page.waitForURL(`${opened.url}/t/${sub}`)
    const enrolled = await page.evaluate<{ status: number }>(`(async () => {
      const post = (path, body) => fetch('/t/${sub}/api/v1/auth/passkeys/' + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
      const { factorId, options } = await (await post('enroll', { name: 'This device' })).json()
      const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      return { status: (await post('confirm', { factorId, credential: credential.toJSON() })).status }
    })()`)
    expect(enrolled.status).toBe(200)
    await page.goto(`${opened.url}/logout`)
    await page.locator('form[action="/logout"] button').click()
    await signIn(page, person)
    await page.getByRole('button', { name: 'Passkey: This device' }).click()
    await page.waitForURL(`${opened.url}/t/${sub}`)
    await page.goto(`${opened.url}/logout`)
    await page.locator('form[action="/logout"] button').click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(`${opened.url}/t/${sub}`)
    expect(complaints).toEqual([])
    await context.close()
  })
})

it('a passkey is made on the way in where the tenant counts nothing else', async () => {
  const strict = await opened.world.newTenant()
  const strictSub = await subDomainOfTenant(opened.world, strict)
  const policy = { tenantId: strict.tenantId, secondFactor: 'all', factors: ['passkey'], apps: 'any' }
  await opened.world.call('set_sign_in_policy', policy, { key: strict.key })
  const { page, context, complaints } = await newPage()
  await addAuthenticator(page)
  await signIn(page, await newPerson(opened.world, strict))
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await page.waitForURL(`${opened.url}/t/${strictSub}`)
  expect(complaints).toEqual([])
  await context.close()
})

describe('every page of signing in', () => {
  it.for([wide, narrow])('fits and leaves nobody out: %o', async (look) => {
    const { page, context, complaints } = await newPage(look)
    const seen: string[] = []
    const shows = async (name: string) => {
      expect([name, await faultsOf(page)]).toEqual([name, []])
      seen.push((await page.locator('h1').first().textContent()) ?? '')
    }
    for (const path of ['/login', '/login/forgot', '/login/link', '/logout']) {
      await page.goto(opened.url + path)
      await shows(path)
    }
    const person = await newPerson(opened.world, tenant)
    await signIn(page, { ...person, password: 'wrong' })
    await shows('a wrong password')
    const strict = await opened.world.newTenant()
    const strictSub = await subDomainOfTenant(opened.world, strict)
    await opened.world.call('set_sign_in_policy', { tenantId: strict.tenantId, secondFactor: 'all', apps: 'any' }, { key: strict.key })
    await joinTenant(opened.world, person.userId, strict)
    await signIn(page, person, `/login?tenant=${strictSub}`)
    await shows('enrolment')
    const secret = await page.locator('input[name=secret]').inputValue()
    await page.locator('#code').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
    await page.locator('form[action="/login/enrol"] button').click()
    await shows('recovery codes')
    await page.locator('form[action="/login/tenant"] button').click()
    await page.waitForURL(`${opened.url}/t/${strictSub}`)
    await page.goto(`${opened.url}/login/tenant`)
    await shows('the choice of a tenant')
    await signIn(page, person)
    await shows('a second factor')
    const email = `look${look.width}@example.com`
    const { tenantUserId } = await opened.world.call('create_user', { email, roles: ['DataView'] }, { key: tenant.key })
    await opened.world.call('invite_user', { tenantUserId }, { key: tenant.key })
    await context.clearCookies()
    await page.goto(await linkTo(opened.world, email))
    await page.locator('form[action="/login/link"] button').click()
    await shows('an invitation')
    expect(new Set(seen).size).toBe(9)
    expect(complaints).toEqual([])
    await context.close()
  })

  it('is filled in with the keyboard alone: the first field has the focus, Enter sends', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, context } = await newPage()
    await page.goto(`${opened.url}/login?returnTo=/t/${sub}/users`)
    await expect.poll(() => page.evaluate<string>('document.activeElement.id')).toBe('username')
    await page.keyboard.type(person.userName)
    await page.keyboard.press('Tab')
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('password')
    await page.keyboard.type(person.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${opened.url}/t/${sub}/users`)
    await context.close()
  })
})

it('over plain HTTP of another machine one signs in, out, in over a session that ended, and out by the application', async () => {
  const person = await newPerson(opened.world, tenant)
  const { page, context } = await newPage()
  const there = opened.url.replace('localhost', elsewhere)
  const sent: Record<string, string>[] = []
  page.on('request', (request) => void (request.method() === 'POST' && request.allHeaders().then((headers) => sent.push(headers))))
  const signInThere = async () => {
    await page.goto(`${there}/login`)
    await page.locator('#username').fill(person.userName)
    await page.locator('#password').fill(person.password)
    await page.locator('form[action="/login"] button').click()
    await page.waitForURL(`${there}/t/${sub}`)
  }
  await signInThere()
  await page.goto(`${there}/logout`)
  await page.locator('form[action="/logout"] button').click()
  await page.getByText('You are signed out').waitFor()
  await signInThere()
  await opened.world.sql`delete from platform.session where user_id = ${person.userId}`
  opened.world.platform.services.wake.poke('credentials')
  await signInThere()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL(`${there}/login`)
  expect(await opened.world.sql`select 1 from platform.session where user_id = ${person.userId}`).toEqual([])
  expect(sent.length).toBeGreaterThan(4)
  for (const headers of sent) expect(headers).toMatchObject({ origin: there })
  for (const headers of sent) expect(headers).not.toHaveProperty('sec-fetch-site')
  await context.close()
})

it('a page of another site sends no form here, signed in or not', async () => {
  const person = await newPerson(opened.world, tenant)
  const { page, context } = await newPage()
  await signIn(page, person)
  await page.waitForURL(`${opened.url}/t/${sub}`)
  // The same machine by another name is another site to the browser.
  const evil = opened.url.replace('localhost', '127.0.0.1')
  // With the cookie it would be 403, which the browser leaves out.
  for (const [action, status] of [
    ['/logout', 403],
    ['/login', 403],
    [`/t/${sub}/api/v1/auth/logout`, 401],
  ] as const) {
    await page.route(`${evil}/evil`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<form method="post" action="${opened.url}${action}"><button>x</button></form>` }),
    )
    await page.goto(`${evil}/evil`)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url() === opened.url + action),
      page.getByRole('button').click(),
    ])
    expect([action, answer.status()]).toEqual([action, status])
  }
  await page.goto(`${opened.url}/t/${sub}`)
  expect(page.url()).toBe(`${opened.url}/t/${sub}`)
  await context.close()
})
