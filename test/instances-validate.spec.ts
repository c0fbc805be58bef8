/** validate_instance: what a save would be refused for, and nothing written. */
import { randomUUID } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openWorld, type World } from './support/world.ts'

const noFile = randomUUID()
let world: World
/** Bound by the rules that a test sets. */
let key: string
let orderId: number
let siteId: number

beforeAll(async () => {
  world = await openWorld()
  const { call } = world
  await call('create_property', { internalName: 'Title', dataType: 'Text', maxValueOrLength: 10 })
  await call('create_property', { internalName: 'Number', dataType: 'Text' })
  await call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  await call('create_property', { internalName: 'Secret', dataType: 'Text' })
  await call('create_property', { internalName: 'Status', dataType: 'Choice', propertyOptions: [{ internalName: 'open' }] })
  await call('create_entity', { internalName: 'Site' })
  await call('create_entity', {
    internalName: 'Order',
    properties: [{ property: 'Title', isRequired: true }, { property: 'Status' }, { property: 'Photo' }, { property: 'Secret' }],
  })
  await call('attach_property', { entity: 'Order', property: 'Number', numbering: { prefix: 'N-' } })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Order', isList: true })
  await call('attach_child_entity', { entity: 'Order', childEntity: 'Order', isList: true })
  ;({ eiRecordId: siteId } = await call('save_instance', { entity: 'Site', key1: 'S-1', data: {} }))
  await call('save_instance', { entity: 'Site', key1: 'S-2', data: {} })
  ;({ eiRecordId: orderId } = await call('save_instance', {
    entity: 'Order',
    key1: 'O-1',
    parentKey1: 'S-1',
    parentEntity: 'Site',
    data: { Title: 'a', Number: 'own' },
  }))
  await call('save_instance', { entity: 'Order', key1: 'O-2', parentEIRecordId: orderId, data: { Title: 'below' } })
  ;({ apiKey: key } = await call('create_api_key', { name: 'bound', roles: ['DataView', 'DataEdit'] }))
})
afterAll(async () => world?.close())

const validate = (row: object, as?: string) =>
  world.call('validate_instance', { entity: 'Order', ...row }, as === undefined ? {} : { key: as })

/** What the save of the row answers, which is refused. */
async function refused(row: { readonly record?: string | number; readonly [field: string]: unknown }, as?: string) {
  const { record, ...rest } = row
  const [name, input] =
    record === undefined ? (['save_instance', rest] as const) : (['upsert_instance', { data: {}, ...rest, record }] as const)
  return world.refusal(name, { entity: 'Order', ...input }, as)
}

describe('a row that a save would refuse', () => {
  const wrong: [string, () => { record?: string | number } & Record<string, unknown>, string][] = [
    ['values and names', () => ({ key1: 'x', data: { Title: 'far too long for it', Statu: 'open', Status: 'opn' } }), 'invalid_input'],
    ['what is required', () => ({ key1: 'x', data: { Status: 'open' } }), 'invalid_input'],
    ['a key that is none', () => ({ key2: 'x', data: { Title: 'a' } }), 'invalid_input'],
    ['dataJson', () => ({ key1: 'x', dataJson: '{"Title":' }), 'invalid_input'],
    ['a file that is not there', () => ({ key1: 'x', data: { Title: 'a', Photo: noFile } }), 'invalid_input'],
    ['a parent that is not there', () => ({ key1: 'x', parentKey1: 'S-9', data: { Title: 'a' } }), 'invalid_input'],
    ['another parent', () => ({ key1: 'O-1', parentKey1: 'S-2', data: {} }), 'conflict'],
    ['a move below itself', () => ({ record: 'O-1', parentKey1: 'O-2', moveParent: true, data: {} }), 'conflict'],
    ['a rename onto a key that is taken', () => ({ record: orderId, key1: 'O-2', data: {} }), 'already_exists'],
    ['a number that is taken', () => ({ key1: 'x', data: { Title: 'a', Number: 'own' } }), 'already_exists'],
    ['an older state', () => ({ record: orderId, expectedRowHash: 'A'.repeat(40), data: {} }), 'conflict'],
  ]
  it.each(wrong)('is told of %s as the save tells it', async (_what, rowOf, code) => {
    const save = await refused(rowOf())
    expect(save.code).toBe(code)
    const { ok, valid, issues } = await validate(rowOf())
    expect([ok, valid]).toEqual([false, false])
    expect(issues.length).toBeGreaterThan(0)
    expect(issues).toEqual(save.issues)
  })

  it('is told of a record that is not there, and of a key in the row beside another in the path', async () => {
    for (const row of [{ record: 999_999_999 }, { record: '9'.repeat(30) }, { record: 'O-1', key1: 'O-2' }]) {
      const save = await refused(row)
      expect((await validate(row)).issues).toEqual([expect.objectContaining({ severity: 'error', message: save.message })])
    }
  })

  it('is told of a record that insertOnly leaves', async () => {
    const row = { key1: 'O-1', importMode: 'insertOnly', data: { Title: 'b' } }
    expect((await validate(row)).issues[0].message).toBe((await refused(row)).message)
  })

  it('is told of a field of the wrong shape together with its values', async () => {
    const { issues } = await validate({ key1: 7, data: { Title: 'far too long for it' } })
    expect(issues.map(({ path }: { path: string }) => path)).toEqual(['$.key1', '$.data.Title'])
  })
})

describe('a row that a save would take', () => {
  it('has no findings, and nothing is written or drawn', async () => {
    const numbered = async (key1: string) =>
      (await world.call('save_instance', { entity: 'Order', key1, data: { Title: 'a' } })).data.Number
    const [, last] = String(await numbered('drawn')).split('-')
    const before = await world.call('list_instances', { entity: 'Order' })
    for (const row of [
      { key1: 'new', parentKey1: 'S-1', data: { Title: 'a' } },
      { key1: 'O-1', data: { Title: 'b' } },
      { record: orderId, key1: 'renamed', parentEIRecordId: null, data: {} },
      { key1: 'O-1', parentKey1: 'S-2', moveParent: true },
      { record: 'made-new', data: { Title: 'a' } },
    ])
      expect(await validate(row)).toEqual({ ok: true, valid: true, issues: [] })
    expect(await world.call('list_instances', { entity: 'Order' })).toEqual(before)
    expect(await numbered('next')).toBe(`N-${Number(last) + 1}`)
  })

  it('may be tried while somebody holds its parent, and holds nothing itself', async () => {
    const { entity } = await world.call('describe_entity', { entity: 'Site' })
    await world.sql.begin(async (sql) => {
      await sql.unsafe(`select 1 from t_${world.tenant.tenantId}.e_${entity.entityId} where id = ${siteId} for update`)
      expect((await validate({ key1: 'beside', parentKey1: 'S-1', data: { Title: 'a' } })).ok).toBe(true)
    })
  })

  it('is one of an entity that has no table yet', async () => {
    await world.call('create_entity', { internalName: 'Fresh', properties: [{ property: 'Status' }] })
    expect(await validate({ entity: 'Fresh', key1: 'a', data: { Status: 'open' } })).toEqual({ ok: true, valid: true, issues: [] })
    expect((await validate({ entity: 'Fresh', record: 5, data: {} })).ok).toBe(false)
  })
})

describe('access rules', () => {
  const own = { role: 'DataEdit', read: true, create: true, edit: true, filter: [{ property: 'Status', op: 'eq', value: 'open' }] }
  const builders = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
  const bind = (rule: object) => world.call('set_entity_access', { entity: 'Order', rules: [builders, { ...own, ...rule }] })

  it.each<[string, object, () => Record<string, unknown>]>([
    ['a row outside, by id', {}, () => ({ record: orderId, data: { Title: 'b' } })],
    ['a row outside, by key', {}, () => ({ key1: 'O-1', data: { Title: 'b' } })],
    ['a new row that would stand outside', {}, () => ({ key1: 'x', data: { Title: 'a' } })],
    ['what is read-only', { readOnly: ['Secret'] }, () => ({ key1: 'x', data: { Title: 'a', Status: 'open', Secret: 's' } })],
    ['a verb that is not given', { create: false }, () => ({ key1: 'x', data: { Title: 'a', Status: 'open' } })],
  ])('are told of %s as the save tells it', async (_what, rule, row) => {
    await bind(rule)
    const save = await refused(row(), key)
    const { ok, issues } = await validate(row(), key)
    expect(ok).toBe(false)
    expect(issues.map(({ message }: { message: string }) => message)).toEqual([save.message])
  })

  it('let nobody try out keys who could not save', async () => {
    await bind({})
    const reader = await world.tenant.keyWith(['DataView'])
    const taken = await validate({ key1: 'O-1', data: {} }, reader)
    const free = await validate({ key1: 'free', data: {} }, reader)
    expect(taken).toEqual(free)
    expect(taken.issues[0].message).toContain('needs the role DataEdit')
  })
})
