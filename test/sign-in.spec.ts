/** Signing in: login, select_second_factor, verify_second_factor, select_tenant, and what bounds and hides them. */
import { beforeAll, describe, expect, it, vi } from 'vitest'

import { takeAttempt } from '#platform/attempts.ts'
import { hashPassword, verifyPassword } from '#platform/passwords.ts'
import { provePerson } from '#tools/auth/service.ts'

import { enrolApp, joinTenant, newAddress, newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
const password = passwordOfTests
const wrong = refused('unauthenticated', /^The name or the password is wrong/)

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

const logIn = (person: Pick<TestPerson, 'userName'>, ip?: string) => strangerAt(world, ip)('login', { userName: person.userName, password })

/** A person with an authenticator app, and how to read it, so many steps of 30 seconds ahead. */
async function withApp(): Promise<{ person: TestPerson; codeIn: (steps?: number) => string; recoveryCodes: string[]; factorId: number }> {
  const person = await newPerson(world, tenant)
  const key = await newSession(world, person)
  const { app, factorId, recoveryCodes } = await enrolApp(world, key, { name: 'Phone' })
  const codeIn = (steps = 0) => app.generate({ timestamp: Date.now() + steps * 30_000 })
  return { person, codeIn, recoveryCodes, factorId }
}

describe('login', () => {
  it('leads by name, whatever its case, and by a proved e-mail to a choice of tenants, and to a session of 8 hours in one', async () => {
    const person = await newPerson(world, tenant, ['DataView', 'DataEdit'])
    const second = await world.newTenant()
    await joinTenant(world, person.userId, second)
    const email = `${person.userName}@example.com`
    await world.sql`insert into platform.person_email (email, user_id) values (${email}, ${person.userId})`
    const stranger = strangerAt(world)
    for (const who of [{ userName: person.userName.toUpperCase() }, { email: email.toUpperCase() }, { userName: email }]) {
      const step = await stranger('login', { ...who, password })
      expect(step).toMatchObject({ next: 'selectTenant', signInToken: expect.stringMatching(/^fli_[\w-]{43}$/) })
      expect(new Set(step.tenants.map((one: { tenantId: number }) => one.tenantId))).toEqual(new Set([tenant.tenantId, second.tenantId]))
      const answer = await stranger('select_tenant', { signInToken: step.signInToken, tenantId: tenant.tenantId })
      expect(answer).toMatchObject({ tenantId: tenant.tenantId, tenantUserId: person.tenantUserId, displayName: 'Ana Ruiz', roleFlag: 10 })
      expect(answer.expiresInSeconds).toBeGreaterThan(28_790)
      expect(answer.expiresInSeconds).toBeLessThanOrEqual(28_800)
      expect(await call('whoami', {}, { key: answer.token })).toMatchObject({ tenantUserId: person.tenantUserId })
    }
    expect(await call('get_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })).toMatchObject({
      status: 'active',
      hasSecondFactor: false,
      lastSignInDate: expect.any(String),
    })
  })

  it('answers a wrong name, a wrong password, a locked user, a suspended tenant and an invitation that nobody took alike', async () => {
    const locked = await newPerson(world, tenant)
    await call('lock_user', { tenantUserId: locked.tenantUserId }, { key: tenant.key })
    const suspended = await world.newTenant()
    const stuck = await newPerson(world, suspended)
    await world.sql`update platform.tenant set is_deactivated = true where tenant_id = ${suspended.tenantId}`
    const invited = await newPerson(world, tenant)
    await world.sql`update platform.tenant_user set accepted_date = null where tenant_user_id = ${invited.tenantUserId}`
    const present = await newPerson(world, tenant)
    const attempts = [
      { userName: locked.userName, password },
      { userName: stuck.userName, password },
      { userName: invited.userName, password },
      { userName: present.userName, password: 'another password' },
      { userName: 'nobody', password },
      { email: 'nobody@example.com', password },
    ]
    const errors = await Promise.all(attempts.map((input) => strangerAt(world)('login', input).catch((error: Error) => error.message)))
    expect(new Set(errors).size).toBe(1)
    await expect(strangerAt(world)('login', attempts[0])).rejects.toMatchObject(wrong)
  })

  it('reads no e-mail or name that an administrator wrote down', async () => {
    const person = await newPerson(world, tenant)
    const email = `contact-${person.userName}@example.com`
    await call('add_user_contact', { tenantUserId: person.tenantUserId, kind: 'email', value: email }, { key: tenant.key })
    await call('set_username', { tenantUserId: person.tenantUserId, userName: `label-${person.userName}` }, { key: tenant.key })
    for (const userName of [email, `label-${person.userName}`])
      await expect(strangerAt(world)('login', { userName, password })).rejects.toMatchObject(wrong)
    expect(await logIn(person)).toMatchObject({ next: 'selectTenant' })
  })

  it('costs as much for a name that nobody has', async () => {
    const spentOn = async (work: () => Promise<unknown>): Promise<number> => {
      const before = process.cpuUsage()
      await work().catch(() => undefined)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const least = async (work: () => Promise<unknown>) => {
      const spent = []
      for (let n = 0; n < 5; n++) spent.push(await spentOn(work))
      return Math.min(...spent)
    }
    const aHash = await least(() => verifyPassword('a password', null))
    const unknown = await least(() => strangerAt(world)('login', { userName: 'nobody at all', password }))
    expect(aHash).toBeGreaterThan(2_000)
    expect(unknown).toBeGreaterThan(aHash / 2)
    expect(await verifyPassword('a password', await hashPassword('a password'))).toBe(true)
  })

  it('asks the database as often for a name that nobody has, also of a browser that shows a mark', async () => {
    const { services } = world.platform
    const asked = async (logIn: string, knownBrowser: string | undefined) => {
      let count = 0
      const lookUp: typeof services.databases.lookUp = (work, caller) => {
        count++
        return services.databases.lookUp(work, caller)
      }
      const counting = { ...services, databases: { ...services.databases, lookUp } }
      const given = { logIn, password: 'wrong', ip: newAddress(), knownBrowser }
      await expect(provePerson(counting, given)).rejects.toMatchObject(wrong)
      return count
    }
    const { userName } = await newPerson(world, tenant)
    for (const mark of [undefined, '1.1.junk']) {
      const known = await asked(userName, mark)
      expect(known).toBeGreaterThan(1)
      expect(await asked(`nobody-${userName}`, mark), mark).toBe(known)
    }
  })

  it('takes either a name or an e-mail', async () => {
    for (const input of [{ password }, { userName: 'a', email: 'a@example.com', password }])
      await expect(strangerAt(world)('login', input)).rejects.toMatchObject(refused('invalid_input', /either userName or email/))
  })
})

describe('the tokens between the steps', () => {
  it('are kept as a hash, hold for ten minutes and once, and open nothing else', async () => {
    const person = await newPerson(world, tenant)
    const stranger = strangerAt(world)
    const { signInToken, expiresAt } = await stranger('login', { userName: person.userName, password })
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(590_000)
    expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(600_000)
    await expect(call('whoami', {}, { key: signInToken })).rejects.toMatchObject(refused('unauthenticated'))
    await expect(stranger('verify_second_factor', { signInToken, code: '000000' })).rejects.toMatchObject(
      refused('unauthenticated', /login/),
    )
    const { tenantId } = tenant
    const { token } = await stranger('select_tenant', { signInToken, tenantId })
    await expect(stranger('select_tenant', { signInToken, tenantId })).rejects.toMatchObject(refused('unauthenticated', /login/))
    const [{ found } = { found: -1 }] = await world.sql<{ found: number }[]>`
      select (select count(*) from platform.sign_in s where s::text like ${`%${signInToken}%`})::int
        + (select count(*) from platform.session s where s::text like ${`%${token}%`})::int
        + (select count(*) from platform.audit_event e where e::text like ${`%${token}%`} or e::text like ${`%${signInToken}%`})::int as found`
    expect(found).toBe(0)
    const late = await stranger('login', { userName: person.userName, password })
    await world.sql`update platform.sign_in set expires_at = now() where user_id = ${person.userId}`
    await expect(stranger('select_tenant', { signInToken: late.signInToken, tenantId })).rejects.toMatchObject(refused('unauthenticated'))
  })

  it('lead to no tenant that is not the person’s, and still hold after one was tried', async () => {
    const person = await newPerson(world, tenant)
    const foreign = await world.newTenant()
    const stranger = strangerAt(world)
    const { signInToken } = await stranger('login', { userName: person.userName, password })
    const outcomes = []
    for (const tenantId of [foreign.tenantId, 2_000_000_000])
      outcomes.push(await stranger('select_tenant', { signInToken, tenantId }).catch((error: Error) => error.message))
    expect(outcomes[0]).toBe(outcomes[1])
    expect(outcomes[0]).toMatch(/^No such tenant\./)
    expect(await stranger('select_tenant', { signInToken, tenantId: tenant.tenantId })).toMatchObject({ tenantId: tenant.tenantId })
  })

  it('make one session of two calls at once', async () => {
    const person = await newPerson(world, tenant)
    const stranger = strangerAt(world)
    const { signInToken } = await stranger('login', { userName: person.userName, password })
    const choose = () => stranger('select_tenant', { signInToken, tenantId: tenant.tenantId })
    const outcomes = await Promise.allSettled([choose(), choose(), choose()])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})

describe('a second factor', () => {
  it('is asked for after the password, by the app, and its code counts once', async () => {
    const { person, codeIn, factorId } = await withApp()
    const stranger = strangerAt(world)
    const first = await stranger('login', { userName: person.userName, password })
    expect(first).toMatchObject({ next: 'secondFactor', channels: [{ channel: 'totp', factorId, hint: 'Phone' }, { channel: 'recovery' }] })
    expect(first).not.toHaveProperty('tenants')
    const { signInToken } = first
    await expect(stranger('select_tenant', { signInToken, tenantId: tenant.tenantId })).rejects.toMatchObject(refused('unauthenticated'))
    expect(await stranger('select_second_factor', { signInToken, channel: 'totp', factorId })).toMatchObject({
      signInToken,
      next: 'secondFactor',
    })
    const code = codeIn()
    const step = await stranger('verify_second_factor', { signInToken, code })
    expect(step).toMatchObject({ next: 'selectTenant', tenants: [{ tenantId: tenant.tenantId }] })
    expect(step.signInToken).not.toBe(signInToken)
    const { token } = await stranger('select_tenant', { signInToken: step.signInToken, tenantId: tenant.tenantId })
    expect(await call('get_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })).toMatchObject({ hasSecondFactor: true })
    const again = await stranger('login', { userName: person.userName, password })
    for (const used of [signInToken, again.signInToken])
      await expect(stranger('verify_second_factor', { signInToken: used, code })).rejects.toMatchObject(refused('unauthenticated'))
    const [event] = await world.sql`
      select facts, ip from platform.audit_event where operation = 'select_tenant' and tenant_user_id = ${person.tenantUserId}`
    expect(event).toMatchObject({ facts: { factor: 'totp' }, ip: expect.stringMatching(/^10\./) })
    expect(token).toMatch(/^fls_/)
  })

  it('takes the step before and the one after, and none further off', async () => {
    const { person, codeIn, factorId } = await withApp()
    const stranger = strangerAt(world)
    const steps: [number, boolean][] = [
      [-2, false],
      [2, false],
      [-1, true],
      [1, true],
      // A step that lies before a used one is used as well.
      [0, false],
    ]
    // Else a step might end between a code and its check.
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      for (const [step, isTaken] of steps) {
        const { signInToken } = await stranger('login', { userName: person.userName, password })
        const outcome = await stranger('verify_second_factor', { signInToken, code: codeIn(step) }).then(
          () => true,
          () => false,
        )
        expect([step, outcome]).toEqual([step, isTaken])
      }
    } finally {
      vi.useRealTimers()
    }
    expect(factorId).toBeGreaterThan(0)
  })

  it('may be a recovery code in its place, each once', async () => {
    const { person, recoveryCodes } = await withApp()
    expect(recoveryCodes).toHaveLength(10)
    expect(recoveryCodes.every((code) => /^[A-Z2-9]{16}$/.test(code))).toBe(true)
    const stranger = strangerAt(world)
    const [code = ''] = recoveryCodes
    const { signInToken } = await stranger('login', { userName: person.userName, password })
    await stranger('select_second_factor', { signInToken, channel: 'recovery' })
    const spelled = `${code.slice(0, 4)}-${code.slice(4, 8)} ${code.slice(8)}`.toLowerCase()
    expect(await stranger('verify_second_factor', { signInToken, code: spelled })).toMatchObject({ next: 'selectTenant' })
    const again = await stranger('login', { userName: person.userName, password })
    await expect(stranger('verify_second_factor', { signInToken: again.signInToken, code })).rejects.toMatchObject(
      refused('unauthenticated', /used/),
    )
    const [row] =
      await world.sql`select count(*)::int as left, bool_or(code_hash like ${`%${code}%`}) as shown from platform.recovery_code where user_id = ${person.userId}`
    expect(row).toEqual({ left: 9, shown: false })
  })

  it('ends the sign-in with the fifth wrong code, also where they come at once', async () => {
    const { person, codeIn } = await withApp()
    const stranger = strangerAt(world)
    const { signInToken } = await stranger('login', { userName: person.userName, password })
    await Promise.allSettled(Array.from({ length: 5 }, () => stranger('verify_second_factor', { signInToken, code: 'WRONGWRONGWRONGX' })))
    await expect(stranger('verify_second_factor', { signInToken, code: codeIn() })).rejects.toMatchObject(
      refused('unauthenticated', /login/),
    )
  })

  it('is refused to whoever guesses on, after ten wrong codes in an hour, with fresh sign-ins and from elsewhere too', async () => {
    const { person, codeIn } = await withApp()
    for (let round = 0; round < 2; round++) {
      const stranger = strangerAt(world)
      const { signInToken } = await stranger('login', { userName: person.userName, password })
      for (let n = 0; n < 5; n++)
        await expect(stranger('verify_second_factor', { signInToken, code: '000000' })).rejects.toMatchObject(refused('unauthenticated'))
    }
    const stranger = strangerAt(world)
    const { signInToken } = await stranger('login', { userName: person.userName, password })
    const late: { code: string; retryAfterSeconds: number } = await stranger('verify_second_factor', { signInToken, code: codeIn() }).catch(
      (error: { code: string; retryAfterSeconds: number }) => error,
    )
    expect(late.code).toBe('rate_limited')
    expect(late.retryAfterSeconds).toBeGreaterThan(3_000)
  })

  it('is nobody else’s: a factor of another person is none', async () => {
    const [mine, theirs] = [await withApp(), await withApp()]
    const stranger = strangerAt(world)
    const { signInToken } = await stranger('login', { userName: mine.person.userName, password })
    await expect(stranger('select_second_factor', { signInToken, channel: 'totp', factorId: theirs.factorId })).rejects.toMatchObject(
      refused('invalid_input', /no such factor/i),
    )
    for (const code of [theirs.codeIn(), theirs.recoveryCodes[0]])
      await expect(stranger('verify_second_factor', { signInToken, code })).rejects.toMatchObject(refused('unauthenticated'))
  })
})

describe('changing the tenant', () => {
  it('takes a session as Bearer, its proofs and what is left of its hours', async () => {
    const person = await newPerson(world, tenant)
    const second = await world.newTenant()
    const there = await joinTenant(world, person.userId, second, ['DataEdit'])
    const key = await newSession(world, person, 20)
    await world.sql`update platform.session set expires_at = now() + interval '1 hour' where user_id = ${person.userId}`
    const answer = await call('select_tenant', { tenantId: second.tenantId }, { key, ip: newAddress() })
    expect(answer).toMatchObject({ tenantId: second.tenantId, tenantUserId: there, roleFlag: 8 })
    expect(answer.expiresInSeconds).toBeLessThanOrEqual(3_600)
    expect(answer.expiresInSeconds).toBeGreaterThan(3_500)
    await expect(call('create_recovery_codes', {}, { key: answer.token })).rejects.toMatchObject(refused('fresh_proof_required'))
    expect(await call('whoami', {}, { key })).toMatchObject({ tenantUserId: person.tenantUserId })
  })

  it('takes no key, no session that is over, and no two proofs at once', async () => {
    const person = await newPerson(world, tenant)
    const { tenantId } = tenant
    const ip = newAddress()
    for (const key of [tenant.key, 'fls_nobodys'])
      await expect(call('select_tenant', { tenantId }, { key, ip })).rejects.toMatchObject(refused('unauthenticated'))
    const key = await newSession(world, person)
    await expect(call('select_tenant', { tenantId, signInToken: 'fli_x' }, { key, ip })).rejects.toMatchObject(refused('invalid_input'))
    await expect(strangerAt(world)('select_tenant', { tenantId })).rejects.toMatchObject(refused('invalid_input'))
  })
})

describe('attempts', () => {
  const guess = (userName: string, ip: string) =>
    strangerAt(world, ip)('login', { userName, password: 'a wrong password' }).catch((error: { code: string }) => error.code)

  it.each(['a name that exists', 'one that does not'])(
    'of wrong passwords from one address are ten in 15 minutes, of %s',
    async (which) => {
      const person = await newPerson(world, tenant)
      const userName = which === 'a name that exists' ? person.userName : `nobody-${person.userName}`
      const ip = newAddress()
      const codes = []
      for (let n = 0; n < 11; n++) codes.push(await guess(userName, ip))
      expect(codes).toEqual([...Array.from({ length: 10 }, () => 'unauthenticated'), 'rate_limited'])
      const blocked: { retryAfterSeconds: number } = await logIn({ userName }, ip).catch((error: { retryAfterSeconds: number }) => error)
      expect(blocked.retryAfterSeconds).toBeGreaterThan(600)
      // Another name from there, and the same from elsewhere, go on.
      expect(await logIn(await newPerson(world, tenant), ip)).toMatchObject({ next: 'selectTenant' })
      expect(await guess(userName, newAddress())).toBe('unauthenticated')
    },
  )

  it('that were right count as none, and old ones no more', async () => {
    const person = await newPerson(world, tenant)
    const ip = newAddress()
    for (let n = 0; n < 12; n++) expect(await logIn(person, ip)).toMatchObject({ next: 'selectTenant' })
    for (let n = 0; n < 10; n++) expect(await guess(person.userName, ip)).toBe('unauthenticated')
    expect(await guess(person.userName, ip)).toBe('rate_limited')
    await world.sql`update platform.attempt set at = array(select one - interval '16 minutes' from unnest(at) one)`
    expect(await guess(person.userName, ip)).toBe('unauthenticated')
  })

  it('are counted by their parts, wherever what people type breaks a line', async () => {
    const limit = { most: 1, seconds: 60 }
    const mark = newAddress()
    const count = (...of: string[]) => takeAttempt(world.platform.services, [{ of, ...limit }], 'test')
    await count(mark, 'a', 'b\nc')
    await count(mark, 'a\nb', 'c')
    await expect(count(mark, 'a', 'b\nc')).rejects.toMatchObject(refused('rate_limited'))
  })

  it('that come at once do not pass together', async () => {
    const person = await newPerson(world, tenant)
    const ip = newAddress()
    const codes = await Promise.all(Array.from({ length: 20 }, () => guess(person.userName, ip)))
    expect(codes.filter((code) => code === 'unauthenticated')).toHaveLength(10)
  })

  it('of one name from many addresses are fifty in an hour', async () => {
    const { userName } = await newPerson(world, tenant)
    for (let n = 0; n < 50; n++) expect(await guess(userName, newAddress())).toBe('unauthenticated')
    expect(await guess(userName, newAddress())).toBe('rate_limited')
  })

  it('of whoever has not signed in are sixty calls a minute from one network, a /64 of IPv6', async () => {
    const codes = []
    for (let n = 0; n < 61; n++)
      codes.push(
        await strangerAt(world, `2001:db8:1:2::${n.toString(16)}`)('select_tenant', { signInToken: 'fli_x', tenantId: 1 }).catch(
          (error: { code: string }) => error.code,
        ),
      )
    expect(codes.slice(0, 60).every((code) => code === 'unauthenticated')).toBe(true)
    expect(codes[60]).toBe('rate_limited')
    expect(await guess('nobody', '2001:db8:1:3::1')).toBe('unauthenticated')
  })

  it('leave no name and no password behind', async () => {
    const name = `secretive-${Date.now()}`
    await guess(name, newAddress())
    const rows = await world.sql`select key from platform.attempt`
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.filter((row) => String(row['key']).includes(name))).toEqual([])
    const audits = await world.sql`select 1 from platform.audit_event where facts::text like ${`%${name}%`} or operation = 'login'`
    expect(audits).toEqual([])
  })

  it('are hashed four at a time, two hundred wait, and the next is told to come later', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 215 }, () => verifyPassword('a wrong password', null)))
    const refusedOnes = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refusedOnes).toHaveLength(11)
    expect(refusedOnes[0]).toMatchObject({ reason: { code: 'unavailable', retryAfterSeconds: 5 } })
  })
})
