/** The authorization server: codes, tokens, refreshing, ends, and what it refuses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  answerAs,
  type AuthorizationWorld,
  newPkce,
  openAuthorization,
  registerClient,
  signedIn,
  type TestClient,
  type Tokens,
} from './support/authorization.ts'
import { send } from './support/connect.ts'
import { refused } from './support/refused.ts'
import type { TestTenant } from './support/world.ts'

let opened: AuthorizationWorld
let tenant: TestTenant
let client: TestClient
beforeAll(async () => {
  opened = await openAuthorization()
  tenant = await opened.world.newTenant()
  client = await registerClient(opened)
})
afterAll(() => opened?.close())

const list = async (token: string) => (await send(opened.resource, token, 'tools/list')).status
const errorOf = async (answer: Response) => ((await answer.json()) as { error: string }).error
const worker = () => signedIn(opened, tenant, ['DataView', 'DataEdit', 'FileEdit'])
const mailsTo = async () => opened.world.sql`select mail_id from platform.person_mail`

describe('its metadata', () => {
  it('tells what it has, and nothing that it has not', async () => {
    const answer = await fetch(`${opened.issuer}/.well-known/oauth-authorization-server`, {
      headers: { origin: 'https://inspector.example' },
    })
    expect([
      answer.status,
      answer.headers.get('access-control-allow-origin'),
      answer.headers.get('access-control-allow-credentials'),
    ]).toEqual([200, '*', null])
    const { issuer } = opened
    expect(await answer.json()).toEqual({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256', 'RS256']),
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: [
        'BuilderAdmin',
        'DataView',
        'DataImport',
        'DataEdit',
        'DataDelete',
        'FileEdit',
        'AdminUser',
        'AdminIntegration',
        'AdminCSS',
        'offline_access',
      ],
    })
  })

  it('names its own address whatever host it is asked at', async () => {
    const answer = await fetch(`${opened.issuer}/.well-known/oauth-authorization-server`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    expect(await answer.json()).toMatchObject({ token_endpoint: `${opened.issuer}/oauth/token` })
  })

  it('lets pages of every origin ask for tokens, and none for codes', async () => {
    const preflight = (path: string) =>
      fetch(`${opened.issuer}${path}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
      })
    for (const path of ['/oauth/token', '/oauth/register', '/oauth/revoke'])
      expect([(await preflight(path)).status, (await preflight(path)).headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect((await preflight('/oauth/authorize')).headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('a code', () => {
  it('brings tokens for what was given, which may be less than what was asked for, with the issuer beside it', async () => {
    const signed = await worker()
    const { url, pkce } = client.authorize({ scope: 'DataView DataEdit' })
    const back = await answerAs(opened, url, signed, ['DataView'])
    expect(back.origin + back.pathname).toBe(client.redirectUri)
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^flc_[\w-]{43}$/),
      state: 'of the host',
      iss: opened.issuer,
    })
    const answer = await client.redeem(back.searchParams.get('code') ?? '', pkce.verifier)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const tokens = (await answer.json()) as Tokens
    expect(tokens).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      access_token: expect.stringMatching(/^fla_[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^flr_[\w-]{43}$/),
    })
    expect(tokens.scope.split(' ')).toContain('DataView')
    expect(tokens.scope.split(' ')).not.toContain('DataEdit')
    expect(await list(tokens.access_token)).toBe(200)
    const kept = await opened.world.sql`select payload::text || encode(token_hash, 'base64') as text from platform.oauth_token`
    expect(kept.length).toBeGreaterThan(2)
    const secrets = [back.searchParams.get('code') ?? '', tokens.access_token, tokens.refresh_token]
    expect(kept.filter(({ text }) => secrets.some((secret) => String(text).includes(secret)))).toEqual([])
  })

  it('counts once: a second time it ends what the first brought, and the person is told', async () => {
    const signed = await worker()
    await opened.world
      .sql`insert into platform.person_email (email, user_id) values (${`${signed.person.userName}@example.com`}, ${signed.person.userId})`
    const { code, verifier } = await client.code(signed, ['DataView'])
    const tokens = (await (await client.redeem(code, verifier)).json()) as Tokens
    expect(await list(tokens.access_token)).toBe(200)
    const before = (await mailsTo()).length
    const again = await client.redeem(code, verifier)
    expect([again.status, await errorOf(again)]).toEqual([400, 'invalid_grant'])
    await expect.poll(() => list(tokens.access_token)).toBe(401)
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toBe('invalid_grant')
    expect(await mailsTo()).toHaveLength(before + 1)
  })

  it('counts once also where it comes twice at the same moment', async () => {
    for (let round = 0; round < 3; round++) {
      const { code, verifier } = await client.code(await worker(), ['DataView'])
      const answers = await Promise.all([1, 2, 3].map(() => client.redeem(code, verifier)))
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
      expect(['200,400,400', '400,400,400']).toContain(statuses.join())
    }
  })

  it('is over after 60 seconds', async () => {
    const { code, verifier } = await client.code(await worker(), ['DataView'])
    await opened.world
      .sql`update platform.oauth_token set payload = payload || jsonb_build_object('exp', (payload->>'exp')::int - 61) where kind = 'code'`
    const late = await client.redeem(code, verifier)
    expect([late.status, await errorOf(late)]).toEqual([400, 'invalid_grant'])
  })

  it.each([
    ['another verifier', () => ({ code_verifier: newPkce().verifier })],
    ['another redirect', () => ({ redirect_uri: 'http://127.0.0.1:9999/callback' })],
    ['another resource', () => ({ resource: 'https://elsewhere.example/mcp' })],
  ])('is of no use with %s', async (_what, more) => {
    const { code, verifier } = await client.code(await worker(), ['DataView'])
    const answer = await client.redeem(code, verifier, more())
    expect(answer.status).toBe(400)
    expect(['invalid_grant', 'invalid_target']).toContain(await errorOf(answer))
  })

  it('is of no use to another application', async () => {
    const other = await registerClient(opened)
    const { code, verifier } = await client.code(await worker(), ['DataView'])
    expect(await errorOf(await other.redeem(code, verifier))).toBe('invalid_grant')
  })

  it('is not given where the person refuses', async () => {
    const back = await answerAs(opened, client.authorize().url, await worker(), null)
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'of the host', iss: opened.issuer })
  })
})

describe('an authorization', () => {
  const begin = (more: Record<string, string>) => fetch(client.authorize(more).url, { redirect: 'manual' })

  it.each([
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['with the plain method of PKCE', { code_challenge_method: 'plain' }],
    ['for a resource of somebody else', { resource: 'https://elsewhere.example/mcp' }],
    ['for a token at once', { response_type: 'token' }],
  ])('%s goes back with an error, and asks nobody', async (_what, more) => {
    const answer = await begin(more)
    const back = new URL(answer.headers.get('location') ?? 'none:')
    expect(back.origin + back.pathname).toBe(client.redirectUri)
    expect(back.search + back.hash).toContain('error=')
    expect(back.searchParams.get('code')).toBeNull()
  })

  it.each([
    ['another host', 'https://evil.example/callback'],
    ['another path', 'http://127.0.0.1:3334/callback/more'],
    ['a path that climbs', 'http://127.0.0.1:3334/callback/../evil'],
    ['a query that was not registered', 'http://127.0.0.1:3334/callback?next=https://evil.example'],
    ['a name before an at sign', 'http://127.0.0.1:3334@evil.example/callback'],
    ['a host that begins alike', 'http://127.0.0.1.evil.example:3334/callback'],
    ['another name of loopback', 'http://localhost:3334/callback'],
    ['https of loopback', 'https://127.0.0.1:3334/callback'],
    ['a fragment', 'http://127.0.0.1:3334/callback#x'],
    ['a script', 'javascript:alert(1)'],
  ])('never leads to %s', async (_what, redirect_uri) => {
    const answer = await begin({ redirect_uri })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  it('leads to any port of loopback', async () => {
    const signed = await worker()
    const back = await answerAs(opened, client.authorize({ redirect_uri: 'http://127.0.0.1:51234/callback' }).url, signed, ['DataView'])
    expect(back.origin + back.pathname).toBe('http://127.0.0.1:51234/callback')
    expect(back.searchParams.get('code')).not.toBeNull()
  })

  it('answers in the query alone', async () => {
    for (const response_mode of ['fragment', 'form_post', 'web_message']) expect((await begin({ response_mode })).status).toBe(400)
  })

  it('leaves nothing in the browser but what this one authorization needs', async () => {
    const answer = await begin({})
    const cookies = answer.headers.getSetCookie()
    expect(cookies.map((cookie) => cookie.split('=')[0])).toEqual(['DevPortal.Consent', 'DevPortal.Resume'])
    for (const cookie of cookies) expect(cookie).toMatch(/; path=\/oauth\/(?:consent|authorize)\/[\w-]+;.*samesite=lax; httponly/i)
  })

  it('is the browser’s that began it', async () => {
    const answer = await begin({})
    const uid = (answer.headers.get('location') ?? '').split('/').at(-1) ?? ''
    expect(await opened.oauth.consents.find(uid, undefined)).toBeUndefined()
    expect(await opened.oauth.consents.find(uid, 'another')).toBeUndefined()
    expect(await opened.oauth.consents.find(uid, uid)).toMatchObject({
      askedRoles: 0,
      client: { id: client.clientId, isLoopback: true, idHost: null },
    })
    const resumed = await fetch(`${opened.issuer}/oauth/authorize/${uid}`, { redirect: 'manual' })
    expect([resumed.status, resumed.headers.get('location')]).toEqual([400, null])
  })

  it('where none was named is for the address of the installation', async () => {
    const { url, pkce } = client.authorize()
    url.searchParams.delete('resource')
    const back = await answerAs(opened, url, await worker(), ['DataView'])
    const tokens = (await (await client.redeem(back.searchParams.get('code') ?? '', pkce.verifier)).json()) as Tokens
    expect(await list(tokens.access_token)).toBe(200)
  })
})

describe('what a person gives', () => {
  it('is never more than they have, nor GlobalAdmin', async () => {
    const global = await opened.world.newTenant(1023)
    const signed = await signedIn(opened, global, ['DataView', 'GlobalAdmin'])
    const tokens = await client.connect(signed, ['DataView', 'DataEdit', 'GlobalAdmin'])
    const rows = await opened.world.sql`select role_flag from platform.oauth_grant where tenant_id = ${global.tenantId}`
    expect(rows).toMatchObject([{ roleFlag: 2 }])
    expect(await list(tokens.access_token)).toBe(200)
  })

  it('needs a proof within 10 minutes for an administrator’s role, and is mailed', async () => {
    const late = await signedIn(opened, tenant, ['DataView', 'AdminUser'], 11)
    await opened.world
      .sql`insert into platform.person_email (email, user_id) values (${`${late.person.userName}@example.com`}, ${late.person.userId})`
    await expect(client.code(late, ['DataView', 'AdminUser'])).rejects.toMatchObject(refused('fresh_proof_required'))
    expect(await client.connect(late, ['DataView'])).toMatchObject({ token_type: 'Bearer' })
    const before = (await mailsTo()).length
    await client.connect({ session: { ...late.session, provedAt: Date.now() } }, ['DataView', 'AdminUser'])
    expect(await mailsTo()).toHaveLength(before + 1)
  })

  it('replaces what was given before, and stands in the tenant’s audit log', async () => {
    const signed = await worker()
    const first = await client.connect(signed, ['DataView'])
    const second = await client.connect(signed, ['DataView', 'DataEdit'])
    const grants = await opened.world
      .sql`select grant_id, role_flag from platform.oauth_grant where tenant_user_id = ${signed.person.tenantUserId}`
    expect(grants).toMatchObject([{ roleFlag: 10 }])
    const whoami = async (token: string) =>
      (await send(opened.resource, token, 'tools/call', { name: 'whoami', arguments: {} })).body.result.structuredContent
    // A token has no more than it was made for.
    expect(await whoami(first.access_token)).toMatchObject({ roleFlag: 2 })
    expect(await whoami(second.access_token)).toMatchObject({ roleFlag: 10 })
    const rows = await opened.world.sql`
      select facts from platform.audit_event where tenant_user_id = ${signed.person.tenantUserId} and operation = 'connect_app' order by audit_event_id`
    expect(rows.map(({ facts }) => facts.roles)).toEqual([['DataView'], ['DataView', 'DataEdit']])
  })

  it('need not be asked again for the same, but for another redirect host, tenant or more roles', async () => {
    const both = await registerClient(opened, { redirect_uris: ['https://one.example/cb', 'https://two.example/cb'] })
    const signed = await worker()
    const consentOf = async (more: Record<string, string>) => {
      const answer = await fetch(both.authorize(more).url, { redirect: 'manual' })
      const uid = (answer.headers.get('location') ?? '').split('/').at(-1) ?? ''
      const consent = await opened.oauth.consents.find(uid, uid)
      if (!consent) throw new Error('No consent is asked for')
      return consent
    }
    const before = async (more: Record<string, string>, session = signed.session) =>
      opened.oauth.consents.givenBefore(await consentOf(more), session)
    expect(await before({ scope: 'DataView' })).toBeUndefined()
    await both.connect(signed, ['DataView', 'FileEdit'])
    expect(await before({ scope: 'DataView' })).toBe(34)
    expect(await before({ scope: 'DataView AdminUser' })).toBe(34)
    expect(await before({ scope: 'DataView DataEdit' })).toBeUndefined()
    expect(await before({ scope: 'DataView', redirect_uri: 'https://two.example/cb' })).toBeUndefined()
    expect(await before({ scope: 'DataView', prompt: 'consent' })).toBeUndefined()
    const elsewhere = await signedIn(opened, await opened.world.newTenant(), ['DataView'])
    expect(await before({ scope: 'DataView' }, { ...elsewhere.session, userId: signed.session.userId })).toBeUndefined()
    // Any program of the machine could call itself so.
    await client.connect(signed, ['DataView'])
    const own = await fetch(client.authorize({ scope: 'DataView' }).url, { redirect: 'manual' })
    const uid = (own.headers.get('location') ?? '').split('/').at(-1) ?? ''
    expect(await opened.oauth.consents.find(uid, uid)).toMatchObject({ mustShow: true })
  })
})

describe('a refresh token', () => {
  it('is changed at each use, and works once more within 30 seconds, since hosts refresh in parallel', async () => {
    const tokens = await client.connect(await worker(), ['DataView'])
    const answers = await Promise.all([1, 2, 3].map(() => client.refresh(tokens.refresh_token)))
    const fresh = await Promise.all(answers.map(async (answer) => (await answer.json()) as Tokens))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(fresh.map(({ refresh_token }) => refresh_token)).size).toBe(3)
    for (const { access_token, refresh_token } of fresh) {
      expect(await list(access_token)).toBe(200)
      expect((await client.refresh(refresh_token)).status).toBe(200)
    }
  })

  it('ends the grant where it comes back later, and the person is told', async () => {
    const signed = await worker()
    await opened.world
      .sql`insert into platform.person_email (email, user_id) values (${`${signed.person.userName}@example.com`}, ${signed.person.userId})`
    const tokens = await client.connect(signed, ['DataView'])
    const fresh = (await (await client.refresh(tokens.refresh_token)).json()) as Tokens
    await opened.world.sql`update platform.oauth_token set used_date = used_date - interval '31 seconds' where used_date is not null`
    const before = (await mailsTo()).length
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toBe('invalid_grant')
    expect(await mailsTo()).toHaveLength(before + 1)
    await expect.poll(() => list(fresh.access_token)).toBe(401)
    expect(await errorOf(await client.refresh(fresh.refresh_token))).toBe('invalid_grant')
    const rows = await opened.world.sql`
      select operation from platform.audit_event where tenant_user_id = ${signed.person.tenantUserId} order by audit_event_id`
    expect(rows.map(({ operation }) => operation)).toEqual(['connect_app', 'end_replayed_app'])
  })

  it('is good for 30 days unused, and for a year in all', async () => {
    const tokens = await client.connect(await worker(), ['DataView'])
    const times = await opened.world.sql`
      select round(extract(epoch from expires_at - created_date) / 86400)::int as days from platform.oauth_token where kind = 'refresh' order by created_date desc limit 1`
    expect(times).toMatchObject([{ days: 30 }])
    await opened.world.sql`
      update platform.oauth_token set payload = payload || jsonb_build_object('iiat', (payload->>'iiat')::int - 360 * 86400) where kind = 'refresh'`
    const fresh = (await (await client.refresh(tokens.refresh_token)).json()) as Tokens
    const last = await opened.world.sql`
      select round(extract(epoch from expires_at - created_date) / 86400)::int as days from platform.oauth_token where kind = 'refresh' order by created_date desc limit 1`
    expect(last).toMatchObject([{ days: 5 }])
    await opened.world.sql`update platform.oauth_token set payload = payload || '{"exp": 1}' where kind = 'refresh'`
    expect(await errorOf(await client.refresh(fresh.refresh_token))).toBe('invalid_grant')
  })

  it('may ask for less, and gets no more than was given', async () => {
    const tokens = await client.connect(await worker(), ['DataView', 'DataEdit'])
    const less = (await (await client.refresh(tokens.refresh_token, { scope: 'DataView' })).json()) as Tokens
    const { roleFlag } = (await send(opened.resource, less.access_token, 'tools/call', { name: 'whoami', arguments: {} })).body.result
      .structuredContent
    expect(roleFlag).toBe(2)
    expect((await client.refresh(less.refresh_token, { scope: 'DataView FileEdit' })).status).toBe(400)
  })

  it('opens nothing at another resource', async () => {
    const tokens = await client.connect(await worker(), ['DataView'])
    const [row] = await opened.world.sql<{ host: string }[]>`select host from platform.tenant where tenant_id = ${tenant.tenantId}`
    const other = `http://${row?.host}:${new URL(opened.origin).port}/mcp`
    expect(await errorOf(await client.refresh(tokens.refresh_token, { resource: other }))).toBe('invalid_target')
  })

  it('waits while its tenant is suspended, and is over once its person is locked', async () => {
    const own = await opened.world.newTenant()
    const global = await opened.world.newTenant(1023)
    const signed = await signedIn(opened, own, ['DataView'])
    const tokens = await client.connect(signed, ['DataView'])
    await opened.world.call('suspend_tenant', { tenantId: own.tenantId }, { key: global.key })
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toBe('temporarily_unavailable')
    expect((await send(opened.resource, tokens.access_token, 'tools/list')).body).toMatchObject({ code: 'tenant_suspended' })
    await opened.world.call('activate_tenant', { tenantId: own.tenantId }, { key: global.key })
    expect((await client.refresh(tokens.refresh_token)).status).toBe(200)
    await opened.world.call('lock_user', { tenantUserId: signed.person.tenantUserId }, { key: own.key })
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toBe('invalid_grant')
  })
})

describe('the revocation', () => {
  const revoke = (token: string) =>
    fetch(`${opened.issuer}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ client_id: client.clientId, token }) })

  it('of an access token ends that one, of a refresh token the grant', async () => {
    const tokens = await client.connect(await worker(), ['DataView'])
    expect((await revoke(tokens.access_token)).status).toBe(200)
    await expect.poll(() => list(tokens.access_token)).toBe(401)
    const fresh = (await (await client.refresh(tokens.refresh_token)).json()) as Tokens
    expect(await list(fresh.access_token)).toBe(200)
    expect((await revoke(fresh.refresh_token)).status).toBe(200)
    await expect.poll(() => list(fresh.access_token)).toBe(401)
    expect(await errorOf(await client.refresh(fresh.refresh_token))).toBe('invalid_grant')
  })

  it('says nothing of tokens that are nobody’s', async () => {
    expect((await revoke('flr_nobodys')).status).toBe(200)
  })
})

describe('a tenant that lets no application in', () => {
  it('refuses new ones, and those that were in', async () => {
    const own = await opened.world.newTenant()
    const signed = await signedIn(opened, own, ['DataView'])
    const tokens = await client.connect(signed, ['DataView'])
    expect(await list(tokens.access_token)).toBe(200)
    await opened.world.call('set_sign_in_policy', { tenantId: own.tenantId, secondFactor: 'optional', apps: 'none' }, { key: own.key })
    await expect.poll(() => list(tokens.access_token)).toBe(401)
    expect(await errorOf(await client.refresh(tokens.refresh_token))).toBe('invalid_grant')
    await expect(client.code(signed, ['DataView'])).rejects.toMatchObject(refused('forbidden', /no application/))
  })
})
