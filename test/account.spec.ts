/** What persons do with their own log-in: sessions, second factors, password, profile. */
import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'

import { fingerprintOf } from '#platform/idempotency.ts'

import { joinTenant, newAddress, newPerson, newSession, passwordOfTests, strangerAt, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world
const password = passwordOfTests
const newPassword = 'nine silver herons at dusk'

let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

const isOver = (key: string) =>
  call('whoami', {}, { key }).then(
    () => false,
    (error: { code: string }) => error.code === 'unauthenticated',
  )
const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()

describe('sessions', () => {
  it('are listed to their person in all tenants, with where they come from, and to nobody else', async () => {
    const person = await newPerson(world, tenant)
    const second = await world.newTenant()
    await joinTenant(world, person.userId, second)
    const ip = newAddress()
    const { signInToken } = await strangerAt(world, ip)('login', { userName: person.userName, password })
    const from = { credential: null, ip, userAgent: 'Test/1' } as const
    const { token } = await call('select_tenant', { signInToken, tenantId: second.tenantId }, from)
    const key = await newSession(world, person)
    const listed = await call('list_sessions', {}, { key })
    expect(listed).toMatchObject([
      { tenantId: tenant.tenantId, isCurrent: true },
      { tenantId: second.tenantId, isCurrent: false, address: ip, userAgent: 'Test/1' },
    ])
    const stranger = await newSession(world, await newPerson(world, tenant))
    const theirs = { sessionId: listed[1].sessionId }
    await expect(call('revoke_session', theirs, { key: stranger })).rejects.toMatchObject(refused('not_found', /^No such session\.$/))
    expect(await call('revoke_session', theirs, { key })).toEqual(theirs)
    expect(await isOver(token)).toBe(true)
    await expect(call('revoke_session', theirs, { key })).rejects.toMatchObject(refused('not_found'))
    await call('logout', {}, { key })
    expect(await isOver(key)).toBe(true)
    const rows = await world.sql`
      select tenant_id, operation from platform.audit_event where operation in ('revoke_session', 'logout', 'select_tenant')
        and tenant_id in (${tenant.tenantId}, ${second.tenantId}) order by audit_event_id`
    expect([...rows]).toEqual([
      { tenantId: second.tenantId, operation: 'select_tenant' },
      { tenantId: second.tenantId, operation: 'revoke_session' },
      { tenantId: tenant.tenantId, operation: 'logout' },
    ])
  })

  it('are at most fifty of a person, the oldest ends', async () => {
    const person = await newPerson(world, tenant)
    const first = await newSession(world, person)
    for (let n = 0; n < 49; n++) await newSession(world, person)
    const { signInToken } = await strangerAt(world)('login', { userName: person.userName, password })
    await strangerAt(world)('select_tenant', { signInToken, tenantId: tenant.tenantId })
    expect(await isOver(first)).toBe(true)
  })
})

describe('a password', () => {
  it('is changed with the present one, ends the other sessions and sign-ins, and leaves this one and the keys', async () => {
    const person = await newPerson(world, tenant)
    const [key, other] = [await newSession(world, person), await newSession(world, person)]
    const { apiKey } = await call(
      'create_api_key',
      { name: 'bound', roles: ['DataView'], tenantUserId: person.tenantUserId },
      { key: tenant.key },
    )
    const begun = await strangerAt(world)('login', { userName: person.userName, password })
    expect(await isOver(other)).toBe(false)
    expect(await call('change_password', { password, newPassword }, { key })).toEqual({ userId: person.userId })
    expect([await isOver(key), await isOver(other), await isOver(apiKey)]).toEqual([false, true, false])
    await expect(strangerAt(world)('select_tenant', { signInToken: begun.signInToken, tenantId: tenant.tenantId })).rejects.toMatchObject(
      refused('unauthenticated'),
    )
    await expect(strangerAt(world)('login', { userName: person.userName, password })).rejects.toMatchObject(refused('unauthenticated'))
    expect(await strangerAt(world)('login', { userName: person.userName, password: newPassword })).toMatchObject({ next: 'selectTenant' })
  })

  it.each([
    ['11 characters', 'a'.repeat(11), /12 to 256 characters, and this has 11/],
    ['257 characters', 'ab'.repeat(128) + 'c', /and this has 257/],
    ['one that is tried first', '123456Qwerty', /everybody tries first/],
  ])('is refused with %s', async (_what, wanted, message) => {
    const key = await newSession(world, await newPerson(world, tenant))
    await expect(call('change_password', { password, newPassword: wanted }, { key })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.newPassword', message: expect.stringMatching(message) }],
    })
  })

  it('is refused where it is the log-in name, and taken in any script, whichever way the keyboard writes it', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    await expect(call('change_password', { password, newPassword: person.userName.toUpperCase() }, { key })).rejects.toMatchObject(
      refused('invalid_input', /log-in name/),
    )
    const composed = 'Zoë läuft über die Straße 九羽の鷺'
    await call('change_password', { password, newPassword: composed.normalize('NFD') }, { key })
    expect(await strangerAt(world)('login', { userName: person.userName, password: composed })).toMatchObject({ next: 'selectTenant' })
  })

  it('is not tried out by whoever finds a session open', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    for (let n = 0; n < 10; n++)
      await expect(call('prove_identity', { password: 'a wrong password' }, { key })).rejects.toMatchObject(refused('forbidden', /wrong/))
    for (const [name, input] of [
      ['prove_identity', { password }],
      ['change_password', { password, newPassword }],
    ] as const)
      await expect(call(name, input, { key }), name).rejects.toMatchObject(refused('rate_limited'))
  })
})

describe('a proof', () => {
  const guarded: [string, Record<string, unknown>][] = [
    ['enroll_totp', {}],
    ['confirm_totp', { factorId: 1, code: '000000' }],
    ['enroll_passkey', {}],
    ['delete_second_factor', { factorId: 1 }],
    ['create_recovery_codes', {}],
    ['change_password', { password, newPassword }],
  ]

  it.each(guarded)('is needed within ten minutes for %s', async (name, input) => {
    const key = await newSession(world, await newPerson(world, tenant), 11)
    await expect(call(name, input, { key })).rejects.toMatchObject({ code: 'fresh_proof_required', status: 403 })
  })

  it('is needed for a key that a session makes, and not of a key that makes one', async () => {
    const person = await newPerson(world, tenant, ['AdminIntegration', 'DataView'])
    const key = await newSession(world, person, 11)
    const wanted = { name: 'for later', roles: ['DataView'] }
    await expect(call('create_api_key', wanted, { key })).rejects.toMatchObject(refused('fresh_proof_required', /prove_identity/))
    await call('prove_identity', { password }, { key })
    expect(await call('create_api_key', wanted, { key })).toMatchObject({ name: 'for later' })
    expect(await call('create_api_key', wanted, { key: tenant.key })).toMatchObject({ name: 'for later' })
  })

  it('is needed by a session that gives a key a new secret or a wider reach, and not where it narrows it', async () => {
    const person = await newPerson(world, tenant, ['AdminIntegration', 'DataView', 'DataEdit'])
    const made = { name: 'for vans', roles: ['DataView'], expiresAt: '2098-01-01T00:00:00Z', allowedAddresses: ['203.0.113.0/24'] }
    const { apiKeyId } = await call('create_api_key', made, { key: tenant.key })
    const key = await newSession(world, person, 11)
    const widened: [string, Record<string, unknown>][] = [
      ['rotate_api_key', {}],
      ['update_api_key', { roles: ['DataView', 'DataEdit'] }],
      ['update_api_key', { expiresAt: '2099-01-01T00:00:00Z' }],
      ['update_api_key', { expiresAt: null }],
      ['update_api_key', { allowedAddresses: [] }],
      ['update_api_key', { allowedAddresses: ['203.0.113.0/24', '198.51.100.0/24'] }],
    ]
    for (const [name, input] of widened)
      await expect(call(name, { apiKeyId, ...input }, { key }), JSON.stringify(input)).rejects.toMatchObject(
        refused('fresh_proof_required'),
      )
    const narrower = { roles: [], expiresAt: '2097-01-01T00:00:00Z', name: 'for one van' }
    expect(await call('update_api_key', { apiKeyId, ...narrower }, { key })).toMatchObject({ name: 'for one van', roles: [] })
    await call('prove_identity', { password }, { key })
    for (const [name, input] of widened) await call(name, { apiKeyId, ...input }, { key })
  })

  it('is tried again under one idempotency key, and what is kept of a person’s calls tells no password', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    const idempotencyKey = `proof-${person.userId}`
    await call('prove_identity', { password }, { key, idempotencyKey })
    for (let n = 0; n < 9; n++)
      await expect(call('prove_identity', { password: 'a wrong password' }, { key, idempotencyKey })).rejects.toMatchObject(
        refused('forbidden', /wrong/),
      )
    const profile = { displayName: 'Ana' }
    await call('update_profile', profile, { key, idempotencyKey })
    expect(await call('update_profile', profile, { key, idempotencyKey })).toMatchObject(profile)
    await expect(call('update_profile', { displayName: 'Eva' }, { key, idempotencyKey })).rejects.toMatchObject(
      refused('idempotency_conflict', /another body/),
    )
    const kept = await world.sql<{ operation: string; fingerprint: Buffer }[]>`
      select operation, fingerprint from platform.idempotency_key where key = ${idempotencyKey}`
    expect(kept.map(({ operation }) => operation)).toEqual(['update_profile'])
    expect(kept[0]?.fingerprint).not.toEqual(await fingerprintOf(profile))
  })

  it('is the password or a code, and is the session’s alone', async () => {
    const person = await newPerson(world, tenant)
    const fresh = await newSession(world, person)
    const { factorId, secret } = await call('enroll_totp', {}, { key: fresh })
    const code = codeOf(secret)
    const { recoveryCodes } = await call('confirm_totp', { factorId, code }, { key: fresh })
    const [stale, other] = [await newSession(world, person, 30), await newSession(world, person, 30)]
    await expect(call('prove_identity', { code }, { key: stale })).rejects.toMatchObject(refused('forbidden', /used/))
    const { provedUntil } = await call('prove_identity', { code: recoveryCodes[0] }, { key: stale })
    expect(Date.parse(provedUntil) - Date.now()).toBeGreaterThan(590_000)
    expect((await call('create_recovery_codes', {}, { key: stale })).codes).toHaveLength(10)
    await expect(call('create_recovery_codes', {}, { key: other })).rejects.toMatchObject(refused('fresh_proof_required'))
    for (const input of [{}, { password, code: '000000' }])
      await expect(call('prove_identity', input, { key: other })).rejects.toMatchObject(refused('invalid_input', /^Give one of/))
  })
})

describe('an authenticator app', () => {
  let person: TestPerson
  let key: string
  beforeAll(async () => {
    person = await newPerson(world, tenant)
    key = await newSession(world, person)
  })

  it('counts once its first code was shown, with ten recovery codes for the first', async () => {
    const { factorId, secret, otpauthUri } = await call('enroll_totp', { name: 'Phone' }, { key })
    expect(Buffer.from(Secret.fromBase32(secret).bytes)).toHaveLength(20)
    const uri = new URL(otpauthUri)
    expect([uri.protocol, uri.host, uri.searchParams.get('secret'), uri.searchParams.get('issuer')]).toEqual([
      'otpauth:',
      'totp',
      secret,
      'Fieldloop',
    ])
    expect(await call('list_second_factors', {}, { key })).toEqual([])
    expect(await strangerAt(world)('login', { userName: person.userName, password })).toMatchObject({ next: 'selectTenant' })
    await expect(call('confirm_totp', { factorId, code: '000000' }, { key })).rejects.toMatchObject(refused('invalid_input', /clock/))
    const confirmed = await call('confirm_totp', { factorId, code: codeOf(secret) }, { key })
    expect(confirmed).toMatchObject({ factorId, channel: 'totp', name: 'Phone', lastUsedDate: null })
    expect(new Set(confirmed.recoveryCodes).size).toBe(10)
    expect(await strangerAt(world)('login', { userName: person.userName, password })).toMatchObject({ next: 'secondFactor' })
    const [row] = await world.sql`select sealed_secret from platform.person_factor where factor_id = ${factorId}`
    expect(String(row?.['sealedSecret'])).not.toContain(secret)
    await expect(call('confirm_totp', { factorId, code: codeOf(secret) }, { key })).rejects.toMatchObject(refused('not_found', /factor/))
  })

  it('is renamed and deleted by its person alone; with the last one the recovery codes go', async () => {
    const [{ factorId }] = await call('list_second_factors', {}, { key })
    const stranger = await newSession(world, await newPerson(world, tenant))
    for (const [name, more] of [
      ['rename_second_factor', { name: 'Mine' }],
      ['delete_second_factor', {}],
    ] as const)
      await expect(call(name, { factorId, ...more }, { key: stranger }), name).rejects.toMatchObject(
        refused('not_found', /^No such factor\.$/),
      )
    expect(await call('rename_second_factor', { factorId, name: 'Work phone' }, { key })).toMatchObject({ name: 'Work phone' })
    expect(await call('delete_second_factor', { factorId }, { key })).toMatchObject({ factorId })
    const [left] = await world.sql`select count(*)::int as codes from platform.recovery_code where user_id = ${person.userId}`
    expect(left).toEqual({ codes: 0 })
    await expect(call('create_recovery_codes', {}, { key })).rejects.toMatchObject(refused('conflict', /enroll_totp/))
  })

  it('that is not confirmed within ten minutes is forgotten, and twenty are the most', async () => {
    const { factorId, secret } = await call('enroll_totp', {}, { key })
    await world.sql`update platform.person_factor set created_date = now() - interval '11 minutes' where factor_id = ${factorId}`
    await expect(call('confirm_totp', { factorId, code: codeOf(secret) }, { key })).rejects.toMatchObject(refused('not_found'))
    for (let n = 0; n < 20; n++) await call('enroll_totp', {}, { key })
    await expect(call('enroll_totp', {}, { key })).rejects.toMatchObject(refused('conflict', /at most 20/))
  })
})

describe('a profile', () => {
  it('shows the log-in to its person, and changes what the tenant shows of them', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    await world.sql`insert into platform.person_email (email, user_id) values (${`${person.userName}@example.com`}, ${person.userId})`
    expect(await call('get_profile', {}, { key })).toEqual({
      userId: person.userId,
      logInName: person.userName,
      emails: [`${person.userName}@example.com`],
      tenantUserId: person.tenantUserId,
      displayName: 'Ana Ruiz',
      languageCode: 'en-US',
      timeZoneIana: 'UTC',
      notifications: { channelOrder: [], quietHours: null, allowsUrgent: true },
      tenants: [{ tenantId: tenant.tenantId, name: expect.any(String), subDomain: expect.any(String) }],
    })
    const changes = { displayName: 'Ana', languageCode: 'es-ES', timeZoneIana: 'Europe/Madrid' }
    expect(await call('update_profile', changes, { key })).toMatchObject(changes)
    expect(await call('get_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })).toMatchObject(changes)
    await expect(call('update_profile', { languageCode: 'frr', timeZoneIana: 'Madrid' }, { key })).rejects.toMatchObject({
      issues: [{ path: '$.languageCode', suggestion: 'fr-FR' }, { path: '$.timeZoneIana' }],
    })
  })

  it('says how messages reach its person, as an administrator would, and keeps what is left out', async () => {
    const person = await newPerson(world, tenant)
    const key = await newSession(world, person)
    const quietHours = { start: '21:00', end: '07:00', timeZoneIana: 'Europe/Madrid' }
    const set = async (notifications: object) => (await call('update_profile', { notifications }, { key })).notifications
    expect(await set({ channelOrder: ['email', 'inbox', 'email'], quietHours })).toEqual({
      channelOrder: ['email', 'inbox'],
      quietHours,
      allowsUrgent: true,
    })
    const wanted = { channelOrder: ['email', 'inbox'], quietHours, allowsUrgent: false }
    expect(await set({ allowsUrgent: false })).toEqual(wanted)
    expect(await call('get_contact_preferences', { tenantUserId: person.tenantUserId }, { key: tenant.key })).toMatchObject(wanted)
    const elsewhere = { displayName: 'Not kept', notifications: { quietHours: { ...quietHours, timeZoneIana: 'Mars/Base' } } }
    await expect(call('update_profile', elsewhere, { key })).rejects.toMatchObject({
      issues: [{ path: '$.notifications.quietHours.timeZoneIana' }],
    })
    expect(await call('get_profile', {}, { key })).toMatchObject({ displayName: 'Ana Ruiz', notifications: wanted })
    expect(await set({ quietHours: null })).toEqual({ ...wanted, quietHours: null })
  })
})
