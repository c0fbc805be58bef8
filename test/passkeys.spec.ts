/** Passkeys: enrolled with the portal's name, a second factor beside the password, and both factors by themselves. */
import { beforeAll, describe, expect, it } from 'vitest'

import { newPasskey, type Passkey, type Twist } from './support/authenticator.ts'
import { newAddress, newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld({ PORTAL_URL: 'https://portal.example.com' })
const { call } = world
const portalUrl = 'https://portal.example.com'
const noPasskey = refused('unauthenticated', /^The passkey is none of this person/)

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

async function enrol(key: string, passkey = newPasskey(portalUrl), twist: Twist = {}) {
  const { factorId, options } = await call('enroll_passkey', { name: 'Laptop' }, { key })
  return call('confirm_passkey', { factorId, credential: passkey.create(options, twist) }, { key })
}

async function withPasskey(
  of: TestTenant = tenant,
): Promise<{ person: TestPerson; passkey: Passkey; key: string; factorId: number; recoveryCodes: string[] }> {
  const person = await newPerson(world, of)
  const [passkey, key] = [newPasskey(portalUrl), await newSession(world, person)]
  const { factorId, recoveryCodes } = await enrol(key, passkey)
  return { person, passkey, key, factorId, recoveryCodes }
}

const logIn = (person: TestPerson, stranger = strangerAt(world)) =>
  stranger('login', { userName: person.userName, password: passwordOfTests })

describe('enrolling a passkey', () => {
  it('asks the browser for one of the portal, with user verification, that tells nobody who the person is', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    const { options } = await call('enroll_passkey', {}, { key })
    expect(options).toMatchObject({
      rp: { id: 'portal.example.com' },
      user: { name: person.userName, displayName: 'Ana Ruiz' },
      attestation: 'none',
      timeout: 300_000,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    })
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32)
    expect(Buffer.from(options.challenge, 'base64url').length).toBeGreaterThanOrEqual(16)
    const again = await call('enroll_passkey', {}, { key })
    expect(again.options.user.id).toBe(options.user.id)
    expect(again.options.challenge).not.toBe(options.challenge)
  })

  it('counts once it was made, with ten recovery codes for the first factor, and is left out of the next', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    const first = await enrol(key)
    expect(first).toMatchObject({ channel: 'passkey', name: 'Laptop', lastUsedDate: null })
    expect(new Set(first.recoveryCodes).size).toBe(10)
    const second = await enrol(key)
    expect(second).not.toHaveProperty('recoveryCodes')
    const { options } = await call('enroll_passkey', {}, { key })
    expect(options.excludeCredentials).toHaveLength(2)
    expect(await call('list_second_factors', {}, { key })).toMatchObject([{ channel: 'passkey' }, { channel: 'passkey' }])
    expect(await call('rename_second_factor', { factorId: second.factorId, name: 'Key ring' }, { key })).toMatchObject({ name: 'Key ring' })
    expect(await call('delete_second_factor', { factorId: second.factorId }, { key })).toMatchObject({ channel: 'passkey' })
  })

  it.each<[string, Twist]>([
    ['of another page', { origin: 'https://portal.example.com.evil.example' }],
    ['of the API’s page', { origin: 'http://localhost:4000' }],
    ['in a frame of another page', { crossOrigin: true }],
    ['for another name', { rpId: 'example.com' }],
    ['to another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['that was to sign in', { type: 'webauthn.get' }],
    ['without user verification', { isVerified: false }],
    ['of bytes that nest without end', { attestation: Buffer.alloc(16_000, 0x81) }],
    ['of no bytes to speak of', { attestation: Buffer.from([0xff]) }],
  ])('takes no answer %s, and none after it', async (_which, twist) => {
    const key = await newSession(world, await newPerson(world, tenant))
    const { factorId, options } = await call('enroll_passkey', {}, { key })
    const passkey = newPasskey(portalUrl)
    const confirm = (with_: Twist) => call('confirm_passkey', { factorId, credential: passkey.create(options, with_) }, { key })
    await expect(confirm(twist)).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: '$.credential' }] })
    // The challenge was spent by the wrong answer.
    await expect(confirm({})).rejects.toMatchObject(refused('invalid_input', /over/))
    expect(await call('list_second_factors', {}, { key })).toEqual([])
  })

  it('takes no answer after five minutes, for another factor, of another person, or twice', async () => {
    const [mine, theirs] = [await newPerson(world, tenant), await newPerson(world, tenant)]
    const [key, other] = [await newSession(world, mine), await newSession(world, theirs)]
    const passkey = newPasskey(portalUrl)
    const late = await call('enroll_passkey', {}, { key })
    await world.sql`update platform.passkey_challenge set expires_at = now() where bound_to = ${`factor:${late.factorId}`}`
    const answerTo = ({ factorId, options }: typeof late, named = factorId) => ({ factorId: named, credential: passkey.create(options) })
    await expect(call('confirm_passkey', answerTo(late), { key })).rejects.toMatchObject(refused('invalid_input'))
    const [one, two] = [await call('enroll_passkey', {}, { key }), await call('enroll_passkey', {}, { key })]
    await expect(call('confirm_passkey', answerTo(one, two.factorId), { key })).rejects.toMatchObject(refused('invalid_input'))
    await expect(call('confirm_passkey', answerTo(one), { key: other })).rejects.toMatchObject(refused('not_found', /^No such factor\.$/))
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => call('confirm_passkey', answerTo(one), { key })))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    // The same authenticator for somebody else, or once more.
    const foreign = await call('enroll_passkey', {}, { key: other })
    await expect(call('confirm_passkey', answerTo(foreign), { key: other })).rejects.toMatchObject(refused('already_exists'))
    const { secret, factorId } = await call('enroll_totp', {}, { key })
    expect(secret).toBeDefined()
    await expect(call('confirm_passkey', { factorId, credential: passkey.create(one.options) }, { key })).rejects.toMatchObject(
      refused('not_found'),
    )
  })

  it('needs a fresh proof, and twenty factors are the most', async () => {
    const person = await newPerson(world, tenant)
    const [stale, fresh] = [await newSession(world, person, 11), await newSession(world, person)]
    await expect(call('enroll_passkey', {}, { key: stale })).rejects.toMatchObject(refused('fresh_proof_required'))
    const { factorId, options } = await call('enroll_passkey', {}, { key: fresh })
    const credential = newPasskey(portalUrl).create(options)
    await expect(call('confirm_passkey', { factorId, credential }, { key: stale })).rejects.toMatchObject(refused('fresh_proof_required'))
    for (let n = 0; n < 19; n++) await call('enroll_passkey', {}, { key: fresh })
    await expect(call('enroll_passkey', {}, { key: fresh })).rejects.toMatchObject(refused('conflict', /at most 20/))
  })

  it('counts none that was left half way once its challenge is over', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    for (let n = 0; n < 20; n++) await call('enroll_passkey', {}, { key })
    await world.sql`
      update platform.person_factor set created_date = now() - interval '5 minutes 1 second' where user_id = ${person.userId}`
    expect(await enrol(key)).toMatchObject({ channel: 'passkey' })
    expect(await call('list_second_factors', {}, { key })).toHaveLength(1)
  })
})

describe('a passkey beside the password', () => {
  it('is chosen, shown, and leads to the tenant; the audit log names it', async () => {
    const { person, passkey, factorId } = await withPasskey()
    const stranger = strangerAt(world)
    const { signInToken, channels } = await logIn(person, stranger)
    expect(channels).toEqual([{ channel: 'passkey', factorId, hint: 'Laptop' }, { channel: 'recovery' }])
    const { options } = await stranger('select_second_factor', { signInToken, channel: 'passkey', factorId })
    expect(options).toMatchObject({ rpId: 'portal.example.com', userVerification: 'required', allowCredentials: [{ type: 'public-key' }] })
    const step = await stranger('verify_second_factor', { signInToken, credential: passkey.get(options) })
    expect(step).toMatchObject({ next: 'selectTenant', tenants: [{ tenantId: tenant.tenantId }] })
    await stranger('select_tenant', { signInToken: step.signInToken, tenantId: tenant.tenantId })
    const [event] = await world.sql`
      select facts from platform.audit_event where operation = 'select_tenant' and tenant_user_id = ${person.tenantUserId}`
    expect(event).toMatchObject({ facts: { factor: 'passkey' } })
  })

  it.each<[string, Twist]>([
    ['of another page', { origin: 'https://evil.example' }],
    ['in a frame of another page', { crossOrigin: true }],
    ['for another name', { rpId: 'evil.example' }],
    ['to another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['that was to enrol', { type: 'webauthn.create' }],
    ['without user verification', { isVerified: false }],
    ['that names another person', { userHandle: 'bm9ib2R5' }],
  ])('takes no answer %s, and spends the challenge', async (_which, twist) => {
    const { person, passkey } = await withPasskey()
    const stranger = strangerAt(world)
    const { signInToken } = await logIn(person, stranger)
    const { options } = await stranger('select_second_factor', { signInToken, channel: 'passkey' })
    const verify = (credential: unknown) => stranger('verify_second_factor', { signInToken, credential })
    await expect(verify(passkey.get(options, twist))).rejects.toMatchObject(noPasskey)
    await expect(verify(passkey.get(options))).rejects.toMatchObject(noPasskey)
    const fresh = await stranger('select_second_factor', { signInToken, channel: 'passkey' })
    expect(await verify(passkey.get(fresh.options))).toMatchObject({ next: 'selectTenant' })
  })

  it('answers the challenge of its own sign-in alone, within five minutes, and the newest', async () => {
    const { person, passkey } = await withPasskey()
    const stranger = strangerAt(world)
    const [one, two] = [await logIn(person, stranger), await logIn(person, stranger)]
    const ask = ({ signInToken }: { signInToken: string }) => stranger('select_second_factor', { signInToken, channel: 'passkey' })
    const older = await ask(one)
    const newer = await ask(one)
    const other = await ask(two)
    await expect(
      stranger('verify_second_factor', { signInToken: two.signInToken, credential: passkey.get(newer.options) }),
    ).rejects.toMatchObject(noPasskey)
    await expect(
      stranger('verify_second_factor', { signInToken: one.signInToken, credential: passkey.get(older.options) }),
    ).rejects.toMatchObject(noPasskey)
    expect(other.options.challenge).not.toBe(newer.options.challenge)
    const late = await ask(one)
    await world.sql`update platform.passkey_challenge set expires_at = now()`
    await expect(
      stranger('verify_second_factor', { signInToken: one.signInToken, credential: passkey.get(late.options) }),
    ).rejects.toMatchObject(noPasskey)
  })

  it('is nobody else’s, and five wrong ones end the sign-in', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()]
    const stranger = strangerAt(world)
    const { signInToken } = await logIn(mine.person, stranger)
    for (let n = 0; n < 5; n++) {
      const { options } = await stranger('select_second_factor', { signInToken, channel: 'passkey' })
      await expect(stranger('verify_second_factor', { signInToken, credential: theirs.passkey.get(options) })).rejects.toMatchObject(
        noPasskey,
      )
    }
    const end = await stranger('select_second_factor', { signInToken, channel: 'passkey' }).catch((error: Error) => error)
    expect(end).toMatchObject(refused('unauthenticated', /login/))
  })

  it('that counts backwards signs in, and its person is told', async () => {
    const { person, passkey } = await withPasskey()
    const email = `${person.userName}@example.com`
    await world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
    const stranger = strangerAt(world)
    const mails = async () => {
      const [row] = await world.sql<[{ count: number }]>`select count(*)::int as count from platform.person_mail`
      return row.count
    }
    const steps: [number, number][] = []
    for (const counter of [10, 11, 0, 7, 12]) {
      const before = await mails()
      const { signInToken } = await logIn(person, stranger)
      const { options } = await stranger('select_second_factor', { signInToken, channel: 'passkey' })
      expect(await stranger('verify_second_factor', { signInToken, credential: passkey.get(options, { counter }) })).toMatchObject({
        next: 'selectTenant',
      })
      steps.push([counter, (await mails()) - before])
    }
    expect(steps).toEqual([
      [10, 0],
      [11, 0],
      [0, 0],
      [7, 1],
      [12, 0],
    ])
  })
})

describe('a passkey alone', () => {
  const begin = async (stranger = strangerAt(world)) => ({ stranger, ...(await stranger('login', { passkey: true })) })

  it('is both factors: it names the person, and leads to a tenant that demands a second factor', async () => {
    const strict = await world.newTenant()
    await call('set_sign_in_policy', { tenantId: strict.tenantId, secondFactor: 'all', factors: ['passkey'] }, { key: strict.key })
    const { person, passkey } = await withPasskey(strict)
    const { stranger, signInToken, next, options, channels } = await begin()
    expect({ next, channels, allowed: options.allowCredentials }).toEqual({ next: 'secondFactor', channels: undefined, allowed: [] })
    const step = await stranger('verify_second_factor', { signInToken, credential: passkey.get(options) })
    const session = await stranger('select_tenant', { signInToken: step.signInToken, tenantId: strict.tenantId })
    expect(session).toMatchObject({ tenantUserId: person.tenantUserId, token: expect.stringMatching(/^fls_/) })
  })

  it('is asked for anew with the same token, and with no other channel', async () => {
    const { passkey, recoveryCodes } = await withPasskey()
    const { stranger, signInToken, options } = await begin()
    for (const channel of ['totp', 'recovery'])
      await expect(stranger('select_second_factor', { signInToken, channel })).rejects.toMatchObject(refused('invalid_input'))
    await expect(stranger('verify_second_factor', { signInToken, code: recoveryCodes[0] })).rejects.toMatchObject(
      refused('unauthenticated'),
    )
    await expect(stranger('select_tenant', { signInToken, tenantId: tenant.tenantId })).rejects.toMatchObject(refused('unauthenticated'))
    const fresh = await stranger('select_second_factor', { signInToken, channel: 'passkey' })
    await expect(stranger('verify_second_factor', { signInToken, credential: passkey.get(options) })).rejects.toMatchObject(noPasskey)
    const last = await stranger('select_second_factor', { signInToken, channel: 'passkey' })
    expect(fresh.options.challenge).not.toBe(last.options.challenge)
    expect(await stranger('verify_second_factor', { signInToken, credential: passkey.get(last.options) })).toMatchObject({
      next: 'selectTenant',
    })
  })

  it('names its person by what the authenticator keeps', async () => {
    const { passkey } = await withPasskey()
    for (const userHandle of [null, 'bm9ib2R5']) {
      const { stranger, signInToken, options } = await begin()
      await expect(
        stranger('verify_second_factor', { signInToken, credential: passkey.get(options, { userHandle }) }),
      ).rejects.toMatchObject(noPasskey)
    }
  })

  it('of a deleted factor, of a locked user and of nobody lead nowhere', async () => {
    const [gone, locked] = [await withPasskey(), await withPasskey()]
    await call('delete_second_factor', { factorId: gone.factorId }, { key: gone.key })
    await call('lock_user', { tenantUserId: locked.person.tenantUserId }, { key: tenant.key })
    const nobodys = newPasskey(portalUrl)
    for (const passkey of [gone.passkey, locked.passkey, nobodys]) {
      const { stranger, signInToken, options } = await begin()
      await expect(stranger('verify_second_factor', { signInToken, credential: passkey.get(options) })).rejects.toMatchObject({
        code: 'unauthenticated',
        status: 401,
      })
    }
  })

  it('stands by itself: with a name, an e-mail or a password it is refused, and so is a credential beside a code', async () => {
    const stranger = strangerAt(world)
    for (const input of [
      { passkey: true, userName: 'admin' },
      { passkey: true, password: passwordOfTests },
      { passkey: true, email: 'ana@example.com', password: passwordOfTests },
      { userName: 'admin' },
    ])
      await expect(stranger('login', input)).rejects.toMatchObject(refused('invalid_input'))
    const { person, passkey } = await withPasskey()
    const { signInToken } = await logIn(person, stranger)
    const { options } = await stranger('select_second_factor', { signInToken, channel: 'passkey' })
    const credential = passkey.get(options)
    for (const given of [{}, { code: '000000', credential }])
      await expect(stranger('verify_second_factor', { signInToken, ...given })).rejects.toMatchObject(refused('invalid_input'))
  })
})

describe('proving again who one is', () => {
  it('takes a passkey of the person, to the challenge of this session, once', async () => {
    const { person, passkey } = await withPasskey()
    const other = await withPasskey()
    const [stale, second] = [await newSession(world, person, 20), await newSession(world, person, 20)]
    const { options, provedUntil } = await call('prove_identity', { passkey: true }, { key: stale })
    expect(provedUntil).toBeUndefined()
    const wrong = refused('forbidden', /^The passkey is none of yours/)
    await expect(call('prove_identity', { credential: passkey.get(options) }, { key: second })).rejects.toMatchObject(wrong)
    await expect(call('prove_identity', { credential: other.passkey.get(options) }, { key: stale })).rejects.toMatchObject(wrong)
    const fresh = await call('prove_identity', { passkey: true }, { key: stale })
    const credential = passkey.get(fresh.options)
    expect(await call('prove_identity', { credential }, { key: stale })).toMatchObject({ provedUntil: expect.any(String) })
    expect((await call('create_recovery_codes', {}, { key: stale })).codes).toHaveLength(10)
    await expect(call('prove_identity', { credential }, { key: stale })).rejects.toMatchObject(wrong)
  })

  it('says so where there is none', async () => {
    const key = await newSession(world, await newPerson(world, tenant))
    await expect(call('prove_identity', { passkey: true }, { key, ip: newAddress() })).rejects.toMatchObject(
      refused('conflict', /no passkey/),
    )
  })
})
