/** What a tenant asks of those who sign in: who must show a second factor, which ones count, and how whoever has none enrols one. */
import { beforeAll, describe, expect, it } from 'vitest'

import { enrolApp, joinTenant, newAddress, newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

async function strictTenant(policy: Record<string, unknown> = { secondFactor: 'all' }): Promise<TestTenant> {
  const strict = await world.newTenant()
  await call('set_sign_in_policy', { tenantId: strict.tenantId, ...policy }, { key: strict.key })
  return strict
}

async function signIn(person: TestPerson, tenantId = person.tenantId): Promise<Record<string, string>> {
  const stranger = strangerAt(world)
  const { signInToken } = await stranger('login', { userName: person.userName, password: passwordOfTests })
  return stranger('select_tenant', { signInToken, tenantId })
}

/** Enrols an app with whatever token, and leaves its next code unused. */
async function enrol(key: string): Promise<{ factorId: number; codeNow: () => string }> {
  const { app, factorId } = await enrolApp(world, key)
  return { factorId, codeNow: () => app.generate() }
}

describe('the policy', () => {
  it('is open until it is set, is set whole, and leaves a trace of what it was', async () => {
    const { tenantId, key } = await world.newTenant()
    const open = { tenantId, secondFactor: 'optional', factors: null, apps: 'any' }
    expect(await call('get_sign_in_policy', { tenantId }, { key })).toEqual(open)
    const strict = { tenantId, secondFactor: 'administrators', factors: ['totp'], apps: 'none' }
    expect(await call('set_sign_in_policy', strict, { key })).toEqual(strict)
    expect(await call('get_sign_in_policy', { tenantId }, { key })).toEqual(strict)
    expect(await call('set_sign_in_policy', { tenantId, secondFactor: 'optional' }, { key })).toEqual(open)
    const [event] = await world.sql`
      select facts from platform.audit_event where tenant_id = ${tenantId} and operation = 'set_sign_in_policy' order by audit_event_id desc limit 1`
    expect(event).toMatchObject({ facts: { before: strict, after: open } })
  })

  it('is a tenant’s own but for a global administrator, who reaches any that exists', async () => {
    const other = await world.newTenant()
    const global = await world.newTenant(1023)
    for (const [name, input] of [
      ['get_sign_in_policy', {}],
      ['set_sign_in_policy', { secondFactor: 'all' }],
    ] as const)
      await expect(call(name, { tenantId: other.tenantId, ...input }, { key: tenant.key }), name).rejects.toMatchObject(
        refused('not_found', /^No such tenant\.$/),
      )
    await call('set_sign_in_policy', { tenantId: other.tenantId, secondFactor: 'all' }, { key: global.key })
    expect(await call('get_sign_in_policy', { tenantId: other.tenantId }, { key: other.key })).toMatchObject({ secondFactor: 'all' })
    expect(await call('get_sign_in_policy', { tenantId: global.tenantId }, { key: global.key })).toMatchObject({ secondFactor: 'optional' })
    await expect(call('get_sign_in_policy', { tenantId: 2_000_000_000 }, { key: global.key })).rejects.toMatchObject(refused('not_found'))
  })
})

describe('whoever has no second factor', () => {
  it('enrols one with a token that opens nothing else, and then enters with the same token', async () => {
    const strict = await strictTenant()
    const person = await newPerson(world, strict, ['DataView', 'AdminUser'])
    const { signInToken, ...step } = await signIn(person)
    expect(step).toEqual({ next: 'enrolSecondFactor', expiresAt: expect.any(String) })
    const key = signInToken ?? ''
    for (const [name, input] of [
      ['whoami', {}],
      ['list_users', {}],
      ['get_profile', {}],
      ['list_sessions', {}],
      ['list_second_factors', {}],
      ['create_recovery_codes', {}],
      ['change_password', { password: passwordOfTests, newPassword: 'nine silver herons at dusk' }],
      ['select_tenant', { tenantId: strict.tenantId }],
    ] as const)
      await expect(call(name, input, { key, ip: newAddress() }), name).rejects.toMatchObject(refused('unauthenticated'))
    const again = await strangerAt(world)('select_tenant', { signInToken, tenantId: strict.tenantId })
    expect(again).toMatchObject({ next: 'enrolSecondFactor', signInToken })
    await enrol(key)
    const session = await strangerAt(world)('select_tenant', { signInToken, tenantId: strict.tenantId })
    expect(session).toMatchObject({ tenantUserId: person.tenantUserId, token: expect.stringMatching(/^fls_/) })
    expect(await call('whoami', {}, { key: session.token })).toMatchObject({ tenantUserId: person.tenantUserId })
    const [event] = await world.sql`
      select facts from platform.audit_event where tenant_id = ${strict.tenantId} and operation = 'select_tenant'`
    expect(event).toMatchObject({ facts: { factor: 'totp' } })
    await expect(call('enroll_totp', {}, { key })).rejects.toMatchObject(refused('unauthenticated'))
  })

  it('enters no other tenant meanwhile, and the token ends with a lock and with its ten minutes', async () => {
    const strict = await strictTenant()
    const person = await newPerson(world, strict)
    await joinTenant(world, person.userId, tenant)
    const { signInToken = '' } = await signIn(person)
    const elsewhere = await strangerAt(world)('select_tenant', { signInToken, tenantId: tenant.tenantId })
    expect(elsewhere).toMatchObject({ next: 'enrolSecondFactor' })
    await call('lock_user', { tenantUserId: person.tenantUserId }, { key: strict.key })
    await expect(call('enroll_totp', {}, { key: signInToken })).rejects.toMatchObject(refused('unauthenticated'))
    await call('unlock_user', { tenantUserId: person.tenantUserId }, { key: strict.key })
    await call('enroll_totp', {}, { key: signInToken })
    await world.sql`update platform.sign_in set expires_at = now() where user_id = ${person.userId}`
    world.platform.services.wake.poke('credentials')
    await expect(call('enroll_totp', {}, { key: signInToken })).rejects.toMatchObject(refused('unauthenticated'))
  })

  it('is an administrator, where only these must have one', async () => {
    const strict = await strictTenant({ secondFactor: 'administrators' })
    const steps = []
    for (const role of ['DataView', 'DataDelete', 'BuilderAdmin', 'AdminUser', 'AdminIntegration', 'AdminCSS', 'GlobalAdmin'] as const)
      steps.push([role, (await signIn(await newPerson(world, strict, [role])))['next']])
    expect(steps).toEqual([
      ['DataView', undefined],
      ['DataDelete', undefined],
      ...['BuilderAdmin', 'AdminUser', 'AdminIntegration', 'AdminCSS', 'GlobalAdmin'].map((role) => [role, 'enrolSecondFactor']),
    ])
  })

  it('comes from a session with a fresh proof alone, and for what is left of it', async () => {
    const strict = await strictTenant()
    const person = await newPerson(world, tenant)
    await joinTenant(world, person.userId, strict)
    const [stale, fresh] = [await newSession(world, person, 11), await newSession(world, person)]
    const goTo = (key: string) => call('select_tenant', { tenantId: strict.tenantId }, { key, ip: newAddress() })
    await expect(goTo(stale)).rejects.toMatchObject(refused('fresh_proof_required'))
    await world.sql`update platform.session set expires_at = now() + interval '1 hour' where user_id = ${person.userId}`
    const { signInToken, next } = await goTo(fresh)
    expect(next).toBe('enrolSecondFactor')
    await enrol(signInToken)
    const session = await strangerAt(world)('select_tenant', { signInToken, tenantId: strict.tenantId })
    expect(session.expiresInSeconds).toBeLessThanOrEqual(3_600)
    expect(session.expiresInSeconds).toBeGreaterThan(3_500)
  })
})

describe('whoever has one', () => {
  it('shows it to enter from a session without one, and the new session lasts no longer', async () => {
    const strict = await strictTenant()
    const person = await newPerson(world, tenant)
    await joinTenant(world, person.userId, strict)
    const first = await newSession(world, person)
    const { codeNow } = await enrol(await newSession(world, person))
    await world.sql`update platform.session set expires_at = now() + interval '1 hour' where user_id = ${person.userId}`
    const step = await call('select_tenant', { tenantId: strict.tenantId }, { key: first, ip: newAddress() })
    expect(step).toMatchObject({ next: 'secondFactor', channels: [{ channel: 'totp' }, { channel: 'recovery' }] })
    await expect(call('enroll_totp', {}, { key: step.signInToken })).rejects.toMatchObject(refused('unauthenticated'))
    const shown = await strangerAt(world)('verify_second_factor', { signInToken: step.signInToken, code: codeNow() })
    const session = await strangerAt(world)('select_tenant', { signInToken: shown.signInToken, tenantId: strict.tenantId })
    expect(session.expiresInSeconds).toBeLessThanOrEqual(3_600)
  })

  it('that the tenant does not count shows it, and then enrols another; a recovery code stands in for none that is missing', async () => {
    const strict = await strictTenant({ secondFactor: 'all', factors: ['passkey'] })
    const person = await newPerson(world, strict)
    const key = await newSession(world, person)
    const { recoveryCodes } = await enrolApp(world, key)
    const stranger = strangerAt(world)
    for (const code of recoveryCodes.slice(0, 1)) {
      const { signInToken } = await stranger('login', { userName: person.userName, password: passwordOfTests })
      const shown = await stranger('verify_second_factor', { signInToken, code })
      const step = await stranger('select_tenant', { signInToken: shown.signInToken, tenantId: strict.tenantId })
      expect(step).toMatchObject({ next: 'enrolSecondFactor' })
    }
    await call('set_sign_in_policy', { tenantId: strict.tenantId, secondFactor: 'all', factors: ['totp'] }, { key: strict.key })
    const { signInToken } = await stranger('login', { userName: person.userName, password: passwordOfTests })
    const shown = await stranger('verify_second_factor', { signInToken, code: recoveryCodes[1] })
    expect(await stranger('select_tenant', { signInToken: shown.signInToken, tenantId: strict.tenantId })).toHaveProperty('token')
  })

  it('keeps the last that counts, also of two deletions at once, until the tenant asks for it no more', async () => {
    const strict = await strictTenant()
    const person = await newPerson(world, strict)
    const key = await newSession(world, person)
    const both = [await enrol(key), await enrol(key)]
    const outcomes = await Promise.allSettled(both.map(({ factorId }) => call('delete_second_factor', { factorId }, { key })))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const [{ factorId }] = await call('list_second_factors', {}, { key })
    await expect(call('delete_second_factor', { factorId }, { key })).rejects.toMatchObject(
      refused('conflict', /asks you for a second factor/),
    )
    await call('set_sign_in_policy', { tenantId: strict.tenantId, secondFactor: 'all', factors: ['passkey'] }, { key: strict.key })
    await expect(call('delete_second_factor', { factorId }, { key })).rejects.toMatchObject(refused('conflict'))
    await call('set_sign_in_policy', { tenantId: strict.tenantId, secondFactor: 'optional' }, { key: strict.key })
    expect(await call('delete_second_factor', { factorId }, { key })).toMatchObject({ factorId })
  })
})
