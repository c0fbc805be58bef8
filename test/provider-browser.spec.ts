/** The card on which an administrator sets the tenant's own provider, in a browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { type ApplicationServer, leavesNobodyOut, openPage, startApplication } from './support/application.ts'
import { openBrowser } from './support/browser.ts'
import { openProvider, type TestProvider } from './support/open-id.ts'
import { newPerson, newSession } from './support/persons.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()

let browser: Browser
let server: ApplicationServer
let provider: TestProvider
let tenant: TestTenant

beforeAll(async () => {
  tenant = await world.newTenant()
  provider = await openProvider(`${world.config.portalUrl}/login/provider/callback`)
  server = await startApplication(world)
  server.session = await newSession(world, await newPerson(world, tenant, ['DataView', 'AdminUser']))
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
  await provider?.close()
})

it('shows what to register, tells what is wrong with an issuer, sets a provider and removes it', async () => {
  const { page } = await openPage(browser, server, '/t/demo/users')
  const settings = () => world.call('get_identity_provider', { tenantId: tenant.tenantId }, { key: tenant.key })
  const card = page.getByRole('region', { name: 'Sign-in by a provider of your own' })
  await card.getByText('/login/provider/callback').waitFor()
  await card.getByLabel('Issuer').fill(`${provider.issuer}/nowhere`)
  await card.getByLabel('Client id').fill(provider.clientId)
  await card.getByLabel('Client secret').fill(provider.clientSecret)
  await card.getByRole('button', { name: 'Set the provider' }).click()
  await card.getByRole('alert').waitFor()
  expect(await settings()).toMatchObject({ issuer: null })
  await card.getByLabel('Issuer').fill(provider.issuer)
  await card.getByLabel('Its second factor counts').selectOption('yes')
  await card.getByRole('button', { name: 'Set the provider' }).click()
  await card.getByRole('button', { name: 'Remove the provider' }).waitFor()
  const set = { issuer: provider.issuer, hasClientSecret: true, isRequired: false, trustsItsSecondFactor: true }
  expect(await settings()).toMatchObject(set)
  await leavesNobodyOut(page)
  await card.getByRole('button', { name: 'Remove the provider' }).click()
  // The button says that it works meanwhile, and then it is gone.
  await expect.poll(settings).toMatchObject({ issuer: null })
  await expect.poll(() => card.getByRole('button').count()).toBe(2)
  await page.context().close()
})
