/** What the application shows where something stands in the way: a role that lacks, a record that is gone, a network that fails, a file on its way, a long name. */
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { rolesFor } from '#server/web/portal/room-roles.rules.ts'

import { openBrowser } from './support/browser.ts'
import { type ApplicationServer, leavesNobodyOut, openPage, picture, startApplication } from './support/application.ts'
import { joinTenant, newPerson, newSession } from './support/persons.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
const longName = 'Gesellschaft für Anlagenwartung und Instandhaltung Oberbayern mbH & Co. KG'
const longWord = 'Sicherheitsüberprüfungsprotokollverantwortlicher'

let browser: Browser
let server: ApplicationServer
let tenant: TestTenant
let key = ''
let record = 0
let workers = ''

beforeAll(async () => {
  tenant = await world.newTenant()
  key = tenant.key
  await world.sql`update platform.tenant set name = ${longName} where tenant_id = ${tenant.tenantId}`
  for (const property of [
    { internalName: 'Title', dataType: 'Text', displays: [{ name: 'What to do' }] },
    { internalName: 'Reason', dataType: 'Text', displays: [{ name: `Begründung des Herrn ${longWord}` }] },
    { internalName: 'Photos', dataType: 'Attachment' },
  ])
    await call('create_property', property, { key })
  const properties = [{ property: 'Title' }, { property: 'Reason' }, { property: 'Photos', isList: true }]
  await call('create_entity', { internalName: 'Job', displays: [{ name: 'Job' }], properties }, { key })
  for (const internalName of ['Supplier', 'Secret'])
    await call('create_entity', { internalName, displays: [{ name: internalName }], properties: [{ property: 'Title' }] }, { key })
  for (const peerEntity of ['Supplier', 'Secret']) await call('attach_peer_entity', { entity: 'Job', peerEntity }, { key })
  await call('set_entity_access', { entity: 'Secret', rules: [{ role: 'BuilderAdmin', read: true }] }, { key })
  const data = { Title: 'Oil the hinge', Reason: longWord }
  ;({ eiRecordId: record } = await call('save_instance', { entity: 'Job', key1: 'J-1', data }, { key }))
  server = await startApplication(world)
  browser = await openBrowser()
  workers = await newSession(world, await newPerson(world, tenant, ['DataView', 'DataEdit', 'FileEdit']))
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})

const open = (path: string, look = {}) => openPage(browser, server, path, look)
const again = (page: Page) => page.getByRole('button', { name: 'Try again' })

describe('a page whose answer is refused', () => {
  it('is a page all the same, which says why, offers a way on, and does not offer to try in vain', async () => {
    server.session = workers
    for (const path of [
      'records/Job/999999',
      'records/Job/999999/edit',
      'records/Nothing',
      'conversations/999999',
      'docs/guides/nothing',
    ]) {
      const { page } = await open(`/t/demo/${path}`)
      expect([path, await page.locator('h1').textContent()]).toEqual([path, 'There is no such page'])
      expect(await again(page).count()).toBe(0)
      await page.locator('main').getByRole('link', { name: 'Start' }).waitFor()
      await leavesNobodyOut(page)
      await page.context().close()
    }
  })

  it('offers to try again where that may help, and shows itself once it does', async () => {
    server.session = workers
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.route(`**/instances/${record}`, (route: Route) => route.abort(), { times: 1 })
    await page.goto(`${server.url}/t/demo/records/Job/${record}`)
    await page.getByRole('heading', { name: 'That did not work' }).waitFor()
    await leavesNobodyOut(page)
    await again(page).click()
    await page.getByRole('heading', { name: 'J-1' }).waitFor()
    await context.close()
  })
})

describe('what a person may not read', () => {
  it('is told from what failed, in a tab of a record', async () => {
    server.session = workers
    const context = await browser.newContext()
    const page = await context.newPage()
    const problem = {
      type: 'about:blank',
      title: 'Not allowed',
      status: 403,
      detail: 'It needs another role.',
      code: 'forbidden',
      requestId: 'r',
    }
    await page.route('**/peers/list', (route: Route) => route.fulfill({ status: 403, json: problem }), { times: 1 })
    await page.goto(`${server.url}/t/demo/records/Job/${record}?show=with-Supplier`)
    await page.getByText('You may not see this: a role is missing').waitFor()
    await page.getByText('It needs another role.').waitFor()
    expect(await again(page).count()).toBe(0)
    await page.route('**/peers/list', (route: Route) => route.abort(), { times: 1 })
    await page.reload()
    await page.getByText('The server was not reached').waitFor()
    await again(page).click()
    await page.getByText('It is linked with none yet.').waitFor()
    await context.close()
  })

  it('is not called empty where access rules keep it back', async () => {
    server.session = workers
    for (const path of [`records/Job/${record}?show=with-Secret`, 'records/Secret']) {
      const { page } = await open(`/t/demo/${path}`)
      await page.getByText('You may not see this').waitFor()
      expect(await page.getByText(/none yet/).count()).toBe(0)
      await page.context().close()
    }
  })

  it('is a room that names the role which lacks, in place of refusals', async () => {
    const administrator = await newSession(world, await newPerson(world, tenant, ['AdminUser']))
    const told = [
      { session: workers, path: '/t/demo/users', role: 'the role “User administration”' },
      { session: workers, path: '/ops/api-keys', role: 'the role “Integrations”' },
      { session: workers, path: '/t/demo/define', role: 'the role “Builder”' },
      { session: administrator, path: `/t/demo/records/Job/${record}`, role: 'the role “View”' },
      { session: administrator, path: '/t/demo/records/Job/new', role: 'the roles “View” and “Edit”' },
      { session: administrator, path: '/t/demo/conversations', role: 'the role “View”' },
    ]
    for (const { session, path, role } of told) {
      server.session = session
      const { page, complaints } = await open(path)
      await page.getByText(role).waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      await leavesNobodyOut(page)
      expect(complaints).toEqual([])
      await page.context().close()
    }
    server.session = administrator
    const { page } = await open('/t/demo/users')
    await page.getByRole('button', { name: 'Invite somebody' }).waitFor()
    await page.context().close()
  })

  it('leaves open what is everybody’s', () => {
    expect(
      ['/', '/profile', '/t/demo/inbox', '/t/demo/docs/guides/users', '/t/demo/records', '/t/demo/reference'].flatMap(rolesFor),
    ).toEqual([])
    expect(rolesFor('/t/demo/records/Job/712/edit')).toEqual(['DataView', 'DataEdit'])
    expect(rolesFor('/t/demo/records/users')).toEqual(['DataView'])
  })
})

describe('a search', () => {
  it('asks anew for the same words, since what is there may have changed', async () => {
    server.session = await newSession(world, await newPerson(world, tenant, ['DataView', 'AdminUser']))
    const rooms = [
      { path: '/t/demo/users', label: 'Name, e-mail or phone', asks: '/tenants/users/list' },
      { path: '/t/demo/records', label: 'Search in all records', asks: '/instances/search' },
      { path: '/t/demo/docs', label: 'Ask in your own words', asks: '/docs/search' },
    ]
    for (const { path, label, asks } of rooms) {
      const { page } = await open(path)
      await page.getByLabel(label).fill('hinge')
      await page.waitForLoadState('networkidle')
      for (let time = 0; time < 2; time++) {
        const asked = page.waitForResponse((response) => response.url().endsWith(asks), { timeout: 10_000 })
        await page.getByRole('button', { name: 'Search' }).click()
        expect([path, time, (await asked).status()]).toEqual([path, time, 200])
      }
      await page.context().close()
    }
  })
})

describe('a file on its way', () => {
  it('keeps what is typed meanwhile, and is waited for before the record is saved', async () => {
    server.session = workers
    const { page } = await open('/t/demo/records/Job/new')
    let arrive: () => void = () => undefined
    const line = new Promise<void>((resolve) => (arrive = resolve))
    await page.route('**/api/v1/assets', async (route: Route) => {
      await line
      await route.continue()
    })
    const saves: string[] = []
    page.on('request', (request) => void (request.url().endsWith('/instances') && saves.push(request.url())))
    await page.getByLabel('What to do').fill('Before')
    await page.getByLabel('Photos').setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('The hinge is dry.') })
    await page.getByText('The file is on its way').waitFor()
    await page.getByLabel('What to do').fill('Typed meanwhile')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.evaluate<string>("document.querySelector('input[type=file]').validationMessage")).toBe('The file is on its way…')
    expect(saves).toEqual([])
    arrive()
    await page.getByRole('link', { name: 'note.txt' }).waitFor()
    expect(await page.getByLabel('What to do').inputValue()).toBe('Typed meanwhile')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    const made = Number(/\/(\d+)$/.exec(new URL(page.url()).pathname)?.[1])
    const { data } = await call('get_instance', { entity: 'Job', record: made }, { key })
    expect(data).toMatchObject({ Title: 'Typed meanwhile', Photos: [expect.any(String)] })
    await page.context().close()
  })
})

describe('long names', () => {
  const widthOf = async (page: Page, selector: string) => (await page.locator(selector).first().boundingBox())?.width ?? 0
  const heightOf = async (page: Page, selector: string) => (await page.locator(selector).first().boundingBox())?.height ?? 0

  it('leave a value the room to be read, on a phone as on a desk', async () => {
    server.session = workers
    for (const width of [360, 1280]) {
      const { page } = await open(`/t/demo/records/Job/${record}`, { width })
      expect([width, (await widthOf(page, '.facts dd')) > 200]).toEqual([width, true])
      await leavesNobodyOut(page)
      await picture(page, `long-${width}`)
      await page.context().close()
    }
  })

  it('take one line of the bar, which shows on a phone in which room one is', async () => {
    server.session = await newSession(world, await newPerson(world, tenant, ['DataView', 'AdminUser', 'AdminIntegration', 'BuilderAdmin']))
    for (const [path, room] of [
      ['/ops/api-keys', 'API keys'],
      ['/t/demo/define', 'Records'],
      ['/t/demo/conversations', 'Inbox'],
    ] as const) {
      const { page } = await open(path, { width: 360 })
      const current = page.locator('nav [aria-current]')
      expect(await current.textContent()).toBe(room)
      const box = await current.boundingBox()
      expect([path, (box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 360]).toEqual([path, true])
      expect(await heightOf(page, 'header.bar')).toBeLessThan(130)
      await page.context().close()
    }
  })

  it('leave the rows of a table low enough to look through', async () => {
    for (let at = 0; at < 3; at++)
      await call('create_user', { email: `low-${at}@example.com`, displayName: `Nina ${longWord} ${at}`, roles: ['DataView'] }, { key })
    const { page } = await open('/t/demo/users')
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(3)
    expect(await heightOf(page, 'tbody tr:last-child')).toBeLessThan(160)
    await page.context().close()
  })
})

describe('the menu of tenants', () => {
  it('is closed by Escape, which gives the place back, and by a press elsewhere', async () => {
    const person = await newPerson(world, tenant)
    const other = await world.newTenant()
    await world.sql`update platform.tenant set name = ${`${longName} ${longWord}`} where tenant_id = ${other.tenantId}`
    await joinTenant(world, person.userId, other)
    server.session = await newSession(world, person)
    const { page } = await open('/t/demo/docs', { width: 360 })
    const menu = page.locator('details.menu')
    const link = menu.getByRole('link', { name: longWord })
    await menu.locator('summary').press('Enter')
    await link.waitFor()
    await leavesNobodyOut(page)
    await link.focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => link.isVisible()).toBe(false)
    expect(await page.evaluate<string>('document.activeElement.localName')).toBe('summary')
    await menu.locator('summary').press('Enter')
    await link.waitFor()
    await page.mouse.click(4, 850)
    await expect.poll(() => link.isVisible()).toBe(false)
    await page.context().close()
  })
})
