/** revert_instance: an earlier version's values as a new version, and what of them cannot be had again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openWorld, type World } from './support/world.ts'

let world: World
const long = 'long '.repeat(500)

beforeAll(async () => {
  world = await openWorld()
  const { call } = world
  for (const internalName of ['Title', 'Note', 'Words', 'Code']) await call('create_property', { internalName, dataType: 'Text' })
  await call('create_property', { internalName: 'Cost', dataType: 'Currency' })
  await call('create_property', { internalName: 'Due', dataType: 'DateTime' })
  await call('create_property', { internalName: 'Photo', dataType: 'Attachment' })
  await call('create_property', {
    internalName: 'Status',
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'open' }, { internalName: 'done' }, { internalName: 'late' }],
  })
  await call('create_entity', { internalName: 'Site' })
  await call('create_entity', {
    internalName: 'Order',
    properties: [
      { property: 'Title' },
      { property: 'Note' },
      { property: 'Words', isList: true },
      { property: 'Cost' },
      { property: 'Due' },
      { property: 'Status' },
      { property: 'Photo' },
    ],
  })
  await call('attach_child_entity', { entity: 'Site', childEntity: 'Order', isList: true })
  for (const key1 of ['S-1', 'S-2']) await call('save_instance', { entity: 'Site', key1, data: {} })
})
afterAll(async () => world?.close())

let count = 0
const make = async (data: object, more: object = {}): Promise<number> =>
  (await world.call('save_instance', { entity: 'Order', key1: `O-${++count}`, data, ...more })).eiRecordId
const change = (record: number, data: object, more: object = {}) =>
  world.call('upsert_instance', { entity: 'Order', record, data, ...more })
const revert = (record: number | string, version: number, more: object = {}, key?: string) =>
  world.call('revert_instance', { entity: 'Order', record, version, ...more }, key === undefined ? {} : { key })
const order = (record: number) => world.call('get_instance', { entity: 'Order', record })
const historyOf = (record: number) => world.call('get_instance_history', { entity: 'Order', record })
const refusal = async (input: object, key?: string) => {
  const { status, code, message } = await world.refusal('revert_instance', { entity: 'Order', ...input }, key)
  return { status, code, message }
}

describe('a record that is taken back', () => {
  it('has every value of the version again, as a new version, and those are told', async () => {
    const first = { Title: 'a', Note: long, Words: ['x', 'y'], Cost: 12.5, Due: '2026-03-01T08:30:00.000Z', Status: 'open' }
    const id = await make(first)
    const { rowHash } = await order(id)
    await change(id, { Title: 'b', Words: ['z'], Cost: 1, Due: null })
    await change(id, { Note: 'short', Status: 'done' })
    const back = await revert(id, 1)
    expect(back).toMatchObject({ eiRecordId: id, outcome: 'updated', notReverted: [], data: first, rowHash })
    const history = await historyOf(id)
    expect(history.map(({ version, changeKind }: { version: number; changeKind: string }) => [version, changeKind])).toEqual([
      [1, 'added'],
      [2, 'modified'],
      [3, 'modified'],
      [4, 'modified'],
    ])
    expect(history[1].data).toMatchObject({ Title: 'b', Note: long })
    // And back again, to what the revert replaced.
    expect((await revert(id, 3)).data).toMatchObject({ Title: 'b', Note: 'short', Due: null })
  })

  it('is skipped where nothing differs, and found by its key', async () => {
    const id = await make({ Title: 'a' })
    expect(await revert(`O-${count}`, 1)).toMatchObject({ eiRecordId: id, outcome: 'skipped' })
    expect(await historyOf(id)).toHaveLength(1)
  })

  it('keeps its key and its parent, and says so where they were others', async () => {
    const id = await make({ Title: 'a' }, { parentKey1: 'S-1' })
    const moved = await change(id, { Title: 'b' }, { key1: `renamed-${id}`, parentKey1: 'S-2' })
    const back = await revert(id, 1)
    expect(back).toMatchObject({ key1: `renamed-${id}`, parentEIRecordId: moved.parentEIRecordId, data: { Title: 'a' } })
    expect(back.notReverted.map(({ property }: { property: string }) => property)).toEqual(['key1', 'parentEIRecordId'])
  })

  it('follows the property that its key comes from, and is refused where somebody has that key', async () => {
    await world.call('create_entity', { internalName: 'Tag', properties: [{ property: 'Code', keyPart: 1 }] })
    const { eiRecordId } = await world.call('save_instance', { entity: 'Tag', data: { Code: 'one' } })
    await world.call('upsert_instance', { entity: 'Tag', record: eiRecordId, data: { Code: 'two' } })
    expect(await world.call('revert_instance', { entity: 'Tag', record: eiRecordId, version: 1 })).toMatchObject({
      key1: 'one',
      notReverted: [],
    })
    await world.call('revert_instance', { entity: 'Tag', record: eiRecordId, version: 2 })
    await world.call('save_instance', { entity: 'Tag', data: { Code: 'one' } })
    expect(await refusal({ entity: 'Tag', record: eiRecordId, version: 1 })).toMatchObject({ status: 409, code: 'already_exists' })
  })
})

describe('what cannot be had again', () => {
  const told = (answer: { notReverted: { property: string; reason: string }[] }) => answer.notReverted.map(({ property }) => property)

  it('is an option that was deleted, a file that is gone, and what a tightened rule no longer takes; each keeps its value', async () => {
    const upload = async () =>
      (
        await world.call(
          'upload_asset',
          { fileName: 'gate.txt', contentBase64: Buffer.from(`gate ${++count}`).toString('base64') },
          { transport: 'mcp' },
        )
      ).assetKey as string
    const photo = await upload()
    const id = await make({ Title: 'far too long for later', Status: 'late', Photo: photo, Note: 'a' })
    await change(id, { Title: 'short', Status: 'done', Photo: null, Note: 'b' })
    await world.call('delete_asset', { assetKey: photo })
    await world.call('update_property', { property: 'Title', maxValueOrLength: 10 })
    const options: { optionId: number; internalName: string }[] = await world.call('list_property_options', { property: 'Status' })
    const late = options.find(({ internalName }) => internalName === 'late')
    await world.call('delete_property_option', { property: 'Status', optionId: late?.optionId })
    const back = await revert(id, 1)
    expect(back.data).toMatchObject({ Title: 'short', Status: 'done', Photo: null, Note: 'a' })
    expect(told(back).toSorted()).toEqual(['Photo', 'Status', 'Title'])
    for (const { reason } of back.notReverted) expect(reason.length).toBeGreaterThan(10)
    await world.call('update_property', { property: 'Title', maxValueOrLength: null })
  })

  it('is a property that was detached since, by the name that it had, where the version held a value of it', async () => {
    for (const property of ['Gone', 'Unused', 'Long']) await world.call('create_property', { internalName: property, dataType: 'Text' })
    await world.call('create_entity', {
      internalName: 'Card',
      properties: ['Title', 'Gone', 'Unused', 'Long'].map((property) => ({ property })),
    })
    const { eiRecordId: record } = await world.call('save_instance', {
      entity: 'Card',
      key1: 'C',
      data: { Title: 'a', Gone: 'x', Long: long },
    })
    const card = (tool: string, more: object) => world.call(tool, { entity: 'Card', record, ...more })
    await card('upsert_instance', { data: { Title: 'b' } })
    await card('upsert_instance', { data: { Gone: null, Long: null } })
    await world.call('update_entity_property', { entity: 'Card', entityPropertyId: 'Title', isList: true })
    for (const entityPropertyId of ['Gone', 'Unused', 'Long'])
      await world.call('detach_property', { entity: 'Card', entityPropertyId, discardsValues: true })
    const back = await card('revert_instance', { version: 1 })
    expect(back.notReverted).toEqual([
      { property: 'Gone', reason: 'Card has no such property any more.' },
      { property: 'Long', reason: 'Card has no such property any more.' },
    ])
    // A value that became a list comes back as one.
    expect(back.data).toEqual({ Title: ['a'] })
    expect((await card('revert_instance', { version: 3 })).notReverted).toEqual([])
  })

  it('is an empty value of what is required by now', async () => {
    await world.call('create_entity', { internalName: 'Box', properties: [{ property: 'Title' }, { property: 'Note' }] })
    const { eiRecordId: record } = await world.call('save_instance', { entity: 'Box', key1: 'B', data: { Note: 'a' } })
    await world.call('upsert_instance', { entity: 'Box', record, data: { Title: 'now', Note: 'b' } })
    await world.call('update_entity_property', { entity: 'Box', entityPropertyId: 'Title', isRequired: true })
    const back = await world.call('revert_instance', { entity: 'Box', record, version: 1 })
    expect(back.data).toEqual({ Title: 'now', Note: 'a' })
    expect(told(back)).toEqual(['Title'])
  })

  it('is what the caller may not write; of what they do not see nothing is told', async () => {
    const { apiKey: key } = await world.call('create_api_key', { name: 'bound', roles: ['DataView', 'DataEdit'] })
    const id = await make({ Title: 'a', Note: 'secret then', Words: ['x'] })
    await change(id, { Title: 'b', Note: 'secret now', Words: ['y'] })
    const rule = { role: 'DataEdit', read: true, edit: true, readOnly: ['Words'], hidden: ['Note'] }
    const builders = { role: 'BuilderAdmin', read: true, create: true, edit: true, delete: true }
    await world.call('set_entity_access', { entity: 'Order', rules: [builders, rule] })
    const back = await revert(id, 1, {}, key)
    expect(back).toMatchObject({ data: { Title: 'a', Note: null, Words: ['y'] }, withheld: ['Note'] })
    expect(back.notReverted).toEqual([{ property: 'Words', reason: 'The access rules do not let you write it.' }])
    expect((await order(id)).data.Note).toBe('secret now')
    await world.call('set_entity_access', { entity: 'Order', rules: [builders, { role: 'DataEdit', read: true }] })
    expect(await refusal({ record: id, version: 2 }, key)).toMatchObject({ status: 403 })
    await world.call('set_entity_access', { entity: 'Order', rules: [builders] })
    expect(await refusal({ record: id, version: 99 }, key)).toMatchObject({ status: 404 })
    await world.call('set_entity_access', { entity: 'Order', rules: [] })
  })
})

describe('a revert', () => {
  it('is refused for a version that is none, a record that is not there or deleted, and an older state', async () => {
    const id = await make({ Title: 'a' })
    expect(await refusal({ record: id, version: 2 })).toMatchObject({ status: 400, message: expect.stringContaining('versions 1 to 1') })
    expect(await refusal({ record: id, version: 0 })).toMatchObject({ status: 400 })
    expect(await refusal({ record: id, version: 2_147_483_648 })).toMatchObject({ status: 400 })
    await change(id, { Title: 'b' })
    expect(await refusal({ record: id, version: 1, expectedRowHash: 'a'.repeat(40) })).toMatchObject({ status: 409, code: 'conflict' })
    for (const record of ['nowhere', 999_999_999, '9'.repeat(30)])
      expect(await refusal({ record, version: 1 })).toMatchObject({ status: 404 })
    await world.call('delete_instance', { entity: 'Order', record: id })
    expect(await refusal({ record: id, version: 1 })).toMatchObject({ status: 404 })
    await world.call('restore_instance', { entity: 'Order', record: id })
    // The version that marks the deletion holds what the record held.
    await change(id, { Title: 'c' })
    expect((await revert(id, 3)).data.Title).toBe('b')
  })

  it('two at once, or beside a save, leave a record that one of them has written whole', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await make({ Title: 'a1', Note: 'a2' })
      await change(id, { Title: 'b1', Note: 'b2' })
      await change(id, { Title: 'c1', Note: 'c2' })
      const results = await Promise.allSettled([revert(id, 1), revert(id, 2), change(id, { Title: 'd1', Note: 'd2' })])
      expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
      const { data } = await order(id)
      expect([
        ['a1', 'a2'],
        ['b1', 'b2'],
        ['d1', 'd2'],
      ]).toContainEqual([data.Title, data.Note])
    }
  })
})
