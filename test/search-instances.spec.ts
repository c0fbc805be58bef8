import { describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()

interface Hit {
  readonly entity: string
  readonly eiRecordId: number
  readonly externalKey: string
  readonly title: string
  readonly excerpt: string
  readonly score: number
}

/** A tenant with machines and orders, and its search: what it finds by key. */
async function arranged() {
  const tenant = await world.newTenant()
  const call = (name: string, input: object, key = tenant.key) => world.call(name, input, { key, transport: 'mcp' })
  const text = (internalName: string, more: object = {}) => call('create_property', { internalName, dataType: 'Text', ...more })
  await text('Title')
  await text('Note')
  await text('Tags')
  await text('Secret', { isSensitive: true })
  const attached = [{ property: 'Title' }, { property: 'Note' }, { property: 'Tags', isList: true }, { property: 'Secret' }]
  await call('create_entity', { internalName: 'Machine', properties: attached })
  await call('create_entity', { internalName: 'Order', properties: [{ property: 'Title' }, { property: 'Note' }] })
  const save = (entity: string, key1: string, data: object) => call('save_instance', { entity, key1, data })
  const search = async (query: string, more: object = {}, key = tenant.key) =>
    (await call('search_instances', { query, ...more }, key)) as { hits: Hit[]; truncated?: string[]; notSearched?: string[] }
  const keys = async (query: string, more: object = {}, key = tenant.key) =>
    (await search(query, more, key)).hits.map((hit) => hit.externalKey)
  return { tenant, call, save, search, keys }
}

describe('a search over all entities', () => {
  it('finds records that hold every word, wherever these stand, and tells of each what it is', async () => {
    const { save, search, keys, call } = await arranged()
    await save('Machine', 'M-1', { Title: 'Gate valve', Note: 'Stands at the north entrance', Tags: ['spare', 'heavy duty'] })
    await save('Machine', 'M-2', { Title: 'Pump' })
    const order = await save('Order', 'O-1', { Title: 'Replace the valve of the north gate' })
    const { hits } = await search('valve north')
    expect(hits.map((hit) => hit.externalKey).toSorted()).toEqual(['M-1', 'O-1'])
    expect(hits.find((hit) => hit.entity === 'Order')).toEqual({
      entity: 'Order',
      eiRecordId: order.eiRecordId,
      externalKey: 'O-1',
      title: 'Replace the valve of the north gate',
      excerpt: 'Replace the valve of the north gate',
      score: 1,
    })
    expect(await keys('heavy')).toEqual(['M-1'])
    expect(await keys('valve south')).toEqual([])
    expect(await keys('"gate valve"')).toEqual(['M-1'])
    expect(await keys('"valve gate"')).toEqual([])
    // A phrase is of one value: it does not run from one into the next.
    expect(await keys('"valve Stands"')).toEqual([])
    expect(await keys('valve', { entities: ['Order'] })).toEqual(['O-1'])
    for (const hit of hits) {
      const read = await call('get_instance', { entity: hit.entity, record: hit.eiRecordId })
      expect(read.externalKey).toBe(hit.externalKey)
    }
  })

  it('finds whatever case, accents and width a text has, parts of words, and languages without spaces', async () => {
    const { save, keys } = await arranged()
    await save('Machine', 'M-1', { Title: 'Absperrventil Übergabestraße' })
    await save('Machine', 'M-2', { Title: 'Pièce détachée Nº 4', Note: '100%_\\done' })
    await save('Machine', 'M-3', { Title: '東京駅の漏水修理' })
    await save('Machine', 'M-4', { Title: 'สวัสดีครับ ปั๊มน้ำรั่ว' })
    await save('Machine', 'M-5', { Title: 'ЗАДВИЖКА на улице' })
    await save('Machine', 'M-6', { Title: 'ＦＵＬＬ width' })
    const found = await Promise.all(
      ['VENTIL', 'ubergabestrasse', 'piece DETACHEE', '100%_\\', '漏水', 'น้ำรั่ว', 'задвижка', 'full'].map((query) => keys(query)),
    )
    expect(found).toEqual([['M-1'], ['M-1'], ['M-2'], ['M-2'], ['M-3'], ['M-4'], ['M-5'], ['M-6']])
    expect(await keys('%')).toEqual(['M-2'])
  })

  it('puts words before parts of words, and titles before other texts, and shows where the match is', async () => {
    const { save, search } = await arranged()
    const long = 'Nothing to see here. '.repeat(40)
    await save('Machine', 'M-1', { Title: 'Startup', Note: 'x' })
    await save('Machine', 'M-2', { Title: 'Pump', Note: `${long}A piece of art in the hall. ${long}` })
    await save('Machine', 'M-3', { Title: 'Art of pumps' })
    await save('Machine', 'M-4', { Title: 'Artisan' })
    const { hits } = await search('art')
    expect(hits.map((hit) => hit.externalKey)).toEqual(['M-3', 'M-4', 'M-2', 'M-1'])
    expect(hits.map((hit) => hit.score)).toEqual([1, 0.8, 0.7, 0.5])
    const { title, excerpt } = hits[2] ?? { title: '', excerpt: '' }
    expect(title).toBe('Pump')
    expect(excerpt).toMatch(/^… .*A piece of art in the hall\. .* …$/)
    expect(excerpt.length).toBeLessThan(210)
    expect((await search('art', { pageSize: 2 })).hits).toHaveLength(2)
  })

  it('finds keys, names a record without text by its key, and leaves deleted ones and values of other kinds out', async () => {
    const { save, search, keys, call } = await arranged()
    await save('Order', 'WO-4711', {})
    const gone = await save('Order', 'WO-4712', { Title: 'Gone' })
    await call('delete_instance', { entity: 'Order', record: String(gone.eiRecordId) })
    const { hits } = await search('4711')
    expect(hits).toEqual([expect.objectContaining({ externalKey: 'WO-4711', title: 'WO-4711', excerpt: '' })])
    expect(await keys('gone')).toEqual([])
    await call('save_instance', { entity: 'Order', data: { Title: 'Without a key' } })
    expect((await search('without')).hits[0]?.title).toBe('Without a key')
  })

  it('neither matches nor shows what the caller may not see, and nothing sensitive whoever asks', async () => {
    const { tenant, save, search, keys, call } = await arranged()
    await save('Machine', 'M-1', { Title: 'Mine', Note: 'hush', Secret: 'codeword' })
    await save('Machine', 'M-2', { Title: 'Theirs', Note: 'hush', Secret: 'codeword' })
    expect(await keys('codeword')).toEqual([])
    // What shows nothing sensitive leaves no trace as if it had.
    const traces =
      await world.sql`select 1 from platform.audit_event where tenant_id = ${tenant.tenantId} and operation = 'search_instances'`
    expect(traces).toEqual([])
    const reader = await tenant.keyWith(['DataView'])
    const all = { read: true, create: true, edit: true, seesSensitive: true }
    const mine = { property: 'Title', op: 'eq', value: 'Mine' }
    const other = { property: 'Title', op: 'eq', value: 'Both' }
    await call('set_entity_access', {
      entity: 'Machine',
      rules: [
        { tenantUserId: tenant.tenantUserId, ...all },
        { role: 'DataView', read: true, filter: [mine], hidden: ['Note'] },
        { role: 'DataView', read: true, filter: [other] },
      ],
    })
    await save('Machine', 'M-3', { Title: 'Both', Note: 'hush' })
    expect((await keys('hush')).toSorted()).toEqual(['M-1', 'M-2', 'M-3'])
    expect(await keys('codeword')).toEqual([])
    // Where one rule hides the note and another shows it, it counts as empty in the row that hides it.
    expect(await keys('hush', {}, reader)).toEqual(['M-3'])
    expect(await keys('theirs', {}, reader)).toEqual([])
    const { hits } = await search('mine', {}, reader)
    expect(hits).toEqual([expect.objectContaining({ externalKey: 'M-1', title: 'Mine', excerpt: 'Mine' })])
    // An entity of which the caller has no rule, and another tenant.
    await call('set_entity_access', { entity: 'Machine', rules: [{ tenantUserId: tenant.tenantUserId, ...all }] })
    expect(await keys('mine', {}, reader)).toEqual([])
    const stranger = await world.newTenant()
    expect(await keys('mine', {}, stranger.key)).toEqual([])
  })

  it('keeps a key part that follows from a sensitive property to itself', async () => {
    const { call, search, keys } = await arranged()
    await call('create_property', { internalName: 'Badge', dataType: 'Text', isSensitive: true })
    await call('create_entity', {
      internalName: 'Guest',
      properties: [{ property: 'Badge', keyPart: 1, isRequired: true }, { property: 'Title' }],
    })
    await call('save_instance', { entity: 'Guest', data: { Badge: 'B-998877', Title: 'Visitor' } })
    expect(await keys('998877')).toEqual([])
    expect((await search('visitor')).hits).toEqual([expect.objectContaining({ externalKey: '', title: 'Visitor' })])
  })

  it('says which entities hold more than it ranks, and for which the time did not suffice', async () => {
    const { tenant, call, save, search } = await arranged()
    const rows = Array.from({ length: 1_002 }, (_, index) => ({ key1: `K-${index}`, data: { Title: 'Common word' } }))
    expect(await call('save_instances_bulk', { entity: 'Order', rows })).toMatchObject({ inserted: 1_002 })
    await save('Machine', 'M-1', { Title: 'Common machine' })
    const { hits, truncated, notSearched } = await search('common', { pageSize: 1_000 })
    expect(hits).toHaveLength(1_000)
    expect({ truncated, notSearched }).toEqual({ truncated: ['Order'], notSearched: undefined })
    // A table that another transaction keeps to itself is waited for no longer than the search has time.
    const { entityId } = (await call('describe_entity', { entity: 'Order' })).entity
    const table = `t_${tenant.tenantId}.e_${entityId}`
    const cut = await world.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${table} in access exclusive mode`)
      return search('common')
    })
    expect(cut).toEqual({ hits: [expect.objectContaining({ externalKey: 'M-1' })], notSearched: ['Order'] })
  })

  it('refuses no words, too many, and entities that there are not', async () => {
    const { tenant } = await arranged()
    const refused = (input: object) => world.refusal('search_instances', input, tenant.key)
    for (const query of ['   ', '""', '\u0301']) expect((await refused({ query })).issues?.[0]?.path).toBe('$.query')
    expect((await refused({ query: 'a b c d e f g h i j k' })).message).toContain('at most 10')
    const unknown = await refused({ query: 'a', entities: ['Machin', 'Order', 'Ordr'] })
    expect(unknown.code).toBe('unknown_entity')
    expect(unknown.issues?.map(({ path, suggestion }) => [path, suggestion])).toEqual([
      ['$.entities[0]', 'Machine'],
      ['$.entities[2]', 'Order'],
    ])
  })

  it('finds in the part of a long record that it looks through, and nothing behind', async () => {
    const { save, keys } = await arranged()
    await save('Machine', 'M-1', { Title: 'Long', Note: `${'word '.repeat(3_000)}near ${'word '.repeat(3_000)}far` })
    expect(await keys('near')).toEqual(['M-1'])
    expect(await keys('far')).toEqual([])
  })
})
