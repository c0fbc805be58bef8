/** Codes by e-mail and SMS as second factor: to addresses that the person proved, by the installation's own senders, once, for ten minutes. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { handOverMails, localMails } from '#server/worker/mailer.ts'

import { newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { openTwilioFake, type TwilioFake } from './support/twilio-fake.ts'
import { openWorld, type TestTenant, useWorld, type World } from './support/world.ts'

const world = useWorld()
const { call } = world
const wrong = refused('unauthenticated', /^The code is wrong/)

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

/** What was sent to an address, the oldest first, after everything that waits was handed over. */
async function sentTo(address: string): Promise<{ subject: string; text: string }[]> {
  while ((await handOverMails(world.platform.services)) > 0);
  const folder = localMails(world.config.dataDir)
  const names = (await readdir(folder).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1))
  const all = await Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as { to: string; subject: string; text: string }),
  )
  return all.filter(({ to }) => to === address)
}

const codesTo = async (address: string) => (await sentTo(address)).flatMap(({ text }) => /^(\d{6}) is your/.exec(text)?.[1] ?? [])
const lastCodeTo = async (address: string) => (await codesTo(address)).at(-1) ?? 'no code'

let numbers = 0
const newPhone = () => `+3461${String(2_000_000 + ++numbers)}`
const newEmail = (person: TestPerson) => `codes-${++numbers}-${person.userName}@example.com`
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

async function enrol(key: string, channel: 'email' | 'sms', value: string): Promise<{ factorId: number; recoveryCodes: string[] }> {
  const { factorId } = await call('enroll_code_factor', { channel, value }, { key })
  return call('confirm_code_factor', { factorId, code: await lastCodeTo(value) }, { key })
}

async function withCodes(channel: 'email' | 'sms') {
  const person = await newPerson(world, tenant)
  const key = await newSession(world, person)
  const address = channel === 'sms' ? newPhone() : newEmail(person)
  return { person, key, address, ...(await enrol(key, channel, address)) }
}

const logIn = (person: TestPerson, stranger = strangerAt(world)) =>
  stranger('login', { userName: person.userName, password: passwordOfTests })

describe.each(['email', 'sms'] as const)('a code by %s', (channel) => {
  it('enrols the address that it went to, and signs in beside the password, once', async () => {
    const { person, key, address, factorId, recoveryCodes } = await withCodes(channel)
    expect(recoveryCodes).toHaveLength(10)
    const [factor] = await call('list_second_factors', {}, { key })
    expect(factor).toMatchObject({ factorId, channel, name: expect.stringContaining('…') })
    expect(factor.name).not.toBe(address)
    const stranger = strangerAt(world)
    const before = (await codesTo(address)).length
    const { signInToken, channels } = await logIn(person, stranger)
    expect(channels).toMatchObject([{ channel, factorId, hint: factor.name }, { channel: 'recovery' }])
    expect(await codesTo(address)).toHaveLength(before)
    await stranger('select_second_factor', { signInToken, channel })
    const code = await lastCodeTo(address)
    const step = await stranger('verify_second_factor', { signInToken, code })
    const { token } = await stranger('select_tenant', { signInToken: step.signInToken, tenantId: tenant.tenantId })
    expect(token).toMatch(/^fls_/)
    const again = await logIn(person, stranger)
    await expect(stranger('verify_second_factor', { signInToken: again.signInToken, code })).rejects.toMatchObject(wrong)
    const [event] = await world.sql`
      select facts from platform.audit_event where operation = 'select_tenant' and tenant_user_id = ${person.tenantUserId}`
    expect(event).toMatchObject({ facts: { factor: channel } })
  })

  it('is void once a newer one was sent, after ten minutes, and for another sign-in', async () => {
    const { person, address } = await withCodes(channel)
    const stranger = strangerAt(world)
    const [one, two] = [await logIn(person, stranger), await logIn(person, stranger)]
    const ask = async ({ signInToken }: { signInToken: string }) => {
      await stranger('select_second_factor', { signInToken, channel })
      return lastCodeTo(address)
    }
    const verify = (signInToken: string, code: string) => stranger('verify_second_factor', { signInToken, code })
    const older = await ask(one)
    const newer = await ask(one)
    // The same digits may be drawn twice, once in a million.
    expect([older, newer].every((code) => /^\d{6}$/.test(code))).toBe(true)
    await expect(verify(two.signInToken, newer)).rejects.toMatchObject(wrong)
    await expect(verify(one.signInToken, older === newer ? other(newer) : older)).rejects.toMatchObject(wrong)
    await world.sql`update platform.factor_code set expires_at = now()`
    await expect(verify(one.signInToken, newer)).rejects.toMatchObject(wrong)
  })
})

describe('a code that is sent', () => {
  it('is kept as an HMAC, and stands in no message, outbox row, audit row or log-in step', async () => {
    const { person, address } = await withCodes('email')
    const { signInToken } = await logIn(person)
    const step = await strangerAt(world)('select_second_factor', { signInToken, channel: 'email' })
    const code = await lastCodeTo(address)
    expect(JSON.stringify(step)).not.toContain(code)
    const [row] = await world.sql`
      select (select count(*) from platform.factor_code f where f::text like ${`%${code}%`} or f::text like ${`%${address}%`})::int
        + (select count(*) from platform.person_factor f where f::text like ${`%${address}%`})::int
        + (select count(*) from platform.message m where m::text like ${`%${code}%`})::int
        + (select count(*) from platform.outbox o where o::text like ${`%${code}%`})::int
        + (select count(*) from platform.audit_event a where a.facts::text like ${`%${code}%`})::int as found,
        (select count(*) from platform.factor_code)::int as kept`
    expect(row).toMatchObject({ found: 0 })
    expect(row?.['kept']).toBeGreaterThan(0)
  })

  it('of an enrolment is void once the same address is enrolled anew, and not once another is', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    const [address, elsewhere] = [newEmail(person), newEmail(person)]
    const begin = async (value: string) => {
      const { factorId } = await call('enroll_code_factor', { channel: 'email', value }, { key })
      return { factorId, code: await lastCodeTo(value) }
    }
    const older = await begin(address)
    const another = await begin(elsewhere)
    const newer = await begin(address)
    await expect(call('confirm_code_factor', older, { key })).rejects.toMatchObject(refused('invalid_input', /void/))
    await call('confirm_code_factor', another, { key })
    expect(await call('confirm_code_factor', newer, { key })).toMatchObject({ factorId: newer.factorId })
  })

  it('is void after five wrong ones, also where they come at once, and so is an enrolment', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    const address = newEmail(person)
    const { factorId } = await call('enroll_code_factor', { channel: 'email', value: address }, { key })
    const code = await lastCodeTo(address)
    const tries = Array.from({ length: 5 }, () => call('confirm_code_factor', { factorId, code: other(code) }, { key }))
    expect((await Promise.allSettled(tries)).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'))
    await expect(call('confirm_code_factor', { factorId, code }, { key })).rejects.toMatchObject(refused('invalid_input', /void/))
    expect(await call('list_second_factors', {}, { key })).toEqual([])
    const known = await withCodes('sms')
    const stranger = strangerAt(world)
    const { signInToken } = await logIn(known.person, stranger)
    await stranger('select_second_factor', { signInToken, channel: 'sms' })
    const right = await lastCodeTo(known.address)
    for (let n = 0; n < 5; n++)
      await expect(stranger('verify_second_factor', { signInToken, code: other(right) })).rejects.toMatchObject(wrong)
    await expect(stranger('verify_second_factor', { signInToken, code: right })).rejects.toMatchObject(refused('unauthenticated', /login/))
  })

  it('is shown once, of several calls at once', async () => {
    const { person, address } = await withCodes('email')
    const stranger = strangerAt(world)
    const { signInToken } = await logIn(person, stranger)
    await stranger('select_second_factor', { signInToken, channel: 'email' })
    const code = await lastCodeTo(address)
    const shown = await Promise.allSettled([1, 2, 3].map(() => stranger('verify_second_factor', { signInToken, code })))
    expect(shown.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('goes five times an hour to an address, whoever asks', async () => {
    const person = await newPerson(world, tenant)
    const [address, key] = [newEmail(person), await newSession(world, person)]
    for (let n = 0; n < 5; n++) await call('enroll_code_factor', { channel: 'email', value: address.toUpperCase() }, { key })
    const stranger = await newSession(world, await newPerson(world, tenant))
    await expect(call('enroll_code_factor', { channel: 'email', value: address }, { key: stranger })).rejects.toMatchObject(
      refused('rate_limited'),
    )
    expect(await codesTo(address)).toHaveLength(5)
  })

  it('is nobody else’s to confirm, needs a fresh proof, and goes to no address that is none', async () => {
    const person = await newPerson(world, tenant)
    const [key, stale] = [await newSession(world, person), await newSession(world, person, 11)]
    const phone = newPhone()
    const { factorId } = await call('enroll_code_factor', { channel: 'sms', value: phone }, { key })
    const stranger = await newSession(world, await newPerson(world, tenant))
    const code = await lastCodeTo(phone)
    await expect(call('confirm_code_factor', { factorId, code }, { key: stranger })).rejects.toMatchObject(
      refused('not_found', /^No such factor\.$/),
    )
    for (const [name, input] of [
      ['enroll_code_factor', { channel: 'sms', value: phone }],
      ['confirm_code_factor', { factorId, code }],
    ] as const)
      await expect(call(name, input, { key: stale }), name).rejects.toMatchObject(refused('fresh_proof_required'))
    for (const value of ['612345678', 'ana@example.com'])
      await expect(call('enroll_code_factor', { channel: 'sms', value }, { key })).rejects.toMatchObject({
        code: 'invalid_input',
        issues: [{ path: '$.value' }],
      })
  })

  it('proves again who one is, in the session that asked for it', async () => {
    const { person, address, factorId } = await withCodes('email')
    const [stale, second] = [await newSession(world, person, 20), await newSession(world, person, 20)]
    const asked = await call('prove_identity', { factorId }, { key: stale })
    expect(asked).toEqual({ sentTo: expect.stringContaining('…') })
    const code = await lastCodeTo(address)
    await expect(call('prove_identity', { code }, { key: second })).rejects.toMatchObject(refused('forbidden', /wrong/))
    expect(await call('prove_identity', { code }, { key: stale })).toMatchObject({ provedUntil: expect.any(String) })
    const theirs = await withCodes('email')
    await expect(call('prove_identity', { factorId: theirs.factorId }, { key: stale })).rejects.toMatchObject(refused('not_found'))
  })
})

describe('after a reset by e-mail', () => {
  async function reset(person: TestPerson): Promise<void> {
    const email = `${person.userName}@example.com`
    await world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
    await strangerAt(world)('request_password_reset', { email })
    await sentTo(email)
    const token = (await sentTo(email)).flatMap(({ text }) => /#([\w-]{43})$/m.exec(text)?.[1] ?? []).at(-1)
    await strangerAt(world)('complete_password_reset', { token, password: passwordOfTests })
  }
  const channelsFor = async (person: TestPerson) =>
    (await logIn(person)).channels.map(({ channel }: { channel: string }) => channel) as string[]

  it('no code goes to an e-mail for a day of whoever has another factor, and the other one is asked for', async () => {
    const { person, key, factorId } = await withCodes('email')
    await enrol(key, 'sms', newPhone())
    expect(await channelsFor(person)).toEqual(['email', 'sms', 'recovery'])
    await reset(person)
    expect(await channelsFor(person)).toEqual(['sms', 'recovery'])
    const stranger = strangerAt(world)
    const { signInToken } = await logIn(person, stranger)
    for (const input of [{ channel: 'email' }, { channel: 'email', factorId }])
      await expect(stranger('select_second_factor', { signInToken, ...input })).rejects.toMatchObject(
        refused('invalid_input', /no such factor/i),
      )
    const fresh = await newSession(world, person)
    await expect(call('prove_identity', { factorId }, { key: fresh })).rejects.toMatchObject(refused('not_found'))
    await world.sql`update platform.app_user set reset_date = now() - interval '25 hours' where user_id = ${person.userId}`
    expect(await channelsFor(person)).toEqual(['email', 'sms', 'recovery'])
  })

  it('it still does to whoever has nothing else, and is not skipped', async () => {
    const { person } = await withCodes('email')
    await reset(person)
    expect(await channelsFor(person)).toEqual(['email', 'recovery'])
  })
})

describe('the installation’s senders', () => {
  let sms: TwilioFake
  const worlds: World[] = []
  beforeAll(async () => {
    sms = await openTwilioFake()
  })
  afterAll(async () => {
    await sms.close()
    for (const one of worlds) await one.close()
  })

  it('carry an SMS through the account that SMS_URL names', async () => {
    const url = new URL(sms.baseUrl)
    url.username = sms.accountSid
    url.password = sms.authToken
    const own = await openWorld({ SMS_URL: url.href, SMS_FROM: 'Fieldloop' })
    worlds.push(own)
    const key = await newSession(own, await newPerson(own, await own.newTenant()))
    const { factorId, sentTo: phone } = await own.call('enroll_code_factor', { channel: 'sms', value: '+34 612 345 678' }, { key })
    expect(await handOverMails(own.platform.services)).toBe(1)
    expect(sms.taken).toMatchObject([{ to: phone, from: 'Fieldloop' }])
    const [code] = /^\d{6}/.exec(sms.taken[0]?.body ?? '') ?? []
    expect(await own.call('confirm_code_factor', { factorId, code }, { key })).toMatchObject({ channel: 'sms' })
  })

  it('hand over no code that is void by then', async () => {
    const url = new URL(sms.baseUrl)
    url.username = sms.accountSid
    url.password = sms.authToken
    const own = await openWorld({ SMS_URL: url.href, SMS_FROM: 'Fieldloop' })
    worlds.push(own)
    const key = await newSession(own, await newPerson(own, await own.newTenant()))
    const before = sms.taken.length
    sms.plan({ status: 503 })
    await own.call('enroll_code_factor', { channel: 'sms', value: newPhone() }, { key })
    expect(await handOverMails(own.platform.services)).toBe(1)
    const [waiting] = await own.sql`select count(*)::int as count from platform.person_mail`
    expect(waiting).toEqual({ count: 1 })
    await own.sql`update platform.person_mail set next_at = now()`
    const now = Date.now
    try {
      Date.now = () => now() + 11 * 60_000
      expect(await handOverMails(own.platform.services)).toBe(1)
    } finally {
      Date.now = now
    }
    const [left] = await own.sql`select count(*)::int as count from platform.person_mail`
    expect([left?.['count'], sms.taken.length]).toEqual([0, before])
  })

  it('are told of where there are none: nothing would reach the person', async () => {
    const own = await openWorld({ HOST: '0.0.0.0' })
    worlds.push(own)
    const silent = await own.newTenant()
    const demanded = { tenantId: silent.tenantId, secondFactor: 'all' }
    await expect(own.call('set_sign_in_policy', { ...demanded, factors: ['sms', 'email'] }, { key: silent.key })).rejects.toMatchObject(
      refused('conflict', /nobody could enrol/),
    )
    expect(await own.call('set_sign_in_policy', { ...demanded, factors: ['sms', 'totp'] }, { key: silent.key })).toMatchObject({
      secondFactor: 'all',
    })
    const key = await newSession(own, await newPerson(own, silent))
    for (const [channel, value, setting] of [
      ['email', 'ana@example.com', /MAIL_URL/],
      ['sms', '+34612345678', /SMS_URL/],
    ] as const)
      await expect(own.call('enroll_code_factor', { channel, value }, { key })).rejects.toMatchObject(refused('unavailable', setting))
  })
})
