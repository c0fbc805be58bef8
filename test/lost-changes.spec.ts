/** That whatever ends a credential ends what waits with it within a second, where nobody was told of the change. */
import { randomUUID } from 'node:crypto'

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createChangeReader, dropOldChanges } from '#platform/credential-changes.ts'
import { holdingOf } from '#platform/holding.ts'
import { weekdays } from '#platform/key-reach.ts'
import { flagOf } from '#platform/roles.ts'
import { hashToken } from '#platform/sessions.ts'
import { conversationTopic } from '#tools/messaging/conversations/waiting.ts'

import { allAnswered } from './support/all-answered.ts'
import { newGrant } from './support/grants.ts'
import { newPerson, newSession, type TestPerson } from './support/persons.ts'
import { refused } from './support/refused.ts'
import { type Waiters, watchWaiters } from './support/waiters.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const resource = 'http://localhost:4000/mcp'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  vi.spyOn(world.platform.services.wake, 'poke').mockImplementation(() => {})
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** How often the database was asked in it. */
async function letSecondPass(): Promise<number> {
  const lookUp = vi.spyOn(world.platform.services.databases, 'lookUp')
  vi.advanceTimersByTime(900)
  await allAnswered(lookUp)
  const count = lookUp.mock.calls.length
  lookUp.mockRestore()
  return count
}

/** A call that waits, and has been looked at for the first time. */
async function wait(token: string, ip?: string) {
  const { services, pipeline } = world.platform
  const holding = holdingOf(services, await pipeline.identify({ kind: 'bearer', token, resource }, ip), ip)
  expect(await letSecondPass()).toBe(2)
  return holding
}

interface Case {
  readonly tenant: TestTenant
  readonly person: TestPerson
  readonly token: string
}

const withSession = async (): Promise<Case> => {
  const tenant = await world.newTenant()
  const person = await newPerson(world, tenant, ['DataView', 'DataEdit'])
  return { tenant, person, token: await newSession(world, person) }
}
const withGrant = async (): Promise<Case> => {
  const made = await withSession()
  return { ...made, token: (await newGrant(world, made.person, ['DataView', 'DataEdit'], resource)).token }
}
const withKey = async (): Promise<Case & { readonly apiKeyId: number }> => {
  const made = await withSession()
  const key = { name: 'an agent', roles: ['DataView', 'DataEdit'], tenantUserId: made.person.tenantUserId }
  const { apiKey, apiKeyId } = await world.call('create_api_key', key, { key: made.tenant.key })
  return { ...made, token: apiKey, apiKeyId }
}

const ends = { code: 'unauthenticated' }
const suspends = { code: 'tenant_suspended' }

describe('what nobody was told of ends what waits within a second', () => {
  it.for<[what: string, make: () => Promise<Case>, statement: string, error: object]>([
    ['a session that is over', withSession, 'delete from platform.session where tenant_user_id = $1', ends],
    ['a session that ends sooner', withSession, 'update platform.session set expires_at = now() where tenant_user_id = $1', ends],
    ['a lock', withSession, 'update platform.tenant_user set is_locked = true where tenant_user_id = $1', ends],
    ['a lock, of a key', withKey, 'update platform.tenant_user set is_locked = true where tenant_user_id = $1', ends],
    ['a lock, of a grant', withGrant, 'update platform.tenant_user set is_locked = true where tenant_user_id = $1', ends],
    [
      'a new version of the membership',
      withSession,
      'update platform.tenant_user set credential_version = 9 where tenant_user_id = $1',
      ends,
    ],
    ['a new version of the person', withSession, 'update platform.app_user set credential_version = 9 where user_id = $2', ends],
    ['a new version of the person, of a grant', withGrant, 'update platform.app_user set credential_version = 9 where user_id = $2', ends],
    ['a suspension', withSession, 'update platform.tenant set is_deactivated = true where tenant_id = $3', suspends],
    ['a suspension, of a key', withKey, 'update platform.tenant set is_deactivated = true where tenant_id = $3', suspends],
    ['the end of the tenant’s time', withKey, 'update platform.tenant set active_end = now() where tenant_id = $3', suspends],
    ['a grant that is over', withGrant, 'delete from platform.oauth_grant where tenant_user_id = $1', ends],
    ['a tenant that lets no applications in', withGrant, `insert into platform.sign_in_policy values ($3, 'optional', null, 'none')`, ends],
    ['a revocation', withKey, 'update platform.api_key set revoked_at = now() where tenant_user_id = $1', ends],
    ['a key that ends sooner', withKey, 'update platform.api_key set expires_at = now() where tenant_user_id = $1', ends],
  ])('%s', async ([, make, statement, error]) => {
    const { tenant, person, token } = await make()
    const holding = await wait(token)
    const ids = [person.tenantUserId, person.userId, tenant.tenantId]
    const values = [1, 2, 3].map((place) => (statement.includes(`$${place}`) ? ids[place - 1] : undefined)).filter((id) => id !== undefined)
    const change = statement.replace(/\$\d/, '$1')
    const { count } = await world.sql.unsafe(change, values)
    expect(count).toBe(1)
    // Nothing was told, so that nothing is asked.
    expect(await holding.roles()).toBe(flagOf(['DataView', 'DataEdit']))
    await letSecondPass()
    await expect(holding.roles()).rejects.toMatchObject(error)
    holding.close()
  })

  it.for<[string, () => Promise<Case>, string]>([
    ['of a session', withSession, 'update platform.tenant_user set role_flag = 2 where tenant_user_id = $1'],
    ['of a grant', withGrant, 'update platform.oauth_grant set role_flag = 2 where tenant_user_id = $1'],
    ['of a key', withKey, 'update platform.api_key set role_flag = 2 where tenant_user_id = $1'],
  ])('fewer roles, %s', async ([, make, statement]) => {
    const { person, token } = await make()
    const holding = await wait(token)
    expect((await world.sql.unsafe(statement, [person.tenantUserId])).count).toBe(1)
    await letSecondPass()
    expect(await holding.roles()).toBe(flagOf(['DataView']))
    holding.close()
  })

  it('the end of the provider by which a session began', async () => {
    const { tenant, person, token } = await withSession()
    await world.sql`
      insert into platform.identity_provider (tenant_id, issuer, client_id, scopes, is_required, trusts_second_factor, role_flag, set_by, set_date)
      values (${tenant.tenantId}, 'https://provider.example.com', 'x', '{openid}', false, false, ${flagOf(['DataView', 'DataEdit'])}, ${person.tenantUserId}, now())`
    await world.sql`update platform.session set provider_issuer = 'https://provider.example.com' where token_hash = ${hashToken(token)}`
    const holding = await wait(token)
    await world.sql`update platform.identity_provider set role_flag = 2 where tenant_id = ${tenant.tenantId}`
    await letSecondPass()
    expect(await holding.roles()).toBe(flagOf(['DataView']))
    await world.sql`delete from platform.identity_provider where tenant_id = ${tenant.tenantId}`
    await letSecondPass()
    await expect(holding.roles()).rejects.toMatchObject(ends)
    holding.close()
  })

  it('a change that was made after the call was let in, and before anybody looked at it', async () => {
    const { person, token } = await withSession()
    const { services, pipeline } = world.platform
    const holding = holdingOf(services, await pipeline.identify({ kind: 'bearer', token }))
    await world.sql`update platform.tenant_user set is_locked = true where tenant_user_id = ${person.tenantUserId}`
    await letSecondPass()
    await expect(holding.roles()).rejects.toMatchObject(ends)
    holding.close()
  })

  it('time, which nobody tells of', async () => {
    const { tenant, token } = await withKey()
    await world.sql`update platform.tenant set active_end = now() + interval '700 milliseconds' where tenant_id = ${tenant.tenantId}`
    const holding = await wait(token)
    await expect
      .poll(async () => (await world.sql`select 1 from platform.tenant where tenant_id = ${tenant.tenantId} and active_end < now()`).length)
      .toBe(1)
    await letSecondPass()
    await expect(holding.roles()).rejects.toMatchObject(suspends)
    holding.close()
  })
})

describe('a change of whence and when a key may be used', () => {
  let waiters: Waiters
  const callers = new Set<AbortController>()
  beforeEach(() => {
    waiters = watchWaiters(world)
  })
  afterEach(() => {
    for (const caller of callers) caller.abort()
    callers.clear()
  })

  const question = async ({ tenant, person, token }: Case, ip: string) => {
    const asked = { to: { tenantUserId: person.tenantUserId }, text: randomUUID() }
    const { conversationId } = await world.call('send_message', asked, { key: tenant.key })
    const caller = new AbortController()
    callers.add(caller)
    const answer = world.call('await_reply', { conversationId, timeoutSeconds: 50 }, { key: token, ip, signal: caller.signal })
    answer.catch(() => {})
    await waiters.reached(conversationTopic(conversationId))
    return { answer, waits: () => waiters.waits(conversationTopic(conversationId)) }
  }

  it('ends the calls that wait from an address that is none of its own any more, and leaves the others', async () => {
    const made = await withKey()
    const [leaves, stays] = [await question(made, '198.51.100.7'), await question(made, '203.0.113.9')]
    await letSecondPass()
    const change = { apiKeyId: made.apiKeyId, allowedAddresses: ['203.0.113.0/24'] }
    await world.call('update_api_key', change, { key: made.tenant.key })
    await letSecondPass()
    await expect(leaves.answer).rejects.toMatchObject(refused('unauthenticated', /while the call was waiting/))
    expect(stays.waits()).toBe(1)
  })

  it('ends those that wait outside of its hours', async () => {
    const made = await withKey()
    const waits = await question(made, '198.51.100.7')
    await letSecondPass()
    const day = weekdays[(new Date().getUTCDay() + 2) % 7]
    const validHours = { from: '10:00', to: '11:00', days: [day], timeZoneIana: 'UTC' }
    await world.call('update_api_key', { apiKeyId: made.apiKeyId, validHours }, { key: made.tenant.key })
    await letSecondPass()
    await expect(waits.answer).rejects.toMatchObject(refused('unauthenticated', /while the call was waiting/))
  })
})

describe('the log of changes', () => {
  const reader = () => createChangeReader(world.platform.services.databases)
  const actorOf = ({ tenantId, tenantUserId, userId }: TestPerson) => ({ tenantId, tenantUserId, userId })

  it('tells of a change once, and of nobody else', async () => {
    const [{ person }, other] = [await withSession(), await withSession()]
    const read = reader()
    expect(await read()).toBeUndefined()
    await world.sql`update platform.tenant_user set role_flag = 0 where tenant_user_id = ${person.tenantUserId}`
    const isChanged = await read()
    expect([isChanged?.(actorOf(person)), isChanged?.(actorOf(other.person))]).toEqual([true, false])
    expect(await read()).toBeUndefined()
  })

  it('tells of a change that was begun before, and committed after another that it told of', async () => {
    const [{ person: early }, { person: late }] = [await withSession(), await withSession()]
    const lock = ({ tenantUserId }: TestPerson, sql: typeof world.sql) =>
      sql`update platform.tenant_user set is_locked = true where tenant_user_id = ${tenantUserId}`
    const read = reader()
    await read()
    const { promise: isMade, resolve: made } = Promise.withResolvers<void>()
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const committed = world.sql.begin(async (tx) => {
      // A transaction's statements are those of any connection.
      await lock(early, tx as unknown as typeof world.sql)
      made()
      await mayCommit
    })
    await isMade
    await lock(late, world.sql)
    const first = await read()
    expect([first?.(actorOf(early)), first?.(actorOf(late))]).toEqual([false, true])
    expect(await read()).toBeUndefined()
    commit()
    await committed
    const second = await read()
    expect([second?.(actorOf(early)), second?.(actorOf(late))]).toEqual([true, false])
  })

  it('tells of everybody where very much has changed', async () => {
    const { person } = await withSession()
    const read = reader()
    await read()
    await world.sql`insert into platform.credential_change (subject, subject_id) select 'person', -n from generate_series(1, 1001) n`
    expect((await read())?.(actorOf(person))).toBe(true)
  })

  it('holds nothing of use, and none for longer than an hour', async () => {
    const { person, token } = await withKey()
    const count = async () => Number((await world.sql`select count(*)::int as n from platform.credential_change`)[0]?.['n'])
    const before = await count()
    await world.sql`update platform.api_key set last_used_date = now(), name = 'Another' where key_hash = ${hashToken(token)}`
    await world.sql`update platform.session set last_used_date = now(), idle_until = now() + interval '1 minute' where tenant_user_id = ${person.tenantUserId}`
    await world.sql`update platform.session set idle_until = now() + interval '2 minutes' where tenant_user_id = ${person.tenantUserId}`
    await world.sql`update platform.tenant_user set last_sign_in_date = now() where tenant_user_id = ${person.tenantUserId}`
    expect([before > 0, await count()]).toEqual([true, before])
    await dropOldChanges(world.platform.services.databases)
    expect(await count()).toBe(before)
    await world.sql`update platform.credential_change set at = at - interval '61 minutes'`
    await dropOldChanges(world.platform.services.databases)
    expect(await count()).toBe(0)
  })
})
