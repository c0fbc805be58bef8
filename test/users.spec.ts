/** Users: who they are, how they are reached, and how they are found. */
import { describe, expect, it } from 'vitest'

import { roleNames } from '#platform/roles.ts'

import { newPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let counter = 0
const unique = (prefix: string) => `${prefix}${++counter}-${process.pid}`

describe('creating users', () => {
  it('keeps e-mail and phone in their normal forms and shows the first of each', async () => {
    const name = unique('ana')
    const user = await call('create_user', {
      email: `${name}@Example.COM`,
      phone: '+34 612 345 678',
      language: 'ES-es',
      timezone: 'europe/madrid',
      roles: ['DataEdit', 'DataView'],
    })
    expect(user).toMatchObject({
      email: `${name}@example.com`,
      phone: '+34612345678',
      userName: `${name}@example.com`,
      displayName: `${name}@example.com`,
      languageCode: 'es-ES',
      timeZoneIana: 'Europe/Madrid',
      roles: ['DataView', 'DataEdit'],
      roleFlag: 10,
      isLocked: false,
      contacts: [
        { kind: 'email', value: `${name}@example.com`, isVerified: false },
        { kind: 'phone', value: '+34612345678', isVerified: false },
      ],
    })
    expect(await call('get_user', { tenantUserId: user.tenantUserId })).toEqual(user)
  })

  it("gives the tenant's language, UTC and no role where nothing is said", async () => {
    expect(await call('create_user', { email: `${unique('plain')}@example.com` })).toMatchObject({
      languageCode: 'en-US',
      timeZoneIana: 'UTC',
      roles: [],
      roleFlag: 0,
    })
  })

  it.each([
    ['a phone without its country', { phone: '612345678' }, '$.phone', /country code/],
    ['a phone that is too short', { phone: '+3461' }, '$.phone', /too short|wrong length/],
    ['a phone amid words', { phone: 'call +14155552671 now' }, '$.phone', /no phone number/],
    ['a phone with an extension', { phone: '+14155552671 ext 5' }, '$.phone', /without one/],
    ['an e-mail without a host', { email: 'ana@' }, '$.email', /name@example.com/],
    ['a language that is none', { email: 'x1@example.com', language: 'es-XX' }, '$.language', /list_languages/],
    ['a zone that is an offset', { email: 'x2@example.com', timezone: '+02:00' }, '$.timezone', /IANA/],
    ['a city instead of a zone', { email: 'x3@example.com', timezone: 'Madrid' }, '$.timezone', /IANA/],
    ['nothing to be known by', { displayName: 'Nobody' }, '$.email', /e-mail, a phone or a userName/],
  ])('refuses %s with a sentence and its place', async (_what, input, path, message) => {
    await expect(call('create_user', input)).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path, severity: 'error', message: expect.stringMatching(message) }],
    })
  })

  it('says all that is wrong at once, with the nearest right names', async () => {
    await expect(call('create_user', { email: 'no', phone: 'no way', language: 'en-UZ', timezone: 'Europe/Madird' })).rejects.toMatchObject(
      {
        issues: [
          { path: '$.email' },
          { path: '$.phone' },
          { path: '$.language', suggestion: 'en-US' },
          { path: '$.timezone', suggestion: 'Europe/Madrid' },
        ],
      },
    )
  })

  it('refuses a role that the caller lacks, and makes nobody', async () => {
    const key = await world.tenant.keyWith(['AdminUser', 'DataView'])
    const email = `${unique('raised')}@example.com`
    await expect(call('create_user', { email, roles: ['DataView', 'BuilderAdmin'] }, { key })).rejects.toMatchObject(
      refused('forbidden', /BuilderAdmin/),
    )
    await expect(call('find_or_create_user', { email, roles: ['GlobalAdmin'] })).rejects.toMatchObject(refused('forbidden', /GlobalAdmin/))
    expect(await call('list_users', { search: email })).toEqual([])
    expect(await call('create_user', { email, roles: ['DataView'] }, { key })).toMatchObject({ roles: ['DataView'] })
  })

  it('refuses an e-mail, a phone and a user name that somebody has', async () => {
    const [name, other] = [unique('taken'), unique('other')]
    await call('create_user', { email: `${name}@example.com`, phone: '+14155550101', userName: name })
    await expect(call('create_user', { email: `${name}@EXAMPLE.com` })).rejects.toMatchObject(
      refused('already_exists', /find_or_create_user/),
    )
    await expect(call('create_user', { email: `${other}@example.com`, phone: '+1 415 555 0101' })).rejects.toMatchObject(
      refused('already_exists', /phone/),
    )
    await expect(call('create_user', { email: `${other}@example.com`, userName: name.toUpperCase() })).rejects.toMatchObject(
      refused('already_exists', /user name/),
    )
    expect(await call('create_user', { email: `${other}@example.com` })).toMatchObject({ email: `${other}@example.com` })
  })

  it('is not hindered by whoever has the e-mail or phone as a user name: a name that nobody asked for gets a number', async () => {
    const elsewhere = await world.newTenant()
    const email = `${unique('squatted')}@example.com`
    const phone = '+34613000111'
    for (const userName of [email, phone]) await call('create_user', { userName })
    const found = await call('find_or_create_user', { email: email.toUpperCase() })
    expect(found).toMatchObject({ userName: `${email}-2`, displayName: email, email })
    expect(await call('find_or_create_user', { email })).toEqual(found)
    expect(await call('create_user', { phone })).toMatchObject({ userName: `${phone}-2`, phone })
    await expect(call('create_user', { phone })).rejects.toMatchObject(refused('already_exists', /phone/))
    // An e-mail that was taken from one user goes to the next, though the first keeps the name.
    await call('remove_user_contact', { tenantUserId: found.tenantUserId, contactId: found.contacts[0].contactId })
    const next = await call('find_or_create_user', { email })
    expect(next).toMatchObject({ userName: `${email}-3`, email })
    expect(next.tenantUserId).not.toBe(found.tenantUserId)
    // What another tenant calls its users is nobody's business here.
    expect(await call('create_user', { userName: email }, { key: elsewhere.key })).toMatchObject({ userName: email })
  })

  it('gives users of calls at once names of their own', async () => {
    const { key } = await world.newTenant()
    const name = unique('rush')
    await call('create_user', { userName: `${name}@example.com` }, { key })
    const emails = Array.from({ length: 5 }, (_, index) => `${name}@example.com${'x'.repeat(index)}`)
    const users = await Promise.all(emails.map((email) => call('create_user', { email }, { key })))
    expect(new Set(users.map((user) => user.userName)).size).toBe(5)
    expect(users[0]).toMatchObject({ userName: `${name}@example.com-2` })
  })

  it('makes a person of its own, who cannot sign in, whoever has that address or name in another tenant', async () => {
    const elsewhere = await world.newTenant()
    const wanted = { email: `${unique('both')}@example.com`, phone: '+34613000333', userName: unique('the-name') }
    const here = await call('create_user', { ...wanted, roles: ['DataView'], displayName: 'Here' })
    const there = await call('create_user', wanted, { key: elsewhere.key })
    expect(there).toMatchObject({ ...wanted, roles: [], status: 'invited', lastSignInDate: null })
    expect(there.userId).not.toBe(here.userId)
    const provisioner = await world.newTenant(1023)
    const tenant = {
      name: 'Third',
      subDomain: unique('third').toLowerCase(),
      initialAdmin: { email: wanted.email, userName: wanted.userName },
    }
    const { initialAdmin } = await call('provision_tenant', tenant, { key: provisioner.key })
    expect(initialAdmin).toMatchObject({ userName: wanted.userName, email: wanted.email })
    expect([here.userId, there.userId]).not.toContain(initialAdmin.userId)
  })
})

describe('finding or creating', () => {
  it('answers the user who has the e-mail, whatever its case, and leaves it as it is', async () => {
    const email = `${unique('known')}@example.com`
    const made = await call('find_or_create_user', { email, roles: ['DataView'] })
    expect(await call('find_or_create_user', { email: email.toUpperCase(), displayName: 'Other', roles: [] })).toEqual(made)
    await call('add_user_contact', { tenantUserId: made.tenantUserId, kind: 'email', value: `second-${email}` })
    expect(await call('find_or_create_user', { email: `Second-${email}` })).toMatchObject({ tenantUserId: made.tenantUserId })
  })

  it('makes one user of twenty calls at once', async () => {
    const email = `${unique('rush')}@example.com`
    const answers = await Promise.all(Array.from({ length: 20 }, () => call('find_or_create_user', { email })))
    expect(new Set(answers.map((answer) => answer.tenantUserId)).size).toBe(1)
    expect(await call('list_users', { search: email })).toHaveLength(1)
  })
})

describe('listing', () => {
  it('pages by cursor and counts on the first page, without service users unless asked', async () => {
    const tenant = await world.newTenant()
    const { key } = tenant
    for (let i = 0; i < 5; i++)
      await call('create_user', { email: `${unique('page')}@example.com`, roles: i < 2 ? ['DataView'] : [] }, { key })
    await call('create_api_key', { name: 'Machine', roles: [] }, { key })
    const all = await call('list_users', {}, { key })
    expect(all).toHaveLength(6)
    const first = await world.run('list_users', { pageSize: 4 }, { key })
    expect(first).toMatchObject({ totalCount: 6, nextCursor: expect.any(String) })
    const { nextCursor } = first as { nextCursor: string }
    const second = await world.run('list_users', { pageSize: 4, cursor: nextCursor }, { key })
    expect(second).not.toHaveProperty('nextCursor')
    expect(second).not.toHaveProperty('totalCount')
    expect([...(await call('list_users', { pageSize: 4 }, { key })), ...(second as { items: unknown[] }).items]).toEqual(all)
    expect(await call('list_users', { page: 2, pageSize: 4 }, { key })).toEqual(all.slice(4))
    expect(await call('list_users', { roles: ['DataView'], search: 'page' }, { key })).toHaveLength(2)
    const withService = await call('list_users', { includeService: true }, { key })
    expect(withService.map((user: { displayName: string }) => user.displayName)).toContain('Machine')
    expect(withService).toHaveLength(7)
    await expect(call('list_users', { cursor: 'nonsense' }, { key })).rejects.toMatchObject(refused('invalid_input', /cursor/))
    await expect(call('list_users', { cursor: Buffer.from('["a"]').toString('base64url') }, { key })).rejects.toMatchObject(
      refused('invalid_input', /cursor/),
    )
  })

  it('asks for those invited, active or locked, and for those with or without a second factor', async () => {
    const tenant = await world.newTenant()
    const { key } = tenant
    const email = `${unique('guest')}@example.com`
    const guest = await call('create_user', { email, roles: ['DataView'] }, { key })
    const [plain, proved, blocked] = [await newPerson(world, tenant), await newPerson(world, tenant), await newPerson(world, tenant)]
    const foreign = await newPerson(world, await world.newTenant())
    for (const { userId } of [proved, blocked, foreign])
      await world.sql`insert into platform.person_factor (user_id, channel, name, confirmed_date, created_date) values (${userId}, 'totp', 'x', now(), now())`
    await world.sql`insert into platform.person_factor (user_id, channel, name, created_date) values (${plain.userId}, 'totp', 'pending', now())`
    for (const { tenantUserId } of [blocked, guest]) await call('lock_user', { tenantUserId }, { key })
    const open = await call('create_user', { email: `open-${email}`, roles: ['DataView'] }, { key })
    const ids = async (input: object) => {
      const { items, totalCount } = (await world.run('list_users', { roles: ['DataView'], ...input }, { key })) as {
        items: { tenantUserId: number }[]
        totalCount: number
      }
      expect(totalCount).toBe(items.length)
      // The tenant's administrator is in every list that fits.
      return items.map(({ tenantUserId }) => tenantUserId).filter((id) => id !== tenant.tenantUserId)
    }
    expect(await ids({ status: 'invited' })).toEqual([open.tenantUserId])
    expect(await ids({ status: 'locked' })).toEqual([guest.tenantUserId, blocked.tenantUserId])
    expect(await ids({ status: 'active' })).toEqual([plain.tenantUserId, proved.tenantUserId])
    expect(await ids({ hasSecondFactor: true })).toEqual([proved.tenantUserId, blocked.tenantUserId])
    expect(await ids({ status: 'active', hasSecondFactor: false })).toEqual([plain.tenantUserId])
    expect(await ids({ status: 'active', hasSecondFactor: true, search: 'ana' })).toEqual([proved.tenantUserId])
    for (const { tenantUserId } of await call('list_users', {}, { key })) {
      const { status, hasSecondFactor } = await call('get_user', { tenantUserId }, { key })
      const same = (await call('list_users', { status, hasSecondFactor }, { key })) as { tenantUserId: number }[]
      expect(same.map((user) => user.tenantUserId)).toContain(tenantUserId)
    }
    await expect(call('list_users', { status: 'gone' }, { key })).rejects.toMatchObject({ issues: [{ path: '$.status' }] })
  })

  it('finds a phone however it is written', async () => {
    const { key } = await world.newTenant()
    const { tenantUserId } = await call('create_user', { userName: unique('caller'), phone: '+34612777888' }, { key })
    const found = async (search: string) =>
      (await call('list_users', { search }, { key })).map((user: { tenantUserId: number }) => user.tenantUserId)
    for (const search of ['+34 612 777 888', '(612) 777-888', '777888']) expect(await found(search)).toEqual([tenantUserId])
    expect(await found('+34 612 777 889')).toEqual([])
    // Neither a name with a digit nor a lone sign asks for a phone.
    expect(await found('unit 7')).toEqual([])
    expect(await found('+')).toEqual([tenantUserId])
  })

  it("answers another tenant's user as if there were none", async () => {
    const foreign = await world.newTenant()
    const absent = await call('get_user', { tenantUserId: 2 ** 40 }).catch((error: Error) => error.message)
    expect(absent).toBe('No such user.')
    for (const name of [
      'get_user',
      'lock_user',
      'unlock_user',
      'set_username',
      'set_user_language',
      'set_user_timezone',
      'add_user_contact',
      'remove_user_contact',
    ]) {
      const more = { contactId: 1, kind: 'phone', value: '+14155550199', userName: 'xx', language: 'en-US', timezone: 'UTC' }
      const input = Object.fromEntries(
        Object.entries({ tenantUserId: foreign.tenantUserId, ...more }).filter(([field]) => field in inputOf(name)),
      )
      await expect(call(name, input), name).rejects.toMatchObject(refused('not_found', /^No such user\.$/))
    }
  })

  it('lists the ten roles with their bits', async () => {
    const list: { internalName: string; bit: number; description: string }[] = await call(
      'list_roles',
      {},
      { key: await world.tenant.keyWith([]) },
    )
    expect(list.map((role) => [role.internalName, role.bit])).toEqual(roleNames.map((name, index) => [name, 2 ** index]))
    expect(list.every((role) => role.description.length > 10)).toBe(true)
  })
})

function inputOf(name: string): Record<string, unknown> {
  return world.platform.pipeline.registry.byName.get(name)?.input.shape ?? {}
}
