/** Applications: those that register, those that a document names, and what neither may do. */
import { createServer } from 'node:http'

import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { fitMetadata, isRegistered, redirectTarget, shownName } from '#server/oauth/clients.rules.ts'

import { type AppHost, startAppHost } from './support/app-host.ts'
import {
  answerAs,
  type AuthorizationWorld,
  clientOf,
  openAuthorization,
  registerClient,
  signedIn,
  type Tokens,
} from './support/authorization.ts'
import { portOf } from './support/mcp-server.ts'
import type { TestTenant } from './support/world.ts'

let opened: AuthorizationWorld
let host: AppHost
let tenant: TestTenant
beforeAll(async () => {
  host = await startAppHost()
  opened = await openAuthorization({ OAUTH_REDIRECT_SCHEMES: 'cursor', TRUSTED_PROXIES: '127.0.0.1' })
  tenant = await opened.world.newTenant()
})
afterAll(async () => {
  await opened?.close()
  await host?.close()
})

let addresses = 0
/** From an address of its own, unless it is told. */
const register = (metadata: unknown, from = `203.0.113.${++addresses}`) =>
  fetch(`${opened.issuer}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify(metadata),
  })
const redirect_uris = ['http://127.0.0.1:3334/callback']
const begin = (clientId: string, redirectUri = redirect_uris[0] ?? '') =>
  fetch(clientOf(opened, clientId, redirectUri).authorize().url, {
    redirect: 'manual',
    headers: { 'x-forwarded-for': `198.51.100.${++addresses % 250}` },
  })
const consentOf = async (clientId: string, redirectUri?: string) => {
  const answer = await begin(clientId, redirectUri)
  const uid = (answer.headers.get('location') ?? '').split('/').at(-1) ?? ''
  return opened.oauth.consents.find(uid, uid)
}

describe('an application that registers', () => {
  it('is given an id, a secret where it wants one, and what there is here', async () => {
    const answer = await register({
      redirect_uris,
      client_name: 'Mine',
      scope: 'DataView openid',
      grant_types: ['authorization_code', 'refresh_token', 'implicit'],
    })
    expect(answer.status).toBe(201)
    const client = (await answer.json()) as Record<string, unknown>
    expect(client).toMatchObject({
      client_id: expect.stringMatching(/^app_/),
      client_name: 'Mine',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
    expect(String(client['client_secret']).length).toBeGreaterThan(40)
    expect(client['registration_access_token']).toBeUndefined()
    const kept = await opened.world
      .sql`select encode(sealed, 'escape') as text from platform.oauth_client where client_id = ${String(client['client_id'])}`
    expect(kept).toHaveLength(1)
    expect(String(kept[0]?.['text'])).not.toContain(String(client['client_secret']))
    const bare = (await (await register({ redirect_uris, token_endpoint_auth_method: 'none' })).json()) as Record<string, unknown>
    expect(bare['client_secret']).toBeUndefined()
  })

  it.each(['client_secret_basic', 'client_secret_post'])('shows its secret as %s, and nobody gets a token without', async (method) => {
    const { client_id: id = '', client_secret: secret = '' } = (await (
      await register({ redirect_uris, token_endpoint_auth_method: method, grant_types: ['authorization_code', 'refresh_token'] })
    ).json()) as Record<string, string>
    const client = clientOf(opened, id, redirect_uris[0] ?? '')
    const signed = await signedIn(opened, tenant, ['DataView'])
    const redeem = async (given: string) => {
      const { code, verifier } = await client.code(signed, ['DataView'])
      const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: client.redirectUri }
      const isBasic = method === 'client_secret_basic'
      return fetch(`${opened.issuer}/oauth/token`, {
        method: 'POST',
        headers: isBasic ? { authorization: `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}` } : {},
        body: new URLSearchParams(isBasic ? fields : { ...fields, client_id: id, client_secret: given }),
      })
    }
    expect((await redeem(secret)).status).toBe(200)
    expect((await redeem('wrong')).status).toBe(401)
    const { code, verifier } = await client.code(signed, ['DataView'])
    expect((await client.redeem(code, verifier)).status).toBe(401)
  })

  it('may sign its requests instead, each of which counts once', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const { client_id: id = '' } = (await (
      await register({
        redirect_uris,
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }] },
      })
    ).json()) as Record<string, string>
    const client = clientOf(opened, id, redirect_uris[0] ?? '')
    const signed = await signedIn(opened, tenant, ['DataView'])
    const assertion = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(id)
      .setSubject(id)
      .setAudience(opened.issuer)
      .setJti('once')
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey)
    const proof = { client_assertion: assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' }
    const first = await client.code(signed, ['DataView'])
    expect((await client.redeem(first.code, first.verifier, proof)).status).toBe(200)
    const second = await client.code(signed, ['DataView'])
    expect((await client.redeem(second.code, second.verifier, proof)).status).toBe(401)
  })

  it.each([
    ['no redirect', {}],
    ['plain http across a network', { redirect_uris: ['http://app.example/callback'] }],
    ['a scheme that nobody permitted', { redirect_uris: ['evil://callback'] }],
    ['a script as redirect', { redirect_uris: ['javascript:alert(1)'] }],
    ['a fragment', { redirect_uris: ['https://app.example/callback#x'] }],
    ['a password in a redirect', { redirect_uris: ['https://a:b@app.example/callback'] }],
    ['one good redirect and a bad one', { redirect_uris: ['https://app.example/callback', 'http://10.0.0.1/callback'] }],
    ['too many redirects', { redirect_uris: Array.from({ length: 21 }, (_, n) => `https://app.example/${n}`) }],
    ['more than there is room for', { redirect_uris, client_name: 'x'.repeat(9_000) }],
    ['a name that is none', { redirect_uris, client_name: { evil: true } }],
    ['a list for an object', []],
  ])('is refused with %s', async (_what, metadata) => {
    const answer = await register(metadata)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^invalid_(?:client_metadata|redirect_uri|request)$/) })
  })

  it('may go back to a scheme that was permitted', async () => {
    const answer = await register({ redirect_uris: ['cursor://anysphere.cursor/callback'], token_endpoint_auth_method: 'none' })
    const { client_id: id = '' } = (await answer.json()) as Record<string, string>
    expect(await consentOf(id, 'cursor://anysphere.cursor/callback')).toMatchObject({
      client: { redirectHost: 'cursor:' },
      redirectSource: 'cursor:',
      mustShow: true,
    })
  })

  it('does so 20 times an hour from one address, whatever the 10,000 others do', async () => {
    const from = '192.0.2.77'
    const statuses = []
    for (let n = 0; n < 22; n++) statuses.push((await register({ redirect_uris }, from)).status)
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 429, 429])
    const refusedOne = await register({ redirect_uris }, from)
    expect(Number(refusedOne.headers.get('retry-after'))).toBeGreaterThan(60)
    expect((await register({ redirect_uris })).status).toBe(201)
  })

  it('is gone after a day in which nobody let it in, and stays once somebody did', async () => {
    const [unused, used] = [await registerClient(opened), await registerClient(opened)]
    await used.connect(await signedIn(opened, tenant, ['DataView']), ['DataView'])
    await opened.world.sql`update platform.oauth_client set created_date = created_date - interval '25 hours'`
    expect((await begin(unused.clientId)).status).toBe(400)
    expect((await begin(used.clientId)).status).toBe(303)
    await registerClient(opened)
    const left = await opened.world
      .sql`select client_id from platform.oauth_client where client_id in ${opened.world.sql([unused.clientId, used.clientId])}`
    expect(left).toMatchObject([{ clientId: used.clientId }])
  })
})

describe('an application that a document names', () => {
  it('connects without registering, and its host is told', async () => {
    const id = host.publish('/client')
    const client = clientOf(opened, id, 'https://app.example/callback')
    const signed = await signedIn(opened, tenant, ['DataView'])
    expect(await consentOf(id, 'https://app.example/callback')).toMatchObject({
      client: { id, name: 'An app with a document', idHost: new URL(host.origin).host, redirectHost: 'app.example', isLoopback: false },
    })
    const tokens = await client.connect(signed, ['DataView'])
    expect(((await (await client.refresh(tokens.refresh_token)).json()) as Tokens).access_token).toMatch(/^fla_/)
    // Read once: it is kept five minutes at least.
    expect(host.asked.filter((path) => path === '/client')).toHaveLength(1)
  })

  it('goes back where its document says, and nowhere else', async () => {
    const id = host.publish('/exact', { redirect_uris: ['https://app.example/callback', 'evil://x', 'http://app.example/plain'] })
    expect((await begin(id, 'https://app.example/callback')).status).toBe(303)
    for (const uri of ['https://app.example/callback/', 'evil://x', 'http://app.example/plain', 'https://evil.example/callback']) {
      const answer = await begin(id, uri)
      expect([uri, answer.status, answer.headers.get('location')]).toEqual([uri, 400, null])
    }
  })

  it.each([
    ['names another id', { client_id: 'https://app.example/client' }],
    ['holds a secret', { client_secret: 'told to everybody' }],
    ['wants to show a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['is longer than 64 KiB', { client_uri: `https://app.example/${'x'.repeat(70_000)}` }],
  ])('is refused where the document %s', async (what, metadata) => {
    const id = host.publish(`/bad-${what.replaceAll(' ', '-')}`, metadata)
    const answer = await begin(id)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(host.asked).toContain(new URL(id).pathname)
  })

  it('is not looked for where its document leads away', async () => {
    host.publish('/target')
    host.pages.set('/away', (_request, response) => response.writeHead(302, { location: `${host.origin}/target` }).end())
    expect((await begin(`${host.origin}/away`)).status).toBe(400)
    expect(host.asked).toContain('/away')
    expect(host.asked).not.toContain('/target')
  })

  it('does not hold anybody up: a document that does not come within 5 seconds is none', async () => {
    const silent: (() => void)[] = []
    host.pages.set('/silent', (_request, response) => void silent.push(() => response.end()))
    expect((await begin(`${host.origin}/silent`)).status).toBe(400)
    expect(silent).toHaveLength(1)
  })

  it('is never read from inside the network', async () => {
    const heard: string[] = []
    const inside = createServer((request, response) => {
      heard.push(request.url ?? '')
      response.end('{}')
    })
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    // 127.0.0.0/8 is permitted in the tests' world; here nothing is.
    const shut = await openAuthorization({ OUTBOUND_ALLOW: '' })
    const asked = host.asked.length
    const inward = [
      `https://localhost:${portOf(inside)}/client`,
      `https://127.0.0.1:${portOf(inside)}/client`,
      `${host.origin}/client`,
      'https://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/client',
      'https://[::1]/client',
      'https://[::ffff:127.0.0.1]/client',
      'https://0x7f000001/client',
      `http://localhost:${portOf(inside)}/client`,
      'file:///etc/passwd',
    ]
    for (const id of inward)
      expect([id, (await fetch(clientOf(shut, id, redirect_uris[0] ?? '').authorize().url, { redirect: 'manual' })).status]).toEqual([
        id,
        400,
      ])
    expect(heard).toEqual([])
    expect(host.asked).toHaveLength(asked)
    await shut.close()
    await new Promise((resolve) => inside.close(resolve))
  })
})

describe('what people are shown of an application', () => {
  it.each([
    ['Claude', 'Claude'],
    ['  A \n host\u0000 ', 'A host'],
    ['evil\u202Egnp.exe', 'evilgnp.exe'],
    ['a\u200Bb\u2066c\uFEFF', 'abc'],
    ['x'.repeat(80), `${'x'.repeat(63)}…`],
    ['\u202E\u2066', 'app.example'],
    [undefined, 'app.example'],
    [42, 'app.example'],
  ])('is a name of at most 64 letters that all show: %j', (given, shown) => {
    expect(shownName(given, 'app.example')).toBe(shown)
  })

  it('is the same however it came', async () => {
    const id = host.publish('/bidi', { client_name: 'Bank\u202Emoc' })
    expect(await consentOf(id)).toMatchObject({ client: { name: 'Bankmoc' } })
    const tokens = await clientOf(opened, id, redirect_uris[0] ?? '').connect(await signedIn(opened, tenant, ['DataView']), ['DataView'])
    expect(tokens.access_token).toMatch(/^fla_/)
    expect(await opened.world.sql`select client_name from platform.oauth_grant where client_id = ${id}`).toMatchObject([
      { clientName: 'Bankmoc' },
    ])
  })
})

describe('where people are sent back', () => {
  it('is https or loopback, written as it was registered but for the port of loopback', () => {
    const registered = ['https://app.example/cb', 'http://localhost:1/cb', 'http://[::1]/cb']
    const leads = (uri: string) => isRegistered(uri, registered, ['cursor'])
    expect(
      ['https://app.example/cb', 'http://localhost:1/cb', 'http://localhost:65535/cb', 'http://localhost/cb', 'http://[::1]:8/cb'].map(
        leads,
      ),
    ).toEqual([true, true, true, true, true])
    const others = [
      'https://app.example:444/cb',
      'https://APP.example/cb',
      'https://app.example/cb?',
      'http://localhost:1/cb?x',
      'http://localhost:x/cb',
      'http://localhost:1@evil.example/cb',
      'http://127.0.0.1:1/cb',
      'http://localhost:1/CB',
      ' https://app.example/cb',
    ]
    expect(others.map(leads)).toEqual(others.map(() => false))
    expect(redirectTarget('http://app.example/cb', [])).toBeUndefined()
    expect(redirectTarget('cursor://x', ['cursor'])).toMatchObject({ host: 'cursor:', source: 'cursor:' })
  })

  it('is never more than what is read of a request to register', () => {
    const metadata: Record<string, unknown> = {
      client_id: 'app_1',
      redirect_uris: ['https://app.example/cb'],
      sector_identifier_uri: 'https://inside/',
      logo_uri: 'https://x/',
    }
    expect(fitMetadata(metadata, [])).toBeUndefined()
    expect(Object.keys(metadata)).not.toEqual(expect.arrayContaining(['sector_identifier_uri']))
    expect(metadata['logo_uri']).toBeUndefined()
  })
})

describe('an authorization', () => {
  it('is begun 60 times a minute from one address', async () => {
    const client = await registerClient(opened)
    const statuses = new Set<number>()
    for (let n = 0; n < 62; n++) {
      const { url } = client.authorize()
      // Also with a slash behind its path, which leads to the same.
      if (n % 2 === 1) url.pathname += '/'
      statuses.add((await fetch(url, { redirect: 'manual', headers: { 'x-forwarded-for': '192.0.2.200' } })).status)
    }
    expect([...statuses]).toEqual([303, 429])
    const back = await answerAs(opened, client.authorize().url, await signedIn(opened, tenant, ['DataView']), ['DataView'])
    expect(back.searchParams.get('code')).toMatch(/^flc_/)
  })
})
