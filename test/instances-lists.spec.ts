import { beforeAll, describe, expect, it } from 'vitest'

import { isListing } from '#platform/answer.ts'
import { AppError } from '#platform/errors.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()

beforeAll(async () => {
  const options = ['open', 'done'].map((internalName) => ({ internalName }))
  for (const property of [
    { internalName: 'Name', dataType: 'Text' },
    { internalName: 'Size', dataType: 'Number' },
    { internalName: 'Cost', dataType: 'Currency' },
    { internalName: 'Seen', dataType: 'DateTime' },
    { internalName: 'Day', dataType: 'DateOnly' },
    { internalName: 'At', dataType: 'TimeOnly' },
    { internalName: 'IsNew', dataType: 'Boolean' },
    { internalName: 'State', dataType: 'Choice', propertyOptions: options },
    { internalName: 'File', dataType: 'Attachment' },
  ]) {
    await world.call('create_property', property)
  }
  const names = ['Name', 'Size', 'Cost', 'Seen', 'Day', 'At', 'IsNew', 'State', 'File']
  await world.call('create_entity', { internalName: 'Thing', properties: names.map((property) => ({ property })) })
  const rows = Array.from({ length: 6 }, (_, index) => ({
    key1: `t${index}`,
    data: {
      Name: `n${index}`,
      Size: index / 4,
      Cost: index / 100,
      Seen: `2026-03-0${index + 1}T00:00:00Z`,
      Day: `2026-03-0${index + 1}`,
      At: `0${index}:00`,
      IsNew: index % 2 === 0,
      State: index % 2 === 0 ? 'open' : 'done',
    },
  }))
  await world.call('save_instances_bulk', { entity: 'Thing', rows: [...rows, { key1: 'e\u0301', data: { Name: 'e\u0301' } }] })
})

async function refusal(name: string, input: object): Promise<AppError> {
  const error: unknown = await world.run(name, { entity: 'Thing', ...input }).catch((thrown: unknown) => thrown)
  if (!(error instanceof AppError)) throw new Error(`${name} was not refused: ${String(error)}`)
  return error
}

async function page(
  name: string,
  input: object,
): Promise<{ keys: string[]; nextCursor: string | undefined; totalCount: number | undefined }> {
  const found = await world.run(name, { entity: 'Thing', ...input })
  if (!isListing(found)) throw new Error('no listing')
  const rows: { key1: string }[] = JSON.parse('text' in found.items ? found.items.text : JSON.stringify(found.items))
  return { keys: rows.map((row) => row.key1), nextCursor: found.nextCursor, totalCount: found.totalCount }
}

const forged = (...parts: readonly unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

describe('cursors', () => {
  const sorts = [
    'Name',
    'Size',
    'Cost',
    'Seen',
    'Day',
    'At',
    'IsNew',
    'State',
    'eiRecordId',
    'key1',
    'externalKey',
    'modifiedDate',
    'parentEIRecordId',
  ]

  it.each(sorts)('page through every row once by %s, and a value that none can have is refused', async (property) => {
    const query = { sort: [{ property, direction: 'desc' }], pageSize: 3 }
    const seen: string[] = []
    const first = await page('list_instances', query)
    let at = first
    for (let pages = 0; pages < 5; pages++) {
      seen.push(...at.keys)
      if (at.nextCursor === undefined) break
      at = await page('list_instances', { ...query, cursor: at.nextCursor })
    }
    expect(seen.sort()).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 'e\u0301'].sort())
    const [mark] = JSON.parse(Buffer.from(first.nextCursor ?? '', 'base64url').toString())
    const bad = [forged(mark, { a: 1 }, '1'), forged(mark, null, 'x'), forged(mark, null, '9'.repeat(30)), forged(mark, '\u0000', '1')]
    for (const cursor of bad) expect((await refusal('list_instances', { ...query, cursor })).code).toBe('invalid_input')
  })

  it.each([
    ['Size', 'nonsense'],
    ['Size', '1e999'],
    ['Cost', 'NaN'],
    ['Seen', '2026-02-30T00:00:00Z'],
    ['Day', 'yesterday'],
    ['At', '25:00'],
    ['IsNew', 'maybe'],
    ['State', '99999999999'],
    ['modifiedDate', 'now'],
    ['eiRecordId', '99999999999999999999'],
  ])('refuse a forged %s of %s', async (property, value) => {
    const query = { sort: [{ property }], pageSize: 1 }
    const { nextCursor } = await page('list_instances', query)
    const [mark] = JSON.parse(Buffer.from(nextCursor ?? '', 'base64url').toString())
    expect((await refusal('list_instances', { ...query, cursor: forged(mark, value, '1') })).code).toBe('invalid_input')
  })

  it('of as-of lists and histories are refused as well where they are none, and pages past the end are empty', async () => {
    const { eiRecordId: record } = await world.call('get_instance', { entity: 'Thing', record: 't0' })
    const asOfDate = new Date().toISOString()
    for (const cursor of [forged('abc'), forged(1e30), forged(1, 2), 'x', forged(null)]) {
      expect((await refusal('list_instances_as_of', { asOfDate, cursor })).code).toBe('invalid_input')
      expect((await refusal('get_instance_history', { record, cursor })).code).toBe('invalid_input')
    }
    expect((await page('get_instance_history', { record, page: 1_000_000_000, pageSize: 1000 })).keys).toEqual([])
    expect((await page('list_instances', { page: Number.MAX_SAFE_INTEGER, pageSize: 1000 })).keys).toEqual([])
    expect((await page('list_instances_as_of', { asOfDate, page: Number.MAX_SAFE_INTEGER, pageSize: 1000 })).keys).toEqual([])
  })
})

describe('a list as of a time', () => {
  it('is sorted by the values of that time, page by page, and its cursor belongs to that time', async () => {
    await world.call('create_entity', { internalName: 'Tank', properties: ['Size', 'Name'].map((property) => ({ property })) })
    const sizes = [3, 1, null, 2, 1]
    const rows = sizes.map((Size, index) => ({ key1: `k${index}`, data: { Size, Name: `k${index}` } }))
    await world.call('save_instances_bulk', { entity: 'Tank', rows })
    const { modifiedDate: asOfDate } = await world.call('get_instance_by_key', { entity: 'Tank', key1: 'k4' })
    await world.call('save_instances_bulk', { entity: 'Tank', rows: rows.map(({ key1 }, index) => ({ key1, data: { Size: index } })) })
    await world.call('delete_instance_by_key', { entity: 'Tank', key1: 'k0' })
    const then = { entity: 'Tank', asOfDate, sort: [{ property: 'Size', direction: 'desc' }, { property: 'Name' }], pageSize: 2 }
    const first = await page('list_instances_as_of', then)
    expect(first).toMatchObject({ keys: ['k0', 'k3'], totalCount: 5 })
    const second = await page('list_instances_as_of', { ...then, cursor: first.nextCursor })
    expect(second.keys).toEqual(['k1', 'k4'])
    expect((await page('list_instances_as_of', { ...then, cursor: second.nextCursor })).keys).toEqual(['k2'])
    const later = { ...then, asOfDate: '2999-01-01T00:00:00Z' }
    expect((await page('list_instances_as_of', later)).keys).toEqual(['k4', 'k3'])
    const error = await refusal('list_instances_as_of', { ...later, cursor: first.nextCursor })
    expect(error.message).toContain('belongs to another filter or sort')
  })
})

describe('totals', () => {
  it('stand on the first page, and nowhere else', async () => {
    const { modifiedDate: asOfDate } = await world.call('get_instance', { entity: 'Thing', record: 't0' })
    const { eiRecordId: record } = await world.call('save_instance', { entity: 'Thing', key1: 'counted', data: { Size: 1 } })
    for (const Size of [2, 3]) await world.call('upsert_instance', { entity: 'Thing', record, data: { Size } })
    for (const [name, input, all] of [
      ['list_instances', {}, 8],
      ['list_instances_as_of', { asOfDate }, 7],
      ['get_instance_history', { record }, 3],
    ] as const) {
      const first = await page(name, { ...input, pageSize: 1 })
      expect(first.totalCount).toBe(all)
      expect((await page(name, { ...input, pageSize: 1, page: 2 })).totalCount).toBeUndefined()
      expect((await page(name, { ...input, pageSize: 1, cursor: first.nextCursor })).totalCount).toBeUndefined()
      expect((await page(name, { ...input, pageSize: 1, includeTotal: false })).totalCount).toBeUndefined()
    }
  })
})

describe('a sort by options', () => {
  it('follows the order that the property gives them, on every page', async () => {
    const options = ['low', 'high', 'middle'].map((internalName) => ({ internalName }))
    const { propertyId } = await world.call('create_property', { internalName: 'Urgency', dataType: 'Choice', propertyOptions: options })
    await world.call('create_entity', { internalName: 'Ticket', properties: [{ property: 'Urgency' }] })
    const rows = ['high', 'low', null, 'middle', 'low'].map((Urgency, index) => ({ key1: `u${index}`, data: { Urgency } }))
    await world.call('save_instances_bulk', { entity: 'Ticket', rows })
    const shown = await world.call('list_property_options', { property: propertyId })
    const idOf = new Map(shown.map((option: { internalName: string; optionId: number }) => [option.internalName, option.optionId]))
    await world.call('reorder_property_options', {
      property: propertyId,
      optionIds: ['low', 'middle', 'high'].map((name) => idOf.get(name)),
    })
    for (const [direction, expected] of [
      ['asc', ['u1', 'u4', 'u3', 'u0', 'u2']],
      ['desc', ['u0', 'u3', 'u1', 'u4', 'u2']],
    ] as const) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const query = { entity: 'Ticket', sort: [{ property: 'Urgency', direction }], pageSize: 2, ...(cursor ? { cursor } : {}) }
        const at = await page('list_instances', query)
        seen.push(...at.keys)
        cursor = at.nextCursor
      } while (cursor !== undefined && seen.length < 10)
      expect(seen).toEqual(expected)
    }
  })
})

describe('a sort by texts', () => {
  it('goes by how they begin, so that a cursor fits into a header however long they are', async () => {
    await world.call('create_entity', { internalName: 'Essay', properties: [{ property: 'Name' }] })
    const long = 'ä'.repeat(32_000)
    const names = [`b${long}`, `a${long}`, `c${long}2`, `c${long}1`]
    await world.call('save_instances_bulk', { entity: 'Essay', rows: names.map((Name, index) => ({ key1: `l${index}`, data: { Name } })) })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = { entity: 'Essay', sort: [{ property: 'Name' }], pageSize: 1, ...(cursor ? { cursor } : {}) }
      const at = await page('list_instances', query)
      seen.push(...at.keys)
      cursor = at.nextCursor
      expect(cursor?.length ?? 0).toBeLessThan(1_000)
    } while (cursor !== undefined && seen.length < 10)
    expect(seen).toEqual(['l1', 'l0', 'l2', 'l3'])
  })

  it.each([
    ['asc', ['e1', 'e0', 'e2', '']],
    ['desc', ['e0', 'e1', 'e2', '']],
  ])('puts empty ones last with the absent, on every page, %s', async (direction, expected) => {
    const entity = `Label_${direction}`
    await world.call('create_entity', { internalName: entity, properties: [{ property: 'Name' }] })
    const rows = [
      { key1: 'e0', data: { Name: 'b' } },
      { key1: 'e1', data: { Name: 'a' } },
      { key1: 'e2', data: { Name: '' } },
      { data: {} },
    ]
    await world.call('save_instances_bulk', { entity, rows })
    const walk = async (property: string) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const at = await page('list_instances', { entity, sort: [{ property, direction }], pageSize: 1, ...(cursor ? { cursor } : {}) })
        seen.push(...at.keys)
        cursor = at.nextCursor
      } while (cursor !== undefined && seen.length < 10)
      return seen
    }
    expect(await walk('Name')).toEqual(expected)
    expect((await walk('key1')).at(-1)).toBe('')
    expect((await walk('externalKey')).at(-1)).toBe('')
    expect(await walk('key2')).toHaveLength(4)
  })
})

describe('filters', () => {
  it('find a key by its bytes, and a text however it is composed', async () => {
    const by = (property: string, value: string) => page('list_instances', { filterRules: [{ property, op: 'eq', value }] })
    expect((await by('key1', 'e\u0301')).keys).toEqual(['e\u0301'])
    expect((await by('key1', '\u00e9')).keys).toEqual([])
    expect((await by('Name', 'e\u0301')).keys).toEqual(['e\u0301'])
    expect((await by('Name', '\u00e9')).keys).toEqual(['e\u0301'])
  })

  it('mean the field of the record where an old property has its name, and the property by its id', async () => {
    const { propertyId } = await world.call('create_property', { internalName: 'OldKey', dataType: 'Text' })
    await world.sql`update platform.property set internal_name = 'key1' where property_id = ${propertyId}`
    await world.call('create_entity', { internalName: 'Twin', properties: [{ property: 'key1' }] })
    const rows = [
      { key1: 'a', data: { key1: 'z' } },
      { key1: 'b', data: { key1: 'y' } },
    ]
    await world.call('save_instances_bulk', { entity: 'Twin', rows })
    const keysBy = async (query: object) => (await page('list_instances', { entity: 'Twin', ...query })).keys
    expect(await keysBy({ filterRules: [{ property: 'key1', op: 'eq', value: 'a' }] })).toEqual(['a'])
    expect(await keysBy({ filterRules: [{ property: propertyId, op: 'eq', value: 'z' }] })).toEqual(['a'])
    expect(await keysBy({ sort: [{ property: 'key1' }] })).toEqual(['a', 'b'])
    expect(await keysBy({ sort: [{ property: String(propertyId) }] })).toEqual(['b', 'a'])
  })

  it.each([
    ['null', { filterRules: null }, '$.filterRules', 'Expected object or array, got null.'],
    ['JSON as text', { filterRules: '[]' }, '$.filterRules', 'Expected object or array, got "[]".'],
    ['a rule of its own', { filters: [5] }, '$.filters[0]', 'Expected object, got 5.'],
    ['an empty in', { filterRules: [{ property: 'Name', op: 'in', value: [] }] }, '$.filterRules[0].value', 'one or more values, got []'],
    ['one end of between', { filterRules: [{ property: 'Size', op: 'between', value: 1 }] }, '$.filterRules[0].value', '[from, to], got 1'],
    ['a rule without a property', { filters: [{ op: 'isEmpty' }] }, '$.filters[0].property', 'Required, the internalName or id'],
    ['a logic in small letters', { filterRules: { logic: 'and' } }, '$.filterRules.logic', 'Expected AND or OR, got "and".'],
  ])('refuse %s and say what is allowed, at its place', async (_what, input, path, message) => {
    const error = await refusal('list_instances', input)
    expect(error).toMatchObject({ code: 'invalid_input', issues: [{ path }] })
    expect(error.issues?.[0]?.message).toContain(message)
  })

  it('hold as many groups as their rules can stand in, and tell of fifty mistakes at most', async () => {
    const groups = (count: number) => ({ groups: Array.from({ length: count }, () => ({})) })
    const { totalCount } = await page('list_instances', {})
    expect((await page('list_instances', { filterRules: groups(1_599) })).totalCount).toBe(totalCount)
    expect((await refusal('list_instances', { filterRules: groups(200_000) })).issues).toMatchObject([
      { path: '$.filterRules.groups[1599]', message: 'At most 1600 groups in a filter.' },
    ])
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]))
    expect((await refusal('list_instances', { filterRules: unknown })).issues).toHaveLength(50)
  })

  it('name the nearest entity where a path names none', async () => {
    const error = await refusal('count_instances', { entity: 'Thign' })
    expect(error).toMatchObject({ code: 'not_found', message: 'No such entity.', issues: [{ path: '$.entity', suggestion: 'Thing' }] })
    expect((await refusal('save_instance', { entity: 'Things', data: {} })).issues?.[0]?.suggestion).toBe('Thing')
    expect((await refusal('count_instances', { entity: 999_999_999 })).issues).toBeUndefined()
  })
})
