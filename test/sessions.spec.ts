/** Persons' sessions in the pipeline: what they open, what they do not, and that each change under them ends them everywhere at once. */
import { randomUUID } from 'node:crypto'

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { createAuthenticator } from '#platform/authenticate.ts'
import { holdingOf, rolesOfAbsent } from '#platform/holding.ts'
import { sessionIdOf } from '#platform/sessions.ts'

import { joinTenant, newPerson, newSession, passwordOfTests, type TestPerson } from './support/persons.ts'
import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'
import { refused } from './support/refused.ts'
import type { TestTenant } from './support/world.ts'

let opened: PipelineWorld
let tenant: TestTenant
let global: TestTenant
beforeAll(async () => {
  opened = await openPipelineWorld()
  tenant = await opened.world.newTenant()
  global = await opened.world.newTenant(1023)
})
afterAll(() => opened?.close())

const identify = (token: string, on = opened.platform) => on.pipeline.identify({ kind: 'bearer', token })

describe('a session', () => {
  it('acts as the membership, with the roles that it has at each call', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit'])
    const token = await newSession(opened.world, person)
    const { userId, tenantId, tenantUserId } = person
    expect(await identify(token)).toMatchObject({ kind: 'session', userId, tenantId, tenantUserId, roleFlag: 10 })
    expect(await opened.call('whoami', {}, { key: token })).toMatchObject({ tenantUserId, roleFlag: 10 })
    await opened.call('set_user_roles', { tenantId, tenantUserId, roles: ['DataView'] }, { key: tenant.key })
    expect(await opened.call('whoami', {}, { key: token })).toMatchObject({ roleFlag: 2 })
    await expect(opened.call('list_users', {}, { key: token })).rejects.toMatchObject(refused('forbidden', /AdminUser/))
  })

  it('alone opens what is a person’s own: no key does, bound to the user or not, whatever its roles, nor a run', async () => {
    const person = await newPerson(opened.world, tenant)
    const { tenantUserId } = person
    expect(await opened.call('do_as_person', {}, { key: await newSession(opened.world, person) })).toEqual({ tenantUserId })
    const { apiKey } = await opened.call('create_api_key', { name: 'bound', roles: ['DataView'], tenantUserId }, { key: tenant.key })
    for (const key of [apiKey, global.key])
      await expect(opened.call('do_as_person', {}, { key })).rejects.toMatchObject(refused('forbidden', /person's own.*login/))
    const who = { tenantId: tenant.tenantId, tenantUserId, origin: { kind: 'workflow', id: 1, depth: 1 } as const }
    await expect(opened.call('do_as_person', {}, { credential: { kind: 'acting', who } })).rejects.toMatchObject(refused('forbidden'))
    await expect(opened.call('do_as_person', {}, { key: null })).rejects.toMatchObject(refused('unauthenticated'))
    const { registry } = opened.platform.pipeline
    expect(registry.byName.get('do_as_person')?.isTool).toBe(false)
  })

  it('leaves no trace of what is the person’s own in the tenant’s audit log', async () => {
    const person = await newPerson(opened.world, tenant)
    await opened.call('do_as_person', {}, { key: await newSession(opened.world, person) })
    const rows = await opened.world.sql`select 1 from platform.audit_event where tenant_user_id = ${person.tenantUserId}`
    expect(rows).toEqual([])
  })

  it('shares idempotency keys with the person’s other sessions: a save repeated after signing in again does not save twice', async () => {
    const person = await newPerson(opened.world, tenant, ['DataEdit'])
    const [label, idempotencyKey] = [randomUUID(), randomUUID()]
    const answers = []
    for (const key of [await newSession(opened.world, person), await newSession(opened.world, person)])
      answers.push(await opened.call('write_twice', { label }, { key, idempotencyKey }))
    expect(answers[1]).toEqual(answers[0])
    expect(await opened.effects(label)).toBe(2)
  })

  it('signs URLs that end with it', async () => {
    const person = await newPerson(opened.world, tenant, ['DataView', 'FileEdit'])
    const token = await newSession(opened.world, person)
    const upload = { contentBase64: Buffer.from('text').toString('base64'), fileName: 'note.txt' }
    const { assetKey } = await opened.world.call('upload_asset', upload, { key: token, transport: 'mcp' })
    const { url } = await opened.call('sign_asset_url', { assetKey }, { key: token })
    const { pathname, searchParams } = new URL(url)
    const [sig = '', exp = '', u = ''] = ['sig', 'exp', 'u'].map((name) => searchParams.get(name) ?? '')
    const signed = () => opened.platform.pipeline.identify({ kind: 'signed', method: 'GET', path: pathname, sig, exp, u })
    expect(await signed()).toMatchObject({ kind: 'signed', tenantUserId: person.tenantUserId })
    await opened.world.sql`delete from platform.session where session_id = ${sessionIdOf(await identify(token)) ?? 0}`
    opened.platform.services.wake.poke('credentials')
    await expect(signed()).rejects.toMatchObject(refused('unauthenticated'))
  })
})

describe('a call that waits', () => {
  it('ends with its session, and what was made in the session does not', async () => {
    const { services } = opened.platform
    const person = await newPerson(opened.world, tenant, ['DataView', 'DataEdit'])
    const [waiting, other] = [
      await identify(await newSession(opened.world, person)),
      await identify(await newSession(opened.world, person)),
    ]
    const [holding, another] = [holdingOf(services, waiting), holdingOf(services, other)]
    expect([await holding.roles(), await another.roles()]).toEqual([10, 10])
    await opened.world.sql`delete from platform.session where session_id = ${sessionIdOf(waiting) ?? 0}`
    services.wake.poke('credentials')
    await expect(holding.roles()).rejects.toMatchObject(refused('unauthenticated', /while the call was waiting/))
    expect(await another.roles()).toBe(10)
    expect(await rolesOfAbsent(services, waiting)).toBe(10)
    for (const one of [holding, another]) one.close()
  })
})

describe('what ends sessions', () => {
  const lock = ({ tenantUserId }: TestPerson) => opened.call('lock_user', { tenantUserId }, { key: tenant.key })

  it('is a lock, which also stays their end when it is lifted', async () => {
    const person = await newPerson(opened.world, tenant)
    const token = await newSession(opened.world, person)
    expect(await identify(token, opened.other)).toBeDefined()
    await lock(person)
    await expect(identify(token)).rejects.toMatchObject(refused('unauthenticated'))
    await expect.poll(() => identify(token, opened.other).catch((error: { code: string }) => error.code)).toBe('unauthenticated')
    await opened.call('unlock_user', { tenantUserId: person.tenantUserId }, { key: tenant.key })
    await expect(identify(token)).rejects.toMatchObject(refused('unauthenticated'))
    expect(await identify(await newSession(opened.world, person))).toMatchObject({ tenantUserId: person.tenantUserId })
  })

  it('is the suspension of the tenant, which says so while it lasts', async () => {
    const suspended = await opened.world.newTenant()
    const token = await newSession(opened.world, await newPerson(opened.world, suspended))
    expect(await identify(token)).toBeDefined()
    await opened.call('suspend_tenant', { tenantId: suspended.tenantId }, { key: global.key })
    await expect(identify(token)).rejects.toMatchObject(refused('tenant_suspended'))
    await opened.call('activate_tenant', { tenantId: suspended.tenantId }, { key: global.key })
    await expect(identify(token)).rejects.toMatchObject(refused('unauthenticated'))
    // Keys come back with it.
    expect(await identify(suspended.key)).toBeDefined()
  })

  it.each([
    ['its time', 'update platform.session set expires_at = now() where user_id = $1'],
    ['a new version of the person', 'update platform.app_user set credential_version = credential_version + 1 where user_id = $1'],
    ['somebody else in the membership', 'update platform.tenant_user set user_id = (select platform.add_person()) where user_id = $1'],
  ])('is %s', async (_what, statement) => {
    const person = await newPerson(opened.world, tenant)
    const token = await newSession(opened.world, person)
    expect(await identify(token)).toBeDefined()
    await opened.world.sql.unsafe(statement, [person.userId])
    opened.platform.services.wake.poke('credentials')
    await expect(identify(token)).rejects.toMatchObject(refused('unauthenticated'))
  })

  it('ends as well what is just being made of them: a session in another tenant, begun while the password changes', async () => {
    const { sql } = opened.world
    const second = await opened.world.newTenant()
    const person = await newPerson(opened.world, tenant)
    await joinTenant(opened.world, person.userId, second)
    const [ending, kept] = [await newSession(opened.world, person), await newSession(opened.world, person)]
    const waiting = () => sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`
    // What a tenant asks of its people is read between the session that asks and the one that it leads to.
    const { entering, changing } = await sql.begin(async (tx) => {
      await tx`lock table platform.sign_in_policy in access exclusive mode`
      const enters = opened.call('select_tenant', { tenantId: second.tenantId }, { key: ending })
      await expect.poll(waiting).toHaveLength(1)
      let isChanged = false
      const passwords = { password: passwordOfTests, newPassword: 'nine silver herons at dusk' }
      const changes = opened.call('change_password', passwords, { key: kept }).finally(() => (isChanged = true))
      await expect.poll(async () => isChanged || (await waiting()).length > 1).toBe(true)
      return { entering: { outcome: enters }, changing: { outcome: changes } }
    })
    const { token } = await entering.outcome
    expect(await changing.outcome).toEqual({ userId: person.userId })
    await expect(identify(token)).rejects.toMatchObject(refused('unauthenticated'))
    expect(await identify(kept)).toMatchObject({ userId: person.userId })
  })
})

describe('a change that nobody told of', () => {
  afterEach(() => void vi.useRealTimers())

  it('is seen within a second, of a session and of a key', async () => {
    const { databases, secrets } = opened.platform.services
    const deaf = { poke: () => {}, subscribe: () => () => {} } as unknown as typeof opened.platform.services.wake
    const authenticator = createAuthenticator({ databases, secrets, wake: deaf })
    const person = await newPerson(opened.world, tenant)
    const { apiKey } = await opened.call(
      'create_api_key',
      { name: 'bound', roles: ['DataView'], tenantUserId: person.tenantUserId },
      { key: tenant.key },
    )
    vi.useFakeTimers({ toFake: ['performance'] })
    const tokens = [await newSession(opened.world, person), apiKey]
    const ask = () => Promise.allSettled(tokens.map((token) => authenticator.identify({ kind: 'bearer', token })))
    expect((await ask()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    await opened.world.sql`update platform.tenant_user set is_locked = true where tenant_user_id = ${person.tenantUserId}`
    vi.advanceTimersByTime(1_000)
    expect((await ask()).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    authenticator.end()
  })
})
