/** What administrators and owners of an account do in the browser, from the button to what it changed: keys, users, invitations, factors, applications. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { leavesNobodyOut } from './support/application.ts'
import { callPerson, useApplication, visitAs } from './support/application-visit.ts'
import { openBrowser } from './support/browser.ts'
import { newGrant } from './support/grants.ts'
import { newPerson, newSession, type TestPerson } from './support/persons.ts'
import { codeTo, linkTo, newVisitor, subDomainOfTenant } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

const opened = useApplication()
let browser: Browser
let tenant: TestTenant
let sub = ''
let administrator: TestPerson

beforeAll(async () => {
  tenant = await opened.world.newTenant()
  sub = await subDomainOfTenant(opened.world, tenant)
  administrator = await newPerson(opened.world, tenant, ['DataView', 'DataEdit', 'AdminUser', 'AdminIntegration'])
  await callPerson(opened.world, administrator, 'Adele Admin')
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const visit = (person: TestPerson, path: string) => visitAs(browser, opened.url, person, path)
const call = (name: string, input: object = {}, key = tenant.key) => opened.world.call(name, input, { key })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function keyNamed(name: string) {
  const keys = await call('list_api_keys', { pageSize: 100 })
  return keys.find((one: { name: string }) => one.name === name)
}

describe('an API key', () => {
  it('gets another name, role, last day and address, and what was not touched stays', async () => {
    const allowedAddresses = ['127.0.0.0/8', '203.0.113.0/24']
    await call('create_api_key', { name: 'Tablet of the yard', roles: ['DataView'], allowedAddresses })
    const { page, context, faults } = await visit(administrator, '/ops/api-keys')
    await press(page, 'Change: Tablet of the yard')
    const dialog = page.getByRole('dialog', { name: 'Change Tablet of the yard' })
    await dialog.getByLabel('Name').fill('Tablet of the gate')
    await dialog.getByLabel('Edit', { exact: false }).check()
    await dialog.getByLabel('Expires').fill('2099-12-31')
    const addresses = dialog.getByLabel('Allowed addresses')
    await addresses.fill(`${await addresses.inputValue()} 2001:db8::/32`)
    await leavesNobodyOut(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tablet of the gate').waitFor()
    const changed = await keyNamed('Tablet of the gate')
    expect(changed).toMatchObject({ roles: ['DataView', 'DataEdit'], allowedAddresses: [...allowedAddresses, '2001:db8::/32'] })
    expect(changed.expiresAt).toMatch(/^2099-12-31|^2100-01-01/)
    await press(page, 'Change: Tablet of the gate')
    await page.getByRole('dialog').getByLabel('Name').fill('Tablet of the yard')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tablet of the yard').waitFor()
    expect(await keyNamed('Tablet of the yard')).toEqual({ ...changed, name: 'Tablet of the yard' })
    expect(faults).toEqual([])
    await context.close()
  })

  it('gets a new secret that is shown once, and the old one ends when it was said to', async () => {
    const { apiKey: old } = await call('create_api_key', { name: 'Weekly load', roles: ['DataView'] })
    const { page, context } = await visit(administrator, '/ops/api-keys')
    async function rotate(grace: string): Promise<string> {
      await press(page, 'New secret: Weekly load')
      const dialog = page.getByRole('dialog', { name: 'A new secret for Weekly load' })
      await dialog.getByLabel('The old secret stays valid for').selectOption({ label: grace })
      await dialog.getByRole('button', { name: 'New secret' }).click()
      const shown = page.getByRole('dialog', { name: 'Weekly load', exact: true })
      const secret = (await shown.locator('pre').textContent()) ?? ''
      await shown.getByRole('button', { name: 'I have kept it' }).click()
      await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
      return secret
    }
    const second = await rotate('an hour')
    for (const key of [old, second]) expect(await call('whoami', {}, key)).toMatchObject({ tenantId: tenant.tenantId })
    const third = await rotate('not at all')
    expect(await call('whoami', {}, third)).toMatchObject({ tenantId: tenant.tenantId })
    await expect(call('whoami', {}, second)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await page.content()).not.toContain(third)
    await context.close()
  })
})

describe('a user', () => {
  it('is locked, which ends what they have open, and unlocked again', async () => {
    const colleague = await newPerson(opened.world, tenant)
    await callPerson(opened.world, colleague, 'Lara Lock')
    const theirs = await visit(colleague, '/profile')
    const { page, context } = await visit(administrator, `/t/${sub}/users`)
    await press(page, 'Lock: Lara Lock')
    await page.getByRole('button', { name: 'Unlock: Lara Lock' }).waitFor()
    await page.getByLabel('Show', { exact: true }).selectOption({ label: 'Locked' })
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await theirs.page.getByRole('button', { name: 'Save' }).first().click()
    await theirs.page.getByRole('dialog', { name: 'Please sign in again' }).waitFor()
    await page.getByRole('button', { name: 'Unlock: Lara Lock' }).click()
    await page.getByText('Nobody here fits.').waitFor()
    expect(await call('get_user', { tenantUserId: colleague.tenantUserId })).toMatchObject({ isLocked: false })
    await context.close()
    await theirs.context.close()
  })

  it('is given a role and loses one, and their next page has the rooms of it', async () => {
    const colleague = await newPerson(opened.world, tenant, ['DataView'])
    await callPerson(opened.world, colleague, 'Rosa Role')
    const theirs = await visit(colleague, '/profile')
    expect(await theirs.page.getByRole('link', { name: 'Users' }).count()).toBe(0)
    const { page, context } = await visit(administrator, `/t/${sub}/users`)
    await press(page, 'Roles: Rosa Role')
    const dialog = page.getByRole('dialog', { name: 'Roles of Rosa Role' })
    await leavesNobodyOut(page)
    await dialog.getByLabel('User administration').check()
    await dialog.getByLabel('View').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await call('get_user', { tenantUserId: colleague.tenantUserId })).toMatchObject({ roles: ['AdminUser'] })
    await theirs.page.reload()
    await theirs.page.getByRole('link', { name: 'Users' }).waitFor()
    expect(await theirs.page.getByRole('link', { name: 'Records' }).count()).toBe(0)
    await context.close()
    await theirs.context.close()
  })
})

describe('an invitation', () => {
  it('is sent again, is copied to be handed over, and is cancelled; of each only the latest opens', async () => {
    const email = 'ivo@example.com'
    const { tenantUserId } = await call('create_user', { email, displayName: 'Ivo Invited', roles: ['DataView'] })
    await call('invite_user', { tenantUserId })
    const first = await linkTo(opened.world, email)
    const { page, context } = await visit(administrator, `/t/${sub}/users`)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    /** What its page says to whoever presses the button. */
    const statusOf = async (link: string) => {
      const visitor = newVisitor(opened.url)
      return (await visitor.submit(await visitor.open('/login/link'), '/login/link', { token: link })).status
    }
    await press(page, 'Send again: Ivo Invited')
    await page.getByText(`Sent to ${email}.`).waitFor()
    const second = await linkTo(opened.world, email)
    expect([await statusOf(first), await statusOf(second)]).toEqual([410, 200])
    await press(page, 'Link to hand over: Ivo Invited')
    const dialog = page.getByRole('dialog', { name: 'Invitation of Ivo Invited' })
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await dialog.getByText('Copied').waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toContain(`${opened.url}/login/link#`)
    expect([await statusOf(second), await statusOf(copied)]).toEqual([410, 200])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await press(page, 'Cancel invitation: Ivo Invited')
    await page.getByText('The invitation is cancelled.').waitFor()
    expect(await statusOf(copied)).toBe(410)
    await context.close()
  })
})

describe('codes as a second factor', () => {
  it.for([
    ['Codes by e-mail', 'E-mail', 'pia@example.com', 'email'],
    ['Codes by SMS', 'Phone, with its country code', '+34612000999', 'sms'],
  ] as const)('are enrolled in the dialog, told of what is wrong with them: %s', async ([kind, label, address, channel]) => {
    const person = await newPerson(opened.world, tenant)
    const { page, context, faults } = await visit(person, '/profile')
    await press(page, 'Add codes by e-mail or SMS')
    const dialog = page.getByRole('dialog', { name: 'Add codes by e-mail or SMS' })
    await dialog.getByLabel('How the codes come').selectOption({ label: kind })
    await dialog.getByLabel(label).fill(channel === 'sms' ? '12' : 'a@b')
    await dialog.getByRole('button', { name: 'Send a code' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(label).fill(address)
    await dialog.getByRole('button', { name: 'Send a code' }).click()
    await dialog.getByText(/^A code is on its way to /).waitFor()
    await leavesNobodyOut(page)
    const code = await codeTo(opened.world, address)
    await dialog.getByLabel('Code').fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'))
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Code').fill(code)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('button', { name: 'I have kept them' }).click()
    await page.getByRole('button', { name: /^Remove: / }).waitFor()
    expect(await call('list_second_factors', {}, await newSession(opened.world, person))).toMatchObject([{ channel }])
    expect(faults).toEqual([])
    await context.close()
  })
})

describe('an application that was let in', () => {
  it('is named in the profile with what it may do, and ends at once', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit'])
    const resource = `${opened.world.config.publicUrl}/mcp`
    await newGrant(opened.world, person, ['DataView'], resource)
    const { page, context } = await visit(person, '/profile')
    await page.getByText('host.example.com').waitFor()
    await press(page, 'End: A host')
    await leavesNobodyOut(page)
    await page.getByRole('dialog', { name: 'End what A host may do?' }).getByRole('button', { name: 'End', exact: true }).click()
    await expect.poll(() => page.getByText('host.example.com').count()).toBe(0)
    expect(await call('list_connected_apps', {}, await newSession(opened.world, person))).toEqual([])
    await context.close()
  })
})
