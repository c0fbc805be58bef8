/** The pages of signing in and of mailed links: every step by its form alone, without a script, and nothing for whoever is another. */
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'

import { enrolApp, joinTenant, newPerson, newSession, type TestPerson } from './support/persons.ts'
import { codeTo, hiddenFields, linkTo, newVisitor, type Shown, subDomainOfTenant, usePortal, type Visitor } from './support/portal.ts'
import type { TestTenant } from './support/world.ts'

const opened = usePortal()
let tenant: TestTenant
let sub: string
beforeAll(async () => {
  tenant = await opened.world.newTenant()
  sub = await subDomainOfTenant(opened.world, tenant)
})

const visit = () => newVisitor(opened.url)
const titleOf = ({ text }: Shown) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1]
const problemOf = ({ text }: Shown) => /role="alert"><p>([^<]*)</.exec(text)?.[1]
const noticeOf = ({ text }: Shown) => /role="status"><p>([^<]*)</.exec(text)?.[1]
const isSignedIn = async (visitor: Visitor, at = sub) => (await visitor.call(at, 'schema/whoami')).status === 200
const newPassword = 'nine silver herons at dusk'

const linkOf = (address: string) => linkTo(opened.world, address)

let counter = 0
const newEmail = () => `somebody${++counter}@example.com`

async function invited(email: string, more: object = {}, of = tenant): Promise<string> {
  const { tenantUserId } = await opened.world.call('create_user', { email, roles: ['DataView'], ...more }, { key: of.key })
  await opened.world.call('invite_user', { tenantUserId }, { key: of.key })
  return linkOf(email)
}

/** Opens the link as whoever has no script: pastes it. */
async function openLink(visitor: Visitor, link: string): Promise<Shown> {
  const { pathname } = new URL(link)
  return visitor.submit(await visitor.open(pathname), '/login/link', { token: link })
}

async function withApp(person: TestPerson): Promise<{ code: () => string; recovery: readonly string[] }> {
  const { app, recoveryCodes } = await enrolApp(opened.world, await newSession(opened.world, person))
  return { code: () => app.generate(), recovery: recoveryCodes }
}

describe('/login', () => {
  it('lets in by name and password and leads to where one was going', async () => {
    const person = await newPerson(opened.world, tenant)
    const visitor = visit()
    const gone = await visitor.open(`/t/${sub}/records?page=2`)
    expect([gone.status, gone.location]).toEqual([303, `/login?returnTo=${encodeURIComponent(`/t/${sub}/records?page=2`)}`])
    const page = await visitor.open(gone.location ?? '')
    expect([page.status, titleOf(page)]).toEqual([200, 'Sign in'])
    const done = await visitor.submit(page, '/login', { username: person.userName, password: person.password })
    expect([done.status, done.location]).toEqual([303, `/t/${sub}/records?page=2`])
    expect((await visitor.open(done.location ?? '')).status).toBe(200)
    expect(await visitor.open('/')).toMatchObject({ status: 303, location: `/t/${sub}` })
  })

  it('leads nowhere else, whatever it was asked to return to', async () => {
    const person = await newPerson(opened.world, tenant)
    const elsewhere = [
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      'https://evil.example/',
      'http:evil.example',
      'javascript:alert(1)',
      '/%09/evil.example/..//evil.example'.replace('%09', '\t'),
      '/.//evil.example',
      '/a/..//evil.example',
      `/${'a'.repeat(3_000)}`,
      'evil',
    ]
    for (const returnTo of elsewhere) {
      const done = await visit().signIn(person, `?returnTo=${encodeURIComponent(returnTo)}`)
      expect([returnTo, done.status, done.location]).toEqual([returnTo, 303, `/t/${sub}`])
    }
  })

  it('tells a wrong name, a wrong password, a locked user and somebody without a tenant apart by nothing', async () => {
    const person = await newPerson(opened.world, tenant)
    const locked = await newPerson(opened.world, tenant)
    await opened.world.call('lock_user', { tenantUserId: locked.tenantUserId }, { key: tenant.key })
    const answers = []
    for (const who of [{ ...person, password: 'wrong' }, { userName: 'nobody at all', password: 'wrong' }, locked])
      answers.push(await visit().signIn(who))
    const shown = answers.map((answer) => [answer.status, titleOf(answer), problemOf(answer), answer.headers.getSetCookie()])
    expect(shown).toEqual(shown.map(() => [401, 'Sign in', expect.stringMatching(/^The name or the password is wrong/), []]))
    // With what was typed, and without the password.
    expect(answers[0]?.text).toContain(person.userName)
    expect(answers[0]?.text).not.toContain('value="wrong"')
  })

  it('speaks German to whoever reads it', async () => {
    expect(titleOf(await visit().open('/login', { 'accept-language': 'de-CH,de;q=0.9,en;q=0.5' }))).toBe('Anmelden')
  })

  it('is shown with headers that let it load its own files, be in nobody’s frame, and be kept by nobody', async () => {
    const { headers } = await visit().open('/login')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store'])
  })

  it('takes no form that another site sends, nor one without the token that this browser was given', async () => {
    const person = await newPerson(opened.world, tenant)
    const given = { username: person.userName, password: person.password }
    const visitor = visit()
    const page = await visitor.open('/login')
    const tokens = [
      hiddenFields(page.text, '/login')['form'] ?? '',
      hiddenFields((await visit().open('/login')).text, '/login')['form'] ?? '',
    ]
    expect(new Set(tokens).size).toBe(2)
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }])
      expect((await visitor.submit(page, '/login', given, headers)).status).toBe(403)
    for (const form of ['', tokens[1] ?? '', 'x']) expect((await visitor.submit(page, '/login', { ...given, form })).status).toBe(403)
    const foreign = await visitor.ask('/login', {
      method: 'POST',
      body: new URLSearchParams(given),
      headers: { origin: 'https://evil.example' },
    })
    expect(foreign.status).toBe(403)
    expect(visitor.cookies.has('DevPortal.Auth')).toBe(false)
    expect((await visitor.submit(page, '/login', given)).status).toBe(303)
  })

  it('holds every form of every page to the same', async () => {
    const actions = [
      '/login/passkey',
      '/login/enrol/begin',
      '/login/factor',
      '/login/code',
      '/login/enrol',
      '/login/tenant',
      '/login/forgot',
      '/logout',
      '/login/link',
      '/login/link/password',
      '/login/link/accept',
      '/login/link/email',
      '/login/link/sign-in',
    ]
    const visitor = visit()
    await visitor.open('/login')
    for (const action of actions) {
      const send = (headers: Record<string, string>) =>
        visitor.ask(action, { method: 'POST', body: new URLSearchParams({ token: 'x', form: 'x' }), headers })
      expect([action, (await send({ 'sec-fetch-site': 'cross-site' })).status]).toEqual([action, 403])
      expect([action, (await send({ 'sec-fetch-site': 'same-origin' })).status]).toEqual([action, 403])
    }
  })

  it('believes no Host of a request: what is mailed and where it leads is of PORTAL_URL', async () => {
    const email = newEmail()
    const person = await newPerson(opened.world, tenant)
    await opened.world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
    const visitor = visit()
    const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const sent = await visitor.submit(await visitor.open('/login/forgot', evil), '/login/forgot', { username: email }, evil)
    expect([sent.status, noticeOf(sent)]).toEqual([200, expect.stringMatching(/^If there is such a person/)])
    expect(await linkOf(email)).toMatch(new RegExp(`^${opened.url}/login/link#[\\w-]{43}$`))
    for (const path of ['/login', `/t/${sub}`, '/logout']) {
      const shown = await visitor.open(path, evil)
      expect(`${shown.location ?? ''} ${shown.text}`).not.toContain('evil.example')
    }
  })

  it('shows the name and the accent of the tenant whose host it is, and of any other the installation’s own', async () => {
    const theme = { '--theme-accent': '#7a1f3d', '--theme-font': 'serif' }
    await opened.world.call('set_tenant_theme', { tenantId: tenant.tenantId, ...theme }, { key: tenant.key })
    const at = { 'x-forwarded-host': `${sub}.test` }
    const own = await visit().open('/login', at)
    expect(own.text).toContain(`<header class="top"><p>${sub}</p></header>`)
    const address = /href="(\/login\/theme\.css\?\w+)"/.exec(own.text)?.[1] ?? ''
    const style = await visit().ask(address, { headers: at })
    expect([style.headers.get('content-type'), style.text]).toEqual([
      'text/css; charset=utf-8',
      expect.stringContaining('--accent:#7a1f3d'),
    ])
    expect(style.text).not.toContain('--font')
    const other = await visit().open('/login', { 'x-forwarded-host': 'unknown.example.org' })
    expect(other.text).toContain('<header class="top"><p>Fieldloop</p></header>')
    expect(other.text).not.toContain('theme.css')
  })

  it('says who is signed in already, and goes on', async () => {
    const person = await newPerson(opened.world, tenant)
    const visitor = visit()
    await visitor.signIn(person)
    expect((await visitor.open('/login?returnTo=/profile')).text).toMatch(/You are signed in as Ana Ruiz\. <a href="\/profile">/)
  })
})

describe('a second factor', () => {
  it('is asked for on a page of its own, by the app or a recovery code, five times at most', async () => {
    const person = await newPerson(opened.world, tenant)
    const { code, recovery } = await withApp(person)
    const visitor = visit()
    let page = await visitor.signIn(person, '?returnTo=/profile')
    expect([page.status, titleOf(page), visitor.cookies.has('DevPortal.Auth')]).toEqual([200, 'Your second factor', false])
    page = await visitor.submit(page, '/login/code', { code: '000000' })
    expect([page.status, problemOf(page)]).toEqual([401, expect.stringMatching(/^The code is wrong/)])
    const done = await visitor.submit(page, '/login/code', { code: code() })
    expect([done.status, done.location, await isSignedIn(visitor)]).toEqual([303, '/profile', true])
    const other = visit()
    const again = await other.submit(await other.signIn(person), '/login/code', { code: recovery[0] ?? '' })
    expect([again.status, await isSignedIn(other)]).toEqual([303, true])
    const third = visit()
    page = await third.signIn(person)
    for (let n = 0; n < 5; n++) page = await third.submit(page, '/login/code', { code: '000000' })
    page = await third.submit(page, '/login/code', { code: recovery[1] ?? '' })
    expect([page.status, await isSignedIn(third)]).toEqual([401, false])
  })

  it('is enrolled on the way in where the tenant demands it, with recovery codes shown once', async () => {
    const strict = await opened.world.newTenant()
    const strictSub = await subDomainOfTenant(opened.world, strict)
    await opened.world.call('set_sign_in_policy', { tenantId: strict.tenantId, secondFactor: 'all', apps: 'any' }, { key: strict.key })
    const person = await newPerson(opened.world, strict)
    const visitor = visit()
    let page = await visitor.signIn(person)
    expect([page.status, titleOf(page)]).toEqual([200, 'A second factor is needed'])
    const { secret = '' } = hiddenFields(page.text, '/login/enrol')
    page = await visitor.submit(page, '/login/enrol', { code: '000000' })
    expect([page.status, problemOf(page)]).toEqual([400, expect.stringMatching(/^This is not a code of the app now/)])
    page = await visitor.submit(page, '/login/enrol', { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() })
    expect([titleOf(page), [...page.text.matchAll(/<li>([A-Z0-9 ]{19})<\/li>/g)].length]).toEqual(['Your recovery codes', 10])
    const done = await visitor.submit(page, '/login/tenant')
    expect([done.status, done.location, await isSignedIn(visitor, strictSub)]).toEqual([303, `/t/${strictSub}`, true])
  })
})

describe('codes by e-mail', () => {
  it('are enrolled where the tenant counts them alone, and sent when they are chosen', async () => {
    const strict = await opened.world.newTenant()
    const strictSub = await subDomainOfTenant(opened.world, strict)
    const policy = { tenantId: strict.tenantId, secondFactor: 'all', factors: ['email'], apps: 'any' }
    await opened.world.call('set_sign_in_policy', policy, { key: strict.key })
    const [person, email] = [await newPerson(opened.world, strict), newEmail()]
    const visitor = visit()
    let page = await visitor.signIn(person)
    expect([titleOf(page), page.text]).toEqual(['A second factor is needed', expect.stringContaining('An e-mail of yours')])
    page = await visitor.submit(page, '/login/enrol/begin', { value: 'no address' })
    expect([page.status, problemOf(page)]).toEqual([400, expect.stringMatching(/^A code cannot go there/)])
    page = await visitor.submit(page, '/login/enrol/begin', { value: email })
    page = await visitor.submit(page, '/login/enrol', { code: '000000' })
    expect([page.status, problemOf(page)]).toEqual([400, expect.stringMatching(/^The code is wrong/)])
    page = await visitor.submit(page, '/login/enrol', { code: await codeTo(opened.world, email) })
    expect(titleOf(page)).toBe('Your recovery codes')
    await visitor.submit(page, '/login/tenant')
    expect(await isSignedIn(visitor, strictSub)).toBe(true)
    const again = visit()
    page = await again.signIn(person)
    const way = /name="way" value="([^"]*)">A code by e-mail to/.exec(page.text)?.[1] ?? ''
    page = await again.submit(page, '/login/factor', { way: way.replaceAll('&#34;', '"') })
    expect(page.text).toMatch(/A code was sent to \S+@/)
    const done = await again.submit(page, '/login/code', { code: await codeTo(opened.world, email) })
    expect([done.status, await isSignedIn(again, strictSub)]).toEqual([303, true])
  })
})

describe('another tenant', () => {
  it('is chosen on a page; a path of it leads there, and nobody else’s tenant is entered', async () => {
    const other = await opened.world.newTenant()
    const otherSub = await subDomainOfTenant(opened.world, other)
    const person = await newPerson(opened.world, tenant)
    await joinTenant(opened.world, person.userId, other)
    const visitor = visit()
    await visitor.signIn(person, `?tenant=${sub}`)
    const gone = await visitor.open(`/t/${otherSub}/inbox`)
    expect(gone.location).toBe(`/login/tenant?returnTo=${encodeURIComponent(`/t/${otherSub}/inbox`)}`)
    const page = await visitor.open(gone.location ?? '')
    expect(page.text).toContain(otherSub)
    const foreign = await opened.world.newTenant()
    const refused = await visitor.submit(page, '/login/tenant', { tenantId: String(foreign.tenantId), tenant: 'x' })
    expect(refused.status).toBe(404)
    const entered = await visitor.submit(page, '/login/tenant', { tenantId: String(other.tenantId), tenant: otherSub })
    expect([entered.location, await isSignedIn(visitor), await isSignedIn(visitor, otherSub)]).toEqual([`/t/${otherSub}/inbox`, true, true])
  })
})

describe('a mailed link', () => {
  it('does nothing when it is opened, and nothing of it reaches the server before the button', async () => {
    const link = await invited(newEmail())
    const page = await visit().open(new URL(link).pathname)
    expect([page.status, titleOf(page)]).toEqual([200, 'Your link'])
    expect(page.text).toMatch(/<script type="module" src="\/web\/\w+\/link\.js">/)
    for (let n = 0; n < 2; n++) expect(titleOf(await openLink(visit(), link))).toMatch(/^Welcome to/)
  })

  it('of an invitation proposes a name, tells the rules before they are broken, and ends at a session', async () => {
    const email = newEmail()
    const link = await invited(email, { userName: `colleague${counter}` })
    const visitor = visit()
    let page = await openLink(visitor, link)
    expect(page.text).toContain(`value="colleague${counter}"`)
    expect(page.text).toContain('12 to 256 characters')
    const username = `colleague${counter}`
    const taken = await newPerson(opened.world, tenant)
    for (const [fields, status, problem] of [
      [{ username, password: 'short' }, 400, /12 to 256 characters, and this has 5/],
      [{ username: 'a name with spaces', password: newPassword }, 400, /without spaces and @/],
      [{ username: 'a-name-of-twelve', password: 'a-name-of-twelve' }, 400, /is the log-in name/],
      [{ username: taken.userName, password: newPassword }, 409, /cannot be had/],
    ] as const) {
      page = await visitor.submit(page, '/login/link/password', fields)
      expect([fields, page.status, problemOf(page)]).toEqual([fields, status, expect.stringMatching(problem)])
    }
    page = await visitor.submit(page, '/login/link/password', { username, password: newPassword })
    expect([page.status, noticeOf(page)]).toEqual([200, 'The invitation is accepted. Sign in.'])
    const done = await visitor.submit(page, '/login', { username: email, password: newPassword })
    expect([done.status, done.location, await isSignedIn(visitor)]).toEqual([303, `/t/${sub}`, true])
    expect(await openLink(visit(), link)).toMatchObject({ status: 410 })
  })

  it('of an invitation for somebody who exists sets no password: they sign in, and it is theirs', async () => {
    const email = newEmail()
    const other = await opened.world.newTenant()
    const person = await newPerson(opened.world, other)
    await opened.world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
    const link = await invited(email)
    const visitor = visit()
    let page = await openLink(visitor, link)
    expect(page.text).not.toContain('type="password"')
    expect(page.text).toContain(`You sign in with ${email} already`)
    // Whoever posts one nevertheless is refused.
    const { form = '', token = '' } = hiddenFields(page.text, '/login/link/sign-in')
    const forced = await visitor.ask('/login/link/password', {
      method: 'POST',
      body: new URLSearchParams({ form, token, username: 'intruder', password: newPassword }),
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(forced.status).toBe(409)
    page = await visitor.submit(page, '/login/link/sign-in')
    page = await visitor.submit(page, '/login', { username: person.userName, password: person.password })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Accept as Ana Ruiz')])
    page = await visitor.submit(page, '/login/link/accept')
    expect(page.status).toBe(200)
    const done = await visitor.submit(page, '/login/tenant')
    expect([done.status, done.location, await isSignedIn(visitor)]).toEqual([303, `/t/${sub}`, true])
    const [row] = await opened.world.sql<{ count: number }[]>`
      select count(*)::int as count from platform.tenant_user where tenant_id = ${tenant.tenantId} and user_id = ${person.userId}`
    expect(row?.count).toBe(1)
  })

  it('of an invitation is not taken by a session that was found open: it asks who it is again', async () => {
    const link = await invited(newEmail())
    const other = await opened.world.newTenant()
    const person = await newPerson(opened.world, other)
    const visitor = visit()
    await visitor.signIn(person)
    await opened.world.sql`update platform.session set proved_date = now() - interval '11 minutes' where user_id = ${person.userId}`
    opened.world.platform.services.wake.poke('credentials')
    const page = await visitor.submit(await openLink(visitor, link), '/login/link/accept')
    expect([titleOf(page), noticeOf(page)]).toEqual(['Sign in', undefined])
    expect(titleOf(await openLink(visit(), link))).toMatch(/^Welcome to/)
  })

  it('of a reset sets a password and ends the sessions; a factor stays in the way', async () => {
    const email = newEmail()
    const person = await newPerson(opened.world, tenant)
    const { code } = await withApp(person)
    await opened.world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
    const visitor = visit()
    await visitor.submit(await visitor.signIn(person), '/login/code', { code: code() })
    expect(await isSignedIn(visitor)).toBe(true)
    const stranger = visit()
    await stranger.submit(await stranger.open('/login/forgot'), '/login/forgot', { username: person.userName })
    const page = await openLink(stranger, await linkOf(email))
    expect(titleOf(page)).toBe('Choose a new password')
    const set = await stranger.submit(page, '/login/link/password', { password: newPassword })
    expect([set.status, noticeOf(set)]).toEqual([200, 'Your password is set. Sign in with it.'])
    expect(await isSignedIn(visitor)).toBe(false)
    expect(titleOf(await stranger.submit(set, '/login', { username: person.userName, password: newPassword }))).toBe('Your second factor')
  })

  it('of a change of e-mail makes it sign in, and the word to the old one puts it back', async () => {
    const [before, after] = [newEmail(), newEmail()]
    const person = await newPerson(opened.world, tenant)
    await opened.world.sql`insert into platform.person_email (email, user_id) values (${before}, ${person.userId})`
    const visitor = visit()
    await visitor.signIn(person)
    await visitor.call(sub, 'profile/email', { email: after, replaces: before })
    let page = await openLink(visitor, await linkOf(after))
    expect([titleOf(page), page.text]).toEqual(['Confirm your e-mail', expect.stringContaining(after)])
    page = await visitor.submit(page, '/login/link/email')
    expect(noticeOf(page)).toBe('Confirmed. This address signs you in.')
    expect(await visit().signIn({ userName: after, password: person.password })).toMatchObject({ status: 303 })
    page = await openLink(visit(), await linkOf(before))
    expect(titleOf(page)).toBe('Put your e-mail back')
    const undoing = visit()
    page = await undoing.submit(await openLink(undoing, await linkOf(before)), '/login/link/email')
    expect(noticeOf(page)).toMatch(/^Your addresses are back/)
    expect(await isSignedIn(visitor)).toBe(false)
    expect(await visit().signIn({ userName: before, password: person.password })).toMatchObject({ status: 303 })
  })

  it('that is over, used or nobody’s says the same', async () => {
    for (const link of ['x', 'A'.repeat(43), `${opened.url}/login/link#${'B'.repeat(43)}`]) {
      const page = await openLink(visit(), `${opened.url}/login/link#${link.split('#').at(-1) ?? ''}`)
      expect([page.status, problemOf(page)]).toEqual([410, expect.stringMatching(/^The link is over, was used, or a newer one was sent/)])
    }
  })
})

it('shuts a name out after 50 wrong passwords from anywhere, but for a browser that signed in before', async () => {
  const [person, neighbour] = [await newPerson(opened.world, tenant), await newPerson(opened.world, tenant)]
  const [own, foreign] = [visit(), visit()]
  await own.signIn(person)
  await foreign.signIn(neighbour)
  const wrong = { userName: person.userName, password: 'wrong' }
  for (let n = 0; n < 50; n++) expect((await visit().signIn(wrong)).status).toBe(401)
  const mark = own.cookies.get('DevPortal.Known') ?? ''
  const withMark = (known: string) => {
    const visitor = visit()
    visitor.cookies.set('DevPortal.Known', known)
    return visitor.signIn(person)
  }
  expect((await visit().signIn(person)).status).toBe(429)
  expect((await foreign.signIn(person)).status).toBe(429)
  expect((await withMark(mark.replace(/^\d+/, String(person.userId + 1)))).status).toBe(429)
  expect((await withMark(mark.replace(/.$/, ''))).status).toBe(429)
  expect((await withMark(mark)).status).toBe(303)
})

it('counts the pages with the calls of strangers: 60 a minute from an address', async () => {
  const visitor = visit()
  const answers: Shown[] = []
  for (let n = 0; n < 62; n++) answers.push(await openLink(visitor, `${opened.url}/login/link#${'C'.repeat(43)}`))
  expect([answers[0]?.status, answers.at(-1)?.status]).toEqual([410, 429])
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('sends its style by gzip to whoever accepts it, and as it is to whoever does not', async () => {
  const visitor = visit()
  const styles = [...(await visitor.open('/login')).text.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(
    ([, address = '']) => address,
  )
  expect(styles.length).toBeGreaterThan(3)
  for (const address of styles) {
    const [packed, plain] = [
      await visitor.ask(address, { headers: { 'accept-encoding': 'gzip' } }),
      await visitor.ask(address, { headers: { 'accept-encoding': 'identity' } }),
    ]
    expect([packed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
    expect(packed.text).toBe(plain.text)
    expect(packed.headers.get('vary')).toBe('accept-encoding')
  }
})
