/** The application on the portal itself: in by its sign-in pages, in again over a page, to another tenant, and with a passkey. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openWeb } from '#server/boot/web.ts'
import { portalTexts, servedTexts } from '#server/docs/index.ts'
import { corpus } from '#tools/docs/service.ts'

import { cacheDir, leavesNobodyOut } from './support/application.ts'
import { addAuthenticator, signIn as signInAt } from './support/application-visit.ts'
import { openBrowser } from './support/browser.ts'
import { joinTenant, newPerson, type TestPerson } from './support/persons.ts'
import { newVisitor, usePortal } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

const web = await openWeb({ cacheDir })
const publicUrl = 'https://ops.example.com'
const opened = usePortal({}, ({ platform: { pipeline } }) => ({
  application: web,
  texts: portalTexts(pipeline.registry, {
    pages: corpus.pages(),
    publicUrl,
    served: servedTexts(pipeline.registry, { pages: corpus.pages(), publicUrl }),
  }),
}))

let browser: Browser
let tenant: TestTenant
let subDomain = ''

beforeAll(async () => {
  tenant = await opened.world.newTenant()
  ;({ tenantSubDomain: subDomain } = await opened.world.call('whoami', {}, { key: tenant.key }))
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const signIn = (page: Page, person: TestPerson, path: string) => signInAt(page, opened.url, person, path)

describe('the application on the portal', () => {
  it('asks for the sign-in on the page once the session is over, and saves what was typed', async () => {
    const person = await newPerson(opened.world, tenant)
    const context = await browser.newContext()
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    await signIn(page, person, '/profile')
    await page.getByLabel('Name', { exact: true }).fill('Ana in the second session')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[name=username]').fill(person.userName)
    await dialog.locator('input[name=password]').fill('not the password')
    await dialog.locator('form button').first().click()
    await dialog.getByText(/wrong/i).first().waitFor()
    await leavesNobodyOut(page)
    await dialog.locator('input[name=username]').fill(person.userName)
    await dialog.locator('input[name=password]').fill(person.password)
    await dialog.locator('form button').first().click()
    await page.getByText('Saved.').waitFor()
    const users = await opened.world.call('list_users', { search: 'second session' }, { key: tenant.key })
    expect(users).toMatchObject([{ tenantUserId: person.tenantUserId }])
    expect(complaints).toEqual([])
    await context.close()
  })

  it('leads to another tenant of the person by one choice, and two tabs hold two tenants', async () => {
    const person = await newPerson(opened.world, tenant)
    const second = await opened.world.newTenant()
    await joinTenant(opened.world, person.userId, second)
    const other = (await opened.world.call('whoami', {}, { key: second.key })).tenantSubDomain
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, person, `/t/${subDomain}`)
    await page.locator('.menu summary').click()
    await page.locator('.menu a').click()
    await page.waitForURL(new RegExp(`/t/${other}/?$`))
    await page.locator('h1').waitFor()
    const back = await context.newPage()
    await back.goto(`${opened.url}/t/${subDomain}`)
    await back.locator('h1').waitFor()
    expect([await page.locator('.menu summary').textContent(), await back.locator('.menu summary').textContent()]).toEqual([
      `Tenant: ${other}`,
      `Tenant: ${subDomain}`,
    ])
    await context.close()
  })

  it('shows the mails of this machine to a global administrator, with links of the portal alone, and to nobody else', async () => {
    const { world } = opened
    const folder = join(world.config.dataDir, 'mails')
    await mkdir(folder, { recursive: true })
    const text = `Open this link:\n\n${opened.url}/login/link#abc\n\nNot <b>this</b>: https://example.com/x`
    const mail = { at: '2026-11-21T10:00:00.000Z', to: 'ana@example.com', subject: 'Your <invitation>', text }
    await writeFile(join(folder, '2026-11-21T10-00-00-000Z-a.json'), JSON.stringify(mail))
    await writeFile(join(folder, '2026-11-21T10-00-01-000Z-b.json'), '{"half": ')
    const stranger = newVisitor(opened.url)
    expect(await stranger.open('/ops/mail')).toMatchObject({ status: 303, location: '/login?returnTo=%2Fops%2Fmail' })
    const administrator = newVisitor(opened.url)
    await administrator.signIn(await newPerson(world, tenant, ['AdminUser', 'AdminIntegration']))
    const refused = await administrator.open('/ops/mail')
    expect(refused.status).toBe(403)
    expect(refused.text).not.toContain('login/link#abc')
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, await newPerson(world, tenant, ['GlobalAdmin']), '/profile')
    await page.getByRole('link', { name: 'Mails' }).click()
    await page.getByRole('heading', { name: 'Your <invitation>' }).waitFor()
    expect(await page.locator('.letter a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      `${opened.url}/login/link#abc`,
    ])
    expect(await page.locator('.letter').textContent()).toBe(text)
    expect(await page.locator('section.card').count()).toBe(1)
    await leavesNobodyOut(page)
    await context.close()
  })

  it('sends an operation from its page, in the session or by a key', async () => {
    const person = await newPerson(opened.world, tenant)
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, person, `/t/${subDomain}/reference`)
    await page.getByLabel('Find an operation').fill('whoami')
    await page.getByRole('link', { name: 'whoami' }).click()
    const send = page.getByRole('button', { name: 'POST /api/v1/schema/whoami' })
    await send.click()
    await page.getByText(/^Answered 200/).waitFor()
    const answer = page.getByRole('group', { name: 'Answer' })
    expect(JSON.parse((await answer.textContent()) ?? '')).toMatchObject({ tenantUserId: person.tenantUserId })
    await leavesNobodyOut(page)
    await page.getByLabel('API key').fill(tenant.key)
    await send.click()
    await expect.poll(async () => JSON.parse((await answer.textContent()) ?? '{}').tenantUserId).toBe(tenant.tenantUserId)
    await page.getByLabel('API key').fill('flk_nobodys')
    await send.click()
    await page.getByText(/^Answered 401/).waitFor()
    await context.close()
  })

  it('wears the colours of its tenant, in which text can be read, and shows them to nobody without a session there', async () => {
    const { world } = opened
    const themed = await world.newTenant()
    const themedSub = (await world.call('whoami', {}, { key: themed.key })).tenantSubDomain
    await world.sql`update platform.tenant set theme = ${world.sql.json({ '--theme-primary': '#ffe000', '--theme-radius': '2px' })} where tenant_id = ${themed.tenantId}`
    const person = await newPerson(world, themed, ['AdminUser'])
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, person, `/t/${themedSub}/users`)
    await page.getByRole('button', { name: 'Invite somebody' }).waitFor()
    const token = (name: string) => page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue('${name}').trim()`)
    expect(await token('--radius')).toBe('2px')
    expect(['#17624a', '#ffe000']).not.toContain(await token('--accent'))
    await leavesNobodyOut(page)
    await context.close()
    const stranger = newVisitor(opened.url)
    await stranger.signIn(await newPerson(world, tenant))
    expect((await stranger.open(`/t/${subDomain}/theme.css`)).status).toBe(200)
    expect((await stranger.open(`/t/${themedSub}/theme.css`)).status).toBe(401)
  })

  it('tells the page who looks at it, so that it shows itself without another call, and lets no name of theirs end the script', async () => {
    const { world } = opened
    const person = await newPerson(world, tenant)
    const name = '</script><script>alert(1)</script> $& $1'
    await world.sql`update platform.tenant_user set display_name = ${name} where tenant_user_id = ${person.tenantUserId}`
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, person, '/profile')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(name)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(`${opened.url}/t/${subDomain}`)
    await page.locator('h1').waitFor()
    expect(asked).toContain(`/t/${subDomain}`)
    expect(asked.filter((path) => path.includes('/api/'))).toEqual([])
    await context.close()
  })

  it('names in each page the scripts of its room, so that none waits for another', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit', 'AdminUser', 'AdminIntegration', 'BuilderAdmin'])
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, person, '/profile')
    const parts: Readonly<Record<string, string>> = { tenant: subDomain, 'path+': 'guides/limits', operation: 'whoami' }
    const source = await readFile(new URL('../server/web/portal/app.tsx', import.meta.url), 'utf8')
    const routes = [...source.matchAll(/<Route path="([^"]+)" component=\{(\w+)\}/g)].filter(([, , component]) => component !== 'Home')
    const paths = routes.map(([, path = '']) => path.replaceAll(/:([\w+]+)/g, (_whole, name: string) => parts[name] ?? '1'))
    expect(paths.length).toBeGreaterThan(15)
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'script') asked.push(new URL(request.url()).pathname)
    })
    for (const path of paths) {
      asked.length = 0
      const answer = await page.goto(opened.url + path, { waitUntil: 'networkidle' })
      // Of a record that is not there, the room says so.
      await page.locator('main h1, [role=alert]').first().waitFor()
      const named = (await answer?.text()) ?? ''
      // Three of the application alone: its first script, what rooms share, and the room. What turns Markdown into a page comes with the first text.
      expect([path, new Set(asked).size >= 3]).toEqual([path, true])
      expect([path, asked.filter((script) => !named.includes(script) && !script.includes('markdown-it'))]).toEqual([path, []])
    }
    await context.close()
  })

  it('adds a passkey that the browser makes', async () => {
    const person = await newPerson(opened.world, tenant)
    const context = await browser.newContext()
    const page = await context.newPage()
    await addAuthenticator(page)
    await signIn(page, person, '/profile')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('button', { name: /^Remove: / }).waitFor()
    const users = await opened.world.call('get_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    expect(users).toMatchObject({ hasSecondFactor: true })
    await context.close()
  })
})
