/** Whose a key is: by its beginning or itself, over all tenants, for global administrators alone. */
import { beforeAll, describe, expect, it } from 'vitest'

import { refused } from './support/refused.ts'
import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
const { call } = world

let global: TestTenant
beforeAll(async () => {
  global = await world.newTenant(1023)
})

describe('a leaked key', () => {
  it('is found by itself or its beginning, in whatever tenant, also once it was revoked or rotated, and is written nowhere', async () => {
    const tenant = await world.newTenant()
    const made = await call('create_api_key', { name: 'Leaky', roles: ['DataView'] }, { key: tenant.key })
    expect(made.prefix).toBe(made.apiKey.slice(0, 12))
    const wanted = { apiKeyId: made.apiKeyId, tenantId: tenant.tenantId, name: 'Leaky', roles: ['DataView'], revokedDate: null }
    for (const input of [{ apiKey: made.apiKey }, { prefix: made.apiKey.slice(0, 8) }, { prefix: made.apiKey.slice(0, 30) }])
      expect(await call('find_api_keys', input, { key: global.key })).toContainEqual(expect.objectContaining(wanted))
    await call('rotate_api_key', { apiKeyId: made.apiKeyId }, { key: tenant.key })
    expect(await call('find_api_keys', { apiKey: made.apiKey }, { key: global.key })).toMatchObject([wanted])
    await call('revoke_api_key', { apiKeyId: made.apiKeyId }, { key: tenant.key })
    const other = await call('create_api_key', { name: 'Other', roles: [] }, { key: tenant.key })
    await call('revoke_api_key', { apiKeyId: other.apiKeyId }, { key: tenant.key })
    expect(await call('find_api_keys', { apiKey: other.apiKey }, { key: global.key })).toMatchObject([{ revokedDate: expect.any(String) }])
    const rows = await world.sql`
      select facts from platform.audit_event e where operation = 'find_api_keys' and e::text like ${`%${made.apiKey.slice(4)}%`}`
    expect(rows).toHaveLength(0)
    const [traces] = await world.sql`select count(*)::int as count from platform.audit_event where operation = 'find_api_keys'`
    expect(traces?.['count']).toBeGreaterThan(3)
  })

  it('is looked for with either, of at least 8 characters, by a global administrator alone', async () => {
    for (const input of [{}, { prefix: 'flk_1234', apiKey: 'flk_12345678' }, { prefix: 'flk_123' }])
      await expect(call('find_api_keys', input, { key: global.key })).rejects.toMatchObject(refused('invalid_input'))
    const tenant = await world.newTenant()
    await expect(call('find_api_keys', { prefix: 'flk_1234' }, { key: tenant.key })).rejects.toMatchObject(refused('forbidden'))
  })
})

describe('the list of keys', () => {
  it('shows those that begin so, and the revoked where they are asked for', async () => {
    const tenant = await world.newTenant()
    const [one, two] = [
      await call('create_api_key', { name: 'One', roles: [] }, { key: tenant.key }),
      await call('create_api_key', { name: 'Two', roles: [] }, { key: tenant.key }),
    ]
    await call('revoke_api_key', { apiKeyId: two.apiKeyId }, { key: tenant.key })
    const names = async (input: Record<string, unknown>) =>
      (await call('list_api_keys', input, { key: tenant.key })).map(({ name }: { name: string }) => name) as string[]
    expect(await names({ prefix: one.prefix })).toEqual(['One'])
    expect(await names({ prefix: one.apiKey })).toEqual(['One'])
    expect(await names({ prefix: two.prefix })).toEqual([])
    expect(await names({ prefix: two.prefix, includeRevoked: true })).toEqual(['Two'])
  })
})
