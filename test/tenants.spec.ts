/** Tenants: provisioned whole, suspended at once, and the first one at the first boot. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { verifyPassword } from '#platform/passwords.ts'
import { flagOf, tenantAdminRoles } from '#platform/roles.ts'
import { provisionFirstTenant } from '#tools/tenants/service.ts'
import { hostOf } from '#tools/tenants/tenants.rules.ts'

import { refused } from './support/refused.ts'
import { openWorld, type TestTenant, useWorld, type World } from './support/world.ts'

const world = useWorld()
let call: World['call']
let global: TestTenant
beforeAll(async () => {
  global = await world.newTenant(flagOf(['GlobalAdmin', 'AdminIntegration', 'DataView']))
  call = (name, input, options) => world.call(name, input, { key: global.key, ...options })
})

let counter = 0
const provision = (more: Record<string, unknown> = {}) => {
  const subDomain = `tenant${++counter}`
  return call('provision_tenant', {
    name: `Tenant ${counter}`,
    subDomain,
    initialAdmin: { email: `boss@${subDomain}.example`, userName: `boss-${subDomain}` },
    ...more,
  })
}

describe('provisioning', () => {
  it('makes a tenant with its key and an administrator of the nine roles, which the caller need not hold', async () => {
    const made = await provision({ description: 'Lifts', cssJson: '{"--theme-primary": "#17624a", "--theme-gap": 8}' })
    expect(made).toMatchObject({
      subDomain: 'tenant1',
      host: 'tenant1.localhost',
      description: 'Lifts',
      verticalId: null,
      isDeactivated: 0,
      userCount: 1,
      logoKey: null,
      activeEnd: '9999-12-31T00:00:00.000Z',
      initialAdmin: { userName: 'boss-tenant1', email: 'boss@tenant1.example' },
    })
    expect(await call('get_tenant', { tenantId: made.tenantId })).toMatchObject({
      languageCode: 'en-US',
      cssJson: { '--theme-primary': '#17624a', '--theme-gap': '8px' },
    })
    const [admin] =
      await world.sql`select role_flag, is_locked from platform.tenant_user where tenant_user_id = ${made.initialAdmin.tenantUserId}`
    expect(admin).toEqual({ roleFlag: tenantAdminRoles, isLocked: false })
    const [tenant] = await world.sql`select sealed_key from platform.tenant where tenant_id = ${made.tenantId}`
    const { secrets } = world.platform.services
    const sealed = { tenantId: made.tenantId, sealedKey: tenant?.['sealedKey'] as Buffer }
    expect(secrets.unsealText(sealed, 'x', secrets.sealText(sealed, 'x', 'secret'))).toBe('secret')
    const key = await call('create_api_key', { name: 'first', roles: ['DataView'], tenantId: made.tenantId })
    expect(await world.platform.pipeline.identify({ kind: 'bearer', token: key.apiKey })).toMatchObject({ tenantId: made.tenantId })
  })

  it('keeps sub-domain and host in lower case and answers 409 where one is taken', async () => {
    const made = await provision({ subDomain: 'MixedCase', host: 'Fields.Example.COM' })
    expect(made).toMatchObject({ subDomain: 'mixedcase', host: 'fields.example.com' })
    await expect(provision({ subDomain: 'mixedCASE' })).rejects.toMatchObject(refused('already_exists', /sub-domain/))
    await expect(provision({ host: 'fields.example.com' })).rejects.toMatchObject(refused('already_exists', /host/))
    await expect(provision({ host: 'tenant1.localhost' })).rejects.toMatchObject(refused('already_exists', /host/))
    await provision({ subDomain: 'far', host: 'near.localhost' })
    await expect(provision({ subDomain: 'near' })).rejects.toMatchObject(refused('already_exists', /host/))
    const { resultData } = await call('list_tenants', { search: 'tenant 3' })
    expect(resultData).toEqual([])
  })

  it('makes each administrator a person of their own, whatever address is written down', async () => {
    const [one, two] = [
      await provision({ initialAdmin: { email: 'same@x.example' } }),
      await provision({ initialAdmin: { email: 'Same@X.example' } }),
    ]
    expect(two.initialAdmin).toMatchObject({ userName: 'same@x.example' })
    expect(two.initialAdmin.userId).not.toBe(one.initialAdmin.userId)
  })

  it('computes the host of a tenant that has none of its own, so that it follows TENANT_DOMAIN', async () => {
    const { tenantId } = await provision({ subDomain: 'computed' })
    const [row] = await world.sql`select host from platform.tenant where tenant_id = ${tenantId}`
    expect(row).toEqual({ host: null })
    const { apiKey: key } = await call('create_api_key', { name: 'k', roles: [], tenantId })
    expect(await call('whoami', {}, { key })).toMatchObject({ tenantHost: 'computed.localhost' })
    const config = loadConfig({ PORTAL_URL: 'https://portal.example.com' })
    expect(config).toMatchObject({ tenantDomain: 'portal.example.com', portalUrl: 'https://portal.example.com' })
    expect(hostOf({ host: null, subDomain: 'computed' }, config.tenantDomain)).toBe('computed.portal.example.com')
  })

  it.each([
    ['a sub-domain with a dot', { subDomain: 'a.b' }, '$.subDomain'],
    ['a sub-domain that the installation keeps for itself', { subDomain: 'Login' }, '$.subDomain'],
    ['a host that is the installation’s own', { host: 'LOCALHOST' }, '$.host'],
    ['a host that the installation keeps for itself', { host: 'Login.localhost' }, '$.host'],
    ['a host with a port', { host: 'x.example:80' }, '$.host'],
    ['an e-mail that is none', { initialAdmin: { email: 'boss' } }, '$.initialAdmin.email'],
    ['a theme that is no object', { cssJson: '[1]' }, '$.cssJson'],
    ['a variable that is no theme variable', { cssJson: { '--theme-primry': 'red' } }, '$.cssJson.--theme-primry'],
    ['a colour that text cannot be read in', { cssJson: { '--theme-accent': '#0a5' } }, '$.cssJson.--theme-accent'],
    ['a value that leaves its declaration', { cssJson: { '--theme-x': 'red; } body {' } }, '$.cssJson.--theme-x'],
    ['a value that fetches', { cssJson: { '--theme-x': 'url(//evil)' } }, '$.cssJson.--theme-x'],
    ['an unknown field of the administrator', { initialAdmin: { email: 'a@x.example', username: 'b' } }, '$.initialAdmin.username'],
  ])('refuses %s', async (_what, more, path) => {
    await expect(provision(more)).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path }] })
  })

  it("is a global administrator's alone, for every operation", async () => {
    for (const name of ['provision_tenant', 'list_tenants', 'get_tenant', 'suspend_tenant', 'activate_tenant']) {
      await expect(call(name, { tenantId: global.tenantId }, { key: world.tenant.key }), name).rejects.toMatchObject(
        refused('forbidden', /GlobalAdmin/),
      )
    }
  })
})

describe('listing and reading', () => {
  it('answers the envelope, with people counted and pages by cursor', async () => {
    const made = await provision()
    await call('create_api_key', { name: 'no person', roles: [], tenantId: made.tenantId })
    const all = await call('list_tenants')
    expect(all).toMatchObject({ returnValue: 0, totalCount: all.resultData.length })
    expect(all.resultData.find((tenant: { tenantId: number }) => tenant.tenantId === made.tenantId)).toMatchObject({ userCount: 1 })
    const first = await call('list_tenants', { pageSize: 2 })
    expect(first.resultData).toEqual(all.resultData.slice(0, 2))
    const second = await call('list_tenants', { pageSize: 2, cursor: first.nextCursor, includeTotal: false })
    expect(second.resultData).toEqual(all.resultData.slice(2, 4))
    expect(second).not.toHaveProperty('totalCount')
    expect((await call('list_tenants', { search: made.name.toUpperCase() })).resultData).toHaveLength(1)
  })

  it('answers 404 for a tenant that is not there', async () => {
    for (const name of ['get_tenant', 'suspend_tenant', 'activate_tenant'])
      await expect(call(name, { tenantId: 2_000_000_000 }), name).rejects.toMatchObject(refused('not_found'))
  })
})

describe('suspending', () => {
  it('refuses every call of the tenant at once, keeps its data, and lets it in again', async () => {
    const tenant = await world.newTenant()
    const { tenantUserId } = await world.call('create_user', { email: 'kept@x.example' }, { key: tenant.key })
    expect(await call('suspend_tenant', { tenantId: tenant.tenantId })).toMatchObject({ tenantId: tenant.tenantId, isDeactivated: 1 })
    await expect(world.call('list_roles', {}, { key: tenant.key })).rejects.toMatchObject(refused('tenant_suspended'))
    expect(await call('suspend_tenant', { tenantId: tenant.tenantId })).toMatchObject({ isDeactivated: 1 })
    expect(await call('activate_tenant', { tenantId: tenant.tenantId })).toMatchObject({ isDeactivated: 0 })
    expect(await world.call('get_user', { tenantUserId }, { key: tenant.key })).toMatchObject({ email: 'kept@x.example' })
  })

  it("does not suspend one's own tenant", async () => {
    await expect(call('suspend_tenant', { tenantId: global.tenantId })).rejects.toMatchObject(refused('conflict', /yourself/))
    expect(await call('get_tenant', { tenantId: global.tenantId })).toMatchObject({ isDeactivated: 0 })
  })
})

describe('the first boot', () => {
  let fresh: World
  beforeAll(async () => {
    fresh = await openWorld()
    await fresh.sql`truncate platform.tenant, platform.app_user cascade`
  })
  afterAll(() => fresh?.close())

  it('provisions demo once, whoever boots beside it, and a second boot changes nothing', async () => {
    const { services, pipeline } = fresh.platform
    const given = { apiKey: 'a-bootstrap-key-of-an-operator', adminPassword: 'a long password' }
    const boots = await Promise.all(Array.from({ length: 4 }, () => provisionFirstTenant(services, given)))
    expect(boots.filter((boot) => boot.created)).toEqual([{ created: true, ...given }])
    expect(boots.filter((boot) => !boot.created)).toEqual([{ created: false }, { created: false }, { created: false }])
    const actor = await pipeline.identify({ kind: 'bearer', token: given.apiKey })
    expect(actor).toMatchObject({ roleFlag: 1023, displayName: 'Bootstrap' })
    const { resultData } = await fresh.call('list_tenants', {}, { key: given.apiKey })
    expect(resultData).toMatchObject([{ tenantId: actor.tenantId, subDomain: 'demo', host: 'demo.localhost', userCount: 1 }])
    expect(await fresh.call('list_users', {}, { key: given.apiKey })).toMatchObject([{ userName: 'admin', roleFlag: tenantAdminRoles }])
    const keys = await fresh.call('list_api_keys', {}, { key: given.apiKey })
    expect(keys).toMatchObject([{ name: 'Bootstrap', prefix: 'a-bo' }])
    const before = await fresh.sql`select password_hash from platform.app_user where user_name = 'admin'`
    expect(await verifyPassword(given.adminPassword, String(before[0]?.['passwordHash']))).toBe(true)
    expect(await verifyPassword('another', String(before[0]?.['passwordHash']))).toBe(false)
    expect(await provisionFirstTenant(services, { apiKey: 'another-key-of-an-operator', adminPassword: 'another' })).toEqual({
      created: false,
    })
    await expect(pipeline.identify({ kind: 'bearer', token: 'another-key-of-an-operator' })).rejects.toMatchObject(
      refused('unauthenticated'),
    )
    expect(await fresh.sql`select password_hash from platform.app_user where user_name = 'admin'`).toEqual(before)
  })

  it('makes key and password where none are given', async () => {
    await fresh.sql`truncate platform.tenant, platform.app_user cascade`
    const { apiKey, adminPassword, created } = await provisionFirstTenant(fresh.platform.services)
    expect(created).toBe(true)
    expect(await fresh.platform.pipeline.identify({ kind: 'bearer', token: apiKey ?? '' })).toMatchObject({ roleFlag: 1023 })
    const [row] = await fresh.sql`select password_hash from platform.app_user where user_name = 'admin'`
    expect(await verifyPassword(adminPassword ?? '', String(row?.['passwordHash']))).toBe(true)
  })
})
