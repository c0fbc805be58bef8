/** Invitations and new passwords by links: who gets one, what it proves, and that nobody learns whom there is. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { handOverMails, localMails } from '#server/worker/mailer.ts'

import { openMailVendor } from './support/mail-vendor.ts'
import { joinTenant, newAddress, newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { openWorld, type TestTenant, useWorld, type World } from './support/world.ts'

const world = useWorld()
const { call } = world
const password = passwordOfTests
const newPassword = 'nine silver herons at dusk'

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

let counter = 0
const unique = (prefix: string) => `${prefix}${++counter}-${process.pid}`

interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** What has gone to an address, the oldest first, after everything that waits was handed over. */
async function mailsTo(address: string, of: World = world): Promise<Mail[]> {
  while ((await handOverMails(of.platform.services)) > 0);
  const folder = localMails(of.config.dataDir)
  const names = await readdir(folder).catch(() => [])
  const ordered = names.toSorted((a, b) => (a < b ? -1 : 1))
  const mails = await Promise.all(ordered.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as Mail))
  return mails.filter(({ to }) => to === address)
}

const tokenIn = (text: string | undefined) => /^http:\/\/localhost:4001\/login\/link#([\w-]{43})$/m.exec(text ?? '')?.[1] ?? 'no token'

async function newUser(more: Record<string, unknown> = {}, of = tenant): Promise<{ tenantUserId: number; userId: number; email: string }> {
  const email = `${unique('invited')}@example.com`
  const { tenantUserId, userId } = await call('create_user', { email, roles: ['DataView'], ...more }, { key: of.key })
  return { tenantUserId, userId, email }
}

/** The link's token of a mailed invitation. */
async function invited(user: { tenantUserId: number; email: string }, of = tenant): Promise<string> {
  await call('invite_user', { tenantUserId: user.tenantUserId }, { key: of.key })
  return tokenIn((await mailsTo(user.email)).at(-1)?.text)
}

const complete = (input: Record<string, unknown>) => strangerAt(world)('complete_password_reset', input)
const logIn = (userName: string, secret = newPassword) => strangerAt(world)('login', { userName, password: secret })

/** A person with an e-mail that they proved. */
async function provedPerson(): Promise<TestPerson & { email: string }> {
  const person = await newPerson(world, tenant)
  const email = `${person.userName}@example.com`
  await world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
  return { ...person, email }
}

describe('an invitation', () => {
  it('is mailed to the user’s e-mail, gives the person a log-in, and proves the address', async () => {
    const user = await newUser({ userName: unique('ana') })
    expect(await call('invite_user', { tenantUserId: user.tenantUserId }, { key: tenant.key })).toMatchObject({ sentTo: user.email })
    const [mail] = await mailsTo(user.email)
    expect(mail).toMatchObject({ subject: expect.stringContaining('Invitation') })
    const chosen = unique('log-in')
    const answer = await complete({ token: tokenIn(mail?.text), password: newPassword, userName: chosen })
    expect(answer).toEqual({ logInName: chosen, emails: [user.email] })
    for (const who of [chosen, user.email])
      expect(await logIn(who)).toMatchObject({ next: 'selectTenant', tenants: [{ tenantId: tenant.tenantId }] })
    expect(await call('get_user', { tenantUserId: user.tenantUserId }, { key: tenant.key })).toMatchObject({
      userId: user.userId,
      status: 'active',
      contacts: [{ value: user.email, isVerified: true }],
    })
    const [event] = await world.sql`
      select facts from platform.audit_event where operation = 'complete_password_reset' and tenant_id = ${tenant.tenantId} order by audit_event_id desc limit 1`
    expect(event).toEqual({ facts: { tenantUserId: user.tenantUserId } })
  })

  it('holds once and seven days, is void where a newer one was sent, it was cancelled, or the user locked', async () => {
    const input = (token: string) => ({ token, password: newPassword, userName: unique('once') })
    const over = refused('unauthenticated', /link is over/)
    const user = await newUser()
    const older = await invited(user)
    const newer = await invited(user)
    await expect(complete(input(older))).rejects.toMatchObject(over)
    await complete(input(newer))
    await expect(complete(input(newer))).rejects.toMatchObject(over)
    await expect(call('invite_user', { tenantUserId: user.tenantUserId }, { key: tenant.key })).rejects.toMatchObject(
      refused('conflict', /reset_user_password/),
    )
    const cancelled = await newUser()
    const void1 = await invited(cancelled)
    await call('cancel_invitation', { tenantUserId: cancelled.tenantUserId }, { key: tenant.key })
    await expect(complete(input(void1))).rejects.toMatchObject(over)
    await expect(call('cancel_invitation', { tenantUserId: cancelled.tenantUserId }, { key: tenant.key })).rejects.toMatchObject(
      refused('not_found', /^No such invitation\.$/),
    )
    const locked = await newUser()
    const void2 = await invited(locked)
    await call('lock_user', { tenantUserId: locked.tenantUserId }, { key: tenant.key })
    await expect(complete(input(void2))).rejects.toMatchObject(over)
    await expect(call('invite_user', { tenantUserId: locked.tenantUserId }, { key: tenant.key })).rejects.toMatchObject(refused('conflict'))
    const late = await newUser()
    const { expiresAt } = await call('invite_user', { tenantUserId: late.tenantUserId }, { key: tenant.key })
    expect(Math.round((Date.parse(expiresAt) - Date.now()) / 3_600_000)).toBe(168)
    await world.sql`update platform.person_link set expires_at = now() where user_id = ${late.userId}`
    await expect(complete(input(tokenIn((await mailsTo(late.email)).at(-1)?.text)))).rejects.toMatchObject(over)
  })

  it('that is handed over as a link makes a log-in and proves no e-mail', async () => {
    const user = await newUser()
    const { link, sentTo } = await call('invite_user', { tenantUserId: user.tenantUserId, asLink: true }, { key: tenant.key })
    expect(sentTo).toBeNull()
    await expect(complete({ token: tokenIn(link), password: newPassword })).rejects.toMatchObject(refused('invalid_input', /userName/))
    const userName = unique('copied')
    expect(await complete({ token: tokenIn(link), password: newPassword, userName })).toEqual({ logInName: userName, emails: [] })
    await expect(logIn(user.email)).rejects.toMatchObject(refused('unauthenticated'))
    expect(await mailsTo(user.email)).toEqual([])
    expect(await call('get_user', { tenantUserId: user.tenantUserId }, { key: tenant.key })).toMatchObject({
      contacts: [{ isVerified: false }],
    })
  })

  it('to an address that is somebody’s sets no password; the membership goes to whoever signs in with it', async () => {
    const person = await provedPerson()
    const second = await world.newTenant()
    const made = await call('create_user', { email: person.email, roles: ['DataEdit'] }, { key: second.key })
    const token = await invited({ tenantUserId: made.tenantUserId, email: person.email }, second)
    await expect(complete({ token, password: newPassword, userName: unique('taker') })).rejects.toMatchObject(
      refused('conflict', /Sign in/),
    )
    await expect(logIn(person.email)).rejects.toMatchObject(refused('unauthenticated'))
    const key = await newSession(world, person)
    await expect(call('complete_password_reset', { token, password: newPassword }, { key, ip: newAddress() })).rejects.toMatchObject(
      refused('invalid_input', /not both/),
    )
    expect(await call('complete_password_reset', { token }, { key, ip: newAddress() })).toEqual({
      logInName: person.userName,
      emails: [person.email],
    })
    expect(await call('get_user', { tenantUserId: made.tenantUserId }, { key: second.key })).toMatchObject({
      tenantUserId: made.tenantUserId,
      userId: person.userId,
      status: 'active',
      roles: ['DataEdit'],
      contacts: [{ value: person.email, isVerified: true }],
    })
    expect(await logIn(person.userName, password)).toMatchObject({
      tenants: expect.arrayContaining([expect.objectContaining({ tenantId: second.tenantId })]),
    })
  })

  it('to another address moves the membership alone: its mailbox wins no way into the log-in of whoever accepts', async () => {
    const person = await provedPerson()
    const second = await world.newTenant()
    const user = await newUser({}, second)
    const token = await invited(user, second)
    const accept = (key: string) => call('complete_password_reset', { token }, { key, ip: newAddress() })
    await expect(accept(await newSession(world, person, 11))).rejects.toMatchObject(refused('fresh_proof_required', /prove_identity/))
    const key = await newSession(world, person)
    expect(await accept(key)).toEqual({ logInName: person.userName, emails: [person.email] })
    expect(await call('get_user', { tenantUserId: user.tenantUserId }, { key: second.key })).toMatchObject({
      userId: person.userId,
      status: 'active',
      contacts: [{ value: user.email, isVerified: false }],
    })
    expect(await strangerAt(world)('request_password_reset', { email: user.email })).toEqual({ isAccepted: true })
    expect((await mailsTo(user.email)).map(({ subject }) => subject)).toEqual([expect.stringContaining('Invitation')])
    expect(await mailsTo(person.email)).toEqual([])
    await expect(logIn(user.email, password)).rejects.toMatchObject(refused('unauthenticated'))
    expect(await call('get_profile', {}, { key })).toMatchObject({ emails: [person.email] })
  })

  it('that is handed over as a link asks a session for no proof', async () => {
    const person = await provedPerson()
    const second = await world.newTenant()
    const user = await newUser({}, second)
    const { link } = await call('invite_user', { tenantUserId: user.tenantUserId, asLink: true }, { key: second.key })
    const stale = { key: await newSession(world, person, 11), ip: newAddress() }
    expect(await call('complete_password_reset', { token: tokenIn(link) }, stale)).toMatchObject({ logInName: person.userName })
  })

  it('takes no password that is the log-in name which it proposes', async () => {
    const userName = unique('a-name-of-twelve')
    const token = await invited(await newUser({ userName }))
    await expect(complete({ token, password: userName.toUpperCase() })).rejects.toMatchObject(refused('invalid_input', /log-in name/))
    expect(await complete({ token, password: newPassword })).toMatchObject({ logInName: userName })
  })

  it('gives nobody a second membership in one tenant', async () => {
    const person = await newPerson(world, tenant)
    const user = await newUser()
    const token = await invited(user)
    const key = await newSession(world, person)
    await expect(call('complete_password_reset', { token }, { key, ip: newAddress() })).rejects.toMatchObject(
      refused('already_exists', /already/),
    )
    expect(await complete({ token, password: newPassword })).toMatchObject({ emails: [user.email] })
  })

  it('proposes the tenant’s name for the user, with the sub-domain where it is taken, and takes none that is', async () => {
    const label = unique('label')
    const second = await world.newTenant()
    const [here, there, third] = [await newUser({ userName: label }), await newUser({ userName: label }, second), await newUser()]
    expect(await complete({ token: await invited(here), password: newPassword })).toMatchObject({ logInName: label })
    const [row] = await world.sql`select lower(sub_domain) as sub_domain from platform.tenant where tenant_id = ${second.tenantId}`
    expect(await complete({ token: await invited(there, second), password: newPassword })).toMatchObject({
      logInName: `${label}-${String(row?.['subDomain'])}`,
    })
    const token = await invited(third)
    await expect(complete({ token, password: newPassword, userName: label.toUpperCase() })).rejects.toMatchObject(refused('already_exists'))
    await expect(complete({ token, password: newPassword, userName: 'a@b' })).rejects.toMatchObject(refused('invalid_input'))
    await expect(complete({ token, password: 'short' })).rejects.toMatchObject({ issues: [{ path: '$.password' }] })
    expect(await complete({ token, password: newPassword })).toEqual({ logInName: null, emails: [third.email] })
  })

  it('is no way to a user who holds more than whoever invites', async () => {
    const user = await newUser({ roles: ['BuilderAdmin'] })
    const key = await tenant.keyWith(['AdminUser', 'DataView'])
    for (const name of ['invite_user', 'cancel_invitation', 'reset_user_password'])
      await expect(call(name, { tenantUserId: user.tenantUserId }, { key }), name).rejects.toMatchObject(
        refused('forbidden', /BuilderAdmin/),
      )
  })

  it('is void once the user holds more than whoever sent it, until somebody who holds that sends another', async () => {
    const user = await newUser()
    const lesser = await tenant.keyWith(['AdminUser', 'DataView'])
    const { link } = await call('invite_user', { tenantUserId: user.tenantUserId, asLink: true }, { key: lesser })
    const raise = (roles: string[]) =>
      call('set_user_roles', { tenantId: tenant.tenantId, tenantUserId: user.tenantUserId, roles }, { key: tenant.key })
    await raise(['DataView', 'BuilderAdmin'])
    const input = { password: newPassword, userName: unique('raised') }
    await expect(complete({ token: tokenIn(link), ...input })).rejects.toMatchObject(refused('unauthenticated', /link is over/))
    const again = await call('invite_user', { tenantUserId: user.tenantUserId, asLink: true }, { key: tenant.key })
    expect(await complete({ token: tokenIn(again.link), ...input })).toMatchObject({ logInName: input.userName })
  })

  it('goes five times an hour to one address, whoever sends it', async () => {
    const user = await newUser()
    for (let n = 0; n < 5; n++) await call('invite_user', { tenantUserId: user.tenantUserId }, { key: tenant.key })
    const second = await world.newTenant()
    const other = await call('create_user', { email: user.email }, { key: second.key })
    await expect(call('invite_user', { tenantUserId: other.tenantUserId }, { key: second.key })).rejects.toMatchObject(
      refused('rate_limited'),
    )
  })
})

describe('a new password', () => {
  const ask = (input: Record<string, unknown>) => strangerAt(world)('request_password_reset', input)

  it('is asked for alike of whoever there is and of nobody, and mailed to proved addresses alone', async () => {
    const person = await provedPerson()
    const contact = `contact-${person.email}`
    await call('add_user_contact', { tenantUserId: person.tenantUserId, kind: 'email', value: contact }, { key: tenant.key })
    const answers = []
    for (const input of [{ userName: person.userName }, { email: contact }, { email: 'nobody@example.com' }]) answers.push(await ask(input))
    expect(answers).toEqual([{ isAccepted: true }, { isAccepted: true }, { isAccepted: true }])
    expect(await mailsTo(person.email)).toHaveLength(1)
    expect([await mailsTo(contact), await mailsTo('nobody@example.com')]).toEqual([[], []])
  })

  it('ends all sessions, leaves keys and names them, and skips no factor', async () => {
    const person = await provedPerson()
    const second = await world.newTenant()
    const there = await joinTenant(world, person.userId, second)
    const keys = [await newSession(world, person), await newSession(world, { tenantUserId: there })]
    const { apiKey } = await call(
      'create_api_key',
      { name: 'Van 7', roles: ['DataView'], tenantUserId: person.tenantUserId },
      { key: tenant.key },
    )
    const begun = await logIn(person.userName, password)
    await ask({ userName: person.email })
    const token = tokenIn((await mailsTo(person.email)).at(-1)?.text)
    expect(await complete({ token, password: newPassword })).toEqual({ logInName: person.userName, emails: [person.email] })
    for (const key of keys) await expect(call('whoami', {}, { key })).rejects.toMatchObject(refused('unauthenticated'))
    await expect(strangerAt(world)('select_tenant', { signInToken: begun.signInToken, tenantId: tenant.tenantId })).rejects.toMatchObject(
      refused('unauthenticated'),
    )
    expect(await call('whoami', {}, { key: apiKey })).toMatchObject({ tenantUserId: person.tenantUserId })
    expect((await mailsTo(person.email)).at(-1)).toMatchObject({
      subject: 'Your password was reset',
      text: expect.stringMatching(/Van 7 \(flk_/),
    })
    await expect(logIn(person.userName, password)).rejects.toMatchObject(refused('unauthenticated'))
    expect(await logIn(person.userName)).toMatchObject({ next: 'selectTenant' })
    await expect(complete({ token, password: 'another password entirely' })).rejects.toMatchObject(refused('unauthenticated'))
  })

  it('is sent for by an administrator to the person’s own addresses, and not before the membership is taken', async () => {
    const person = await provedPerson()
    await call('reset_user_password', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    expect(tokenIn((await mailsTo(person.email)).at(-1)?.text)).toMatch(/^[\w-]{43}$/)
    const user = await newUser()
    await expect(call('reset_user_password', { tenantUserId: user.tenantUserId }, { key: tenant.key })).rejects.toMatchObject(
      refused('conflict', /invite_user/),
    )
  })

  it('goes five times an hour to one address, and whoever asks more often hears nothing of it', async () => {
    const person = await provedPerson()
    for (let n = 0; n < 7; n++) expect(await ask({ userName: person.userName })).toEqual({ isAccepted: true })
    expect(await mailsTo(person.email)).toHaveLength(5)
  })
})

describe('the mails', () => {
  it('tell a person of each change of their log-in', async () => {
    const person = await provedPerson()
    const key = await newSession(world, person)
    await call('change_password', { password, newPassword }, { key })
    await world.sql`update platform.tenant_user set role_flag = 128 where tenant_user_id = ${person.tenantUserId}`
    world.platform.services.wake.poke('credentials')
    const { apiKeyId } = await call('create_api_key', { name: 'Side door', roles: [] }, { key })
    await call('rotate_api_key', { apiKeyId }, { key })
    await call('update_api_key', { apiKeyId, allowedAddresses: ['203.0.113.0/24'] }, { key })
    await call('update_api_key', { apiKeyId, allowedAddresses: [] }, { key })
    await expect.poll(async () => (await mailsTo(person.email)).length).toBe(4)
    const texts = (await mailsTo(person.email)).map(({ text }) => text).join('\n')
    expect(texts).toMatch(/password was changed/)
    expect(texts).toMatch(/API key was made in your session: Side door/)
    expect(texts).toMatch(/new secret in your session: Side door/)
    expect(texts).toMatch(/may do more since your session changed it: Side door/)
    expect(texts).not.toContain(newPassword)
  })

  it('wait sealed, and are kept for their owner alone to read', async () => {
    const user = await newUser()
    await call('invite_user', { tenantUserId: user.tenantUserId }, { key: tenant.key })
    const rows = await world.sql`select encode(sealed, 'escape') as text from platform.person_mail`
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter((row) => String(row['text']).includes('example.com'))).toEqual([])
    const token = tokenIn((await mailsTo(user.email)).at(-1)?.text)
    const [name = ''] = await readdir(localMails(world.config.dataDir))
    expect((await stat(join(localMails(world.config.dataDir), name))).mode & 0o777).toBe(0o600)
    const places = await world.sql`
      select (select count(*) from platform.person_link l where l::text like ${`%${token}%`}) + (select count(*) from platform.audit_event e where e::text like ${`%${token}%`})
        + (select count(*) from platform.idempotency_key k where k::text like ${`%${token}%`}) + (select count(*) from platform.outbox o where o::text like ${`%${token}%`}) as found`
    expect(Number(places[0]?.['found'])).toBe(0)
  })
})

describe('an installation', () => {
  it('with a mail server hands mails to it, again after it said later, and keeps nothing', async () => {
    const server = await openMailVendor()
    const url = `smtp://127.0.0.1:${server.port}`
    const sending = await openWorld({ MAIL_URL: url, MAIL_FROM: 'fieldloop@example.com' })
    try {
      server.plan('laterAtRecipient')
      const { tenantUserId } = await sending.call('create_user', { email: 'ana@example.com' })
      await sending.call('invite_user', { tenantUserId })
      expect(await handOverMails(sending.platform.services)).toBe(1)
      expect(server.taken).toHaveLength(0)
      expect(await handOverMails(sending.platform.services)).toBe(0)
      await sending.sql`update platform.person_mail set next_at = now()`
      expect(await handOverMails(sending.platform.services)).toBe(1)
      expect(server.taken).toMatchObject([{ from: 'fieldloop@example.com', to: ['ana@example.com'] }])
      expect(tokenIn(server.taken[0]?.mail.text?.replaceAll('\r', ''))).toMatch(/^[\w-]{43}$/)
      expect(await sending.sql`select 1 from platform.person_mail`).toHaveLength(0)
      expect(await readdir(localMails(sending.config.dataDir)).catch(() => 'none')).toBe('none')
    } finally {
      await sending.close()
      await server.close()
    }
  })

  it('that others reach and that sends no mail refuses what would be mailed, and keeps nothing', async () => {
    const bare = await openWorld({ HOST: '0.0.0.0' })
    try {
      const user = await bare.call('create_user', { email: 'ana@example.com' })
      const none = refused('unavailable', /MAIL_URL/)
      await expect(bare.call('invite_user', { tenantUserId: user.tenantUserId })).rejects.toMatchObject(none)
      await expect(
        bare.call('request_password_reset', { email: 'ana@example.com' }, { credential: null, ip: newAddress() }),
      ).rejects.toMatchObject(none)
      expect(await bare.call('invite_user', { tenantUserId: user.tenantUserId, asLink: true })).toMatchObject({ link: expect.any(String) })
      expect(await bare.sql`select 1 from platform.person_mail`).toHaveLength(0)
    } finally {
      await bare.close()
    }
  })
})
