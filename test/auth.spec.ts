/** API keys: made once, shown once, never stronger than who made them, and gone at once. */
import { randomUUID } from 'node:crypto'

import { afterEach, describe, expect, it, vi } from 'vitest'

import { hashApiKey } from '#platform/api-keys.ts'
import { createAuthenticator } from '#platform/authenticate.ts'
import { flagOf } from '#platform/roles.ts'

import { refused } from './support/refused.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

const rolesOfKey = (key: string) => world.platform.pipeline.identify({ kind: 'bearer', token: key }).then((actor) => actor.roleFlag)

/** A call that says where it comes from. */
function callFrom(ip: string | undefined, key: string): Promise<unknown> {
  const operation = world.platform.pipeline.registry.byName.get('list_roles')
  if (!operation) throw new Error('There is no list_roles')
  return world.platform.pipeline.run({
    operation,
    transport: 'rest',
    credential: { kind: 'bearer', token: key },
    input: {},
    requestId: randomUUID(),
    ip,
    signal: new AbortController().signal,
  })
}

describe('making keys', () => {
  it('shows the secret once, keeps only its hash, and acts as a service user of its own', async () => {
    const made = await call('create_api_key', {
      name: ' Dispatch ',
      roles: ['DataEdit', 'DataView'],
      expiresAt: '2099-01-01T02:00:00+02:00',
    })
    expect(made).toMatchObject({
      name: 'Dispatch',
      roles: ['DataView', 'DataEdit'],
      expiresAt: '2099-01-01T00:00:00.000Z',
      lastUsedDate: null,
      allowedAddresses: [],
    })
    expect(made.apiKey).toMatch(/^flk_[A-Za-z0-9]{40}[0-9a-f]{8}$/)
    expect(made.apiKey.startsWith(made.prefix)).toBe(true)
    const listed = (await call('list_api_keys')).find((key: { apiKeyId: number }) => key.apiKeyId === made.apiKeyId)
    const { apiKey, ...rest } = made
    expect(listed).toEqual(rest)
    const actor = await world.platform.pipeline.identify({ kind: 'bearer', token: apiKey })
    expect(actor).toMatchObject({ tenantId: world.tenant.tenantId, tenantUserId: made.tenantUserId, displayName: 'Dispatch', roleFlag: 10 })
    expect(await call('get_user', { tenantUserId: made.tenantUserId })).toMatchObject({
      displayName: 'Dispatch',
      roles: ['DataView', 'DataEdit'],
    })
    const rows = await world.sql`select key_hash from platform.api_key where api_key_id = ${made.apiKeyId}`
    expect(rows[0]?.['keyHash']).toEqual(hashApiKey(apiKey))
    const places = await world.sql`
      select (select count(*) from platform.audit_event where facts::text like ${`%${apiKey}%`}) + (select count(*) from platform.idempotency_key
        where answer like ${`%${apiKey}%`}) as found, (select count(*)::int from platform.audit_event where operation = 'create_api_key') as audited`
    expect(Number(places[0]?.['found'])).toBe(0)
    expect(places[0]?.['audited']).toBeGreaterThan(0)
  })

  it('does not make a key twice under one idempotency key, nor shows the secret again', async () => {
    const idempotencyKey = randomUUID()
    const made = await call('create_api_key', { name: 'once', roles: [] }, { idempotencyKey })
    await expect(call('create_api_key', { name: 'once', roles: [] }, { idempotencyKey })).rejects.toMatchObject(
      refused('idempotency_conflict', new RegExp(`apiKeyId ${made.apiKeyId}`)),
    )
    expect((await call('list_api_keys')).filter((key: { name: string }) => key.name === 'once')).toHaveLength(1)
  })

  it('grants no role that the caller lacks, GlobalAdmin included', async () => {
    const key = await world.tenant.keyWith(['AdminIntegration', 'DataView'])
    await expect(call('create_api_key', { name: 'more', roles: ['DataView', 'DataDelete'] }, { key })).rejects.toMatchObject(
      refused('forbidden', /DataDelete/),
    )
    await expect(call('create_api_key', { name: 'more', roles: ['GlobalAdmin'] })).rejects.toMatchObject(
      refused('forbidden', /GlobalAdmin/),
    )
    expect(await call('create_api_key', { name: 'less', roles: ['DataView'] }, { key })).toMatchObject({ roles: ['DataView'] })
  })

  it('refuses an expiry in the past, addresses that are none, and unknown roles', async () => {
    await expect(call('create_api_key', { name: 'x', roles: [], expiresAt: '2020-01-01T00:00:00Z' })).rejects.toMatchObject({
      issues: [{ path: '$.expiresAt' }],
    })
    await expect(call('create_api_key', { name: 'x', roles: [], expiresAt: '2099-02-30T00:00:00Z' })).rejects.toMatchObject({
      issues: [{ path: '$.expiresAt' }],
    })
    await expect(call('create_api_key', { name: 'x', roles: [], allowedAddresses: ['10.0.0.0/33'] })).rejects.toMatchObject({
      issues: [{ path: '$.allowedAddresses[0]', message: expect.stringMatching(/CIDR/) }],
    })
    await expect(call('create_api_key', { name: 'x', roles: ['Dataview'] })).rejects.toMatchObject({
      issues: [{ path: '$.roles[0]', suggestion: 'DataView' }],
    })
  })
})

describe('keys of other tenants and users', () => {
  it('makes keys in another tenant for a global administrator alone', async () => {
    const other = await world.newTenant()
    const global = await world.newTenant(flagOf(['GlobalAdmin', 'AdminIntegration', 'DataView']))
    const made = await call('create_api_key', { name: 'from above', roles: ['DataView'], tenantId: other.tenantId }, { key: global.key })
    expect(await world.platform.pipeline.identify({ kind: 'bearer', token: made.apiKey })).toMatchObject({
      tenantId: other.tenantId,
      roleFlag: 2,
    })
    expect((await call('list_api_keys', {}, { key: other.key })).map((key: { name: string }) => key.name)).toContain('from above')
    expect((await call('list_api_keys', {}, { key: global.key })).map((key: { name: string }) => key.name)).not.toContain('from above')
    await expect(call('create_api_key', { name: 'x', roles: [], tenantId: other.tenantId })).rejects.toMatchObject(
      refused('forbidden', /global administrator/),
    )
    await expect(call('create_api_key', { name: 'x', roles: [], tenantId: 2_000_000_000 }, { key: global.key })).rejects.toMatchObject({
      code: 'invalid_input',
      issues: [{ path: '$.tenantId' }],
    })
  })

  it('acts as the named user with the roles that key and user both hold at each call, and needs AdminUser', async () => {
    const { tenantUserId } = await call('create_user', { email: 'bound@example.com', roles: ['DataView', 'DataEdit'] })
    const made = await call('create_api_key', { name: 'as them', roles: ['DataView', 'BuilderAdmin'], tenantUserId })
    expect(made).toMatchObject({ tenantUserId, roles: ['BuilderAdmin', 'DataView'] })
    expect(await world.platform.pipeline.identify({ kind: 'bearer', token: made.apiKey })).toMatchObject({
      tenantUserId,
      roleFlag: flagOf(['DataView']),
    })
    await call('set_user_roles', { tenantId: world.tenant.tenantId, tenantUserId, roles: ['BuilderAdmin', 'DataEdit'] })
    expect(await rolesOfKey(made.apiKey)).toBe(flagOf(['BuilderAdmin']))
    const key = await world.tenant.keyWith(['AdminIntegration', 'DataView'])
    await expect(call('create_api_key', { name: 'x', roles: [], tenantUserId }, { key })).rejects.toMatchObject(
      refused('forbidden', /AdminUser/),
    )
    const foreign = await world.newTenant()
    for (const absent of [foreign.tenantUserId, 2 ** 40]) {
      await expect(call('create_api_key', { name: 'x', roles: [], tenantUserId: absent })).rejects.toMatchObject(
        refused('invalid_input', /^There is no such user\.$/),
      )
    }
  })

  it('makes and rotates a key that acts as a user only for who holds every role of the user', async () => {
    const { tenantUserId } = await call('create_user', { email: 'stronger@example.com', roles: ['DataView', 'BuilderAdmin'] })
    const { apiKeyId } = await call('create_api_key', { name: 'as the stronger', roles: ['DataView'], tenantUserId })
    const lesser = await world.tenant.keyWith(['AdminIntegration', 'AdminUser', 'DataView'])
    const calls: [string, object][] = [
      ['create_api_key', { name: 'x', roles: ['DataView'], tenantUserId }],
      ['rotate_api_key', { apiKeyId }],
    ]
    for (const [name, input] of calls) {
      await expect(call(name, input, { key: lesser }), name).rejects.toMatchObject(refused('forbidden', /^The user holds BuilderAdmin/))
    }
    const equal = await world.tenant.keyWith(['AdminIntegration', 'AdminUser', 'DataView', 'BuilderAdmin'])
    for (const [name, input] of calls) expect(await call(name, input, { key: equal }), name).toMatchObject({ tenantUserId })
  })

  it('rotates a key that acts as a user only for an AdminUser', async () => {
    const { tenantUserId } = await call('create_user', { email: 'rotated@example.com', roles: ['DataView'] })
    const { apiKeyId } = await call('create_api_key', { name: 'as them too', roles: ['DataView'], tenantUserId })
    const key = await world.tenant.keyWith(['AdminIntegration', 'DataView'])
    await expect(call('rotate_api_key', { apiKeyId }, { key })).rejects.toMatchObject(refused('forbidden', /AdminUser/))
    expect(await call('rotate_api_key', { apiKeyId })).toMatchObject({ apiKeyId })
  })
})

describe('changing keys', () => {
  it('revokes at once and for good', async () => {
    const { apiKey: key, apiKeyId } = await call('create_api_key', { name: 'leaked', roles: [] })
    await call('list_roles', {}, { key })
    expect(await call('revoke_api_key', { apiKeyId })).toMatchObject({ apiKeyId })
    await expect(call('list_roles', {}, { key })).rejects.toMatchObject(refused('unauthenticated'))
    for (const name of ['revoke_api_key', 'rotate_api_key', 'update_api_key'])
      await expect(call(name, { apiKeyId }), name).rejects.toMatchObject(refused('not_found'))
    expect((await call('list_api_keys')).map((listed: { apiKeyId: number }) => listed.apiKeyId)).not.toContain(apiKeyId)
  })

  it('rotates with a day of grace unless told, and ends the old secret when it is over', async () => {
    const { apiKey: first, apiKeyId, prefix } = await call('create_api_key', { name: 'rotating', roles: ['DataView'] })
    const before = Date.now()
    const rotated = await call('rotate_api_key', { apiKeyId })
    expect(rotated).toMatchObject({ apiKeyId, name: 'rotating', roles: ['DataView'] })
    expect(rotated.prefix).not.toBe(prefix)
    expect(Date.parse(rotated.previousValidUntil) - before).toBeGreaterThan(86_390_000)
    expect(Date.parse(rotated.previousValidUntil) - before).toBeLessThan(86_460_000)
    expect(await rolesOfKey(first)).toBe(2)
    expect(await rolesOfKey(rotated.apiKey)).toBe(2)
    const again = await call('rotate_api_key', { apiKeyId, graceSeconds: 0 })
    expect(again.previousValidUntil).toBeNull()
    for (const old of [first, rotated.apiKey]) await expect(rolesOfKey(old)).rejects.toMatchObject(refused('unauthenticated'))
    expect(await rolesOfKey(again.apiKey)).toBe(2)
    await call('rotate_api_key', { apiKeyId, graceSeconds: 600 })
    expect(await rolesOfKey(again.apiKey)).toBe(2)
    // The grace time passes.
    await world.sql`update platform.api_key set previous_until = now() - interval '1 second' where api_key_id = ${apiKeyId}`
    world.platform.services.wake.poke('credentials')
    await expect(rolesOfKey(again.apiKey)).rejects.toMatchObject(refused('unauthenticated'))
    await expect(call('rotate_api_key', { apiKeyId, graceSeconds: 604_801 })).rejects.toMatchObject(refused('invalid_input'))
  })

  it('changes what is said and leaves the rest, and its service user follows', async () => {
    const made = await call('create_api_key', { name: 'before', roles: ['DataView'], expiresAt: '2099-01-01T00:00:00Z' })
    const { apiKeyId, tenantUserId } = made
    expect(await call('update_api_key', { apiKeyId, roles: ['DataEdit'] })).toMatchObject({
      name: 'before',
      roles: ['DataEdit'],
      expiresAt: '2099-01-01T00:00:00.000Z',
    })
    expect(await rolesOfKey(made.apiKey)).toBe(8)
    expect(await call('update_api_key', { apiKeyId, name: 'after', expiresAt: null })).toMatchObject({
      name: 'after',
      roles: ['DataEdit'],
      expiresAt: null,
    })
    expect(await call('get_user', { tenantUserId })).toMatchObject({ displayName: 'after', roles: ['DataEdit'] })
  })

  it('admits a key only from its addresses', async () => {
    const { apiKey: key, apiKeyId } = await call('create_api_key', {
      name: 'office',
      roles: [],
      allowedAddresses: ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7'],
    })
    for (const ip of ['203.0.113.9', '2001:db8::1', '198.51.100.7', '::ffff:203.0.113.9']) expect(await callFrom(ip, key), ip).toBeTruthy()
    for (const ip of ['203.0.114.1', '2001:db9::1', '198.51.100.8', undefined, 'nonsense']) {
      await expect(callFrom(ip, key), String(ip)).rejects.toMatchObject(refused('unauthenticated'))
    }
    expect(await call('update_api_key', { apiKeyId, allowedAddresses: [] })).toMatchObject({ allowedAddresses: [] })
    expect(await callFrom('192.0.2.1', key)).toBeTruthy()
  })

  it('lets nobody rotate, change or revoke a key that holds a role they lack', async () => {
    const { apiKeyId, apiKey } = await call('create_api_key', { name: 'strong', roles: ['BuilderAdmin', 'DataView'] })
    const key = await world.tenant.keyWith(['AdminIntegration', 'AdminUser', 'DataView'])
    for (const [name, more] of [
      ['rotate_api_key', {}],
      ['update_api_key', { name: 'mine' }],
      ['revoke_api_key', {}],
    ] as const) {
      await expect(call(name, { apiKeyId, ...more }, { key }), name).rejects.toMatchObject(refused('forbidden', /BuilderAdmin/))
    }
    const weak = await call('create_api_key', { name: 'weak', roles: ['DataView'] })
    await expect(call('update_api_key', { apiKeyId: weak.apiKeyId, roles: ['DataView', 'FileEdit'] }, { key })).rejects.toMatchObject(
      refused('forbidden', /FileEdit/),
    )
    expect(await rolesOfKey(apiKey)).toBe(3)
  })

  it("answers another tenant's key as if there were none", async () => {
    const other = await world.newTenant()
    const { apiKeyId } = await call('create_api_key', { name: 'theirs', roles: [] }, { key: other.key })
    for (const name of ['revoke_api_key', 'rotate_api_key', 'update_api_key']) {
      for (const id of [apiKeyId, 2 ** 40])
        await expect(call(name, { apiKeyId: id }), name).rejects.toMatchObject(refused('not_found', /^No such API key\.$/))
    }
  })
})

it('pages keys by cursor', async () => {
  const { key } = await world.newTenant()
  for (const name of ['a', 'b', 'c']) await call('create_api_key', { name, roles: [] }, { key })
  const first = (await world.run('list_api_keys', { pageSize: 3 }, { key })) as {
    items: { name: string }[]
    nextCursor: string
    totalCount: number
  }
  expect(first).toMatchObject({ totalCount: 4, items: [{ name: 'test' }, { name: 'a' }, { name: 'b' }] })
  expect(await call('list_api_keys', { pageSize: 3, cursor: first.nextCursor }, { key })).toMatchObject([{ name: 'c' }])
})

describe('looking a key up', () => {
  afterEach(() => void vi.useRealTimers())

  /** An authenticator whose look-ups wait, once they are told to, until `letThrough`. */
  function heldAuthenticator() {
    const { databases, secrets, wake } = world.platform.services
    const looks: (string | undefined)[] = []
    let passing = Promise.resolve()
    let letThrough = () => {}
    const authenticator = createAuthenticator({
      databases: {
        ...databases,
        async lookUp(work, caller) {
          if (caller !== undefined) looks.push(caller)
          await passing
          return databases.lookUp(work, caller)
        },
      },
      secrets,
      wake,
    })
    const hold = () => {
      passing = new Promise((resolve) => (letThrough = resolve))
    }
    return { authenticator, looks, hold, letThrough: () => letThrough() }
  }

  it('is done once for all who ask at the same time, and while it is in use keeps no call waiting', async () => {
    const { authenticator, looks, hold, letThrough } = heldAuthenticator()
    const key = await world.tenant.keyWith(['DataView'])
    const identify = () => authenticator.identify({ kind: 'bearer', token: key }, '192.0.2.1')
    vi.useFakeTimers({ toFake: ['performance'] })
    await Promise.all(Array.from({ length: 20 }, identify))
    expect(looks).toEqual(['address 192.0.2.1'])
    vi.advanceTimersByTime(700)
    hold()
    await Promise.all(Array.from({ length: 20 }, identify))
    expect(looks.length).toBe(2)
    letThrough()
    authenticator.end()
  })

  it('that began before a change answers nobody who asks after it', async () => {
    const { authenticator, looks, hold, letThrough } = heldAuthenticator()
    const made = await call('create_api_key', { name: 'Short-lived', roles: ['DataView'] })
    const identify = () => authenticator.identify({ kind: 'bearer', token: made.apiKey }, '192.0.2.1')
    hold()
    const before = identify()
    await expect.poll(() => looks.length).toBe(1)
    await call('revoke_api_key', { apiKeyId: made.apiKeyId })
    const outcomes = Promise.allSettled([before, identify()])
    letThrough()
    expect((await outcomes)[1]).toMatchObject({ status: 'rejected', reason: { code: 'unauthenticated' } })
    expect(looks.length).toBe(2)
    authenticator.end()
  })

  it('waits for nobody who sends wrong keys from elsewhere', async () => {
    const { databases } = world.platform.services
    const key = await world.tenant.keyWith(['DataView'])
    let letThrough = () => {}
    const passing = new Promise<void>((resolve) => (letThrough = resolve))
    const wrong = Array.from({ length: 50 }, () => databases.lookUp(() => passing, 'address 192.0.2.66'))
    await expect.poll(() => databases.lookup.stats()).toMatchObject({ busy: 2, waiting: 48 })
    expect(await callFrom('192.0.2.1', key)).toBeDefined()
    expect(databases.lookup.stats()).toMatchObject({ waiting: 48 })
    letThrough()
    await Promise.all(wrong)
  })
})
