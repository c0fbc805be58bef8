/** Sessions of the portal: a browser's cookie and what it opens, for how long, and that each change under it ends it everywhere at once. */
import { randomUUID } from 'node:crypto'

import { beforeAll, describe, expect, it } from 'vitest'

import { exchangeRaw } from './support/http-server.ts'
import { joinTenant, newPerson, newSession, type TestPerson } from './support/persons.ts'
import { fromOurs, newVisitor, subDomainOfTenant, usePortal, type Visitor } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

const opened = usePortal()
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

async function signedIn(person?: TestPerson): Promise<{ visitor: Visitor; person: TestPerson }> {
  const who = person ?? (await newPerson(opened.world, tenant, ['DataView', 'DataEdit']))
  const visitor = newVisitor(opened.url)
  expect(await visitor.signIn(who)).toMatchObject({ status: 303 })
  return { visitor, person: who }
}

const authOf = (visitor: Visitor) => visitor.cookies.get('DevPortal.Auth') ?? ''
const whoami = (visitor: Visitor, at = sub, headers = {}) => visitor.call(at, 'schema/whoami', {}, headers)
const idleMinutes = async ({ userId }: TestPerson) => {
  const rows = await opened.world.sql<{ minutes: number }[]>`
    select extract(epoch from idle_until - now())::float8 / 60 as minutes from platform.session where user_id = ${userId} order by session_id`
  return rows.map(({ minutes }) => Math.round(minutes))
}

describe('the cookie', () => {
  it('is set by the form that the contract names, for 256 random bits that no script reads and no other path is without', async () => {
    const person = await newPerson(opened.world, tenant)
    const body = new URLSearchParams({ username: person.userName, password: person.password })
    const answer = await newVisitor(opened.url).ask('/login', { method: 'POST', body })
    expect([answer.status, answer.location]).toEqual([303, `/t/${sub}`])
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^DevPortal\.Auth=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^DevPortal\.Known=[\w.-]+; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/),
    ])
    const cookie = /=([^;]*)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? ''
    const [{ count } = { count: 1 }] = await opened.world.sql<{ count: number }[]>`
      select count(*)::int as count from platform.session s where s.user_id = ${person.userId} and position(${cookie} in row_to_json(s)::text) > 0`
    expect(count).toBe(0)
  })

  it('opens the API of the tenant in the path through the same pipeline, and of no other', async () => {
    const { visitor, person } = await signedIn()
    const answer = await whoami(visitor)
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([200, { tenantUserId: person.tenantUserId, roleFlag: 10 }])
    expect(await whoami(visitor, otherSub)).toMatchObject({ status: 401 })
    expect(await whoami(visitor, 'no-such-tenant')).toMatchObject({ status: 401 })
    // As a person: what is theirs alone opens, too.
    expect(await visitor.call(sub, 'auth/sessions/list')).toMatchObject({ status: 200 })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('holds two tenants in two windows', async () => {
    const person = await newPerson(opened.world, tenant)
    const member = await joinTenant(opened.world, person.userId, other, ['DataEdit'])
    const { visitor } = await signedIn(person)
    expect(await whoami(visitor, otherSub)).toMatchObject({ status: 401 })
    const before = authOf(visitor)
    const choice = await visitor.open(`/login/tenant?returnTo=/t/${otherSub}/records`)
    const entered = await visitor.submit(
      { ...choice, text: choice.text.slice(choice.text.indexOf(`value="${otherSub}"`) - 400) },
      '/login/tenant',
      {
        tenantId: String(other.tenantId),
        tenant: otherSub,
      },
    )
    expect([entered.status, entered.location]).toEqual([303, `/t/${otherSub}/records`])
    expect(authOf(visitor)).toBe(before)
    const both = [await whoami(visitor), await whoami(visitor, otherSub)]
    expect(both.map(({ text }) => (JSON.parse(text) as { tenantUserId: number }).tenantUserId)).toEqual([person.tenantUserId, member])
  })

  it('is not taken where it stands twice, as a neighbouring host could have it', async () => {
    const { visitor } = await signedIn()
    const twice = `DevPortal.Auth=${authOf(visitor)}; DevPortal.Auth=${authOf(visitor)}`
    expect(await whoami(visitor, sub, { cookie: twice })).toMatchObject({ status: 401 })
  })

  it('is another one after each sign-in, and the one before opens nothing', async () => {
    const { visitor, person } = await signedIn()
    const first = authOf(visitor)
    await visitor.signIn(person)
    expect(authOf(visitor)).not.toBe(first)
    expect(await whoami(visitor)).toMatchObject({ status: 200 })
    expect(await whoami(visitor, sub, { cookie: `DevPortal.Auth=${first}` })).toMatchObject({ status: 401 })
  })

  it('is never one that the browser brought', async () => {
    const person = await newPerson(opened.world, tenant)
    const visitor = newVisitor(opened.url)
    const planted = 'A'.repeat(43)
    visitor.cookies.set('DevPortal.Auth', planted)
    await visitor.signIn(person)
    expect(authOf(visitor)).toMatch(/^[\w-]{43}$/)
    expect(authOf(visitor)).not.toBe(planted)
    expect(await whoami(visitor, sub, { cookie: `DevPortal.Auth=${planted}` })).toMatchObject({ status: 401 })
  })

  it('is another one after a proof and after a change of password, which ends the other sessions', async () => {
    const { visitor, person } = await signedIn()
    const { visitor: elsewhere } = await signedIn(person)
    const first = authOf(visitor)
    expect(await visitor.call(sub, 'auth/prove', { password: person.password })).toMatchObject({ status: 200 })
    const second = authOf(visitor)
    const changed = await visitor.call(sub, 'auth/password', { password: person.password, newPassword: 'nine silver herons at dusk' })
    expect(changed).toMatchObject({ status: 200 })
    expect(new Set([first, second, authOf(visitor)]).size).toBe(3)
    for (const old of [first, second])
      expect(await whoami(visitor, sub, { cookie: `DevPortal.Auth=${old}` })).toMatchObject({ status: 401 })
    expect([(await whoami(visitor)).status, (await whoami(elsewhere)).status]).toEqual([200, 401])
  })
})

describe('what a browser sends', () => {
  it('changes something only from a page of the portal', async () => {
    const { visitor } = await signedIn()
    const cookie = { cookie: `DevPortal.Auth=${authOf(visitor)}` }
    const send = (headers: Record<string, string>, path = `/t/${sub}/api/v1/schema/whoami`) =>
      visitor.ask(path, { method: 'POST', headers: { ...cookie, 'content-type': 'application/json', ...headers }, body: '{}' })
    const { host } = new URL(opened.url)
    const cases: [Record<string, string>, number][] = [
      [fromOurs, 200],
      [{ origin: opened.url }, 200],
      [{}, 403],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site', origin: opened.url }, 403],
      [{ 'sec-fetch-site': 'none' }, 403],
      [{ origin: 'null' }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: `https://${host}.evil.example` }, 403],
      [{ origin: `http://evil.example#${host}` }, 403],
    ]
    for (const [headers, status] of cases) expect([headers, (await send(headers)).status]).toEqual([headers, status])
    expect((await send({ 'sec-fetch-site': 'cross-site' }, '/logout')).status).toBe(403)
    expect((await whoami(visitor)).status).toBe(200)
  })

  it('reads without that', async () => {
    const { visitor } = await signedIn()
    const answer = await visitor.ask(`/t/${sub}/api/v1/webpush/service-worker.js`, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(answer.status).not.toBe(403)
  })
})

describe('the time of a session', () => {
  it('is 15 minutes after the last request of the person, which what asks by itself does not put off', async () => {
    const { visitor, person } = await signedIn()
    expect(await idleMinutes(person)).toEqual([15])
    await opened.world.sql`update platform.session set idle_until = now() + interval '50 seconds' where user_id = ${person.userId}`
    opened.world.platform.services.wake.poke('credentials')
    expect(await whoami(visitor, sub, { 'x-background': '1' })).toMatchObject({ status: 200 })
    expect(await idleMinutes(person)).toEqual([1])
    expect(await whoami(visitor)).toMatchObject({ status: 200 })
    expect(await idleMinutes(person)).toEqual([15])
    await opened.world.sql`update platform.session set idle_until = now() - interval '1 second' where user_id = ${person.userId}`
    await expect.poll(async () => (await whoami(visitor)).status).toBe(401)
    expect((await idleMinutes(person))[0]).toBeLessThanOrEqual(0)
  })

  it('is 8 hours in all', async () => {
    const { visitor, person } = await signedIn()
    const [row] = await opened.world.sql<{ hours: number }[]>`
      select extract(epoch from expires_at - created_date)::float8 / 3600 as hours from platform.session where user_id = ${person.userId}`
    expect(row?.hours).toBeCloseTo(8, 1)
    await opened.world.sql`update platform.session set expires_at = now() where user_id = ${person.userId}`
    await expect.poll(async () => (await whoami(visitor)).status).toBe(401)
  })
})

describe('what ends it', () => {
  it('is signing out, in all its tenants', async () => {
    const { visitor } = await signedIn()
    const old = authOf(visitor)
    const page = await visitor.open('/logout')
    expect((await whoami(visitor)).status).toBe(200)
    expect(await visitor.submit(page, '/logout')).toMatchObject({ status: 200 })
    expect(authOf(visitor)).toBe('')
    expect(await whoami(visitor, sub, { cookie: `DevPortal.Auth=${old}` })).toMatchObject({ status: 401 })
  })

  it('is revoke_session of one of its tenants: a lost browser has none of the others either', async () => {
    const person = await newPerson(opened.world, tenant)
    await joinTenant(opened.world, person.userId, other)
    const { visitor } = await signedIn(person)
    await visitor.submit(await visitor.open('/login/tenant'), '/login/tenant', { tenantId: String(other.tenantId), tenant: otherSub })
    expect((await whoami(visitor, otherSub)).status).toBe(200)
    const token = await newSession(opened.world, person)
    const sessions = await opened.world.call('list_sessions', {}, { key: token })
    expect(sessions).toHaveLength(3)
    const { sessionId } = sessions.find((one: { tenantId: number; isCurrent: boolean }) => one.tenantId === other.tenantId)
    await opened.world.call('revoke_session', { sessionId }, { key: token })
    expect([(await whoami(visitor)).status, (await whoami(visitor, otherSub)).status]).toEqual([401, 401])
    expect(await opened.world.call('list_sessions', {}, { key: token })).toHaveLength(1)
  })

  it('is a lock of the membership, in that tenant alone', async () => {
    const person = await newPerson(opened.world, tenant)
    await joinTenant(opened.world, person.userId, other)
    const { visitor } = await signedIn(person)
    await visitor.submit(await visitor.open('/login/tenant'), '/login/tenant', { tenantId: String(other.tenantId), tenant: otherSub })
    await opened.world.call('lock_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    expect([(await whoami(visitor)).status, (await whoami(visitor, otherSub)).status]).toEqual([401, 200])
  })
})

describe('a program', () => {
  it('calls with a key in the tenant of the key alone, and with no session of the API', async () => {
    const visitor = newVisitor(opened.url)
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const session = await newSession(opened.world, await newPerson(opened.world, tenant))
    expect((await whoami(visitor, sub, bearer(tenant.key))).status).toBe(200)
    expect((await whoami(visitor, otherSub, bearer(tenant.key))).status).toBe(403)
    expect((await whoami(visitor, 'no-such-tenant', bearer(tenant.key))).status).toBe(403)
    expect((await whoami(visitor, sub, bearer(session))).status).toBe(401)
  })

  it('finds no step of a sign-in below a tenant, which would answer a session outside of the browser', async () => {
    const { visitor } = await signedIn()
    for (const path of ['auth/login', 'auth/second-factor', 'auth/verify', 'auth/select-tenant'])
      expect([path, (await visitor.call(sub, path, { tenantId: tenant.tenantId })).status]).toEqual([path, 404])
  })
})

it('saves once what is saved again after signing in again, under the same key', async () => {
  const { visitor, person } = await signedIn(await newPerson(opened.world, tenant, ['BuilderAdmin']))
  const idempotencyKey = { 'idempotency-key': randomUUID() }
  const property = { internalName: `P${randomUUID().slice(0, 8)}`, dataType: 'Text' }
  const first = await visitor.call(sub, 'properties', property, idempotencyKey)
  await visitor.signIn(person)
  const second = await visitor.call(sub, 'properties', property, idempotencyKey)
  expect([first.status, second.status, second.text]).toEqual([200, 200, first.text])
})

it('tells crawlers on every response to keep away, whatever it is', async () => {
  const visitor = newVisitor(opened.url)
  const { port } = new URL(opened.url)
  for (const path of ['/login', '/nothing', `/t/${sub}/api/v1/schema/whoami`, '/t/x/api/v1/nothing', '/%zz', '/web/none.css'])
    expect([path, (await visitor.ask(path)).headers.get('x-robots-tag')]).toEqual([path, 'noindex, nofollow'])
  expect((await visitor.open('/anything')).headers.get('x-robots-tag')).toBe('noindex, nofollow')
  expect(await exchangeRaw(Number(port), 'no http at all\r\n\r\n')).toMatch(/x-robots-tag: noindex, nofollow/i)
})
