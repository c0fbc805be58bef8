/** Signing in by a tenant's own provider: as whom an account was linked to, in that tenant, and nothing else of the person. */
import { beforeAll, describe, expect, it } from 'vitest'

import { flagOf } from '#platform/roles.ts'
import { hashToken } from '#platform/sessions.ts'

import { type Account, openProvider, type TestProvider } from './support/open-id.ts'
import { joinTenant, newPerson, newSession, strangerAt, type TestPerson } from './support/persons.ts'
import { linkTo, subDomainOfTenant } from './support/portal.ts'
import { comeBack, newAccount, noticeOf, onwardOf, problemOf, titleOf, useProvider } from './support/provider.ts'
import { refused } from './support/refused.ts'
import type { TestTenant, World } from './support/world.ts'

const used = useProvider()
const { acceptBy, call, callback, invited, leaveAndReturn, linkedPerson, newTenantWithProvider, setProvider, signInBy, visit, whoami } =
  used

let provider: TestProvider
let world: World
let tenant: TestTenant
let sub: string
beforeAll(() => {
  ;({ provider, world, tenant, sub } = used.opened)
})

describe('an account that is linked', () => {
  it('lets its user in, to where they were going, and leaves nothing of whoever was here before', async () => {
    const { person, account } = await linkedPerson()
    const visitor = visit()
    const before = await newPerson(world, tenant)
    await visitor.signIn(before)
    const old = visitor.cookies.get('DevPortal.Auth')
    const page = await visitor.open(`/login?returnTo=/t/${sub}/records`)
    expect(page.text).toContain(`href="/login/provider?tenant=${sub}&#38;returnTo=%2Ft%2F${sub}%2Frecords"`)
    const done = await signInBy(visitor, account, sub, `&returnTo=${encodeURIComponent(`/t/${sub}/records`)}`)
    expect([done.status, done.location]).toEqual([303, `/t/${sub}/records`])
    expect(await whoami(visitor)).toMatchObject({ status: 200, tenantUserId: person.tenantUserId })
    expect(visitor.cookies.get('DevPortal.Auth')).not.toBe(old)
    expect(visitor.cookies.has('DevPortal.Provider')).toBe(false)
    expect((await visitor.open(`/t/${sub}`)).status).toBe(200)
    const stolen = visit()
    stolen.cookies.set('DevPortal.Auth', old ?? '')
    expect((await whoami(stolen)).status).toBe(401)
    const [event] = await world.sql`
      select facts from platform.audit_event where tenant_id = ${tenant.tenantId} and operation = 'select_tenant' order by audit_event_id desc limit 1`
    expect(event).toMatchObject({ facts: { provider: provider.issuer, factor: null } })
  })

  it('leads nowhere else, whatever it was asked to return to', async () => {
    const { account } = await linkedPerson()
    for (const returnTo of ['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)', `/${'a'.repeat(3_000)}`]) {
      const done = await signInBy(visit(), account, sub, `&returnTo=${encodeURIComponent(returnTo)}`)
      expect([returnTo, done.status, done.location]).toEqual([returnTo, 303, `/t/${sub}`])
    }
  })

  it('is good in its tenant alone', async () => {
    const { of, at } = await newTenantWithProvider()
    const { person, account } = await linkedPerson()
    await joinTenant(world, person.userId, of)
    const there = await signInBy(visit(), account, at)
    expect([there.status, noticeOf(there)]).toEqual([200, expect.stringContaining('We do not know yet whose account')])
    const visitor = visit()
    await signInBy(visitor, account)
    expect((await whoami(visitor, at)).status).toBe(401)
    const change = await visitor.ask('/login/tenant', {
      method: 'POST',
      body: new URLSearchParams({ tenantId: String(of.tenantId), tenant: at }),
      headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
    })
    expect(change.status).toBe(403)
    expect((await whoami(visitor, at)).status).toBe(401)
  })

  it('is nobody’s once the membership has ended, and lets nobody in who is locked or whose tenant is suspended', async () => {
    const { of, at } = await newTenantWithProvider()
    const { person, account } = await linkedPerson(of)
    const visitor = visit()
    await signInBy(visitor, account, at)
    await call('lock_user', { tenantUserId: person.tenantUserId }, { key: of.key })
    expect((await whoami(visitor, at)).status).toBe(401)
    expect((await signInBy(visit(), account, at)).status).toBe(401)
    await call('unlock_user', { tenantUserId: person.tenantUserId }, { key: of.key })
    expect((await signInBy(visit(), account, at)).status).toBe(303)
    await call('delete_user', { tenantUserId: person.tenantUserId }, { key: of.key })
    expect(noticeOf(await signInBy(visit(), account, at))).toContain('We do not know yet')
    const global = await world.newTenant(1023)
    await call('suspend_tenant', { tenantId: of.tenantId }, { key: global.key })
    expect((await visit().open(`/login/provider?tenant=${at}`)).status).toBe(404)
  })
})

describe('a session of the provider', () => {
  it('does nothing with the person: of what is a person’s own it ends and lists its own sessions alone', async () => {
    const { person, account } = await linkedPerson()
    await newSession(world, person)
    const visitor = visit()
    await signInBy(visitor, account)
    const own = world.platform.pipeline.registry.operations.filter(({ roleRule }) => roleRule.isOfPerson)
    const open = ['list_sessions', 'logout', 'revoke_session']
    expect(
      own
        .filter(({ admitsProvider }) => admitsProvider)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(open)
    expect(own.length).toBeGreaterThan(10)
    for (const { name, path, method } of own.filter((one) => one.admitsProvider !== true)) {
      const target = path.replace(/\{\w+\}/g, '1').replace('/api/v1/', '')
      const answer = await visitor.ask(`/t/${sub}/api/v1/${target}`, {
        method,
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      })
      expect([name, answer.status]).toEqual([name, 403])
    }
    const sessions = JSON.parse((await visitor.call(sub, 'auth/sessions/list')).text) as { sessionId: number; isCurrent: boolean }[]
    expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true])
    const [other] = await world.sql<{ sessionId: number }[]>`
      select session_id from platform.session where user_id = ${person.userId} and provider_issuer is null`
    const revoke = await visitor.ask(`/t/${sub}/api/v1/auth/sessions/${other?.sessionId}`, {
      method: 'DELETE',
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(revoke.status).toBe(404)
    const { url } = await invited('for-a-session@example.com', (await newTenantWithProvider()).of)
    const accept = await visitor.call(sub, 'auth/reset-password', { token: url.split('#')[1] })
    expect(accept.status).toBe(403)
    expect((await visitor.call(sub, 'auth/logout')).status).toBe(200)
    expect((await whoami(visitor)).status).toBe(401)
  })

  it('is told to the application, without anything of the person', async () => {
    const { person, account } = await linkedPerson()
    await world.sql`insert into platform.person_email (email, user_id) values (${`of-${person.userId}@example.com`}, ${person.userId})`
    await joinTenant(world, person.userId, (await newTenantWithProvider()).of)
    const visitor = visit()
    await signInBy(visitor, account)
    const { status, text } = await visitor.open(`/t/${sub}`)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      {
        isOfProvider: true,
        caller: expect.objectContaining({ tenantUserId: person.tenantUserId }),
        profile: expect.objectContaining({
          logInName: null,
          emails: [],
          tenants: [expect.objectContaining({ tenantId: tenant.tenantId })],
        }),
      },
    ])
  })

  it('has no GlobalAdmin, and no role that whoever set the provider lacked then, at each call', async () => {
    const { of, at } = await newTenantWithProvider({}, flagOf(['AdminUser', 'DataView', 'DataEdit', 'GlobalAdmin']))
    const { person, account } = await linkedPerson(of, ['DataView', 'BuilderAdmin', 'GlobalAdmin', 'AdminUser'])
    const visitor = visit()
    await signInBy(visitor, account, at)
    expect(await whoami(visitor, at)).toMatchObject({ roleFlag: flagOf(['DataView', 'AdminUser']) })
    await world.sql`
      update platform.tenant_user set role_flag = ${flagOf(['DataView', 'DataEdit', 'DataDelete'])} where tenant_user_id = ${person.tenantUserId}`
    world.platform.services.wake.poke('credentials')
    expect(await whoami(visitor, at)).toMatchObject({ roleFlag: flagOf(['DataView', 'DataEdit']) })
  })

  it('ends when the provider is removed, or is another one', async () => {
    const { of, at } = await newTenantWithProvider()
    const { account } = await linkedPerson(of)
    const visitor = visit()
    await signInBy(visitor, account, at)
    expect((await whoami(visitor, at)).status).toBe(200)
    await call('set_identity_provider', { tenantId: of.tenantId, issuer: null }, { key: of.key })
    expect((await whoami(visitor, at)).status).toBe(401)
    await setProvider({}, of)
    expect((await whoami(visitor, at)).status).toBe(401)
  })
})

describe('a tenant that sends people on to the provider of another one', () => {
  it('learns a code that nobody takes any more', async () => {
    const { account } = await linkedPerson()
    const evil = await openProvider(callback())
    const other = await world.newTenant()
    const { issuer, clientId, clientSecret } = evil
    await call('set_identity_provider', { tenantId: other.tenantId, issuer, clientId, clientSecret }, { key: other.key })
    const attacker = visit()
    const path = await leaveAndReturn(attacker, account)
    const code = new URL(path, world.config.portalUrl).searchParams.get('code') ?? ''
    const victim = visit()
    const away = await victim.open(`/login/provider?tenant=${await subDomainOfTenant(world, other)}`)
    const state = new URL(away.location ?? '').searchParams.get('state') ?? ''
    await comeBack(victim, `/login/provider/callback?${new URLSearchParams({ code, state, iss: issuer }).toString()}`)
    const back = await comeBack(attacker, path)
    await evil.close()
    expect(back.status).toBe(401)
  })
})

describe('an account that nobody was linked to', () => {
  it('is linked to whoever signs in as themselves and says that it is theirs, and then lets them in', async () => {
    const person = await newPerson(world, tenant)
    await world.sql`insert into platform.person_email (email, user_id) values ('unlinked@example.com', ${person.userId})`
    // The address says nothing: it is the person's own, and links nobody.
    const account = newAccount({ email: 'unlinked@example.com' })
    const visitor = visit()
    const page = await signInBy(visitor, account)
    expect([page.status, noticeOf(page)]).toEqual([200, expect.stringContaining('Sign in as yourself')])
    expect((await whoami(visitor)).status).toBe(401)
    const ask = await visitor.submit(page, '/login', { username: person.userName, password: person.password })
    expect([ask.status, titleOf(ask)]).toEqual([200, 'Is this account yours?'])
    expect(ask.text).toContain('unlinked@example.com')
    const done = await visitor.submit(ask, '/login/provider/link')
    expect([done.status, done.location]).toEqual([303, `/t/${sub}`])
    expect(await whoami(visitor)).toMatchObject({ tenantUserId: person.tenantUserId })
    await expect(linkTo(world, 'unlinked@example.com')).rejects.toThrow(/holds nothing of/)
    expect((await signInBy(visit(), account)).status).toBe(303)
    expect((await visitor.call(sub, 'profile')).status).toBe(403)
  })

  it('stays nobody’s where the person says that it is not theirs, or is no user of the tenant', async () => {
    const person = await newPerson(world, tenant)
    const account = newAccount()
    const visitor = visit()
    const page = await signInBy(visitor, account)
    const ask = await visitor.submit(page, '/login', { username: person.userName, password: person.password })
    expect((await visitor.submit(ask, '/login/tenant')).status).toBe(303)
    expect((await visitor.call(sub, 'profile')).status).toBe(200)
    const foreigner = await newPerson(world, await world.newTenant())
    const other = visit()
    const again = await signInBy(other, account)
    expect((await other.submit(again, '/login', { username: foreigner.userName, password: foreigner.password })).status).toBe(404)
    expect(noticeOf(await signInBy(visit(), account))).toContain('We do not know yet')
  })

  it('is linked by no sign-in that the provider itself vouches for, and by no form of another browser', async () => {
    const { person } = await linkedPerson()
    const { signInToken } = await tokenBy(person)
    const visitor = visit()
    const page = await signInBy(visitor, newAccount())
    expect(page.status).toBe(200)
    const form = /name="form" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
    const post = (fields: Record<string, string>) =>
      visitor.ask('/login/provider/link', {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      })
    expect((await post({ form, signInToken })).status).toBe(401)
    expect((await post({ form: 'another', signInToken })).status).toBe(403)
  })

  /** The token of a sign-in by the provider, before its session. */
  async function tokenBy({ tenantId, userId }: TestPerson): Promise<{ signInToken: string }> {
    const signInToken = `fli_of-the-provider-${userId}`
    await world.sql`
      insert into platform.sign_in (user_id, token_hash, next, person_version, provider_tenant_id, provider_issuer, created_date, expires_at)
      values (${userId}, ${hashToken(signInToken)}, 'selectTenant', 1, ${tenantId}, ${provider.issuer}, now(), now() + interval '10 minutes')`
    return { signInToken }
  }

  it('leads by its token to no other tenant of the person', async () => {
    const { of } = await newTenantWithProvider()
    const { person } = await linkedPerson()
    await joinTenant(world, person.userId, of)
    const { signInToken } = await tokenBy(person)
    const stranger = strangerAt(world)
    await expect(stranger('select_tenant', { signInToken, tenantId: of.tenantId })).rejects.toMatchObject(refused('not_found'))
    const session = await stranger('select_tenant', { signInToken, tenantId: tenant.tenantId })
    await expect(call('get_profile', {}, { key: session.token })).rejects.toMatchObject(refused('forbidden'))
    await expect(call('select_tenant', { tenantId: of.tenantId }, { key: session.token })).rejects.toMatchObject(refused('forbidden'))
  })
})

describe('an invitation', () => {
  it('is accepted by an account whose verified address is the one that was invited, which then signs nobody in', async () => {
    for (const tellsLate of [false, true]) {
      provider.tellsLate = tellsLate
      const account = newAccount({ email: `Invited-${tellsLate}@Example.com` })
      const { tenantUserId, url } = await invited(`invited-${tellsLate}@example.com`)
      const visitor = visit()
      const done = await acceptBy(visitor, url, account)
      expect([done.status, done.location]).toEqual([303, `/t/${sub}`])
      expect(await whoami(visitor)).toMatchObject({ tenantUserId })
      expect((await signInBy(visit(), account)).status).toBe(303)
      const proved = await world.sql`select 1 from platform.person_email where email = ${`invited-${tellsLate}@example.com`}`
      expect(proved.length).toBe(0)
      expect(await call('get_user', { tenantUserId }, { key: tenant.key })).toMatchObject({ status: 'active' })
    }
  })

  it('stays open to an account with another address, an unverified one, or none', async () => {
    const { url, tenantUserId } = await invited('only-me@example.com')
    const others: Partial<Account>[] = [
      { email: 'somebody-else@example.com' },
      { email: 'only-me@example.com', email_verified: false },
      { email: 'only-me@example.com.evil.example' },
    ]
    for (const other of others) {
      const answer = await acceptBy(visit(), url, newAccount(other))
      expect([other, answer.status, problemOf(answer)]).toEqual([other, 403, expect.stringContaining('another e-mail')])
    }
    const { email: _email, email_verified: _verified, ...without } = newAccount()
    expect((await acceptBy(visit(), url, without)).status).toBe(403)
    expect(await call('get_user', { tenantUserId }, { key: tenant.key })).toMatchObject({ status: 'invited' })
    expect((await acceptBy(visit(), url, newAccount({ email: 'only-me@example.com' }))).status).toBe(303)
  })

  it('of another tenant, or one that is void, is accepted by nobody; a linked account is a user already', async () => {
    const { url, tenantUserId } = await invited('void@example.com')
    const visitor = visit()
    provider.account = newAccount({ email: 'void@example.com' })
    const page = await visitor.submit(await visitor.open('/login/link'), '/login/link', { token: url })
    const onward = await visitor.submit(page, '/login/provider/accept')
    const back = await provider.visit(onwardOf(onward))
    await call('cancel_invitation', { tenantUserId }, { key: tenant.key })
    expect((await comeBack(visitor, back.pathname + back.search)).status).toBe(410)
    const { account } = await linkedPerson()
    const second = await invited(account.email ?? '')
    expect((await acceptBy(visit(), second.url, account)).status).toBe(409)
  })
})
