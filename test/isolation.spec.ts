import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let other: TestTenant
let app: postgres.Sql
let ownTable: string
let otherTable: string

async function tableOf(tenant: TestTenant): Promise<string> {
  const { entity } = await world.call('describe_entity', { entity: 'Thing' }, { key: tenant.key })
  return `t_${tenant.tenantId}.e_${entity.entityId}`
}

beforeAll(async () => {
  other = await world.newTenant()
  for (const tenant of [world.tenant, other]) {
    await world.call('create_entity', { internalName: 'Thing' }, { key: tenant.key })
    await world.call('save_instance', { entity: 'Thing', key1: 'one', data: {} }, { key: tenant.key })
  }
  ownTable = await tableOf(world.tenant)
  otherTable = await tableOf(other)
  app = postgres(world.urls.app, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await app.end()
})

describe('records of another tenant', () => {
  it('are out of reach of the application until it says whose it means', async () => {
    await expect(app.unsafe(`select * from ${ownTable}`)).rejects.toMatchObject({ code: '42501' })
    const rows = await app.begin(async (tx) => {
      await tx.unsafe(`set local role t_${world.tenant.tenantId}`)
      return tx.unsafe(`select * from ${ownTable}`)
    })
    expect(rows).toHaveLength(1)
  })

  it('are out of reach of the role of one tenant, and so are the platform’s tables', async () => {
    const asTenant = (statement: string) =>
      app.begin(async (tx) => {
        await tx.unsafe(`set local role t_${world.tenant.tenantId}`)
        return tx.unsafe(statement)
      })
    await expect(asTenant(`select * from ${otherTable}`)).rejects.toMatchObject({ code: '42501' })
    await expect(asTenant(`delete from ${otherTable}`)).rejects.toMatchObject({ code: '42501' })
    await expect(asTenant('select * from platform.api_key')).rejects.toMatchObject({ code: '42501' })
    await expect(asTenant(`alter table ${ownTable} add column stolen text`)).rejects.toMatchObject({ code: '42501' })
  })

  it('stay unseen on the platform’s tables whatever tenant a row names', async () => {
    const seen = await app.begin(async (tx) => {
      await tx`select set_config('app.tenant_id', ${String(world.tenant.tenantId)}, true)`
      return tx<{ tenantId: number }[]>`select distinct tenant_id as "tenantId" from platform.entity`
    })
    expect(seen.map((row) => row.tenantId)).toEqual([world.tenant.tenantId])
    expect(await app`select 1 from platform.entity`).toHaveLength(0)
    const smuggled = app.begin(async (tx) => {
      await tx`select set_config('app.tenant_id', ${String(world.tenant.tenantId)}, true)`
      await tx`insert into platform.entity (tenant_id, internal_name) values (${other.tenantId}, 'Smuggled')`
    })
    await expect(smuggled).rejects.toMatchObject({ code: '42501' })
  })
})

describe('parents and their children', () => {
  beforeAll(async () => {
    const { call } = world
    await call('create_entity', { internalName: 'Folder' })
    await call('create_entity', { internalName: 'Cover' })
    await call('attach_child_entity', { entity: 'Folder', childEntity: 'Folder', isList: true })
    await call('attach_child_entity', { entity: 'Folder', childEntity: 'Cover', isList: false })
  })

  const save = (entity: string, key1: string, more: Record<string, unknown> = {}) =>
    world.call('save_instance', { entity, key1, data: {}, ...more })

  it('refuse a move below itself, also when two move at once', async () => {
    await save('Folder', 'a')
    await save('Folder', 'b', { parentKey1: 'a' })
    await expect(save('Folder', 'a', { parentKey1: 'b' })).rejects.toMatchObject({ status: 409 })
    for (let round = 0; round < 5; round++) {
      const [x, y] = [`x${round}`, `y${round}`]
      await save('Folder', x)
      await save('Folder', y)
      const both = await Promise.allSettled([save('Folder', x, { parentKey1: y }), save('Folder', y, { parentKey1: x })])
      expect(both.filter((one) => one.status === 'fulfilled').length).toBeLessThanOrEqual(1)
    }
  })

  it('have one child where only one is allowed, also when two come at once', async () => {
    await save('Folder', 'single')
    const both = await Promise.allSettled([1, 2, 3].map((index) => save('Cover', `cover${index}`, { parentKey1: 'single' })))
    expect(both.filter((one) => one.status === 'fulfilled')).toHaveLength(1)
  })

  it('leave no child behind a parent that is deleted meanwhile', async () => {
    for (let round = 0; round < 8; round++) {
      await save('Folder', `gone${round}`)
      const [child] = await Promise.allSettled([
        save('Folder', `left${round}`, { parentKey1: `gone${round}` }),
        world.call('delete_instance', { entity: 'Folder', record: `gone${round}` }),
      ])
      const left = await world.call('list_instances', {
        entity: 'Folder',
        filterRules: [{ property: 'key1', op: 'eq', value: `left${round}` }],
      })
      const isOrphan = child?.status === 'fulfilled' && left.length > 0
      expect(isOrphan).toBe(false)
    }
  })
})

describe('definitions that change under writers', () => {
  it('lose no acknowledged save, and every save fits the definition that it met', async () => {
    await world.call('create_property', { internalName: 'First', dataType: 'Text' })
    await world.call('create_entity', { internalName: 'Moving', properties: [{ property: 'First' }] })
    const over = new AbortController()
    const acknowledged: string[] = []
    const refused: Error[] = []
    const writers = [1, 2].map(async (writer) => {
      for (let index = 0; !over.signal.aborted; index++) {
        const key1 = `m${writer}-${index}`
        const saved = await world.call('save_instance', { entity: 'Moving', key1, data: { First: key1 } }).catch((error: unknown) => error)
        if (saved instanceof Error) refused.push(saved)
        else acknowledged.push(key1)
      }
    })
    for (let index = 0; index < 6; index++) {
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before)
      await world.call('create_property', { internalName: `Later${index}`, dataType: 'Number' })
      await world.call('attach_property', { entity: 'Moving', property: `Later${index}` })
    }
    over.abort()
    await Promise.all(writers)
    const { count } = await world.call('count_instances', {
      entity: 'Moving',
      filterRules: [{ property: 'First', op: 'in', value: acknowledged.slice(0, 1000) }],
    })
    expect(acknowledged.length).toBeGreaterThan(5)
    for (const error of refused) expect(error).toMatchObject({ status: 409 })
    expect(count).toBe(Math.min(1000, acknowledged.length))
    const one = await world.call('get_instance', { entity: 'Moving', record: acknowledged[0] })
    expect(Object.keys(one.data)).toContain('Later5')
  })
})
