/** restore_instance: what comes back, and what stands in its way. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'

import type { RecordChange } from '#tools/events/events.types.ts'
import type * as Events from '#tools/events/records-changed.ts'
import type * as Live from '#tools/instances/save/live.store.ts'

import { patience } from './support/patience.ts'
import { openWorld, type World } from './support/world.ts'

const told = vi.hoisted(() => [] as { entity: string; changes: readonly RecordChange[] }[])
vi.mock('#tools/events/records-changed.ts', async (original) => {
  const real = await original<typeof Events>()
  const recordsChanged: typeof real.recordsChanged = (context, of, changes) => {
    told.push({ entity: of.entity.internalName, changes })
    return real.recordsChanged(context, of, changes)
  }
  return { ...real, recordsChanged }
})

/** How many records' values each statement has read. */
const read = vi.hoisted(() => [] as number[])
vi.mock('#tools/instances/save/live.store.ts', async (original) => {
  const real = await original<typeof Live>()
  const readCanonical: typeof real.readCanonical = (tx, tenantId, frame, ids) => {
    read.push(ids.length)
    return real.readCanonical(tx, tenantId, frame, ids)
  }
  return { ...real, readCanonical }
})

let world: World
beforeAll(async () => {
  world = await openWorld()
  const { call } = world
  await call('create_property', { internalName: 'Note', dataType: 'Text' })
  await call('create_property', { internalName: 'Serial', dataType: 'Text' })
  await call('create_property', { internalName: 'Mail', dataType: 'Text', isIdentityEmail: true })
  await call('create_entity', { internalName: 'Site', properties: [{ property: 'Note' }] })
  await call('create_entity', { internalName: 'Pump', properties: [{ property: 'Note' }] })
  await call('create_entity', { internalName: 'Part', properties: [{ property: 'Note' }] })
  await call('attach_property', { entity: 'Part', property: 'Serial', numbering: { prefix: 'S-' } })
  await call('create_entity', { internalName: 'Plate', properties: [{ property: 'Note' }] })
  await call('create_entity', { internalName: 'Person', properties: [{ property: 'Mail' }] })
  await call('set_entity_identity_bridge', { entity: 'Person', isTenantUserRole: true, identityEmailProperty: 'Mail' })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Pump', isList: true })
  await call('attach_child_entity', { entity: 'Pump', childEntity: 'Part', isList: true })
  await call('attach_child_entity', { entity: 'Pump', childEntity: 'Plate', isList: false })
})
afterAll(async () => world?.close())

// A prefix of its own for each test: keys are unique in an entity.
let test = 0
beforeEach(() => void test++)
const named = (name: string) => `${test}-${name}`

const save = async (entity: string, name: string, parent?: string, data: object = { Note: name }): Promise<number> =>
  (await world.call('save_instance', { entity, key1: named(name), data, ...(parent === undefined ? {} : { parentKey1: named(parent) }) }))
    .eiRecordId
const remove = (entity: string, record: string | number) =>
  world.call('delete_instance', { entity, record: typeof record === 'string' ? named(record) : record })
const restore = (entity: string, record: string | number) =>
  world.call('restore_instance', { entity, record: typeof record === 'string' ? named(record) : record })
const isLive = async (entity: string, id: number) =>
  (await world.call('count_instances', { entity, filterRules: [{ property: 'eiRecordId', op: 'eq', value: id }] })).count === 1
const refusal = async (entity: string, record: string | number, key?: string) => {
  const input = { entity, record: typeof record === 'string' ? named(record) : record }
  const { status, code, message } = await world.refusal('restore_instance', input, key)
  return { status, code, message }
}

/** A site with a pump, which has two parts and a plate. */
async function family() {
  const site = await save('Site', 'site')
  const pump = await save('Pump', 'pump', 'site')
  const parts = [await save('Part', 'part-1', 'pump'), await save('Part', 'part-2', 'pump')]
  const plate = await save('Plate', 'plate', 'pump')
  return { site, pump, parts, plate }
}

describe('a deleted record', () => {
  it('comes back as it was, with what was deleted with it and nothing that was deleted before', async () => {
    const { site, pump, parts, plate } = await family()
    const before = await world.call('get_instance', { entity: 'Pump', record: pump })
    await remove('Part', parts[0] ?? 0)
    expect(await remove('Site', 'site')).toMatchObject({ deletedChildren: 3 })
    const back = await restore('Site', 'site')
    expect(back).toMatchObject({ eiRecordId: site, key1: named('site'), data: { Note: 'site' }, restoredChildren: 3 })
    const { modifiedDate: _then, ...same } = before
    expect(await world.call('get_instance', { entity: 'Pump', record: pump })).toMatchObject(same)
    expect(await isLive('Part', parts[0] ?? 0)).toBe(false)
    expect([await isLive('Part', parts[1] ?? 0), await isLive('Plate', plate)]).toEqual([true, true])
    const history = await world.call('get_instance_history', { entity: 'Pump', record: pump })
    expect(history.map(({ changeKind }: { changeKind: string }) => changeKind)).toEqual(['added', 'deleted', 'restored'])
    expect(history[2].changes).toEqual([])
    expect(history[2].changedBy.tenantUserId).toBe(world.tenant.tenantUserId)
  })

  it('is found by the key that it had, the one that was deleted last', async () => {
    const first = await save('Site', 'twice')
    await remove('Site', 'twice')
    const second = await save('Site', 'twice')
    await remove('Site', 'twice')
    expect((await restore('Site', 'twice')).eiRecordId).toBe(second)
    await remove('Site', second)
    expect((await restore('Site', first)).eiRecordId).toBe(first)
  })

  it('brings what stands below it alone, not what else one call has deleted', async () => {
    const one = await save('Site', 'one')
    const two = await save('Site', 'two')
    await save('Pump', 'of-two', 'two')
    await world.call('delete_instances_bulk', { entity: 'Site', keys: [{ key1: named('one') }, { key1: named('two') }] })
    expect((await restore('Site', one)).restoredChildren).toBe(0)
    expect(await isLive('Site', two)).toBe(false)
    expect((await restore('Site', two)).restoredChildren).toBe(1)
  })

  it('is told as restored, once an entity, with what it holds, and as a row to whoever follows changes', async () => {
    const { site, pump } = await family()
    await world.settled()
    const { watermark } = await world.call('list_instances_changed_since', { entity: 'Site', pageSize: 1_000 })
    await remove('Site', site)
    await world.settled()
    const deleted = await world.call('list_instances_changed_since', { entity: 'Site', watermark })
    told.length = 0
    await restore('Site', site)
    expect(told.map(({ entity, changes }) => [entity, changes.map(({ kind, version }) => [kind, version])])).toEqual([
      ['Site', [['restored', 3]]],
      ['Pump', [['restored', 3]]],
      [
        'Part',
        [
          ['restored', 3],
          ['restored', 3],
        ],
      ],
      ['Plate', [['restored', 3]]],
    ])
    const change = told[1]?.changes[0]
    expect(change?.id).toBe(pump)
    expect([...(change?.after?.values() ?? [])]).toEqual(['pump'])
    expect(change?.before).toEqual(change?.after)
    await world.settled()
    const { rows } = await world.call('list_instances_changed_since', { entity: 'Site', watermark: deleted.watermark })
    expect(rows.map(({ eiRecordId, changeKind }: { eiRecordId: number; changeKind: string }) => [eiRecordId, changeKind])).toEqual([
      [site, 'added'],
    ])
    // Who has not heard of the deletion has it still.
    const both = await world.call('list_instances_changed_since', { entity: 'Site', watermark })
    expect(both.rows).toMatchObject([{ eiRecordId: site, changeKind: 'modified' }])
    const tombstones = await world.call('list_instances_deleted_since', { entity: 'Site', pageSize: 1_000 })
    expect(tombstones.rows.map((row: { eiRecordId: number }) => row.eiRecordId)).not.toContain(site)
  })

  it('is read and told in portions, however many stand below it', async () => {
    await save('Site', 'large')
    await save('Pump', 'large', 'large')
    const rows = Array.from({ length: 2_500 }, (_, index) => ({
      key1: named(`p-${index}`),
      parentKey1: named('large'),
      data: { Note: 'n' },
    }))
    expect(await world.call('save_instances_bulk', { entity: 'Part', rows })).toMatchObject({ inserted: 2_500 })
    expect(await remove('Site', 'large')).toMatchObject({ deletedChildren: 2_501 })
    // Two keys that others have by now, one in the first portion and one in the last.
    for (const name of ['p-3', 'p-2400']) await save('Part', name)
    const taken = await world.refusal('restore_instance', { entity: 'Site', record: named('large') })
    expect([taken.code, taken.issues?.length]).toEqual(['already_exists', 2])
    for (const name of ['p-3', 'p-2400']) await remove('Part', name)
    told.length = 0
    read.length = 0
    expect(await restore('Site', 'large')).toMatchObject({ restoredChildren: 2_501 })
    expect(read.length).toBeGreaterThan(3)
    expect(Math.max(...read)).toBe(1_000)
    expect(told.map(({ entity, changes }) => [entity, changes.length])).toEqual([
      ['Site', 1],
      ['Pump', 1],
      ['Part', 1_000],
      ['Part', 1_000],
      ['Part', 500],
    ])
    const filterRules = [{ property: 'key1', op: 'startsWith', value: named('p-') }]
    expect(await world.call('count_instances', { entity: 'Part', filterRules })).toEqual({ count: 2_500 })
  })

  it('has its person linked again', async () => {
    const email = `${named('ada')}@example.com`
    const { tenantUserId } = await world.call('create_user', { userName: named('ada'), email })
    const id = await save('Person', 'ada', undefined, { Mail: email })
    await remove('Person', id)
    expect(await world.call('list_identity_links', { entity: 'Person' })).toEqual([])
    await restore('Person', id)
    expect(await world.call('list_identity_links', { entity: 'Person' })).toMatchObject([{ eiRecordId: id, tenantUserId }])
  })
})

describe('a restore is refused', () => {
  it('of a record that lives, that is not there, and twice', async () => {
    const id = await save('Site', 'here')
    expect(await refusal('Site', id)).toMatchObject({ status: 409, code: 'conflict' })
    for (const record of [999_999_999, 'nowhere']) expect(await refusal('Site', record)).toMatchObject({ status: 404 })
    await remove('Site', id)
    await restore('Site', id)
    expect(await refusal('Site', id)).toMatchObject({ status: 409, message: 'The record is not deleted.' })
  })

  it('where a live record has its key by now, which is named, and changes nothing', async () => {
    const old = await save('Site', 'key')
    await remove('Site', old)
    const now = await save('Site', 'key')
    const { status, code, message } = await refusal('Site', old)
    expect([status, code]).toEqual([409, 'already_exists'])
    expect(message).toContain(`record ${now} has the key "${named('key')}" by now`)
    expect(await isLive('Site', old)).toBe(false)
    await remove('Site', now)
    expect((await restore('Site', old)).eiRecordId).toBe(old)
  })

  it('where a record below it has lost its key or its number, so that nothing of it comes back', async () => {
    const { site, parts } = await family()
    const { data } = await world.call('get_instance', { entity: 'Part', record: parts[0] })
    await remove('Site', site)
    const keyed = await save('Part', 'part-2')
    const numbered = await save('Part', 'other', undefined, { Serial: data.Serial })
    const { code, message } = await refusal('Site', site)
    expect(code).toBe('already_exists')
    expect(message).toContain(`record ${keyed}`)
    await remove('Part', keyed)
    expect((await refusal('Site', site)).message).toContain(`record ${numbered} has the Serial "${data.Serial}"`)
    expect(await isLive('Site', site)).toBe(false)
    await remove('Part', numbered)
    expect((await restore('Site', site)).restoredChildren).toBe(4)
  })

  it('while its parent is deleted, which is named, and where the parent has another only child', async () => {
    const { site, pump, plate } = await family()
    await remove('Plate', plate)
    await remove('Pump', pump)
    expect(await refusal('Plate', plate)).toEqual({
      status: 409,
      code: 'conflict',
      message: `Its parent, Pump "${named('pump')}" (record ${pump}), is deleted. Restore that first.`,
    })
    await restore('Pump', pump)
    const other = await save('Plate', 'other-plate', 'pump')
    expect(await refusal('Plate', plate)).toMatchObject({ status: 409, code: 'conflict' })
    await remove('Plate', other)
    await restore('Plate', plate)
    expect(site).toBeGreaterThan(0)
  })

  it('to who may not delete the record or what stands below it; who does not see it learns nothing', async () => {
    const { apiKey: key } = await world.call('create_api_key', { name: 'bound', roles: ['DataView', 'DataDelete'] })
    const builders = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
    const bind = (entity: string, ...rules: object[]) =>
      world.call('set_entity_access', { entity, rules: rules.length === 0 ? [] : [builders, ...rules] })
    const { site } = await family()
    await remove('Site', site)
    await bind('Site', { role: 'DataDelete', read: true })
    expect(await refusal('Site', site, key)).toMatchObject({ status: 403 })
    await bind('Site', { role: 'DataDelete', delete: true })
    expect(await refusal('Site', site, key)).toMatchObject({ status: 404 })
    await bind('Site')
    await bind('Part', { role: 'DataDelete', read: true })
    expect(await refusal('Site', site, key)).toMatchObject({ status: 403 })
    await bind('Part')
    // Whose key it is that stands in the way is told to who sees it.
    const holder = await save('Site', 'site')
    await bind('Site', { role: 'DataDelete', read: true, delete: true, filter: [{ property: 'eiRecordId', op: 'eq', value: site }] })
    const { code, message } = await refusal('Site', site, key)
    expect(code).toBe('already_exists')
    expect(message).toContain('another record has the key')
    await bind('Site')
    await remove('Site', holder)
    expect((await world.call('restore_instance', { entity: 'Site', record: site }, { key })).eiRecordId).toBe(site)
  })
})

describe('at the same moment', () => {
  it('two restores bring a record back once', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await save('Site', `both-${round}`)
      await save('Pump', `below-${round}`, `both-${round}`)
      await remove('Site', id)
      const results = await Promise.allSettled([restore('Site', id), restore('Site', id)])
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const history = await world.call('get_instance_history', { entity: 'Site', record: id })
      expect(history).toHaveLength(3)
    }
  })

  it('a save of its key and the restore leave one live record of the key', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await save('Site', `race-${round}`)
      await remove('Site', id)
      await Promise.allSettled([restore('Site', id), save('Site', `race-${round}`)])
      const live = await world.call('list_instances', {
        entity: 'Site',
        filterRules: [{ property: 'key1', op: 'eq', value: named(`race-${round}`) }],
      })
      expect(live).toHaveLength(1)
    }
  })

  it('the deletion of its parent and the restore leave no live record below a deleted one', async () => {
    for (let round = 0; round < 5; round++) {
      const parent = await save('Site', `up-${round}`)
      const child = await save('Pump', `down-${round}`, `up-${round}`)
      await remove('Pump', child)
      await Promise.allSettled([remove('Site', parent), restore('Pump', child)])
      expect([await isLive('Site', parent), await isLive('Pump', child)]).toEqual([false, false])
    }
  })

  it('a connection that is killed in the middle leaves nothing restored, and the next try everything', async () => {
    const { site, pump } = await family()
    await remove('Site', site)
    const { entity } = await world.call('describe_entity', { entity: 'Pump' })
    const waiting = () => world.sql<{ pid: number }[]>`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`
    let pids: number[] = []
    await world.sql.begin(async (sql) => {
      await sql.unsafe(`select 1 from t_${world.tenant.tenantId}.e_${entity.entityId} where id = ${pump} for update`)
      const call = restore('Site', site).catch((error: unknown) => error)
      await vi.waitFor(async () => {
        pids = (await waiting()).map(({ pid }) => pid)
        expect(pids).toHaveLength(1)
      }, patience)
      await world.sql`select pg_terminate_backend(${pids[0] ?? 0})`
      expect(await call).toMatchObject({ code: 'unavailable' })
    })
    expect([await isLive('Site', site), await isLive('Pump', pump)]).toEqual([false, false])
    expect((await restore('Site', site)).restoredChildren).toBe(4)
  })
})
