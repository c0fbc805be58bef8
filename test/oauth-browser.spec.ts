/** The page of consent in a real browser: it leads where the application is and nowhere else, works by the keyboard and without a script, and is for everybody. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { resolve } from 'node:path'

import type { AxeResults } from 'axe-core'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { roleBits } from '#platform/roles.ts'

import { addAuthenticator, ageProof } from './support/application-visit.ts'
import { registerClient } from './support/authorization.ts'
import { openBrowser } from './support/browser.ts'
import { type HostWorld, openHostWorld } from './support/host-visit.ts'
import { portOf } from './support/mcp-server.ts'
import { newPerson } from './support/persons.ts'
import { subDomainOfTenant } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

const axe = readFileSync(resolve(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')

let opened: HostWorld
let browser: Browser
let tenant: TestTenant
let host: Server
const heard: string[] = []
beforeAll(async () => {
  opened = await openHostWorld()
  tenant = await opened.world.newTenant()
  browser = await openBrowser()
  host = createServer((request, response) => {
    heard.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'text/plain' }).end('You may close this window.')
  })
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  await browser?.close()
  await new Promise((done) => host.close(done))
  await opened?.close()
})

describe('a person who lets an application in', () => {
  it.each([
    ['wide and light', { width: 1280, colorScheme: 'light', locale: 'en-GB' }],
    ['narrow, dark and in German', { width: 360, colorScheme: 'dark', locale: 'de-DE' }],
  ] as const)(
    'signs in, looks and is led back, with the keyboard alone and no script: %s',
    async (_what, { width, colorScheme, locale }) => {
      const callback = `http://127.0.0.1:${portOf(host)}/callback`
      const client = await registerClient(opened, { redirect_uris: [callback], client_name: 'Claude Code' })
      const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit', 'FileEdit', 'DataDelete', 'AdminUser'])
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale, javaScriptEnabled: false })
      const page = await context.newPage()
      await page.goto(client.authorize({ scope: 'DataView DataEdit FileEdit' }).url.href)
      await page.locator('#username').fill(person.userName)
      await page.locator('#password').fill(person.password)
      await page.keyboard.press('Enter')
      await page.locator('#access-own').waitFor()
      expect(await page.locator('#access-work').isChecked()).toBe(true)
      expect(await page.locator('#role-DataDelete').isChecked()).toBe(false)
      // The library that looks for faults needs a script, so it looks at the same page in a context that has them.
      const looking = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme,
        locale,
        storageState: await context.storageState(),
      })
      const seen = await looking.newPage()
      await seen.goto(page.url())
      await seen.evaluate(axe)
      const { violations, passes } = await seen.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
      expect(passes.length).toBeGreaterThan(8)
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([])
      expect(await seen.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
      const { SHOTS } = process.env
      if (SHOTS !== undefined) await seen.screenshot({ path: `${SHOTS}/consent-${width}-${colorScheme}.png`, fullPage: true })
      await looking.close()
      const before = heard.length
      await page.locator('button[value="allow"]').focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(`${callback}**`)
      expect(new URL(page.url()).searchParams.get('code')).toMatch(/^flc_/)
      expect(heard.length).toBeGreaterThan(before)
      await context.close()
    },
  )

  it('gives an administrator’s role by a passkey, after another way and back, and what was ticked stays', async () => {
    const callback = `http://127.0.0.1:${portOf(host)}/callback`
    const client = await registerClient(opened, { redirect_uris: [callback], client_name: 'Claude Code' })
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit', 'AdminUser'])
    const context = await browser.newContext()
    const page = await context.newPage()
    await addAuthenticator(page)
    const sub = await subDomainOfTenant(opened.world, tenant)
    await page.goto(`${opened.issuer}/login`)
    await page.locator('#username').fill(person.userName)
    await page.locator('#password').fill(person.password)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${opened.issuer}/t/${sub}`)
    const enrolled = await page.evaluate<number>(`(async () => {
      const post = (path, body) => fetch('/t/${sub}/api/v1/auth/passkeys/' + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
      const { factorId, options } = await (await post('enroll', {})).json()
      const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      return (await post('confirm', { factorId, credential: credential.toJSON() })).status
    })()`)
    expect(enrolled).toBe(200)
    await ageProof(opened.world, person)
    await page.goto(client.authorize({ scope: 'DataView' }).url.href)
    await page.locator('#access-own').check()
    await page.locator('#role-AdminUser').check()
    // The enter key lets it in by what is typed: the passkey has a button of its own.
    expect(await page.locator('form button').evaluateAll((buttons) => buttons.map((one) => one.getAttribute('value')))).toEqual([
      'allow',
      'passkey',
      'refuse',
    ])
    await page.route('**/passkey.js', (route) => route.abort())
    await page.getByRole('button', { name: 'Let it in by a passkey' }).click()
    await page.getByRole('button', { name: 'Other ways' }).click()
    expect(await page.locator('#role-AdminUser').isChecked()).toBe(true)
    await page.unroute('**/passkey.js')
    await page.getByRole('button', { name: 'Let it in by a passkey' }).click()
    await page.waitForURL(`${callback}**`)
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^flc_/)
    const [grant] = await opened.world.sql`select role_flag from platform.oauth_grant where tenant_user_id = ${person.tenantUserId}`
    expect(grant).toEqual({ roleFlag: roleBits.DataView | roleBits.AdminUser })
    await context.close()
  })
})
