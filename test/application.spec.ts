/** The application for signed-in people, in a browser: what they do there, and that nobody is left out. */
import { Secret, TOTP } from 'otpauth'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openBrowser } from './support/browser.ts'
import { type ApplicationServer, leavesNobodyOut, openPage, picture, startApplication } from './support/application.ts'
import { newPerson, newSession, type TestPerson } from './support/persons.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let browser: Browser
let server: ApplicationServer
let tenant: TestTenant
let person: TestPerson

beforeAll(async () => {
  tenant = await world.newTenant()
  person = await newPerson(world, tenant, ['DataView', 'DataEdit', 'FileEdit', 'AdminUser', 'AdminIntegration', 'BuilderAdmin'])
  server = await startApplication(world)
  browser = await openBrowser()
})
const open = (path: string, look: { width?: number; colorScheme?: 'light' | 'dark' } = {}) => openPage(browser, server, path, look)
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

const looks = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

describe('every page of the application', () => {
  beforeAll(async () => {
    server.session = await newSession(world, person)
    await call(
      'create_api_key',
      { name: 'Dispatch agent', roles: ['DataView'], expiresAt: new Date(Date.now() + 5 * 86_400_000).toISOString() },
      { key: tenant.key },
    )
    await call('create_user', { email: 'new@example.com', displayName: 'Nina Neu', roles: ['DataView'] }, { key: tenant.key })
  })

  it.for([
    '/',
    '/profile',
    '/ops/api-keys',
    '/t/demo/users',
    '/t/demo/inbox',
    '/t/demo/conversations',
    '/t/demo/docs?q=invite',
    '/t/demo/docs/guides/limits',
    '/t/demo/define',
    '/t/demo/nowhere',
  ])('%s fits, wide and narrow, light and dark, and leaves nobody out', async (path) => {
    for (const look of looks) {
      const { page, complaints } = await open(path, look)
      await leavesNobodyOut(page)
      expect(complaints).toEqual([])
      await picture(page, `${path.replaceAll('/', '_')}-${look.colorScheme}`)
      await page.context().close()
    }
  })

  it('speaks German to whom the portal says reads it', async () => {
    server.language = 'de'
    const { page, complaints } = await open('/profile')
    server.language = 'en'
    expect(await page.locator('h1').textContent()).toBe('Mein Profil')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('brings less than 60 KB for its first page, with its data', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const travelled: Promise<number>[] = []
    page.on('requestfinished', (request) => {
      travelled.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
    })
    await page.goto(server.url)
    await page.locator('h1').waitFor()
    await page.waitForLoadState('networkidle')
    // As they travel: what a person with a slow line waits for.
    const sizes = await Promise.all(travelled)
    // The page, its script and style, and who looks at it.
    expect(sizes.length).toBeGreaterThanOrEqual(5)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
    await context.close()
  })

  it('is gone through with the keyboard: the first tab skips to the content, a dialog holds the place and gives it back', async () => {
    const { page } = await open('/ops/api-keys')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content')
    const button = page.getByRole('button', { name: 'Revoke: Dispatch agent' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await leavesNobodyOut(page)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Revoke: Dispatch agent')
    await page.context().close()
  })
})

describe('a session that ends while somebody types', () => {
  it('is begun again on the page, and what was typed is saved', async () => {
    const own = await newPerson(world, tenant)
    server.session = await newSession(world, own)
    const { page } = await open('/profile')
    await page.getByLabel('Name', { exact: true }).fill('Ana of the second session')
    await call('logout', {}, { key: server.session })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog', { name: 'Please sign in again' }).waitFor()
    await leavesNobodyOut(page)
    const next = await newSession(world, own)
    server.signInAgain(next)
    await page.getByLabel('Password of the test').fill('anything')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    expect(await call('get_profile', {}, { key: next })).toMatchObject({ displayName: 'Ana of the second session' })
    await page.context().close()
  })

  it('shows nothing of one person to another who signs in', async () => {
    const own = await newPerson(world, tenant)
    const other = await newPerson(world, tenant)
    server.session = await newSession(world, own)
    const { page } = await open('/profile')
    await page.getByLabel('Name', { exact: true }).fill('Not for the other')
    await call('logout', {}, { key: server.session })
    await page.getByRole('button', { name: 'Save' }).click()
    const next = await newSession(world, other)
    server.signInAgain(next)
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText(other.userName).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ana Ruiz')
    expect(await call('get_profile', {}, { key: next })).toMatchObject({ displayName: 'Ana Ruiz' })
    await page.context().close()
  })
})

describe('the profile', () => {
  it('asks who one is where that was long ago, enrols an authenticator app, and shows the recovery codes once', async () => {
    const own = await newPerson(world, tenant)
    server.session = await newSession(world, own, 30)
    const { page, complaints } = await open('/profile')
    await page.getByRole('button', { name: 'Add an authenticator app' }).click()
    const proof = page.getByRole('dialog', { name: 'Please show again that it is you' })
    await proof.getByLabel('Password').fill('wrong')
    await proof.getByRole('button', { name: 'Go on' }).click()
    await proof.getByText('The password is wrong').waitFor()
    await proof.getByLabel('Password').fill(own.password)
    await proof.getByRole('button', { name: 'Go on' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
    await dialog.locator('svg.qr').waitFor()
    await leavesNobodyOut(page)
    await picture(page, 'totp')
    const secret = (await dialog.locator('.letters').textContent()) ?? ''
    await dialog.getByLabel('The six digits').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    expect((await codes.locator('pre').textContent())?.split('\n')).toHaveLength(10)
    await codes.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('button', { name: /^Remove: / }).waitFor()
    expect(await call('list_second_factors', {}, { key: server.session })).toHaveLength(1)
    // The refusals that were answered by a proof are told by the browser itself.
    expect(complaints.filter((one) => !one.includes('403'))).toEqual([])
    await page.context().close()
  })

  it('signs out everywhere, here last', async () => {
    const own = await newPerson(world, tenant)
    const others = [await newSession(world, own), await newSession(world, own)]
    server.session = await newSession(world, own)
    const { page } = await open('/profile')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.waitForURL(/\/login$/)
    for (const key of [...others, server.session])
      await expect(call('whoami', {}, { key })).rejects.toMatchObject({ code: 'unauthenticated' })
    await page.context().close()
  })
})

describe('keys, users, inbox and documentation', () => {
  it('makes a key from a preset, shows it once, and ends it', async () => {
    server.session = await newSession(world, person)
    const { page } = await open('/ops/api-keys')
    await page.getByRole('button', { name: 'Make a key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Make a key' })
    await dialog.getByLabel('Name').fill('Night job')
    await dialog.getByLabel('What it is for').selectOption({ label: 'Work with records and files' })
    await leavesNobodyOut(page)
    await picture(page, 'key')
    await dialog.getByRole('button', { name: 'Make a key' }).click()
    const made = page.getByRole('dialog', { name: 'Night job' })
    const secret = (await made.locator('pre').textContent()) ?? ''
    expect(await call('whoami', {}, { key: secret })).toMatchObject({ roleFlag: 2 + 8 + 32 })
    await made.getByRole('button', { name: 'I have kept it' }).click()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Change: Night job' }).click()
    const change = page.getByRole('dialog', { name: 'Change Night job' })
    await change.getByLabel('When it may be used').selectOption({ label: 'In certain hours' })
    await change.getByLabel('From').fill('22:00')
    await change.getByLabel('To', { exact: true }).fill('05:30')
    await change.getByLabel('Friday').uncheck()
    await change.getByLabel('Time zone').fill('Europe/Madrid')
    await leavesNobodyOut(page)
    await picture(page, 'key-hours')
    await change.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => change.count()).toBe(0)
    const keyNow = async () =>
      (await call('list_api_keys', {}, { key: tenant.key })).find(({ name }: { name: string }) => name === 'Night job')
    const days = ['monday', 'tuesday', 'wednesday', 'thursday']
    expect((await keyNow()).validHours).toEqual({ from: '22:00', to: '05:30', days, timeZoneIana: 'Europe/Madrid' })
    await page.getByRole('button', { name: 'Change: Night job' }).click()
    await change.getByLabel('When it may be used').selectOption({ label: 'At any time' })
    await change.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await keyNow()).validHours).toBeNull()
    await page.getByRole('button', { name: 'Revoke: Night job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect.poll(() => page.getByText('Night job').count()).toBe(0)
    await expect(call('whoami', {}, { key: secret })).rejects.toMatchObject({ code: 'unauthenticated' })
    await page.context().close()
  })

  it('shows who answers in the inbox what was asked there, and who asked hears it', async () => {
    server.session = await newSession(world, person)
    const { conversationId } = await call(
      'send_message',
      {
        to: { tenantUserId: person.tenantUserId },
        text: 'Is the gate shut?',
        card: {
          choices: [
            { key: 'yes', label: 'It is shut' },
            { key: 'no', label: 'It is open' },
          ],
        },
      },
      { key: tenant.key },
    )
    const { page } = await open('/t/demo/inbox')
    await page.getByText('1 unread').waitFor()
    await leavesNobodyOut(page)
    await picture(page, 'inbox')
    await page.getByRole('button', { name: 'It is shut' }).click()
    await page.getByText('You answered').waitFor()
    await page.getByText('Sent: It is shut').waitFor()
    await page.getByLabel(/^Answer to/).fill('And locked.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Sent.').waitFor()
    const { messages } = await call('get_conversation', { conversationId }, { key: tenant.key })
    const answers = messages.filter(({ direction }: { direction: string }) => direction === 'inbound')
    expect(answers).toMatchObject([{ choice: 'yes' }, { text: 'And locked.' }])
    await page.getByRole('link', { name: 'The whole conversation' }).click()
    await page.getByText('And locked.').waitFor()
    await leavesNobodyOut(page)
    await page.getByLabel('Write in this conversation').fill('Thank you.')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect
      .poll(async () => (await call('get_conversation', { conversationId }, { key: tenant.key })).messages.at(-1).text)
      .toBe('Thank you.')
    await page.context().close()
  })

  it('finds in the documentation what docs_search finds, and opens it at its section', async () => {
    server.session = await newSession(world, person)
    const query = 'how do I cancel an invitation'
    const { page } = await open('/t/demo/docs')
    await page.getByLabel('Ask in your own words').fill(query)
    await page.getByRole('button', { name: 'Search' }).click()
    const { hits } = await call('docs_search', { query, limit: 12 }, { key: tenant.key })
    const found = page.getByRole('list', { name: 'What answers it' }).getByRole('link')
    await expect.poll(() => found.count()).toBe(hits.length)
    await found.first().click()
    await page.waitForURL((url) => url.pathname === `/t/demo/docs/${hits[0].path.replace('.md', '')}`)
    await page.locator(`[id="${hits[0].anchor}"]`).waitFor()
    await leavesNobodyOut(page)
    await picture(page, 'docs')
    await page.context().close()
  })

  it('names who lacks a second factor before a policy asks for one', async () => {
    server.session = await newSession(world, person)
    const { page } = await open('/t/demo/users')
    await page.getByLabel('Who must show a second factor').selectOption({ label: 'Administrators' })
    await page.getByText('One person whom it asks has none yet:').waitFor()
    await leavesNobodyOut(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const policy = { tenantId: tenant.tenantId }
    expect(await call('get_sign_in_policy', policy, { key: tenant.key })).toMatchObject({
      secondFactor: 'administrators',
      factors: null,
      apps: 'any',
    })
    await call('set_sign_in_policy', { ...policy, secondFactor: 'optional' }, { key: tenant.key })
    await page.context().close()
  })

  it('invites somebody, hands the link over, and shows who has no second factor', async () => {
    server.session = await newSession(world, person)
    const { page } = await open('/t/demo/users')
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' })
    await dialog.getByLabel('E-mail').fill('zoe@example.com')
    await dialog.getByLabel('Name').fill('Zoe Zander')
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByRole('button', { name: 'Link to hand over: Zoe Zander' }).click()
    const link = page.getByRole('dialog', { name: 'Invitation of Zoe Zander' })
    expect(await link.locator('pre').textContent()).toContain('/login/link#')
    await link.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Cancel invitation: Zoe Zander' }).click()
    await page.getByText('The invitation is cancelled.').waitFor()
    await page.getByLabel('Show', { exact: true }).selectOption({ label: 'Without a second factor' })
    await expect.poll(() => page.getByText('Zoe Zander').count()).toBe(0)
    await expect.poll(() => page.getByText('Ana Ruiz').count()).toBeGreaterThan(0)
    expect(await page.getByText('Zoe Zander').count()).toBe(0)
    await page.getByLabel('Show', { exact: true }).selectOption({ label: 'Invited, not here yet' })
    await expect.poll(() => page.getByText('Zoe Zander').count()).toBe(1)
    expect(await page.getByText('Ana Ruiz').count()).toBe(0)
    await page.context().close()
  })
})
