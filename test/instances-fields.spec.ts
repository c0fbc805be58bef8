import { beforeAll, describe, expect, it } from 'vitest'

import { ensureTables, historyTable, recordTable } from '#platform/db/records.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world
/** A key of another user. */
let colleague: string
let colleagueId: number

beforeAll(async () => {
  colleague = await world.tenant.keyWith(['DataView', 'DataEdit', 'DataImport', 'DataDelete'])
  colleagueId = (await world.call('whoami', {}, { key: colleague })).tenantUserId
  await world.call('create_property', { internalName: 'Name', dataType: 'Text' })
  await world.call('create_entity', { internalName: 'Item', properties: [{ property: 'Name' }] })
})

const keysBy = async (query: object): Promise<string[]> =>
  (await world.call('list_instances', { entity: 'Item', ...query })).map((record: { key1: string }) => record.key1)

describe('the fields that every record has', () => {
  it('tell who made it and who changed it last, and when, wherever a record is shown', async () => {
    const mine = world.tenant.tenantUserId
    const made = await world.call('save_instance', { entity: 'Item', key1: 'seen', data: { Name: 'a' } })
    expect(made).toMatchObject({ createdBy: mine, modifiedBy: mine, createdDate: made.modifiedDate, workflowInstanceId: null })
    const changed = await world.call('save_instance', { entity: 'Item', key1: 'seen', data: { Name: 'b' } }, { key: colleague })
    const fields = { createdDate: made.createdDate, createdBy: mine, modifiedBy: colleagueId }
    expect(changed).toMatchObject({ ...fields, outcome: 'updated' })
    const again = await world.call('save_instance', { entity: 'Item', key1: 'seen', data: { Name: 'c' } }, { key: colleague })
    expect(again).toMatchObject({ ...fields, outcome: 'updated' })
    expect(await world.call('get_instance', { entity: 'Item', record: 'seen' })).toMatchObject(fields)
    expect(await world.call('list_instances', { entity: 'Item' })).toMatchObject([fields])
    expect(await world.call('get_instance_as_of', { entity: 'Item', record: 'seen', utc: changed.modifiedDate })).toMatchObject({
      ...fields,
      data: { Name: 'b' },
    })
    expect(
      await world.call('list_instances_as_of', {
        entity: 'Item',
        asOfDate: changed.modifiedDate,
        filterRules: [{ property: 'createdBy', op: 'eq', value: mine }],
      }),
    ).toMatchObject([{ ...fields, data: { Name: 'b' } }])
    await world.settled()
    expect((await world.call('list_instances_changed_since', { entity: 'Item' })).rows).toMatchObject([fields])
  })

  it('filter and sort', async () => {
    const rows = ['f1', 'f2'].map((key1) => ({ key1, data: { Name: 'x' } }))
    await world.call('save_instances_bulk', { entity: 'Item', rows })
    await world.call('save_instances_bulk', { entity: 'Item', rows: [{ key1: 'f3', data: { Name: 'x' } }] }, { key: colleague })
    await world.call('save_instance', { entity: 'Item', key1: 'f1', data: { Name: 'y' } }, { key: colleague })
    const { entityId, createdDate } = await world.call('get_instance', { entity: 'Item', record: 'f3' })
    const own = { property: 'key1', op: 'startsWith', value: 'f' }
    const sort = [{ property: 'key1' }]
    const found: [object, string[]][] = [
      [{ property: 'createdBy', op: 'eq', value: world.tenant.tenantUserId }, ['f1', 'f2']],
      [{ property: 'createdBy', op: 'ne', value: world.tenant.tenantUserId }, ['f3']],
      [{ property: 'modifiedBy', op: 'in', value: [colleagueId] }, ['f1', 'f3']],
      [{ property: 'createdDate', op: 'gte', value: createdDate }, ['f3']],
      [{ property: 'workflowInstanceId', op: 'isEmpty' }, ['f1', 'f2', 'f3']],
      [{ property: 'entityId', op: 'eq', value: entityId }, ['f1', 'f2', 'f3']],
      [{ property: 'entityId', op: 'ne', value: entityId }, []],
    ]
    for (const [rule, keys] of found) expect(await keysBy({ filterRules: [own, rule], sort })).toEqual(keys)
    const by = (property: string) => keysBy({ filterRules: [own], sort: [{ property, direction: 'desc' }, ...sort] })
    expect(await by('createdBy')).toEqual(colleagueId > world.tenant.tenantUserId ? ['f3', 'f1', 'f2'] : ['f1', 'f2', 'f3'])
    expect(await by('createdDate')).toEqual(['f3', 'f1', 'f2'])
    expect(await by('entityId')).toEqual(['f1', 'f2', 'f3'])
    for (const property of ['createdBy', 'workflowInstanceId', 'modifiedBy', 'entityId', 'createdDate']) {
      const request = { entity: 'Item', filterRules: [own], sort: [{ property }], pageSize: 2 }
      const first = (await world.run('list_instances', request)) as { nextCursor?: string }
      expect(await keysBy({ filterRules: [own], sort: [{ property }], pageSize: 2, cursor: first.nextCursor })).toHaveLength(1)
    }
  })

  it('name no property: not at its creation, nor by a rename, nor in a catalog, whatever the case', async () => {
    const names = ['eiRecordId', 'EntityId', 'parenteirecordid', 'key1', 'Key2', 'KEY3', 'externalKey', 'workflowInstanceId']
    const dates = ['createdDate', 'CreatedBy', 'modifiedDate', 'modifiedby']
    for (const internalName of [...names, ...dates]) {
      const property = { internalName, dataType: 'Text' }
      const refused = await refusal('create_property', property)
      expect(refused).toMatchObject({ code: 'invalid_input', issues: [{ path: '$.internalName' }] })
      expect(refused.message).toContain('choose another name')
      expect((await refusal('update_property', { property: 'Name', internalName })).code).toBe('invalid_input')
      expect((await refusal('import_catalog', { properties: [property] })).issues?.[0]?.path).toBe('$.properties[0].internalName')
      for (const [name, input] of [
        ['validate_property', property],
        ['validate_catalog', { properties: [property] }],
      ] as const)
        expect(await world.call(name, input)).toMatchObject({ ok: false, issues: [{ severity: 'error' }] })
    }
  })
})

describe('records of a table that is older than the column of who made them', () => {
  it('show who made the first version, before the next write and after it, with the same row hash', async () => {
    const { tenantId, tenantUserId: mine } = world.tenant
    const { entityId } = await world.call('create_entity', { internalName: 'Old' })
    await ensureTables(world.platform.services.databases, tenantId, entityId, [])
    const table = recordTable(tenantId, entityId)
    await world.sql.unsafe(`alter table ${table} drop column created_by`)
    const [one, two] = [
      { id: 9_000_001_024, version: 1, by: mine },
      { id: 9_000_001_025, version: 2, by: colleagueId },
    ]
    const columns = 'id, key1, row_hash, version, valid_from, created_at, created_change_no, change_no, modified_by'
    const rowOf = (row: { id: number }, version: number, by: number) =>
      `select ${row.id}, 'k${row.id}', '\\x00'::bytea, ${version}, '2026-01-0${version}T00:00:00Z'::timestamptz, '2026-01-01T00:00:00Z'::timestamptz, 1, ${version}, ${by}`
    for (const row of [one, two]) await world.sql.unsafe(`insert into ${table} (${columns}) ${rowOf(row, row.version, row.by)}`)
    await world.sql.unsafe(
      `insert into ${historyTable(tenantId, entityId)} (${columns}, valid_to) ${rowOf(two, 1, mine)}, '2026-01-02T00:00:00Z'::timestamptz`,
    )
    const shown = [
      { eiRecordId: one.id, createdBy: mine, modifiedBy: mine, rowHash: '00' },
      { eiRecordId: two.id, createdBy: mine, modifiedBy: colleagueId, rowHash: '00' },
    ]
    const list = (more: object = {}) => world.call('list_instances', { entity: 'Old', sort: [{ property: 'eiRecordId' }], ...more })
    expect(await list({ filterRules: [{ property: 'createdBy', op: 'eq', value: mine }] })).toMatchObject(shown)
    expect(await world.call('get_instance_as_of', { entity: 'Old', record: two.id, utc: '2026-01-01T12:00:00Z' })).toMatchObject({
      createdBy: mine,
      modifiedBy: mine,
    })
    // The first write makes the column; the records that it does not touch stay as they are.
    await world.call('save_instance', { entity: 'Old', key1: 'new', data: {} }, { key: colleague })
    expect(await list()).toMatchObject([{ key1: 'new', createdBy: colleagueId }, ...shown])
    for (const row of [one, two]) {
      const renamed = await world.call(
        'upsert_instance',
        { entity: 'Old', record: row.id, key1: `r${row.id}`, data: {} },
        { key: colleague },
      )
      expect(renamed).toMatchObject({ outcome: 'updated', createdBy: mine, modifiedBy: colleagueId })
    }
    const kept = await world.sql.unsafe(`select created_by from ${table} order by id`)
    expect(kept.map((row) => row['createdBy'])).toEqual([colleagueId, mine, mine])
  })
})
