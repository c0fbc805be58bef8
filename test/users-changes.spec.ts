/** Changing users: contacts, log-in, locks and roles, and that nobody is raised or taken over by somebody who holds less. */
import { beforeAll, describe, expect, it } from 'vitest'

import { flagOf, roleNames, tenantAdminRoles } from '#platform/roles.ts'

import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let counter = 0
const unique = (prefix: string) => `${prefix}${++counter}-${process.pid}`

describe('contacts', () => {
  it('adds and removes them, and the next one becomes the one shown', async () => {
    const name = unique('contacts')
    const { tenantUserId } = await call('create_user', { email: `${name}@example.com` })
    const second = await call('add_user_contact', { tenantUserId, kind: 'email', value: `Second-${name}@example.com` })
    expect(second).toMatchObject({ kind: 'email', value: `second-${name}@example.com`, isVerified: false })
    const phone = await call('add_user_contact', { tenantUserId, kind: 'phone', value: '+44 20 7946 0958' })
    const [first] = (await call('get_user', { tenantUserId })).contacts
    expect(await call('remove_user_contact', { tenantUserId, contactId: first.contactId })).toEqual(first)
    expect(await call('get_user', { tenantUserId })).toMatchObject({
      email: second.value,
      phone: '+442079460958',
      contacts: [second, phone],
    })
    await expect(call('remove_user_contact', { tenantUserId, contactId: first.contactId })).rejects.toMatchObject(
      refused('not_found', /contact/),
    )
    await expect(call('add_user_contact', { tenantUserId, kind: 'phone', value: '+442079460958' })).rejects.toMatchObject(
      refused('already_exists'),
    )
    await expect(call('add_user_contact', { tenantUserId, kind: 'phone', value: '020 7946 0958' })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.value', message: expect.stringMatching(/country code/) }],
    })
  })

  it('is nothing that anybody signs in with, nor can it be made so by an administrator', async () => {
    const elsewhere = await world.newTenant()
    const email = `${unique('shared')}@example.com`
    const mine = await call('create_user', { email })
    const theirs = await call('create_user', { email }, { key: elsewhere.key })
    const second = { tenantUserId: theirs.tenantUserId, kind: 'email', value: `mallory-${email}` }
    await call('add_user_contact', second, { key: elsewhere.key })
    await call(
      'remove_user_contact',
      { tenantUserId: theirs.tenantUserId, contactId: theirs.contacts[0].contactId },
      { key: elsewhere.key },
    )
    await call('set_username', { tenantUserId: theirs.tenantUserId, userName: mine.userName }, { key: elsewhere.key })
    const persons = await world.sql`
      select user_name, password_hash, (select count(*)::int from platform.person_email e where e.user_id = p.user_id) as proved
      from platform.app_user p where user_id in (${mine.userId}, ${theirs.userId})`
    expect(persons).toEqual([0, 1].map(() => ({ userName: null, passwordHash: null, proved: 0 })))
  })
})

describe('locking, naming and settings', () => {
  it('locks a user out of every key at once, and in again', async () => {
    const { tenantUserId } = await call('create_user', { email: `${unique('lock')}@example.com`, roles: ['DataView'] })
    const { apiKey: key } = await call('create_api_key', { name: 'as the user', roles: ['DataView'], tenantUserId })
    await call('list_roles', {}, { key })
    expect(await call('lock_user', { tenantUserId })).toMatchObject({ isLocked: true })
    await expect(call('list_roles', {}, { key })).rejects.toMatchObject(refused('unauthenticated'))
    expect(await call('lock_user', { tenantUserId })).toMatchObject({ isLocked: true })
    expect(await call('unlock_user', { tenantUserId })).toMatchObject({ isLocked: false })
    expect(await call('list_roles', {}, { key })).toHaveLength(10)
  })

  it('changes name, language and time zone', async () => {
    const { tenantUserId } = await call('create_user', { email: `${unique('set')}@example.com` })
    const userName = unique('short')
    await call('set_username', { tenantUserId, userName })
    await call('set_user_language', { tenantUserId, language: 'fr-fr' })
    expect(await call('set_user_timezone', { tenantUserId, timezone: 'America/Argentina/Buenos_Aires' })).toMatchObject({
      userName,
      languageCode: 'fr-FR',
      timeZoneIana: 'America/Argentina/Buenos_Aires',
    })
    const { tenantUserId: other } = await call('create_user', { email: `${unique('set')}@example.com` })
    await expect(call('set_username', { tenantUserId: other, userName: userName.toUpperCase() })).rejects.toMatchObject(
      refused('already_exists'),
    )
    // The same name, from a keyboard that writes its accents by themselves.
    const accented = unique('zoë')
    expect(await call('set_username', { tenantUserId, userName: accented.normalize('NFD') })).toMatchObject({
      userName: accented.normalize('NFC'),
    })
    await expect(call('set_username', { tenantUserId: other, userName: accented.normalize('NFC') })).rejects.toMatchObject(
      refused('already_exists', /user name/),
    )
    await expect(call('set_username', { tenantUserId: other, userName: 'has space' })).rejects.toMatchObject(refused('invalid_input'))
    await expect(call('set_user_language', { tenantUserId: other, language: 'frr' })).rejects.toMatchObject({
      issues: [{ suggestion: 'fr-FR' }],
    })
    await expect(call('set_user_timezone', { tenantUserId: other, timezone: 'Buenos Aires' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('does not let anybody change the log-in or contacts of a user who holds more', async () => {
    const { tenantUserId, contacts } = await call('create_user', { email: `${unique('boss')}@example.com`, roles: ['BuilderAdmin'] })
    const key = await world.tenant.keyWith(['AdminUser', 'DataView'])
    const [{ contactId }] = contacts
    const attempts = [
      ['lock_user', {}],
      ['unlock_user', {}],
      ['set_username', { userName: unique('grab') }],
      ['add_user_contact', { kind: 'email', value: 'grab@example.com' }],
      ['remove_user_contact', { contactId }],
    ] as const
    for (const [name, more] of attempts) {
      await expect(call(name, { tenantUserId, ...more }, { key }), name).rejects.toMatchObject(refused('forbidden', /BuilderAdmin/))
    }
    expect(await call('get_user', { tenantUserId })).toMatchObject({ isLocked: false, contacts })
  })

  it('keeps the last administrator of users who is not locked, also where two are stripped at once', async () => {
    const tenant = await world.newTenant()
    const global = await world.newTenant(1023)
    const { tenantUserId } = await call(
      'create_user',
      { email: `${unique('second')}@example.com`, roles: ['AdminUser'] },
      { key: tenant.key },
    )
    const strip = (user: number) =>
      call('set_user_roles', { tenantId: tenant.tenantId, tenantUserId: user, roles: [] }, { key: global.key })
    const outcomes = await Promise.allSettled([strip(tenantUserId), strip(tenant.tenantUserId)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused('conflict', /last user with AdminUser/) })
    const left = await world.sql<{ tenantUserId: number }[]>`
      select tenant_user_id from platform.tenant_user where tenant_id = ${tenant.tenantId} and role_flag & 64 <> 0 and not is_service`
    expect(left).toHaveLength(1)
    const locked = await call('create_user', { email: `${unique('locked')}@example.com`, roles: ['AdminUser'] }, { key: tenant.key })
    await call('lock_user', { tenantUserId: locked.tenantUserId }, { key: tenant.key })
    await expect(strip(left[0]?.tenantUserId ?? 0)).rejects.toMatchObject(refused('conflict', /last user with AdminUser/))
  })

  it('does not let an administrator lock themselves out', async () => {
    const { tenantUserId } = world.tenant
    await expect(call('lock_user', { tenantUserId })).rejects.toMatchObject(refused('conflict', /yourself/))
    await expect(call('set_user_roles', { tenantId: world.tenant.tenantId, tenantUserId, roles: ['DataView'] })).rejects.toMatchObject(
      refused('conflict', /AdminUser/),
    )
    expect(await call('set_user_roles', { tenantId: world.tenant.tenantId, tenantUserId, roles: roleNames.slice(0, 9) })).toMatchObject({
      roleFlag: tenantAdminRoles,
    })
  })
})

describe('roles', () => {
  let tenant: TestTenant
  let tenantUserId: number
  const set = (roles: readonly string[], options: { key?: string; of?: TestTenant } = {}) =>
    call('set_user_roles', { tenantId: (options.of ?? tenant).tenantId, tenantUserId, roles }, { key: options.key ?? tenant.key })
  beforeAll(async () => {
    tenant = await world.newTenant()
    ;({ tenantUserId } = await call('create_user', { email: `${unique('roles')}@example.com` }, { key: tenant.key }))
  })

  it('replaces them, and a key that acts as the user follows at once', async () => {
    await set(['DataView', 'AdminUser'])
    const { apiKey } = await call('create_api_key', { name: 'bound', roles: ['AdminUser', 'DataView'], tenantUserId }, { key: tenant.key })
    expect(await call('list_users', {}, { key: apiKey })).not.toHaveLength(0)
    expect(await set(['DataView'])).toMatchObject({ roles: ['DataView'], roleFlag: 2 })
    await expect(call('list_users', {}, { key: apiKey })).rejects.toMatchObject(refused('forbidden'))
  })

  it('neither gives nor takes a role that the caller lacks, and leaves one that stays alone', async () => {
    await set(['BuilderAdmin', 'DataView'])
    const key = await tenant.keyWith(['AdminUser', 'DataView', 'DataEdit'])
    await expect(set(['BuilderAdmin', 'DataView', 'DataDelete'], { key })).rejects.toMatchObject(refused('forbidden', /DataDelete/))
    await expect(set(['DataView'], { key })).rejects.toMatchObject(refused('forbidden', /BuilderAdmin/))
    expect(await set(['BuilderAdmin', 'DataEdit'], { key })).toMatchObject({ roles: ['BuilderAdmin', 'DataEdit'] })
    await expect(set(['GlobalAdmin'])).rejects.toMatchObject(refused('forbidden', /GlobalAdmin/))
  })

  it('works in any tenant for a global administrator and in no other for an AdminUser', async () => {
    const stranger = await world.newTenant()
    const global = await world.newTenant(flagOf(['GlobalAdmin', 'DataView', 'DataEdit', 'BuilderAdmin']))
    await expect(set(['DataView'], { key: stranger.key })).rejects.toMatchObject(refused('not_found', /^No such user\.$/))
    await expect(set(['DataView'], { key: stranger.key, of: stranger })).rejects.toMatchObject(refused('not_found', /^No such user\.$/))
    expect(await set(['DataView', 'DataEdit'], { key: global.key })).toMatchObject({ tenantUserId, roles: ['DataView', 'DataEdit'] })
    await expect(set([], { key: global.key, of: stranger })).rejects.toMatchObject(refused('not_found', /^No such user\.$/))
    const [row] =
      await world.sql`select tenant_id, facts from platform.audit_event where operation = 'set_user_roles' and tenant_id = ${global.tenantId}`
    expect(row).toMatchObject({ facts: { tenantId: tenant.tenantId, tenantUserId, after: 10 } })
  })

  it('leaves the service user of a key to its key', async () => {
    const made = await call('create_api_key', { name: 'Machine', roles: ['DataView'] }, { key: tenant.key })
    const input = { tenantId: tenant.tenantId, tenantUserId: made.tenantUserId }
    await expect(call('set_user_roles', { ...input, roles: ['DataView', 'DataEdit'] }, { key: tenant.key })).rejects.toMatchObject(
      refused('conflict', /update_api_key/),
    )
    await expect(
      call('add_user_contact', { tenantUserId: made.tenantUserId, kind: 'phone', value: '+14155550177' }, { key: tenant.key }),
    ).rejects.toMatchObject(refused('conflict'))
    expect(await call('set_user_timezone', { tenantUserId: made.tenantUserId, timezone: 'Asia/Tokyo' }, { key: tenant.key })).toMatchObject(
      { timeZoneIana: 'Asia/Tokyo' },
    )
  })
})
