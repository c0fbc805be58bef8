/** The application on the portal, and how a person in a browser comes into it. */
import type { Browser, BrowserContext, Page } from 'playwright-core'

import { openWeb } from '#server/boot/web.ts'

import { cacheDir } from './application.ts'
import type { TestPerson } from './persons.ts'
import { type TestPortal, usePortal } from './portal.ts'
import type { World } from './world.ts'

export const useApplication = (): TestPortal => usePortal({}, async () => ({ application: await openWeb({ cacheDir }) }))

/** Signs in on the portal's pages and ends at the path. */
export async function signIn(page: Page, url: string, { userName, password }: TestPerson, path: string): Promise<void> {
  await page.goto(url + path)
  await page.waitForURL(/\/login/)
  await page.locator('input[name=username]').fill(userName)
  await page.locator('input[name=password]').fill(password)
  await page.locator('main button').first().click()
  await page.waitForURL(url + path)
  await page.locator('h1').waitFor()
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page's own script did not catch. */
  readonly faults: string[]
}

/** A window of its own of the person, who signed in there. */
export async function visitAs(browser: Browser, url: string, person: TestPerson, path: string): Promise<Visit> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  await signIn(page, url, person, path)
  return { page, context, faults }
}

/** A device that has its person's finger on it. */
export async function addAuthenticator(page: Page): Promise<void> {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const
  await device.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, automaticPresenceSimulation: true } })
}

/** So that a table tells people apart. */
export async function callPerson({ sql }: World, { tenantUserId }: Pick<TestPerson, 'tenantUserId'>, displayName: string): Promise<void> {
  await sql`update platform.tenant_user set display_name = ${displayName} where tenant_user_id = ${tenantUserId}`
}

/** All sessions of the person showed half an hour ago who they are. */
export async function ageProof({ sql, platform }: World, { userId }: Pick<TestPerson, 'userId'>): Promise<void> {
  await sql`update platform.session set proved_date = now() - interval '30 minutes' where user_id = ${userId}`
  platform.services.wake.poke('credentials')
}
