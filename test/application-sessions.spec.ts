/** Sessions in the browser: two tenants in two tabs, the end of all of them, and what a page asks for over itself while what was typed on it stays. */
import type { TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { carryOutFactorResets } from '#tools/auth/service.ts'

import { leavesNobodyOut } from './support/application.ts'
import { addAuthenticator, ageProof, signIn, useApplication, visitAs } from './support/application-visit.ts'
import { openBrowser } from './support/browser.ts'
import { enrolApp, joinTenant, newPerson, newSession, type TestPerson } from './support/persons.ts'
import { codeTo, linkTo, subDomainOfTenant } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

const opened = useApplication()
let browser: Browser
let tenant: TestTenant
let sub = ''

beforeAll(async () => {
  tenant = await opened.world.newTenant()
  sub = await subDomainOfTenant(opened.world, tenant)
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const visit = (person: TestPerson, path: string) => visitAs(browser, opened.url, person, path)
const call = (name: string, input: object, key: string) => opened.world.call(name, input, { key })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Types another name on the profile and saves it, which the page cannot do at once. */
async function saveName(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Save' }).first().click()
}

async function typePassword(page: Page, { userName, password }: TestPerson): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
  await dialog.locator('input[name=username]').fill(userName)
  await dialog.locator('input[name=password]').fill(password)
  await dialog.locator('form button').first().click()
}

async function withApp(person: TestPerson): Promise<TOTP> {
  return (await enrolApp(opened.world, await newSession(opened.world, person))).app
}

describe('two tabs of one browser', () => {
  it('hold two tenants, and what each saves goes to its own', async () => {
    const second = await opened.world.newTenant()
    const secondSub = await subDomainOfTenant(opened.world, second)
    const roles = ['DataView', 'AdminUser'] as const
    const person = await newPerson(opened.world, tenant, roles)
    await joinTenant(opened.world, person.userId, second, roles)
    const { page, context } = await visit(person, `/t/${sub}/users`)
    const other = await context.newPage()
    await other.goto(`${opened.url}/t/${sub}`)
    await other.locator('.menu summary').click()
    await other.locator('.menu a').click()
    await other.waitForURL(new RegExp(`/t/${secondSub}/?$`))
    await other.getByRole('link', { name: 'Users' }).first().click()
    for (const [tab, email] of [
      [page, 'first@example.com'],
      [other, 'second@example.com'],
    ] as const) {
      await press(tab, 'Invite somebody')
      const dialog = tab.getByRole('dialog', { name: 'Invite somebody' })
      await dialog.getByLabel('E-mail').fill(email)
      await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
      await expect.poll(() => tab.getByRole('dialog').count()).toBe(0)
    }
    const found = async (key: string) =>
      (await call('list_users', { search: '@example.com' }, key)).map(({ email }: { email: string }) => email)
    expect([await found(tenant.key), await found(second.key)]).toEqual([['first@example.com'], ['second@example.com']])
    // Out of one is out of both, and the other says so where it is needed.
    await press(page, 'Sign out')
    await page.waitForURL(/\/login$/)
    await other.getByLabel('Name, e-mail or phone').fill('second')
    await press(other, 'Search')
    await other.getByRole('dialog', { name: 'Please sign in again' }).waitFor()
    await press(other, 'Close')
    await press(other, 'Sign out')
    await other.waitForURL(/\/login$/)
    await context.close()
  })

  it('are signed in again each to the tenant that it shows, also where its address names none', async () => {
    const second = await opened.world.newTenant()
    const secondSub = await subDomainOfTenant(opened.world, second)
    const person = await newPerson(opened.world, tenant)
    await joinTenant(opened.world, person.userId, second)
    const { page, context } = await visit(person, `/t/${sub}`)
    await page.goto(`${opened.url}/t/${secondSub}`)
    await page.locator(`form:has(input[name="tenantId"][value="${second.tenantId}"]) button`).click()
    await page.waitForURL(`${opened.url}/t/${secondSub}`)
    await page.goto(`${opened.url}/profile`)
    await page.getByLabel('Name', { exact: true }).waitFor()
    const shown = await page.evaluate<string>('document.documentElement.dataset.tenant')
    const [other, otherSub] = shown === sub ? [second, secondSub] : [tenant, sub]
    // The other tenant is the one that was entered last.
    await context.clearCookies()
    const aside = await context.newPage()
    await signIn(aside, opened.url, person, `/t/${otherSub}`)
    await context.clearCookies()
    await saveName(page, 'Ana of one tenant')
    await typePassword(page, person)
    await page.getByText('Saved.').waitFor()
    const named = async ({ key }: TestTenant) => (await call('list_users', { search: 'Ana of one tenant' }, key)).length
    expect([await named(tenant), await named(second), await named(other)]).toEqual(shown === sub ? [1, 0, 0] : [0, 1, 0])
    await context.close()
  })
})

describe('signing out everywhere', () => {
  it('ends the session of every browser, and of this one last', async () => {
    const person = await newPerson(opened.world, tenant)
    const here = await visit(person, '/profile')
    const there = await visit(person, `/t/${sub}/inbox`)
    await here.page.reload()
    await expect.poll(() => here.page.getByRole('button', { name: /^End: / }).count()).toBe(1)
    await press(here.page, 'Sign out everywhere')
    await here.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await here.page.waitForURL(/\/login$/)
    await there.page.goto(`${opened.url}/t/${sub}/inbox`)
    await there.page.waitForURL(/\/login\?/)
    const left = await opened.world.sql`select session_id from platform.session where user_id = ${person.userId} and expires_at > now()`
    expect(left).toHaveLength(0)
    await here.context.close()
    await there.context.close()
  })
})

describe('signing in again over a page', () => {
  it('goes through a second factor, and what was typed is saved', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, context, faults } = await visit(person, '/profile')
    const app = await withApp(person)
    await context.clearCookies()
    await saveName(page, 'Ana behind a code')
    await typePassword(page, person)
    const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
    await dialog.locator('input[name=code]').fill(app.generate())
    await leavesNobodyOut(page)
    await dialog.locator('form[action="/login/code"] button').click()
    await page.getByText('Saved.').waitFor()
    expect(await call('get_user', { tenantUserId: person.tenantUserId }, tenant.key)).toMatchObject({ displayName: 'Ana behind a code' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('takes a passkey in place of the password', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, context, faults } = await visit(person, '/profile')
    await addAuthenticator(page)
    await press(page, 'Add a passkey')
    await page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('button', { name: 'I have kept them' }).click()
    await context.clearCookies()
    await saveName(page, 'Ana by her finger')
    const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
    await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await dialog.getByRole('button', { name: 'Ask for the passkey' }).click()
    await page.getByText('Saved.').waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  it('makes the passkey that the tenant has asked for since, and goes on', async () => {
    const strict = await opened.world.newTenant()
    const person = await newPerson(opened.world, strict)
    const { page, context, faults } = await visit(person, '/profile')
    await addAuthenticator(page)
    const policy = { tenantId: strict.tenantId, secondFactor: 'all', factors: ['passkey'], apps: 'any' }
    await call('set_sign_in_policy', policy, strict.key)
    await context.clearCookies()
    await saveName(page, 'Ana of a strict tenant')
    await typePassword(page, person)
    const dialog = page.getByRole('dialog', { name: 'Please sign in again' })
    await dialog.getByRole('button', { name: 'Make a passkey' }).click()
    await dialog.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await call('get_user', { tenantUserId: person.tenantUserId }, strict.key)).toMatchObject({
      displayName: 'Ana of a strict tenant',
      hasSecondFactor: true,
    })
    expect(faults).toEqual([])
    await context.close()
  })

  it('opens what its links lead to beside the page, which keeps what was typed', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, context } = await visit(person, '/profile')
    await context.clearCookies()
    await saveName(page, 'Ana who forgot')
    const beside = context.waitForEvent('page')
    await page.getByRole('dialog').getByRole('link', { name: 'Forgotten your password?' }).click()
    const forgotten = await beside
    await forgotten.getByRole('heading', { name: 'A new password' }).waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ana who forgot')
    await context.close()
  })
})

describe('showing again who one is', () => {
  it('is done by a passkey in the dialog', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, context, faults } = await visit(person, '/profile')
    await addAuthenticator(page)
    await press(page, 'Add a passkey')
    await page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('button', { name: 'I have kept them' }).click()
    await ageProof(opened.world, person)
    await press(page, 'Make new recovery codes')
    const proof = page.getByRole('dialog', { name: 'Please show again that it is you' })
    await proof.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await leavesNobodyOut(page)
    await proof.getByRole('button', { name: 'Use a passkey' }).click()
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    expect((await codes.locator('pre').textContent())?.split('\n')).toHaveLength(10)
    expect(faults).toEqual([])
    await context.close()
  })

  it('is done by a code that is sent on the press of a button', async () => {
    const person = await newPerson(opened.world, tenant)
    const email = 'proof@example.com'
    const key = await newSession(opened.world, person)
    const { factorId } = await call('enroll_code_factor', { channel: 'email', value: email }, key)
    await call('confirm_code_factor', { factorId, code: await codeTo(opened.world, email) }, key)
    await opened.world.sql`delete from platform.session where user_id = ${person.userId}`
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${opened.url}/login?returnTo=/profile`)
    await page.locator('#username').fill(person.userName)
    await page.locator('#password').fill(person.password)
    await page.locator('form[action="/login"] button').click()
    await page.getByRole('button', { name: /A code by e-mail/ }).click()
    await page.locator('#code').fill(await codeTo(opened.world, email))
    await page.locator('form[action="/login/code"] button').click()
    await page.waitForURL(`${opened.url}/profile`)
    await ageProof(opened.world, person)
    await press(page, 'Make new recovery codes')
    const proof = page.getByRole('dialog', { name: 'Please show again that it is you' })
    await proof.getByRole('button', { name: /^Send a code to / }).click()
    await proof.getByText(/^A code is on its way/).waitFor()
    await proof.getByLabel('Code').fill(await codeTo(opened.world, email))
    await proof.getByRole('button', { name: 'Go on' }).click()
    await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor()
    await context.close()
  })
})

describe('a reset of second factors', () => {
  it('is objected to by the button of the mailed link, and nothing is taken', async () => {
    const world = opened.world
    const global = await world.newTenant(1023)
    const person = await newPerson(world, tenant)
    const email = 'keeper@example.com'
    await world.sql`insert into platform.person_email (user_id, email) values (${person.userId}, ${email})`
    await withApp(person)
    await call('reset_user_factors', { userId: person.userId }, global.key)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(await linkTo(world, email))
    await press(page, 'Go on')
    await page.getByRole('heading', { name: 'Keep your second factors' }).waitFor()
    await leavesNobodyOut(page)
    await press(page, 'Keep them')
    await page.getByText('Your second factors stay.').waitFor()
    await world.sql`update platform.factor_reset set due_at = now() where user_id = ${person.userId}`
    expect(await carryOutFactorResets(world.platform.services)).toBe(0)
    expect(await call('list_second_factors', {}, await newSession(world, person))).toHaveLength(1)
    await context.close()
  })
})
