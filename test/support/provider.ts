/** A portal whose tenant has a provider of its own, and visitors who go there and come back. */
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'

import type { RoleName } from '#platform/roles.ts'

import { type Account, openProvider, type TestProvider } from './open-id.ts'
import { newPerson, type TestPerson } from './persons.ts'
import { linkTo, newVisitor, type Shown, subDomainOfTenant, type TestPortal, usePortal, type Visitor } from './portal.ts'
import type { TestTenant } from './world.ts'

export const titleOf = ({ text }: Shown) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
export const problemOf = ({ text }: Shown) => /role="alert"><p>([^<]*)</.exec(text)?.[1]
export const noticeOf = ({ text }: Shown) => /role="status"><p>([^<]*)</.exec(text)?.[1]

let counter = 0
export const newAccount = (more: Partial<Account> = {}): Account => {
  const sub = `account-${++counter}`
  return { sub, email: `${sub}@example.com`, email_verified: true, ...more }
}

/** Where the page of an invitation leads on to. */
export const onwardOf = ({ text }: Shown) => /href="(http:[^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? ''

/** As a browser is sent back from another site. */
export const comeBack = (visitor: Visitor, path: string) => visitor.open(path, { 'sec-fetch-site': 'cross-site' })

export interface ProviderWorld extends TestPortal {
  readonly provider: TestProvider
  readonly tenant: TestTenant
  /** The tenant's sub-domain. */
  readonly sub: string
}

export function useProvider() {
  const portal = usePortal({}, () => ({
    texts: new Map([['/llms-full.txt', { type: 'text/plain; charset=utf-8', text: 'all of it' }]]),
    // What the application is told of whoever looks at it.
    application: { files: new Map(), page: ({ me }) => JSON.stringify(me) },
  }))
  let made: Pick<ProviderWorld, 'provider' | 'tenant' | 'sub'> | undefined
  const now = () => {
    if (!made) throw new Error('The provider is not open yet: look at it in a hook or a test.')
    return made
  }
  const call = (...given: Parameters<typeof portal.world.call>) => portal.world.call(...given)
  const callback = () => `${portal.world.config.portalUrl}/login/provider/callback`
  const visit = () => newVisitor(portal.url)

  const settings = (more: object = {}) => {
    const { issuer, clientId, clientSecret } = now().provider
    return { issuer, clientId, clientSecret, ...more }
  }
  const setProvider = (more: object = {}, { tenantId, key }: TestTenant = now().tenant) =>
    call('set_identity_provider', { tenantId, ...settings(more) }, { key })

  async function newTenantWithProvider(more: object = {}, roleFlag?: number): Promise<{ of: TestTenant; at: string }> {
    const of = await portal.world.newTenant(roleFlag)
    await setProvider(more, of)
    return { of, at: await subDomainOfTenant(portal.world, of) }
  }

  /** A person, and an account that was linked to them before. */
  async function linkedPerson(
    of = now().tenant,
    roles: readonly RoleName[] = ['DataView'],
  ): Promise<{ person: TestPerson; account: Account }> {
    const person = await newPerson(portal.world, of, roles)
    const account = newAccount()
    await portal.world.sql`
      insert into platform.provider_account (tenant_id, issuer, sub, tenant_user_id, user_id, created_date)
      values (${person.tenantId}, ${now().provider.issuer}, ${account.sub}, ${person.tenantUserId}, ${person.userId}, now())`
    return { person, account }
  }

  /** To the provider, and to where it sends the browser back. */
  async function leaveAndReturn(visitor: Visitor, account: Account, at = now().sub, query = ''): Promise<string> {
    const { provider } = now()
    provider.account = account
    const away = await visitor.open(`/login/provider?tenant=${at}${query}`)
    expect([away.status, away.location?.startsWith(`${provider.issuer}/auth?`)]).toEqual([303, true])
    const back = await provider.visit(away.location ?? '')
    return back.pathname + back.search
  }

  const signInBy = async (visitor: Visitor, account: Account, at = now().sub, query = ''): Promise<Shown> =>
    comeBack(visitor, await leaveAndReturn(visitor, account, at, query))

  async function whoami(visitor: Visitor, at = now().sub) {
    const { status, text } = await visitor.call(at, 'schema/whoami')
    return { status, ...(JSON.parse(text) as { tenantUserId?: number; roleFlag?: number; userId?: number }) }
  }

  /** An open invitation, and the link that was mailed. */
  async function invited(email: string, { key }: TestTenant = now().tenant): Promise<{ tenantUserId: number; url: string }> {
    const { tenantUserId } = await call('create_user', { email, roles: ['DataView'] }, { key })
    await call('invite_user', { tenantUserId }, { key })
    return { tenantUserId, url: await linkTo(portal.world, email) }
  }

  /** Accepts by the provider, as whoever has no script. */
  async function acceptBy(visitor: Visitor, url: string, account: Account): Promise<Shown> {
    const { provider } = now()
    provider.account = account
    const page = await visitor.submit(await visitor.open(new URL(url).pathname), '/login/link', { token: url })
    const back = await provider.visit(onwardOf(await visitor.submit(page, '/login/provider/accept')))
    return comeBack(visitor, back.pathname + back.search)
  }

  beforeAll(async () => {
    const provider = await openProvider(callback())
    const tenant = await portal.world.newTenant()
    made = { provider, tenant, sub: await subDomainOfTenant(portal.world, tenant) }
    await setProvider()
  })
  afterAll(() => made?.provider.close())
  beforeEach(() => Object.assign(now().provider, { tamper: undefined, state: 'up', tellsLate: false }))

  return {
    get opened(): ProviderWorld {
      return { ...now(), world: portal.world, portal: portal.portal, url: portal.url }
    },
    call,
    callback,
    visit,
    settings,
    setProvider,
    newTenantWithProvider,
    linkedPerson,
    leaveAndReturn,
    signInBy,
    whoami,
    invited,
    acceptBy,
  }
}
