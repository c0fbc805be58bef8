import { beforeAll, describe, expect, it } from 'vitest'

import { isListing } from '#platform/answer.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
const { refusal } = world

beforeAll(async () => {
  const { call } = world
  await call('create_property', { internalName: 'Title', dataType: 'Text', maxValueOrLength: 5000 })
  await call('create_property', { internalName: 'Amount', dataType: 'Number' })
  await call('create_property', { internalName: 'Price', dataType: 'Currency' })
  await call('create_property', { internalName: 'Due', dataType: 'DateTime' })
  await call('create_property', { internalName: 'Day', dataType: 'DateOnly' })
  await call('create_property', { internalName: 'At', dataType: 'TimeOnly' })
  await call('create_property', { internalName: 'IsUrgent', dataType: 'Boolean' })
  await call('create_property', {
    internalName: 'Status',
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'done' }],
  })
  await call('create_property', { internalName: 'Tags', dataType: 'Text' })
  await call('create_entity', { internalName: 'Site' })
  await call('create_entity', {
    internalName: 'Order',
    properties: [
      { property: 'Title' },
      { property: 'Amount' },
      { property: 'Price' },
      { property: 'Due' },
      { property: 'Day' },
      { property: 'At' },
      { property: 'IsUrgent' },
      { property: 'Status' },
      { property: 'Tags', isList: true },
    ],
  })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Order' })
})

const everything = {
  Title: 'Größe “naïve”',
  Amount: 0.1,
  Price: 12.5,
  Due: '2026-03-01T10:30:00+02:00',
  Day: '2026-02-28',
  At: '07:05',
  IsUrgent: false,
  Status: 'open',
  Tags: ['b', 'a'],
}

describe('saving one record', () => {
  it('gives every value back as it was meant, and the same over its property ids', async () => {
    const saved = await world.call('save_instance', { entity: 'Order', key1: 'all', data: everything })
    expect(saved.outcome).toBe('inserted')
    expect(saved.data).toEqual({ ...everything, Due: '2026-03-01T08:30:00.000Z', At: '07:05:00' })
    expect(saved.rowHash).toMatch(/^[0-9A-F]{40}$/)
    const entity = await world.call('describe_entity', { entity: 'Order' })
    const title = entity.properties.find((one: { propertyInternalName: string }) => one.propertyInternalName === 'Title')
    expect(JSON.parse(saved.dataJson)[title.propertyId]).toBe(everything.Title)
    const again = await world.call('save_instance', {
      entity: 'Order',
      key1: 'all',
      dataJson: JSON.stringify({ [title.entityPropertyId]: everything.Title }),
    })
    expect(again).toMatchObject({ outcome: 'skipped', rowHash: saved.rowHash, eiRecordId: saved.eiRecordId })
  })

  it('changes what is named, and clears the rest only when told to overwrite', async () => {
    await world.call('save_instance', { entity: 'Order', key1: 'merge', data: { Title: 'one', Amount: 1 } })
    const changed = await world.call('save_instance', { entity: 'Order', key1: 'merge', data: { Amount: 2 } })
    expect(changed).toMatchObject({ outcome: 'updated', data: { Title: 'one', Amount: 2 } })
    const overwritten = await world.call('save_instance', { entity: 'Order', key1: 'merge', data: { Amount: 2 }, importMode: 'overwrite' })
    expect(overwritten.data).toMatchObject({ Title: null, Amount: 2 })
    expect((await refusal('save_instance', { entity: 'Order', key1: 'merge', data: {}, importMode: 'insertOnly' })).code).toBe(
      'already_exists',
    )
  })

  it('refuses an unknown property with the nearest right name, and saves nothing', async () => {
    const error = await refusal('save_instance', { entity: 'Order', key1: 'typo', data: { Titel: 'x' } })
    expect(error).toMatchObject({ code: 'unknown_property', status: 400 })
    expect(error.issues?.[0]).toMatchObject({ path: '$.data.Titel', suggestion: 'Title' })
    expect((await refusal('get_instance', { entity: 'Order', record: 'typo' })).code).toBe('not_found')
  })

  it.each([
    ['a day that does not exist', { Day: '2026-02-30' }],
    ['a time that does not exist', { Due: '2026-02-28T25:00:00Z' }],
    ['text in a number', { Amount: '12' }],
    ['a list in a single property', { Title: ['a'] }],
    ['an option that there is not', { Status: 'opne' }],
    ['a currency of sixteen digits', { Price: 1234567890123.456 }],
    ['an unknown asset', { Title: 1 }],
  ])('refuses %s with 400', async (_what, data) => {
    expect((await refusal('save_instance', { entity: 'Order', key1: 'bad', data })).status).toBe(400)
  })

  it('refuses numbers in dataJson that JavaScript would change', async () => {
    const error = await refusal('save_instance', { entity: 'Order', key1: 'big', dataJson: '{"Amount": 9007199254740993}' })
    expect(error.status).toBe(400)
  })

  it('refuses a save over a row that was changed since it was read', async () => {
    const read = await world.call('save_instance', { entity: 'Order', key1: 'lost', data: { Amount: 1 } })
    await world.call('save_instance', { entity: 'Order', key1: 'lost', data: { Amount: 2 } })
    const error = await refusal('upsert_instance', {
      entity: 'Order',
      record: String(read.eiRecordId),
      data: { Amount: 3 },
      expectedRowHash: read.rowHash,
    })
    expect(error.status).toBe(409)
    expect((await world.call('get_instance', { entity: 'Order', record: 'lost' })).data.Amount).toBe(2)
  })

  it('renames by id, and refuses a key that another record has', async () => {
    const first = await world.call('save_instance', { entity: 'Order', key1: 'name-a', data: {} })
    await world.call('save_instance', { entity: 'Order', key1: 'name-b', data: {} })
    expect((await refusal('upsert_instance', { entity: 'Order', record: String(first.eiRecordId), key1: 'name-b', data: {} })).code).toBe(
      'already_exists',
    )
    const renamed = await world.call('upsert_instance', { entity: 'Order', record: String(first.eiRecordId), key1: 'name-c', data: {} })
    expect(renamed).toMatchObject({ outcome: 'updated', key1: 'name-c' })
  })

  it('reaches keys of digits and keys with several parts by the by-key operation', async () => {
    await world.call('save_instance', { entity: 'Order', key1: '1001', key2: 'x', data: { Amount: 5 } })
    expect((await world.call('get_instance_by_key', { entity: 'Order', externalKey: '1001 / x' })).data.Amount).toBe(5)
  })

  it.each([
    ['get_instance', {}],
    ['upsert_instance', { data: {} }],
    ['delete_instance', {}],
    ['get_instance_history', {}],
  ])('takes digits for an id in %s, and says how a key of digits is reached', async (name, more) => {
    await world.call('save_instance', { entity: 'Order', key1: '1002', data: {} })
    const error = await refusal(name, { entity: 'Order', record: '1002', ...more })
    expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('get_instance_by_key') })
  })

  it('names the tool that deletes by a whole key where none was found to delete', async () => {
    for (const record of ['none', '1'])
      expect((await refusal('delete_instance', { entity: 'Order', record })).message).toContain('reached by delete_instance_by_key')
  })

  it('writers on one record leave the value of one of them and the version of each', async () => {
    const { eiRecordId } = await world.call('save_instance', { entity: 'Order', key1: 'race', data: { Amount: 0 } })
    const writers = Array.from({ length: 12 }, (_, index) =>
      world.call('upsert_instance', { entity: 'Order', record: String(eiRecordId), data: { Amount: index + 1 } }),
    )
    expect(await Promise.all(writers)).toHaveLength(12)
    const history = await world.call('get_instance_history', { entity: 'Order', record: String(eiRecordId) })
    expect(history).toHaveLength(13)
    expect(history.at(-1).validTo).toBeNull()
    for (const [index, version] of history.slice(0, -1).entries()) expect(version.validTo).toBe(history[index + 1].validFrom)
  })

  it('two first writes of one key make one record', async () => {
    const both = await Promise.all(
      [1, 2, 3, 4].map((Amount) =>
        world.call('save_instance', { entity: 'Order', key1: 'twins', data: { Amount } }).catch((error: unknown) => error),
      ),
    )
    const ids = new Set(both.filter((one) => !(one instanceof Error)).map((one) => one.eiRecordId))
    expect(ids.size).toBe(1)
  })
})

describe('parents', () => {
  it('finds a parent by its key, and refuses one that there is not', async () => {
    const site = await world.call('save_instance', { entity: 'Site', key1: 'S-1', data: {} })
    const child = await world.call('save_instance', { entity: 'Order', key1: 'child', parentKey1: 'S-1', data: {} })
    expect(child.parentEIRecordId).toBe(site.eiRecordId)
    expect((await refusal('save_instance', { entity: 'Order', key1: 'orphan', parentKey1: 'S-9', data: {} })).status).toBe(400)
  })

  it('deletes the children with the parent', async () => {
    const site = await world.call('save_instance', { entity: 'Site', key1: 'S-2', data: {} })
    await world.call('save_instance', { entity: 'Order', key1: 'below', parentEIRecordId: site.eiRecordId, data: {} })
    await world.call('delete_instance', { entity: 'Site', record: 'S-2' })
    expect((await refusal('get_instance', { entity: 'Order', record: 'below' })).code).toBe('not_found')
    expect((await refusal('delete_instance', { entity: 'Site', record: 'S-2' })).code).toBe('not_found')
    const again = await world.call('save_instance', { entity: 'Site', key1: 'S-2', data: {} })
    expect(again.eiRecordId).not.toBe(site.eiRecordId)
  })
})

describe('bulk', () => {
  it('saves the sound rows and tells what is wrong with the others', async () => {
    const rows = [
      { key1: 'B-1', data: { Amount: 1 } },
      { key1: 'B-2', data: { Amount: 'x' } },
      { key1: 'B-1', data: { Amount: 3 } },
      { key1: 'B-3', data: { Status: 'done' } },
    ]
    const result = await world.call('save_instances_bulk', { entity: 'Order', rows })
    expect(result).toMatchObject({ inserted: 2, failed: 2, updated: 0, skipped: 0 })
    expect(result.results.map((one: { outcome: string }) => one.outcome)).toEqual(['inserted', 'failed', 'failed', 'inserted'])
    expect(result.results[1].errors[0].path).toBe('$.rows[1].data.Amount')
    const again = await world.call('save_instances_bulk', { entity: 'Order', rows: [rows[0], rows[3]] })
    expect(again).toMatchObject({ skipped: 2 })
  })

  it('saves ten thousand rows, then skips them all by their hashes', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      key1: `N-${index}`,
      data: { Title: `Row ${index}`, Amount: index / 8, Tags: ['x', String(index % 7)] },
    }))
    expect(await world.call('save_instances_bulk', { entity: 'Order', rows })).toMatchObject({ inserted: 10_000 })
    expect(await world.call('save_instances_bulk', { entity: 'Order', rows })).toMatchObject({ skipped: 10_000 })
    const changed = rows.map((row, index) => (index % 10 === 0 ? { ...row, data: { ...row.data, Amount: -1 } } : row))
    expect(await world.call('save_instances_bulk', { entity: 'Order', rows: changed })).toMatchObject({ updated: 1_000, skipped: 9_000 })
  })
})

describe('lists', () => {
  beforeAll(async () => {
    await world.call('create_entity', {
      internalName: 'Item',
      properties: [{ property: 'Title' }, { property: 'Amount' }, { property: 'Status' }, { property: 'Tags', isList: true }],
    })
    const rows = [
      { key1: 'i1', data: { Title: 'Apple', Amount: 3, Status: 'open', Tags: ['red', 'round'] } },
      { key1: 'i2', data: { Title: 'apricot 100%', Amount: 1, Status: 'done' } },
      { key1: 'i3', data: { Title: 'Banana', Amount: 2, Tags: ['yellow'] } },
      { key1: 'i4', data: { Title: 'cherry_pie', Status: 'open', Tags: ['red'] } },
      { key1: 'i5', data: { Amount: 3 } },
    ]
    await world.call('save_instances_bulk', { entity: 'Item', rows })
  })

  const keys = async (filterRules: unknown, sort?: unknown) =>
    (await world.call('list_instances', { entity: 'Item', filterRules, ...(sort ? { sort } : {}) })).map(
      (row: { key1: string }) => row.key1,
    )

  it.each([
    ['eq', { property: 'Title', op: 'eq', value: 'Apple' }, ['i1']],
    ['ne holds for empty values', { property: 'Title', op: 'ne', value: 'Apple' }, ['i2', 'i3', 'i4', 'i5']],
    ['contains, without regard to case', { property: 'Title', op: 'contains', value: 'AP' }, ['i1', 'i2']],
    ['contains takes % as itself', { property: 'Title', op: 'contains', value: '0%' }, ['i2']],
    ['startsWith takes _ as itself', { property: 'Title', op: 'startsWith', value: 'cherry_' }, ['i4']],
    ['endsWith', { property: 'Title', op: 'endsWith', value: 'NA' }, ['i3']],
    ['notContains holds for empty values', { property: 'Title', op: 'notContains', value: 'a' }, ['i4', 'i5']],
    ['between includes both ends', { property: 'Amount', op: 'between', value: [1, 2] }, ['i2', 'i3']],
    ['gte', { property: 'Amount', op: 'gte', value: 3 }, ['i1', 'i5']],
    ['in', { property: 'Status', op: 'in', value: ['open', 'done'] }, ['i1', 'i2', 'i4']],
    ['notIn holds for empty values', { property: 'Status', op: 'notIn', value: ['open'] }, ['i2', 'i3', 'i5']],
    ['isEmpty', { property: 'Status', op: 'isEmpty' }, ['i3', 'i5']],
    ['any element of a list', { property: 'Tags', op: 'eq', value: 'red' }, ['i1', 'i4']],
    ['no element of a list', { property: 'Tags', op: 'notContains', value: 'red' }, ['i2', 'i3', 'i5']],
    ['a system field', { property: 'key1', op: 'gt', value: 'i3' }, ['i4', 'i5']],
  ])('filters by %s', async (_what, rule, expected) => {
    expect((await keys([rule])).sort()).toEqual(expected)
  })

  it('combines groups', async () => {
    const filter = {
      logic: 'OR',
      rules: [{ property: 'Title', op: 'eq', value: 'Banana' }],
      groups: [
        {
          logic: 'AND',
          rules: [
            { property: 'Amount', op: 'eq', value: 3 },
            { property: 'Status', op: 'eq', value: 'open' },
          ],
        },
      ],
    }
    expect(await keys(filter)).toEqual(['i1', 'i3'])
  })

  it('sorts as people do, empty values last in both directions', async () => {
    expect(await keys(undefined, [{ property: 'Title', direction: 'asc' }])).toEqual(['i1', 'i2', 'i3', 'i4', 'i5'])
    expect(await keys(undefined, [{ property: 'Amount', direction: 'desc' }])).toEqual(['i1', 'i5', 'i3', 'i2', 'i4'])
    expect(await keys(undefined, [{ property: 'Amount', direction: 'asc' }])).toEqual(['i2', 'i3', 'i1', 'i5', 'i4'])
  })

  it.each(['asc', 'desc'])('pages by cursor through every row once, %s', async (direction) => {
    const seen: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await world.run('list_instances', {
        entity: 'Item',
        sort: [{ property: 'Amount', direction }],
        pageSize: 2,
        ...(cursor ? { cursor } : {}),
      })
      if (!isListing(page)) throw new Error('no listing')
      expect(page.totalCount).toBe(cursor ? undefined : 5)
      seen.push(...JSON.parse((page.items as unknown as { text: string }).text).map((row: { key1: string }) => row.key1))
      cursor = page.nextCursor
      pages++
    } while (cursor && pages < 10)
    expect(pages).toBe(3)
    expect([...seen].sort()).toEqual(['i1', 'i2', 'i3', 'i4', 'i5'])
  })

  it.each([
    ['an unknown property', [{ property: 'Titel', op: 'eq', value: 'x' }], 'Title'],
    ['an unknown operator', [{ property: 'Title', op: 'contain', value: 'x' }], 'contains'],
    ['an option that there is not', [{ property: 'Status', op: 'eq', value: 'opn' }], 'open'],
  ])('refuses %s and names the nearest', async (_what, filterRules, suggestion) => {
    const error = await refusal('list_instances', { entity: 'Item', filterRules })
    expect(error.status).toBe(400)
    expect(error.issues?.[0]?.suggestion).toBe(suggestion)
  })

  it('refuses a cursor of another sort', async () => {
    const page = await world.run('list_instances', { entity: 'Item', pageSize: 2 })
    if (!isListing(page)) throw new Error('no listing')
    expect(
      (await refusal('list_instances', { entity: 'Item', pageSize: 2, sort: [{ property: 'Title' }], cursor: page.nextCursor })).status,
    ).toBe(400)
  })

  it('counts under the same filter', async () => {
    expect(
      await world.call('count_instances', { entity: 'Item', filterRules: [{ property: 'Tags', op: 'contains', value: 'RED' }] }),
    ).toEqual({ count: 2 })
  })

  it('answers a foreign tenant as if neither the entity nor the record existed', async () => {
    const other = await world.newTenant()
    const { eiRecordId } = await world.call('get_instance', { entity: 'Item', record: 'i1' })
    await world.call('create_entity', { internalName: 'Item' }, { key: other.key })
    await expect(world.run('get_instance', { entity: 'Item', record: String(eiRecordId) }, { key: other.key })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await world.call('list_instances', { entity: 'Item' }, { key: other.key })).toEqual([])
  })
})
