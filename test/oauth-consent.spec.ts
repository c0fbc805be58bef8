/** The page on which a person lets an application in. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { AppError } from '#platform/errors.ts'

import { type AppHost, startAppHost } from './support/app-host.ts'
import { clientOf, registerClient, type TestClient } from './support/authorization.ts'
import { type HostWorld, letIn, openConsent, openHostWorld, press } from './support/host-visit.ts'
import { joinTenant, newPerson, type TestPerson } from './support/persons.ts'
import { newVisitor, type Shown, subDomainOfTenant, type Visitor } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

let opened: HostWorld
let host: AppHost
let tenant: TestTenant
let client: TestClient
beforeAll(async () => {
  host = await startAppHost()
  opened = await openHostWorld()
  tenant = await opened.world.newTenant()
  client = await registerClient(opened)
})
afterAll(async () => {
  await opened?.close()
  await host?.close()
})

const everyRole = [
  'BuilderAdmin',
  'DataView',
  'DataImport',
  'DataEdit',
  'DataDelete',
  'FileEdit',
  'AdminUser',
  'AdminIntegration',
  'AdminCSS',
] as const
const ticked = ({ text }: Shown) => [...text.matchAll(/name="role" id="role-(\w+)" value="\w+" checked/g)].map((match) => match[1])
const offered = ({ text }: Shown) => [...text.matchAll(/name="role" id="role-(\w+)"/g)].map((match) => match[1])
const accessOf = ({ text }: Shown) => /name="access" id="access-\w+" value="(\w+)" checked/.exec(text)?.[1]
const grantsOf = ({ tenantUserId }: { tenantUserId: number }) =>
  opened.world.sql`select role_flag, tenant_id, redirect_host from platform.oauth_grant where tenant_user_id = ${tenantUserId}`

async function shown(person: TestPerson, more: Record<string, string> = {}, of = client): Promise<{ page: Shown; visitor: Visitor }> {
  const visitor = newVisitor(opened.issuer)
  return { page: await openConsent(opened, visitor, of.authorize(more).url, person), visitor }
}

describe('the page of consent', () => {
  it('comes after signing in, and says who asks, where it leads, the tenant and the account', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit'])
    const { page } = await shown(person)
    expect(page.status).toBe(200)
    const [row] = await opened.world.sql`select name from platform.tenant where tenant_id = ${tenant.tenantId}`
    for (const fact of [
      'A host of tests',
      'it registered itself',
      '127.0.0.1',
      'program on this computer',
      String(row?.['name']),
      person.userName,
    ])
      expect(page.text).toContain(fact)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:3334;")
    expect([page.headers.get('cache-control'), page.headers.get('x-frame-options'), page.headers.get('referrer-policy')]).toEqual([
      'no-store',
      'DENY',
      'no-referrer',
    ])
    expect(page.text).not.toMatch(/<img|<script/)
  })

  it('says the host of a document, and warns of nothing where it leads to https', async () => {
    const id = host.publish('/shown', { client_name: '<b>Bank</b>\u202E', logo_uri: 'https://app.example/logo.png' })
    const { page } = await shown(await newPerson(opened.world, tenant), {}, clientOf(opened, id, 'https://app.example/callback'))
    expect(page.text).toContain(new URL(host.origin).host)
    expect(page.text).toContain('&#60;b&#62;Bank&#60;/b&#62;')
    expect(page.text).not.toMatch(/logo\.png|program on this computer|\u202E/)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example;")
  })

  it('ticks what is asked for and held, administrators’ roles and deleting only by hand, and GlobalAdmin never', async () => {
    const global = await opened.world.newTenant(1023)
    const person = await newPerson(opened.world, global, [...everyRole, 'GlobalAdmin'])
    const all = (await shown(person, { scope: [...everyRole, 'GlobalAdmin'].join(' ') })).page
    expect(ticked(all)).toEqual(['DataView', 'DataImport', 'DataEdit', 'FileEdit'])
    expect(offered(all)).toEqual(everyRole)
    const some = (await shown(await newPerson(opened.world, tenant, ['DataView', 'FileEdit']), { scope: 'DataView DataEdit FileEdit' }))
      .page
    expect([ticked(some), offered(some), accessOf(some)]).toEqual([['DataView', 'FileEdit'], ['DataView', 'FileEdit'], 'work'])
    const none = (await shown(await newPerson(opened.world, tenant, ['DataView', 'DataEdit']))).page
    expect([ticked(none), accessOf(none)]).toEqual([['DataView'], 'read'])
  })

  it.each([
    ['read', { access: 'read' }, 2],
    ['work', { access: 'work' }, 42],
    ['one by one', { access: 'own', role: 'DataImport' }, 4],
  ])('gives what is chosen: %s', async (_what, fields, roleFlag) => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataImport', 'DataEdit', 'FileEdit'])
    const back = await letIn(opened, client.authorize({ scope: 'DataView' }).url, person, fields)
    expect(back.searchParams.get('code')).toMatch(/^flc_/)
    expect(await grantsOf(person)).toMatchObject([{ roleFlag }])
  })

  it('gives nothing that the person has not, however the form was written', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView'])
    const { page, visitor } = await shown(person)
    const again = await press(opened, visitor, page, { decision: 'allow', access: 'own', role: 'AdminUser' })
    expect([again.status, again.text.includes('Tick at least one')]).toEqual([400, true])
    await press(opened, visitor, page, { decision: 'allow', access: 'work', role: 'GlobalAdmin' })
    expect(await grantsOf(person)).toMatchObject([{ roleFlag: 2 }])
  })

  it('goes back without a code where the person says no, and does nothing where no button was pressed', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, visitor } = await shown(person)
    expect((await press(opened, visitor, page, { access: 'work' })).status).toBe(200)
    const { location = '' } = await press(opened, visitor, page, { decision: 'refuse' })
    expect(new URL(location).searchParams.get('error')).toBe('access_denied')
    expect(await grantsOf(person)).toEqual([])
  })
})

describe('an administrator’s role', () => {
  it('wants a proof within ten minutes, which the page takes', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'AdminUser'])
    const { page, visitor } = await shown(person)
    expect(page.text).not.toContain('name="password"')
    await opened.world.sql`update platform.session set proved_date = proved_date - interval '11 minutes' where user_id = ${person.userId}`
    opened.world.platform.services.wake.poke('credentials')
    const asked = await press(opened, visitor, page, { decision: 'allow', access: 'own', role: 'AdminUser' })
    expect([asked.status, asked.text.includes('name="password"'), ticked(asked)]).toEqual([403, true, ['AdminUser']])
    const wrong = await press(opened, visitor, asked, {
      decision: 'allow',
      access: 'own',
      role: 'AdminUser',
      password: 'not this one at all',
    })
    expect(wrong.status).toBe(403)
    expect(await grantsOf(person)).toEqual([])
    const { location = '' } = await press(opened, visitor, wrong, {
      decision: 'allow',
      access: 'own',
      role: 'AdminUser',
      password: person.password,
    })
    expect(new URL(location).searchParams.get('code')).toMatch(/^flc_/)
    expect(await grantsOf(person)).toMatchObject([{ roleFlag: 64 }])
  })
})

describe('a proof on the page', () => {
  const give = { decision: 'allow', access: 'own', role: 'AdminUser' }

  /** Whoever showed long ago who they are, at the page that asks for it. */
  async function asked() {
    const person = await newPerson(opened.world, tenant, ['DataView', 'AdminUser'])
    const { page, visitor } = await shown(person)
    await opened.world.sql`update platform.session set proved_date = proved_date - interval '11 minutes' where user_id = ${person.userId}`
    opened.world.platform.services.wake.poke('credentials')
    const subDomain = await subDomainOfTenant(opened.world, tenant)
    const profileBy = async (value = '') => (await visitor.call(subDomain, 'profile', {}, { cookie: `DevPortal.Auth=${value}` })).status
    return { person, visitor, page, profileBy, old: visitor.cookies.get('DevPortal.Auth') }
  }

  it('gives the browser a new cookie, and whoever had the old one has nothing', async () => {
    const { person, visitor, page, profileBy, old } = await asked()
    expect(await profileBy(old)).toBe(200)
    const wrong = await press(opened, visitor, page, { ...give, password: 'not this one at all' })
    expect([wrong.status, visitor.cookies.get('DevPortal.Auth')]).toEqual([403, old])
    const { location } = await press(opened, visitor, page, { ...give, password: person.password })
    expect(location).toContain('code=')
    const fresh = visitor.cookies.get('DevPortal.Auth')
    expect([await profileBy(old), await profileBy(fresh)]).toEqual([401, 200])
  })

  it.each(['forbidden', 'rate_limited'] as const)('does so where it is refused afterwards: %s', async (code) => {
    const { person, visitor, page, profileBy, old } = await asked()
    const spy = vi.spyOn(opened.oauth.consents, 'give').mockRejectedValueOnce(new AppError(code, 'Not now.'))
    const { status } = await press(opened, visitor, page, { ...give, password: person.password })
    expect([status, spy.mock.calls.length]).toEqual([code === 'forbidden' ? 403 : 429, 1])
    spy.mockRestore()
    expect([await profileBy(old), await profileBy(visitor.cookies.get('DevPortal.Auth'))]).toEqual([401, 200])
  })
})

describe('the tenant', () => {
  it('is asked for where the person has several, and the application sees that one alone', async () => {
    const other = await opened.world.newTenant()
    const person = await newPerson(opened.world, tenant)
    const otherUserId = await joinTenant(opened.world, person.userId, other)
    const visitor = newVisitor(opened.issuer)
    const page = await openConsent(opened, visitor, client.authorize().url, person)
    expect(page.text).toContain('Which tenant')
    const sub = await subDomainOfTenant(opened.world, other)
    const form = page.text.split('<form ').find((part) => part.includes(`name="tenant" value="${sub}"`)) ?? ''
    const fields = Object.fromEntries(
      [...form.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map((match) => [match[1], match[2]?.replaceAll('&#38;', '&')]),
    )
    const entered = await visitor.submit(page, '/login/tenant', fields as Record<string, string>)
    const consent = await visitor.open(entered.location ?? '')
    expect(consent.text).toContain(sub)
    await press(opened, visitor, consent, { decision: 'allow', access: 'read' })
    expect([await grantsOf(person), await grantsOf({ tenantUserId: otherUserId })]).toMatchObject([[], [{ tenantId: other.tenantId }]])
  })

  it('is that of the host where the application connects to one, and nobody else’s people get in', async () => {
    const other = await opened.world.newTenant()
    const [row] = await opened.world.sql<{ host: string }[]>`select host from platform.tenant where tenant_id = ${other.tenantId}`
    const resource = `http://${row?.host}:${new URL(opened.origin).port}/mcp`
    const member = await newPerson(opened.world, other)
    await joinTenant(opened.world, member.userId, tenant)
    const visitor = newVisitor(opened.issuer)
    const first = await openConsent(opened, visitor, client.authorize({ resource }).url, member)
    const page = first.text.includes('Which tenant') ? await enterOnly(visitor, first) : first
    expect(page.text).toContain(await subDomainOfTenant(opened.world, other))
    await press(opened, visitor, page, { decision: 'allow', access: 'read' })
    expect(await grantsOf(member)).toMatchObject([{ tenantId: other.tenantId }])
    const stranger = await shown(await newPerson(opened.world, tenant), { resource })
    expect([stranger.page.status, stranger.page.text.includes('no user of')]).toEqual([403, true])
  })

  it('may let no application in', async () => {
    const own = await opened.world.newTenant()
    await opened.world.call('set_sign_in_policy', { tenantId: own.tenantId, secondFactor: 'optional', apps: 'none' }, { key: own.key })
    const { page, visitor } = await shown(await newPerson(opened.world, own))
    expect([page.status, page.text.includes('lets no application in')]).toEqual([403, true])
    const { location = '' } = await press(opened, visitor, page, { decision: 'refuse' })
    expect(new URL(location).searchParams.get('error')).toBe('access_denied')
  })

  async function enterOnly(visitor: Visitor, page: Shown): Promise<Shown> {
    const entered = await visitor.submit(page, '/login/tenant')
    return visitor.open(entered.location ?? '')
  }
})

describe('the page', () => {
  it('is not shown again for the same, but for more roles and for another redirect host', async () => {
    const both = await registerClient(opened, { redirect_uris: ['https://one.example/cb', 'https://two.example/cb'] })
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit', 'FileEdit'])
    const visitor = newVisitor(opened.issuer)
    await letIn(opened, both.authorize({ scope: 'DataView' }).url, person, { access: 'read' }, visitor)
    const again = async (more: Record<string, string>) => openConsent(opened, visitor, both.authorize(more).url, person)
    expect(new URL((await again({ scope: 'DataView' })).location ?? '').searchParams.get('code')).toMatch(/^flc_/)
    expect((await again({ scope: 'DataView DataEdit' })).text).toContain('access-work')
    expect((await again({ scope: 'DataView', redirect_uri: 'https://two.example/cb' })).text).toContain('two.example')
  })

  it('is answered by a page of ours alone, in the browser that began it', async () => {
    const person = await newPerson(opened.world, tenant)
    const { page, visitor } = await shown(person)
    const action = /action="(\/oauth\/consent\/[\w-]+)"/.exec(page.text)?.[1] ?? ''
    const allow = { decision: 'allow', access: 'read' }
    const foreign = await visitor.submit(page, action, allow, { 'sec-fetch-site': 'cross-site' })
    expect([foreign.status, foreign.location]).toEqual([403, undefined])
    const forged = await visitor.submit(page, action, { ...allow, form: 'forged' })
    expect([forged.status, forged.location]).toEqual([403, undefined])
    const thief = newVisitor(opened.issuer)
    await thief.signIn(await newPerson(opened.world, tenant))
    const taken = await thief.open(action)
    expect([taken.status, taken.location]).toEqual([400, undefined])
    expect(await grantsOf(person)).toEqual([])
    expect((await press(opened, visitor, page, allow)).location).toContain('code=')
    // Answered once, it is over.
    expect((await visitor.open(action)).status).toBe(400)
  })

  it('says in words what went wrong where nobody may be sent back, in the language of who looks', async () => {
    const visitor = newVisitor(opened.issuer)
    const { pathname, search } = client.authorize({ redirect_uri: 'https://evil.example/cb' }).url
    const page = await visitor.open(pathname + search, { 'accept-language': 'de' })
    expect([page.status, page.location, page.headers.get('content-type')]).toEqual([400, undefined, 'text/html; charset=utf-8'])
    expect(page.text).toContain('kann nicht verbunden werden')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})
