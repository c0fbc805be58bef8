/** The portal's nine routes and the three ways to open those that are gated, to the letter of the contract. */
import { randomUUID } from 'node:crypto'

import { beforeAll, describe, expect, it } from 'vitest'

import { ownMarkdown, portalTexts, servedTexts } from '#server/docs/index.ts'
import { corpus } from '#tools/docs/service.ts'

import { enrolApp, joinTenant, newPerson, newSession, strangerAt, type TestPerson } from './support/persons.ts'
import { newVisitor, type Shown, subDomainOfTenant, usePortal, type Visitor } from './support/portal.ts'
import type { TestTenant, World } from './support/world.ts'

const publicUrl = 'https://ops.example.com'
const opened = usePortal({ PUBLIC_URL: publicUrl }, ({ platform: { pipeline } }: World) => ({
  texts: portalTexts(pipeline.registry, {
    pages: corpus.pages().map((page) => ({ ...page, markdown: ownMarkdown(page.markdown, publicUrl) })),
    publicUrl,
    served: servedTexts(pipeline.registry, { pages: corpus.pages(), publicUrl }),
  }),
}))

let tenant: TestTenant
let other: TestTenant
let sub: string
let otherSub: string
beforeAll(async () => {
  tenant = await opened.world.newTenant()
  other = await opened.world.newTenant()
  sub = await subDomainOfTenant(opened.world, tenant)
  otherSub = await subDomainOfTenant(opened.world, other)
})

const gated = ['/llms-full.txt', '/api/postman.json', '/api/enrichments.json', '/api/response-shapes.json']
const basicOf = ({ userName, password }: Pick<TestPerson, 'userName' | 'password'>) =>
  `Basic ${Buffer.from(`${userName}:${password}`).toString('base64')}`
const visit = () => newVisitor(opened.url)
const open = (path: string, authorization?: string, visitor: Visitor = visit()) =>
  visitor.ask(path, authorization === undefined ? {} : { headers: { authorization } })
const logIn = (body: unknown, headers: Record<string, string> = {}, visitor = visit()) =>
  visitor.ask('/api/auth/login', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever the wire shows.
const bodyOf = ({ text }: Shown): any => JSON.parse(text)

/** A person with an app, of which the function tells the code. */
async function withApp(person: TestPerson): Promise<() => string> {
  const { app } = await enrolApp(opened.world, await newSession(opened.world, person))
  return () => app.generate()
}

describe('what is open', () => {
  it('is the index for models, with the addresses of the API, the map of the site and a word to crawlers', async () => {
    const [index, map, robots] = await Promise.all(['/llms.txt', '/sitemap.xml', '/robots.txt'].map((path) => open(path)))
    expect([index?.status, map?.status, robots?.status]).toEqual([200, 200, 200])
    expect(index?.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(index?.text).toMatch(/^# Fieldloop\n/)
    expect(index?.text).toContain(`${publicUrl}/mcp`)
    expect(index?.text).toContain(`(${publicUrl}/docs/guides/getting-started.md)`)
    expect(map?.headers.get('content-type')).toBe('application/xml; charset=utf-8')
    expect(map?.text).toContain(`<loc>${opened.url}/llms.txt</loc>`)
    expect(robots?.text).toMatch(/^User-agent: \*\nDisallow: \/\n/)
    for (const shown of [index, map, robots]) expect(shown?.headers.get('x-robots-tag')).toBe('noindex, nofollow')
  })
})

describe('the mails of this machine', () => {
  it('are shown to a key of a global administrator, 403 to any other, and 401 to a program without one', async () => {
    const global = await opened.world.newTenant(512)
    const shown = await open('/ops/mail', `Bearer ${global.key}`)
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect((await open('/ops/mail', `Bearer ${tenant.key}`)).status).toBe(403)
    for (const authorization of [undefined, 'Bearer flk_nobody']) expect((await open('/ops/mail', authorization)).status).toBe(401)
    expect(await visit().open('/ops/mail')).toMatchObject({ status: 303, location: '/login?returnTo=%2Fops%2Fmail' })
  })
})

describe('what is gated', () => {
  it('is 401 for a program and leads a browser to /login, and back', async () => {
    const person = await newPerson(opened.world, tenant, [])
    for (const path of gated) {
      const refused = await open(path)
      expect([path, refused.status, bodyOf(refused).code]).toEqual([path, 401, 'unauthenticated'])
      expect(refused.headers.get('www-authenticate')).toContain('Basic realm=')
      expect(refused.headers.get('x-robots-tag')).toBe('noindex, nofollow')
      const sent = await visit().open(path)
      expect([path, sent.status, sent.location]).toEqual([path, 303, `/login?returnTo=${encodeURIComponent(path)}`])
    }
    expect(await newVisitor(opened.url).signIn(person, '?returnTo=/api/postman.json')).toMatchObject({
      status: 303,
      location: '/api/postman.json',
    })
  })

  it('has the page of keys among it', async () => {
    const visitor = newVisitor(opened.url)
    expect((await open('/ops/api-keys')).status).toBe(401)
    expect(await visitor.open('/ops/api-keys')).toMatchObject({ status: 303, location: '/login?returnTo=%2Fops%2Fapi-keys' })
    await visitor.signIn(await newPerson(opened.world, tenant))
    const page = await visitor.open('/ops/api-keys')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  })

  it('asks no page’s script for Basic, which would open a window over it', async () => {
    const asked = await visit().ask('/api/postman.json', { headers: { 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' } })
    expect([asked.status, asked.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('opens to the same person by Basic, by a token, by the cookie, and to a key, whatever roles they have', async () => {
    const person = await newPerson(opened.world, tenant, [])
    const visitor = newVisitor(opened.url)
    await visitor.signIn(person)
    const { token } = bodyOf(await logIn({ username: person.userName, password: person.password }))
    for (const path of gated) {
      const ways = [
        await open(path, basicOf(person)),
        await open(path, `Bearer ${token}`),
        await visitor.ask(path),
        await open(path, `Bearer ${tenant.key}`),
        await open(path, `Bearer ${await newSession(opened.world, person)}`),
      ]
      expect([path, ...ways.map(({ status }) => status)]).toEqual([path, 200, 200, 200, 200, 401])
      expect(new Set(ways.slice(0, 4).map(({ text }) => text)).size).toBe(1)
    }
  })

  it('holds each operation: a collection of the format 2.1, tables of fields, long context with references and examples, every page as text', async () => {
    const [full, postman, enriched, shapes] = await Promise.all(gated.map((path) => open(path, `Bearer ${tenant.key}`)))
    const names = opened.world.platform.pipeline.registry.operations.filter(({ isUnlisted }) => isUnlisted !== true).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(300)
    const collection = bodyOf(postman as Shown)
    expect(collection.info.schema).toBe('https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
    const requests = collection.item.flatMap(({ item }: { item: unknown[] }) => item)
    expect(requests.length).toBeGreaterThanOrEqual(names.length)
    expect(Object.keys(bodyOf(shapes as Shown).operations).toSorted()).toEqual(names.toSorted())
    const { operations } = bodyOf(enriched as Shown)
    expect(Object.keys(operations).toSorted()).toEqual(names.toSorted())
    expect(operations.save_instance.context.length).toBeGreaterThan(1_000)
    expect(operations.save_instance.crossReferences.operations).toContain('save_instances_bulk')
    expect(operations.save_instance.crossReferences.pages).toContainEqual({ path: 'guides/records.md', title: 'Records' })
    expect(operations.save_instance.examples[0]).toMatchObject({ body: expect.anything(), answer: expect.anything() })
    expect(full?.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    for (const { markdown } of corpus.pages()) expect(full?.text).toContain(ownMarkdown(markdown, publicUrl).trim())
  })
})

describe('POST /api/auth/login', () => {
  it('answers an opaque token for 15 minutes with the person’s roles, the strongest by itself', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'BuilderAdmin', 'AdminUser', 'DataDelete'])
    const answer = await logIn({ username: person.userName, password: person.password })
    expect([answer.status, bodyOf(answer)]).toEqual([
      200,
      {
        token: expect.stringMatching(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/),
        expiresInSeconds: 900,
        role: 'AdminUser',
        roles: ['BuilderAdmin', 'DataView', 'DataDelete', 'AdminUser'],
        tenantId: tenant.tenantId,
        tenantUserId: person.tenantUserId,
        displayName: 'Ana Ruiz',
      },
    ])
    const { token } = bodyOf(answer)
    expect(await opened.world.refusal('whoami', {}, token)).toMatchObject({ code: 'unauthenticated' })
    const changed = token.replace(
      /\.([\w-])([\w-]+)$/,
      (_whole: string, first: string, rest: string) => `.${first === 'A' ? 'B' : 'A'}${rest}`,
    )
    expect((await open('/llms-full.txt', `Bearer ${changed}`)).status).toBe(401)
  })

  it('answers a wrong name and a wrong password alike, and counts them with those of every other way in', async () => {
    const person = await newPerson(opened.world, tenant)
    const visitor = visit()
    const wrong = [
      await logIn({ username: person.userName, password: 'wrong' }, {}, visitor),
      await logIn({ username: `nobody-${randomUUID()}`, password: 'wrong' }, {}, visitor),
    ]
    const [one, two] = wrong.map((shown) => ({ ...bodyOf(shown), requestId: '' }))
    expect([wrong[0]?.status, one]).toEqual([401, two])
    for (let n = 0; n < 4; n++)
      expect((await open('/llms-full.txt', basicOf({ ...person, password: `wrong ${n}` }), visitor)).status).toBe(401)
    for (let n = 0; n < 5; n++)
      await visitor.ask('/login', { method: 'POST', body: new URLSearchParams({ username: person.userName, password: 'wrong' }) })
    const late = [
      await logIn({ username: person.userName, password: person.password }, {}, visitor),
      await open('/llms-full.txt', basicOf(person), visitor),
      await visitor.ask('/login', { method: 'POST', body: new URLSearchParams({ username: person.userName, password: person.password }) }),
    ]
    expect(late.map(({ status }) => status)).toEqual([429, 429, 429])
    for (const { headers } of late) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('counts sign-ins that it goes on with among the calls of strangers: 60 a minute from an address', async () => {
    const visitor = visit()
    const statuses: number[] = []
    for (let n = 0; n < 61; n++) statuses.push((await logIn({ signInToken: 'x' }, {}, visitor)).status)
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429])
  })

  it('takes the tenant of the host, else that which is asked for, else the only one, else the one used last', async () => {
    const person = await newPerson(opened.world, tenant)
    const given = { username: person.userName, password: person.password }
    const tenantOf = async (body: object, headers = {}) => bodyOf(await logIn({ ...given, ...body }, headers)).tenantId
    expect(await tenantOf({})).toBe(tenant.tenantId)
    await joinTenant(opened.world, person.userId, other)
    expect(await tenantOf({ tenant: otherSub.toUpperCase() })).toBe(other.tenantId)
    expect(await tenantOf({})).toBe(other.tenantId)
    const at = (host: string) => ({ 'x-forwarded-host': host })
    expect(await tenantOf({}, at(`${sub}.test`))).toBe(tenant.tenantId)
    expect(await tenantOf({ tenant: sub }, at(`${otherSub}.test:8443`))).toBe(other.tenantId)
    // An address of nobody is the installation's own.
    expect(await tenantOf({ tenant: sub }, at('unknown.example.org'))).toBe(tenant.tenantId)
    expect(await logIn({ ...given, tenant: 'no-such-tenant' })).toMatchObject({ status: 404 })
  })

  it('holds 15 minutes from each use, ends with what ends the person’s sessions, and no longer', async () => {
    const person = await newPerson(opened.world, tenant)
    const { token } = bodyOf(await logIn({ username: person.userName, password: person.password }))
    const status = async (headers: Record<string, string> = {}) =>
      (await visit().ask('/llms-full.txt', { headers: { authorization: `Bearer ${token}`, ...headers } })).status
    await opened.world.sql`update platform.session set idle_until = now() + interval '40 seconds' where user_id = ${person.userId}`
    expect(await status()).toBe(200)
    const [row] = await opened.world.sql<{ minutes: number }[]>`
      select extract(epoch from idle_until - now())::float8 / 60 as minutes from platform.session where user_id = ${person.userId}`
    expect(row?.minutes).toBeGreaterThan(14)
    await opened.world.call('lock_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    expect(await status()).toBe(401)
  })
})

describe('a second factor', () => {
  it('closes Basic, and stands between the password and a token', async () => {
    const person = await newPerson(opened.world, tenant)
    const basic = basicOf(person)
    expect((await open('/llms-full.txt', basic)).status).toBe(200)
    const code = await withApp(person)
    const closed = await open('/llms-full.txt', basic)
    expect([closed.status, bodyOf(closed).code]).toEqual([401, 'second_factor_required'])
    const asked = await logIn({ username: person.userName, password: person.password })
    expect([asked.status, bodyOf(asked)]).toMatchObject([
      401,
      {
        code: 'second_factor_required',
        signInToken: expect.any(String),
        expiresAt: expect.any(String),
        channels: [{ channel: 'totp', factorId: expect.any(Number), hint: expect.any(String) }, { channel: 'recovery' }],
      },
    ])
    const { signInToken } = bodyOf(asked)
    expect((await logIn({ signInToken })).status).toBe(401)
    const verified = await strangerAt(opened.world)('verify_second_factor', { signInToken, code: code() })
    const answer = await logIn({ signInToken: verified.signInToken, tenant: sub })
    expect([answer.status, bodyOf(answer).tenantUserId]).toEqual([200, person.tenantUserId])
    expect((await open('/llms-full.txt', `Bearer ${bodyOf(answer).token}`)).status).toBe(200)
  })

  it('that the tenant demands closes both to a password alone', async () => {
    const strict = await opened.world.newTenant()
    await opened.world.call('set_sign_in_policy', { tenantId: strict.tenantId, secondFactor: 'all', apps: 'any' }, { key: strict.key })
    const person = await newPerson(opened.world, strict)
    const closed = await open('/llms-full.txt', basicOf(person))
    expect([closed.status, bodyOf(closed).code]).toEqual([401, 'second_factor_required'])
    const asked = await logIn({ username: person.userName, password: person.password })
    expect([asked.status, bodyOf(asked)]).toMatchObject([401, { code: 'second_factor_required', channels: [], next: 'enrolSecondFactor' }])
  })
})

describe('Basic', () => {
  it('hashes a password that was right once a minute, and looks up each time what its person may do', async () => {
    const person = await newPerson(opened.world, tenant)
    const basic = basicOf(person)
    expect((await open('/llms-full.txt', basic)).status).toBe(200)
    const attempts = await opened.world.sql`select key, at from platform.attempt order by key`
    expect((await open('/llms-full.txt', basic)).status).toBe(200)
    expect(await opened.world.sql`select key, at from platform.attempt order by key`).toEqual(attempts)
    await opened.world.sql`update platform.app_user set credential_version = credential_version + 1 where user_id = ${person.userId}`
    expect((await open('/llms-full.txt', basic)).status).toBe(200)
    await opened.world.call('lock_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    expect((await open('/llms-full.txt', basic)).status).toBe(401)
  })

  it('takes an e-mail and a password with a colon, and nothing that is no pair', async () => {
    for (const text of ['no pair', ':', 'name:', `${'n'.repeat(300)}:p`])
      expect((await open('/llms-full.txt', `Basic ${Buffer.from(text).toString('base64')}`)).status).toBe(401)
    expect((await open('/llms-full.txt', 'Basic %%%')).status).toBe(401)
  })
})

it('refuses a credential of another tenant at a tenant’s own address', async () => {
  const at = (host: string, authorization: string) =>
    visit().ask('/llms-full.txt', { headers: { authorization, 'x-forwarded-host': host } })
  expect((await at(`${sub}.test`, `Bearer ${tenant.key}`)).status).toBe(200)
  expect((await at(`${otherSub}.test:8443`, `Bearer ${tenant.key}`)).status).toBe(403)
})
