/** A tenant's own provider, against a real one: how it is set, and what it answers that is not believed. */
import { decodeJwt, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'

import { openProvider, type TestProvider } from './support/open-id.ts'
import { newPerson } from './support/persons.ts'
import { linkTo, subDomainOfTenant } from './support/portal.ts'
import { comeBack, newAccount, noticeOf, problemOf, useProvider } from './support/provider.ts'
import { refused } from './support/refused.ts'
import type { TestTenant, World } from './support/world.ts'

const used = useProvider()
const { call, callback, leaveAndReturn, linkedPerson, newTenantWithProvider, setProvider, settings, signInBy, visit, whoami } = used

let provider: TestProvider
let world: World
let tenant: TestTenant
beforeAll(() => {
  ;({ provider, world, tenant } = used.opened)
})

describe('the settings', () => {
  it('are none until they are set, never show the secret, and go with issuer null', async () => {
    const { tenantId, key } = await world.newTenant()
    const none = {
      tenantId,
      issuer: null,
      clientId: null,
      hasClientSecret: false,
      scopes: [],
      isRequired: false,
      trustsItsSecondFactor: false,
      callbackUrl: callback(),
      setBy: null,
      setDate: null,
    }
    expect(await call('get_identity_provider', { tenantId }, { key })).toEqual(none)
    const set = await call('set_identity_provider', { tenantId, ...settings({ scopes: ['email'], isRequired: true }) }, { key })
    expect(set).toEqual({
      ...none,
      issuer: provider.issuer,
      clientId: 'fieldloop',
      hasClientSecret: true,
      scopes: ['openid', 'email'],
      isRequired: true,
      setBy: expect.any(Number),
      setDate: expect.any(String),
    })
    expect(await call('get_identity_provider', { tenantId }, { key })).toEqual(set)
    const [row] = await world.sql`select sealed_secret from platform.identity_provider where tenant_id = ${tenantId}`
    expect(row?.['sealedSecret'].toString('latin1')).not.toContain(provider.clientSecret)
    const [event] = await world.sql`
      select facts::text as facts from platform.audit_event where tenant_id = ${tenantId} and operation = 'set_identity_provider'`
    expect(event?.['facts']).toContain(provider.issuer)
    expect(event?.['facts']).not.toContain(provider.clientSecret)
    expect(await call('set_identity_provider', { tenantId, issuer: null }, { key })).toEqual(none)
    expect(await call('get_identity_provider', { tenantId }, { key })).toEqual(none)
  })

  it('keep the secret for the same issuer and client, and send it to no other', async () => {
    const { of } = await newTenantWithProvider()
    const again = await setProvider({ clientSecret: undefined, isRequired: true }, of)
    expect(again).toMatchObject({ hasClientSecret: true, isRequired: true })
    expect(await setProvider({ clientSecret: undefined, clientId: 'another' }, of)).toMatchObject({ hasClientSecret: false })
    await setProvider({}, of)
    expect(await setProvider({ clientSecret: null }, of)).toMatchObject({ hasClientSecret: false })
  })

  it('are tried first: a provider that is down, huge, private, or another issuer’s is refused and nothing changes', async () => {
    const { of } = await newTenantWithProvider()
    for (const state of ['down', 'huge'] as const) {
      provider.state = state
      await expect(setProvider({ isRequired: true }, of), state).rejects.toMatchObject({
        code: expect.stringMatching(/unprocessable|too_large/),
      })
    }
    provider.state = 'up'
    for (const issuer of [`${provider.issuer}/elsewhere`, 'http://10.1.2.3:8080', 'https://169.254.169.254', 'http://example.com'])
      await expect(setProvider({ issuer }, of), issuer).rejects.toMatchObject({ code: 'unprocessable' })
    for (const more of [
      { issuer: `${provider.issuer}/?a=b` },
      { issuer: 'javascript:alert(1)' },
      { clientId: undefined },
      { issuer: null },
    ])
      await expect(setProvider(more, of), JSON.stringify(more)).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await call('get_identity_provider', { tenantId: of.tenantId }, { key: of.key })).toMatchObject({
      issuer: provider.issuer,
      isRequired: false,
    })
  })

  it('are a tenant’s own, but for a global administrator', async () => {
    const other = await world.newTenant()
    const global = await world.newTenant(1023)
    await expect(call('set_identity_provider', { tenantId: tenant.tenantId, ...settings() }, { key: other.key })).rejects.toMatchObject(
      refused('not_found', /^No such tenant\.$/),
    )
    await call('set_identity_provider', { tenantId: other.tenantId, ...settings() }, { key: global.key })
    expect(await call('get_identity_provider', { tenantId: other.tenantId }, { key: other.key })).toMatchObject({ issuer: provider.issuer })
  })

  it('are told to every AdminUser of the tenant by mail, and to nobody else', async () => {
    const { of } = await newTenantWithProvider()
    const [admin, viewer] = [await newPerson(world, of, ['AdminUser']), await newPerson(world, of)]
    for (const { userId } of [admin, viewer])
      await world.sql`insert into platform.person_email (email, user_id) values (${`own-${userId}@example.com`}, ${userId})`
    const mailsBefore = await world.sql`select mail_id from platform.person_mail`
    await setProvider({}, of)
    const mails = await world.sql`select mail_id from platform.person_mail`
    expect(mails.length - mailsBefore.length).toBe(1)
    await expect(linkTo(world, `own-${admin.userId}@example.com`)).rejects.toThrow(/holds nothing of/)
    await expect(linkTo(world, `own-${viewer.userId}@example.com`)).rejects.toThrow(/No mail went/)
  })
})

describe('what comes back', () => {
  it('counts in the browser that left, once', async () => {
    const { account } = await linkedPerson()
    const visitor = visit()
    const path = await leaveAndReturn(visitor, account)
    const elsewhere = await comeBack(visit(), path)
    expect([elsewhere.status, problemOf(elsewhere)]).toEqual([401, expect.stringContaining('another browser')])
    const other = visit()
    await leaveAndReturn(other, account)
    expect((await comeBack(other, path)).status).toBe(401)
    const memory = visitor.cookies.get('DevPortal.Provider') ?? ''
    expect((await comeBack(visitor, path)).status).toBe(303)
    visitor.cookies.set('DevPortal.Provider', memory)
    const asked = provider.asked
    expect((await comeBack(visitor, path)).status).toBe(401)
    expect(provider.asked).toBe(asked)
    const changed = visit()
    const another = await leaveAndReturn(changed, account)
    const kept = changed.cookies.get('DevPortal.Provider') ?? ''
    changed.cookies.set('DevPortal.Provider', `${kept.slice(0, -4)}AAAA`)
    expect((await comeBack(changed, another)).status).toBe(401)
  })

  it('is refused with a token of identity that is not signed, signed by another, or for somebody else', async () => {
    const { account } = await linkedPerson()
    const { privateKey, clientId, clientSecret } = provider
    const signed = (token: string, change: object, alg = 'ES256', key: typeof privateKey | Uint8Array = privateKey) =>
      new SignJWT({ ...decodeJwt(token), ...change }).setProtectedHeader({ alg, kid: 'one' }).sign(key)
    const { privateKey: foreign } = await generateKeyPair('ES256')
    const wrong: Record<string, (token: string) => Promise<string> | string> = {
      none: (token) => new UnsecuredJWT(decodeJwt(token)).encode(),
      HS256: (token) => signed(token, {}, 'HS256', new TextEncoder().encode(clientSecret.padEnd(32, '.'))),
      'another key': (token) => signed(token, {}, 'ES256', foreign),
      'another nonce': (token) => signed(token, { nonce: 'of another sign-in' }),
      'no nonce': (token) => signed(token, { nonce: undefined }),
      'another client': (token) => signed(token, { aud: 'somebody else' }),
      'several clients': (token) => signed(token, { aud: [clientId, 'somebody else'], azp: 'somebody else' }),
      'another issuer': (token) => signed(token, { iss: 'https://evil.example' }),
      'long over': (token) => signed(token, { iat: 1_000_000, exp: 1_000_600 }),
      'no subject': (token) => signed(token, { sub: undefined }),
      'a subject without end': (token) => signed(token, { sub: 'x'.repeat(300) }),
      'no token': () => 'nonsense',
    }
    // What is wrong is the change alone.
    provider.tamper = (token) => signed(token, {})
    expect((await signInBy(visit(), account)).status).toBe(303)
    for (const [name, tamper] of Object.entries(wrong)) {
      provider.tamper = tamper
      const visitor = visit()
      const answer = await signInBy(visitor, account)
      expect([name, answer.status, problemOf(answer)]).toEqual([name, 401, expect.stringContaining('did not say who you are')])
      expect((await whoami(visitor)).status).toBe(401)
    }
  })

  it('is told apart where the provider says no, is down, or gives no end of bytes', async () => {
    const { account } = await linkedPerson()
    const denied = visit()
    const path = await leaveAndReturn(denied, account)
    const state = new URLSearchParams(path.split('?')[1]).get('state') ?? ''
    const iss = encodeURIComponent(provider.issuer)
    const no = await comeBack(denied, `/login/provider/callback?error=access_denied&state=${state}&iss=${iss}`)
    expect([no.status, problemOf(no)]).toEqual([401, expect.stringContaining('did not say who you are')])
    for (const wrong of ['down', 'huge'] as const) {
      const visitor = visit()
      const back = await leaveAndReturn(visitor, account)
      provider.state = wrong
      const answer = await comeBack(visitor, back)
      provider.state = 'up'
      expect([wrong, answer.status, problemOf(answer)]).toEqual([wrong, 503, expect.stringContaining('does not answer')])
    }
    // The page stays of use to whoever has a password.
    expect(no.text).toContain('name="password"')
  })

  it('keeps nobody waiting for a provider that does not answer', async () => {
    const { account } = await linkedPerson()
    const visitor = visit()
    const back = await leaveAndReturn(visitor, account)
    provider.state = 'slow'
    const answer = await comeBack(visitor, back)
    expect([answer.status, problemOf(answer)]).toEqual([503, expect.stringContaining('does not answer')])
  })
})

it.each(['RS256', 'EdDSA'] as const)('takes what a provider signs by %s', async (algorithm) => {
  const other = await openProvider(callback(), algorithm)
  try {
    const of = await world.newTenant()
    const at = await subDomainOfTenant(world, of)
    const { issuer, clientId, clientSecret } = other
    await call('set_identity_provider', { tenantId: of.tenantId, issuer, clientId, clientSecret }, { key: of.key })
    other.account = newAccount()
    const visitor = visit()
    const away = await visitor.open(`/login/provider?tenant=${at}`)
    const back = await other.visit(away.location ?? '')
    expect(noticeOf(await comeBack(visitor, back.pathname + back.search))).toContain('We do not know yet')
  } finally {
    await other.close()
  }
})
